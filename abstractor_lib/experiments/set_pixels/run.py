"""Computing one run of SET classification from pixels.

Shapes: ``b`` batch, ``n`` rows of three cards, ``c`` channels of 50 x 70 pixels, ``d`` features.
"""

from torch import Tensor, nn

from ...records.spec import Spec
from ...training.fit import Examples
from ...training.outcome import Outcome, by_name
from ...training.trainer import Fitted
from ..cards.run import build as build_embedder
from ..cards.run import deck
from ..context import Context
from ..set.build import build as build_classifier
from ..set.data import accuracies, trial
from ..supervised import stacked, supervised
from .settings import Model, Task


class FromImages(nn.Module):
    """A classifier of triples of cards that are given by their numbers.

    There are only 81 images. Each is embedded once for a whole batch, and rows take from these
    embeddings what they hold: the same numbers and gradients as from three images a row, for less.

    Args:
        images: of all cards, ``(81, c, 50, 70)``; no part of the weights.
        embed: images to embeddings, ``(81, c, 50, 70) -> (81, d)``.
        classify: embedded triples to scores, ``(b, 3, d) -> (b, 2)``.

    Returns:
        ``forward(triples)``: ``(b, 3) -> (b, 2)``.
    """

    def __init__(self, images: Tensor, embed: nn.Module, classify: nn.Module):
        super().__init__()
        self.register_buffer("images", images, persistent=False)
        self.embed, self.classify = embed, classify

    def forward(self, triples: Tensor) -> Tensor:
        cards = self.embed(self.images)  # (81, d)
        return self.classify(cards[triples])  # (b, 2)


def build(model: Model, task: Task) -> FromImages:
    """A freshly initialised model."""
    embed = build_embedder(model.embedder, task.cards.channels).embed
    classify = build_classifier(model.classifier, model.embedder.dim)
    return FromImages(deck(task.cards).images, embed, classify)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    data = [trial(spec.task.rows, number, spec.draw) for number in spec.trials]

    def examples(part: str) -> Examples:
        return stacked((getattr(one, part)[:2] for one in data), context)

    def scores(fitted: Fitted) -> dict[str, list]:
        answers = fitted.predict(examples("test").inputs).argmax(dim=-1).cpu().numpy()  # (t, n)
        return by_name([accuracies(one, row) for one, row in zip(data, answers, strict=True)])

    return supervised(spec, context, examples, lambda: build(spec.model, spec.task), scores)
