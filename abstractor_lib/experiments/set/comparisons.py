"""What claims of SET classification measure beside the common measures: the difference of two
accuracies of one model, and a curve beside the paper's."""

from ..set_relations.bounds import at_published_sizes, gap

__all__ = ["at_published_sizes", "gap"]
