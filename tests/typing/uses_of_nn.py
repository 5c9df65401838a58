"""What the type checker makes of the public modules, as people use them. Nothing here is run.

A right use has no error. A wrong one has the error that is named beside it: to name an error that
the checker does not see is an error too.
"""

import torch
from torch import Tensor, nn

from abstractor_lib.nn import (
    MLP,
    Abstractor,
    AbstractorClassifier,
    AddPositions,
    LearnedSymbols,
    SequenceToSequence,
    activate,
    greedy_decode,
    initialise,
    simplicial_logits,
    unsigned_triple_product,
)


def right(objects: Tensor, mask: Tensor, model: SequenceToSequence) -> list[Tensor]:
    """Sizes, words, masks and modules of the types that they have."""
    abstractor = Abstractor(64, heads=4, layers=2, symbols=10)
    own: nn.Module = LearnedSymbols(10, 64)
    small = Abstractor(64, 4, 1, symbols=own, dropout=0.0, dtype=torch.bfloat16)
    classifier = AbstractorClassifier(6, 2, dim=64, heads=4, layers=1, symbols=10, pool="mean")
    parts: list[nn.Module] = [abstractor, small, classifier, MLP([6, 32, 2]), AddPositions(64)]
    initialise(parts[0])
    states: Tensor = abstractor.forward(objects, key_padding_mask=mask)
    scores: Tensor = classifier.forward(objects, mask)
    relations: Tensor = activate(scores, "softmax", over="left", ignore=mask)
    logits: Tensor = simplicial_logits(objects, objects, objects, "pairs")
    product: Tensor = unsigned_triple_product(objects, objects, objects)
    tokens: Tensor = greedy_decode(model, objects, length=5, start=0, stop=None)
    return [states, relations, logits, product, tokens]


def wrong(objects: Tensor, model: SequenceToSequence) -> None:
    """What a checker finds before anything is trained."""
    Abstractor("64", heads=4, layers=2, symbols=10)  # ty: ignore[invalid-argument-type]
    Abstractor(64, heads=4, layers=2, symbols="ten")  # ty: ignore[invalid-argument-type]
    Abstractor(64, heads=4, layers=2)  # ty: ignore[missing-argument]
    Abstractor(64, heads=4, layers=2, symbols=10, symbol=3)  # ty: ignore[unknown-argument]
    sizes = {"dim": 64, "heads": 4, "layers": 1, "symbols": 10}
    AbstractorClassifier(6, 2, **sizes, pool="max")  # ty: ignore[invalid-argument-type]
    activate(objects, "sofmax")  # ty: ignore[invalid-argument-type]
    simplicial_logits(objects, objects, objects, "triples")  # ty: ignore[invalid-argument-type]
    greedy_decode(objects, objects, length=5, start=0)  # ty: ignore[invalid-argument-type]
    greedy_decode(model, objects, length="5", start=0)  # ty: ignore[invalid-argument-type]
