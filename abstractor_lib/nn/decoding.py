"""Greedy decoding, with cached keys and values.

Shapes: ``b`` batch, ``m`` source objects, ``n`` target tokens, ``o`` outputs.
"""

import torch
from torch import Tensor, nn

from .arguments import check_sizes, check_token
from .sequence import SequenceToSequence


@torch.no_grad()
def greedy_decode(
    model: SequenceToSequence,
    source: Tensor,
    length: int,
    start: int,
    *,
    source_key_padding_mask: Tensor | None = None,
    stop: int | None = None,
    cached: bool = True,
) -> Tensor:
    """Tokens chosen one after the other, each the most probable after those before it.

    Args:
        model: a `SequenceToSequence` model, used as it is: call ``model.eval()`` first.
        source: ``(b, m, ...)``.
        length: number of tokens to choose.
        start: the token that stands before the first.
        source_key_padding_mask: boolean ``(b, m)``, True meaning "ignore".
        stop: a token after which only itself follows; decoding ends when all rows have it.
        cached: keep projected keys and values instead of computing them for every token anew. A
            target whose ``embed`` adds positions of its own, or reads the tokens before, is decoded
            without from where that begins to show: the tokens are the same.

    Returns:
        Tokens ``(b, length)``, int64; fewer columns if all rows stopped.

    Raises:
        ValueError: if ``length`` is below one, ``start`` or ``stop`` is no integer, ``start`` is
            none of the target's embeddings, or the source is not a batch.

    Example:
        >>> from torch import nn
        >>> from abstractor_lib.nn import sequence_to_sequence
        >>> sizes = dict(dim=8, heads=2, hidden=8, layers=1)
        >>> model = sequence_to_sequence(
        ...     "transformer", nn.Linear(3, 8), nn.Embedding(6, 8), 5, **sizes).eval()
        >>> greedy_decode(model, torch.randn(2, 4, 3), length=4, start=5).shape
        torch.Size([2, 4])
    """
    check_sizes(length=length)
    embed = model.target.embed
    check_token("start", start, embed.num_embeddings if isinstance(embed, nn.Embedding) else None)
    if stop is not None:
        check_token("stop", stop)
    contexts = model.encode(source, source_key_padding_mask)
    if contexts and contexts[0].dim() != 3:
        raise ValueError(f"source has shape {tuple(source.shape)}; expected a batch of sequences")
    tokens = torch.full((len(source), 1), start, dtype=torch.long, device=source.device)
    cache = model.decoder.new_cache() if cached else None
    stopped = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    for _ in range(length):
        if cache is not None and not _alike_alone(model.target.embed, tokens):
            cache = None
        shown = tokens if cache is None else tokens[:, -1:]
        scores = model.decode(
            shown, contexts, source_key_padding_mask=source_key_padding_mask, cache=cache
        )
        chosen = scores[:, -1].argmax(dim=-1)  # (b,)
        if stop is not None:
            chosen = torch.where(stopped, stop, chosen)
            stopped = chosen == stop
        tokens = torch.cat([tokens, chosen[:, None]], dim=-1)
        if stop is not None and bool(stopped.all()):
            break
    return tokens[:, 1:]


def _alike_alone(embed: nn.Module, tokens: Tensor) -> bool:
    """Whether the last of some tokens ``(b, t)`` is embedded as if it stood alone: not where an
    embedding knows places, or reads the tokens before."""
    return torch.allclose(embed(tokens)[:, -1:], embed(tokens[:, -1:]))
