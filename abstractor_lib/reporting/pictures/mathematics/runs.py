"""The runs that the notebook on mathematics problems tells of."""

from ....experiments.mathematics.measures import METRIC, learned
from ....experiments.mathematics.settings import BLIND, TASKS
from ...study import Study
from .training import EPOCH

WHOLE = "linear equation, 3 epochs"  # a part of the grid of its own


class Runs:
    """The short runs under ``described`` and those of whole epochs, as far as they are there.

    Attributes:
        wanted: task -> a run of the Abstractor, for the tasks of this profile; the longest training
            first.
        budget: task -> updates.
        learned: the tasks in which something was learned; all of them where that is not known.
        table, history: of short runs but those of blank questions, a row a trained model and a row
            a look; None if not run.
        floor: task -> accuracy of a Transformer whose questions are blank; None if not run.
        ends, seen: of whole epochs, those of blank questions too; None if not run.
        whole_floor: as ``floor``.
    """

    def __init__(self, study: Study):
        some = {
            task: study.wanted("described", variant=task, model="abstractor") for task in TITLES
        }
        budget = {
            task: specs[0].training.updates or 50 * EPOCH for task, specs in some.items() if specs
        }
        order = sorted(budget, key=lambda task: -budget[task])
        self.budget = {task: budget[task] for task in order}
        self.wanted = {task: some[task][0] for task in order}
        self.learned = list(order)
        self.table = self.history = self.floor = self.ends = self.seen = self.whole_floor = None
        if "described" not in study.frames:
            return
        table, history = study.frames["described"], study.histories("described")["described"]
        if history is None:
            return
        blank = table[table["model"].eq(BLIND)].groupby("variant")[METRIC].mean()
        self.floor = blank.drop(WHOLE, errors="ignore").to_dict()
        self.table, self.history = (
            one[one["variant"].isin(TITLES) & one["model"].ne(BLIND)] for one in (table, history)
        )
        if len(order) == len(TASKS):
            self.learned = learned(study.frames, "described")
        if WHOLE in blank:
            self.whole_floor = {WHOLE: blank[WHOLE]}
            self.ends, self.seen = (one[one["variant"].eq(WHOLE)] for one in (table, history))

    @property
    def tasks(self) -> list[str]:
        """The tasks of this profile, the longest training first."""
        return list(self.wanted)

    @property
    def all_tasks(self) -> dict[str, str]:
        """All five tasks, in the same order: what the package calls each -> what we do."""
        order = [*self.tasks, *TITLES]
        return dict(sorted(TASKS.items(), key=lambda one: order.index(one[1])))


TITLES = list(TASKS.values())
