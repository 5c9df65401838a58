"""Sequence-to-sequence models of padded tokens, such as the characters of questions and answers.

Shapes: ``b`` batch, ``m`` source tokens, ``n`` target tokens, ``o`` outputs.
"""

import torch
from torch import Tensor, nn

from .arguments import check_token
from .decoding import greedy_decode
from .sequence import SequenceToSequence


class PaddedTokens(nn.Module):
    """A sequence-to-sequence model that takes padded tokens of any integer type.

    Args:
        model: the model.
        padding: the token that sources are padded with, at their end, and that no state attends to.
            None lets the states attend to padding as to any other token, as in the public code.

    Returns:
        ``forward(source, target)``: ``(b, m), (b, n) -> (b, n, o)``. With ``padding`` the scores do
        not depend on how far sources are padded. Targets need no mask: padding comes last there,
        and no position attends to later ones.

    Raises:
        ValueError: for a ``padding`` that is no integer, and when called for tokens that are none.

    Source: v3 section 4.3 pads with "the null character".

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import sequence_to_sequence
        >>> sizes = dict(dim=8, heads=2, hidden=8, layers=1)
        >>> model = sequence_to_sequence(
        ...     "transformer", nn.Embedding(6, 8), nn.Embedding(6, 8), 6, **sizes)
        >>> padded = PaddedTokens(model.eval(), padding=0)
        >>> short, long = torch.tensor([[5, 3]]), torch.tensor([[5, 3, 0, 0]])
        >>> target = torch.tensor([[1, 2]])
        >>> torch.allclose(padded(short, target), padded(long, target), atol=1e-6)
        True
    """

    def __init__(self, model: SequenceToSequence, padding: int | None = 0):
        super().__init__()
        if padding is not None:
            check_token("padding", padding)
        self.model, self.padding = model, padding

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        source, target = _whole("source", source), _whole("target", target)
        return self.model(source, target, self.mask(source))

    def mask(self, source: Tensor) -> Tensor | None:
        """Which tokens of the source are padding, bool ``(b, m)``; None if that makes no
        difference."""
        return None if self.padding is None else source == self.padding

    def answer(self, source: Tensor, length: int, start: int, stop: int | None = None) -> Tensor:
        """Tokens that the model writes, greedily, ``(b, length)``; see `greedy_decode`."""
        source = _whole("source", source)
        mask = self.mask(source)
        return greedy_decode(
            self.model, source, length, start, source_key_padding_mask=mask, stop=stop
        )

    def extra_repr(self) -> str:
        return f"padding={self.padding}"


def _whole(name: str, tokens: Tensor) -> Tensor:
    """Tokens of any integer type, as torch looks them up."""
    if tokens.is_floating_point() or tokens.dtype == torch.bool:
        raise ValueError(f"{name} has dtype {tokens.dtype}; expected whole numbers, tokens")
    return tokens.long()
