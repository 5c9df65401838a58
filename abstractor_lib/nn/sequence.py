"""Sequence-to-sequence models around an Abstractor: who reads whose states.

Shapes: ``b`` batch, ``m`` source objects, ``n`` target tokens, ``d`` features, ``o`` outputs.
"""

from collections.abc import Iterable
from typing import Literal

import torch
from torch import Tensor, nn

from .arguments import check_batches, check_embeddable, check_mask, passed, shown, warn_if_shared
from .decoder import Decoder, LayerCache
from .excluded import finite_source
from .positions import AddPositions


class Concatenate(nn.Module):
    """Several contexts as one sequence, concat(E, A): v1's sensory-connected Abstractor.

    Example:
        >>> Concatenate()([torch.zeros(1, 3, 4), torch.zeros(1, 2, 4)]).shape
        torch.Size([1, 5, 4])
    """

    def forward(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=-2)


class SequenceToSequence(nn.Module):
    """Source objects and a target prefix to scores of the next target token.

    `sequence_to_sequence` builds the models of the papers; this class takes any modules.

    Args:
        source: embeds the source, ``(b, m, ...) -> (b, m, d)``.
        target: embeds the target tokens, ``(b, n) -> (b, n, d)``; an `Embedded`, whose positions
            can start later when decoding, or a module that knows no positions.
        decoder: a `Decoder`.
        output: decoder states to scores, ``(b, n, d) -> (b, n, o)``.
        encoder: an `Encoder`, or None.
        abstractors: `Abstractor` modules, each reading the states of the one before.
        reads, attends: see `Wiring`.
        concatenate: let the decoder see its contexts as one sequence.

    Returns:
        ``forward(source, target)``: ``(b, m, ...), (b, n) -> (b, n, o)``.

    Raises:
        ValueError: if something is to be read that the model does not have; when called, for
            inputs or masks that do not fit.

    Source: v1 sections 2.4 and 2.5; v3 section 3 and Figure 2.

    Example:
        >>> from abstractor_lib.nn import Abstractor, DecoderLayer
        >>> decoder = Decoder([DecoderLayer(16, 2)])
        >>> model = SequenceToSequence(nn.Linear(5, 16), nn.Embedding(11, 16), decoder,
        ...     nn.Linear(16, 10), abstractors=[Abstractor(16, 2, 1, symbols=7)], reads="input")
        >>> model(torch.randn(3, 7, 5), torch.zeros(3, 4, dtype=int)).shape
        torch.Size([3, 4, 10])
    """

    def __init__(
        self,
        source: nn.Module,
        target: nn.Module,
        decoder: Decoder,
        output: nn.Module,
        *,
        encoder: nn.Module | None = None,
        abstractors: Iterable[nn.Module] = (),
        reads: Literal["input", "encoder"] = "encoder",
        attends: Iterable[str] = ("abstractor",),
        concatenate: bool = False,
    ):
        super().__init__()
        self.source, self.encoder = source, encoder
        self.abstractors = nn.ModuleList(abstractors)
        warn_if_shared("abstractors", self.abstractors)
        self.target = target if isinstance(target, Embedded) else Embedded(target)
        self.decoder, self.output = decoder, output
        self.concatenate = Concatenate() if concatenate else None
        self.reads, self.attends = reads, tuple(attends)
        present = {"input"}
        present |= set() if encoder is None else {"encoder"}
        present |= {"abstractor"} if len(self.abstractors) else set()
        wanted = {"attends": self.attends, "reads": (reads,) if len(self.abstractors) else ()}
        for name, words in wanted.items():
            for word in words:
                if word not in present:
                    raise ValueError(
                        f"{name} names {word!r}; this model has: {', '.join(sorted(present))}"
                    )

    def encode(self, source: Tensor, source_key_padding_mask: Tensor | None = None) -> list[Tensor]:
        """The contexts that the decoder attends to, each ``(b, m, d)``."""
        masks = passed(key_padding_mask=source_key_padding_mask)
        check_embeddable("source", source, _dense(self.source))
        source = finite_source(source, source_key_padding_mask)
        states = {"input": self.source(source)}  # (b, m, d)
        if source_key_padding_mask is not None and states["input"].dim() > 2:
            wanted = states["input"].shape[:-1]
            check_mask("source_key_padding_mask", source_key_padding_mask, wanted)
        if self.encoder is not None:
            states["encoder"] = self.encoder(states["input"], **masks)
        read = states.get(self.reads)
        for abstractor in self.abstractors:
            read = states["abstractor"] = abstractor(read, **masks)
        contexts = [states[name] for name in self.attends]
        return contexts if self.concatenate is None else [self.concatenate(contexts)]

    def decode(
        self,
        target: Tensor,
        contexts: list[Tensor],
        *,
        source_key_padding_mask: Tensor | None = None,
        target_key_padding_mask: Tensor | None = None,
        cache: list[LayerCache] | None = None,
    ) -> Tensor:
        """Scores of the next token after each position of ``target``, ``(b, n, o)``.

        With a ``cache`` (`Decoder.new_cache`) ``target`` holds only the tokens that follow those
        seen before; ``target_key_padding_mask`` covers both.
        """
        seen = 0
        if cache is not None and cache[0].own is not None:
            seen = cache[0].own[0].shape[-2]
        masks = None
        if source_key_padding_mask is not None:
            masks = [source_key_padding_mask] * len(self.attends)
            masks = masks if self.concatenate is None else [torch.cat(masks, dim=-1)]
        check_embeddable("target", target, _dense(self.target))
        embedded = self.target(target, seen)  # (b, n, d)
        for context in contexts[:1]:
            check_batches(source=context.shape[:-2], target=embedded.shape[:-2])
        if target_key_padding_mask is not None:
            wanted = (*embedded.shape[:-2], seen + embedded.shape[-2])
            check_mask("target_key_padding_mask", target_key_padding_mask, wanted)
        y = self.decoder(
            embedded,
            contexts,
            key_padding_mask=target_key_padding_mask,
            context_key_padding_masks=masks,
            cache=cache,
        )
        return self.output(y)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_key_padding_mask: Tensor | None = None,
        target_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Masks are boolean, ``(b, m)`` and ``(b, n)``, True meaning "ignore". What has no batch
        dimension is the same for all: a target ``(n,)`` is one sequence, not ``b`` labels."""
        return self.decode(
            target,
            self.encode(source, source_key_padding_mask),
            source_key_padding_mask=source_key_padding_mask,
            target_key_padding_mask=target_key_padding_mask,
        )

    def extra_repr(self) -> str:
        return shown(self, "reads", "attends")


def _dense(embed: nn.Module) -> nn.Module:
    """What is given the inputs themselves."""
    return embed.embed if isinstance(embed, Embedded) else embed


class Embedded(nn.Module):
    """Inputs embedded, then positions: a sequence-to-sequence model's source and target.

    Args:
        embed: ``nn.Linear`` for vectors or ``nn.Embedding`` for tokens, which knows no positions.
        positions: `AddPositions`; None for objects without order.

    Raises:
        ValueError: when called with a ``start``, the first position, above 0 though ``embed`` adds
            positions of its own.

    Example:
        >>> from abstractor_lib.nn import AddPositions
        >>> Embedded(nn.Embedding(11, 4), AddPositions(4))(torch.zeros(2, 3, dtype=int)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, embed: nn.Module, positions: nn.Module | None = None):
        super().__init__()
        self.embed, self.positions = embed, positions
        self._places = any(isinstance(part, AddPositions) for part in embed.modules())

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        if start and self._places:
            raise ValueError(
                f"start is {start}; expected 0, since embed adds positions of its own, which begin "
                "at 0; take Embedded(embed, AddPositions(dim))"
            )
        x = self.embed(x)  # (b, m, d)
        return x if self.positions is None else self.positions(x, start)
