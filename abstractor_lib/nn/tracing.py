"""What blocks of a model pass to each other in a forward pass, and what of the objects is in it.

An arrow is there because the tensor that one block returned is the tensor that another received;
what it carries is what a derivative finds in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from . import (
    AbstractorStack,
    InnerProductRelation,
    MultiHeadAttention,
    MultiHeadRelation,
    SequenceToSequence,
)

FEATURES, RELATIONS, BOTH, NEITHER = "features", "relations", "both", "symbols"


@dataclass(frozen=True)
class Arrow:
    """One block's output, received by another, and what it carries of the source objects."""

    start: str
    end: str
    carries: str


def blocks(model: SequenceToSequence) -> dict[str, nn.Module]:
    """The blocks of a sequence-to-sequence model that a diagram shows, by their names in it."""
    found = {"input": model.source, "encoder": model.encoder}
    several = len(model.abstractors) > 1
    for number, abstractor in enumerate(model.abstractors, start=1):
        label = f" {number}" if several else ""
        found[f"symbols{label}"] = abstractor.symbols
        found[f"abstractor{label}"] = abstractor
    found |= {"concatenate": model.concatenate, "target": model.target, "decoder": model.decoder}
    return {name: module for name, module in found.items() if module is not None}


def arrows(model: SequenceToSequence, source: Tensor, target: Tensor) -> list[Arrow]:
    """What each block receives from which other, found by running the model.

    What an arrow carries is found by differentiating with respect to the embedded objects, twice:
    as the model is, and with the relations that its Abstractors compute held fixed. What still
    depends on the objects then has received their features.

    Args:
        model: put into evaluation mode, so that nothing is dropped between blocks.
        source, target: any input it takes.

    Returns:
        Arrows in the order in which blocks are first used. ``carries`` is ``features`` from the
        input itself, ``both`` where features arrive mixed with relations, ``relations`` where
        objects matter through relations only, and ``symbols`` where they do not matter.
    """
    pairs, whole = _run(model.eval(), source, target, fixed=False)
    _, without = _run(model, source, target, fixed=True)
    found = []
    for start, end in pairs:
        carries = FEATURES if start == "input" else BOTH if without[start] else NEITHER
        if carries == NEITHER and whole[start]:
            carries = RELATIONS
        if not end.startswith("symbols") or whole[end]:  # most symbols only count the objects
            found.append(Arrow(start, end, carries))
    return found


def _run(
    model: SequenceToSequence, source: Tensor, target: Tensor, fixed: bool
) -> tuple[list[tuple[str, str]], dict[str, bool]]:
    """Who received whose output, and whose output depends on the embedded objects."""
    made: dict[str, Tensor] = {}
    received: list[tuple[str, str]] = []
    hooks = []

    def receive(name: str, values) -> None:
        for tensor in _tensors(values):
            for start, other in made.items():
                if other is tensor and start != name and (start, name) not in received:
                    received.append((start, name))

    def keep(name: str, output: Tensor) -> Tensor:
        made[name] = output.requires_grad_() if name == "input" else output
        return made[name]

    for name, block in blocks(model).items():
        hooks += [
            block.register_forward_pre_hook(
                lambda _, args, kwargs, name=name: receive(name, (args, kwargs)), with_kwargs=True
            ),
            block.register_forward_hook(lambda _, args, output, name=name: keep(name, output)),
        ]
        if not isinstance(block, AbstractorStack):
            continue
        for layer in block.layers:  # symbols are made in the Abstractor, received by its layers
            hooks.append(
                layer.register_forward_pre_hook(lambda _, args, name=name: receive(name, args))
            )
        for part in block.modules() if fixed else ():
            if isinstance(part, MultiHeadAttention):
                projections = [one for one in (part.query, part.key) if one is not None]
            else:
                relation = isinstance(part, MultiHeadRelation | InnerProductRelation)
                projections = [part] if relation else []
            for one in projections:
                hooks.append(one.register_forward_hook(lambda _, args, output: output.detach()))
    try:
        model(source, target)
    finally:
        for hook in hooks:
            hook.remove()
    return received, {name: _depends(output, made["input"]) for name, output in made.items()}


def _depends(output: Tensor, on: Tensor) -> bool:
    if not output.requires_grad:
        return False
    weights = torch.linspace(1, 2, output.numel()).view_as(output)  # no symmetry to cancel in
    (gradient,) = torch.autograd.grad(
        (weights * output).sum(), on, allow_unused=True, retain_graph=True
    )
    return gradient is not None and bool(gradient.abs().max() > 0)


def _tensors(values) -> list[Tensor]:
    if isinstance(values, Tensor):
        return [values]
    if isinstance(values, Mapping):
        values = values.values()
    elif not isinstance(values, list | tuple):
        return []
    return [tensor for value in values for tensor in _tensors(value)]


@torch.no_grad()
def states(model: SequenceToSequence, source: Tensor, target: Tensor) -> dict[str, np.ndarray]:
    """The states of architecture (b) on one example, as v1 Figure 1 names them.

    Args:
        model: with an encoder and one Abstractor.
        source, target: batches of one.

    Returns:
        ``X`` objects, ``E`` encoder states, ``R`` relations of the first head of the Abstractor's
        first layer, ``S`` symbols, ``A`` abstract states, ``D`` decoder states; each a matrix with
        a row for each object or token.
    """
    model = model.eval()
    (abstractor,) = model.abstractors
    embedded = model.source(source)
    encoded = model.encoder(embedded)
    symbols = abstractor.symbols(encoded)
    layer = abstractor.layers[0].relational
    _, relations = layer(encoded, symbols, need_weights=True)
    abstract = abstractor(encoded)
    decoded = model.decoder(model.target(target), [abstract])
    found = {"X": source, "E": encoded, "R": relations[:, 0], "S": symbols, "A": abstract}
    return {
        name: (value[0] if value.dim() == 3 else value).numpy()
        for name, value in {**found, "D": decoded}.items()
    }
