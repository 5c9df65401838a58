"""One run of a grid, done in a notebook: its settings, its seed, its model's source, its first
number beside the recorded one, and a few updates."""

import inspect
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType

import pandas as pd
from IPython.display import Markdown
from torch import Tensor, nn
from tqdm import tqdm

from .. import experiments
from ..execution import compute
from ..execution.driver import weights_of_parents
from ..experiments.context import Context
from ..findings.prose import NOT_RUN
from ..records.fingerprint import Fingerprint, distance, fingerprint, rounded
from ..records.spec import Spec
from ..training.actor_learner import ActorLearner
from ..training.minimise import minimise
from ..training.trainer import Trainer
from .study import Study

FIRST_LOSS = "first loss"  # what a record's fingerprint calls the loss before any update
STILL = (
    "*No further updates. With* `updates`, *or what the cell sets, above 0 training goes on here.*"
)


def settings(spec: Spec) -> pd.DataFrame:
    """What determines a run, a row each: its model, its task, its training, and the runs that it
    starts from.

    Fields that are at a default which switches something off are left out.
    """
    trials = ", ".join(map(str, spec.trials))
    rows = {"run": [f"id {spec.id[:12]}", f"protocol {spec.protocol}", f"trials {trials}"]}
    parents: dict[tuple[str, str], list[str]] = {}
    for parent in spec.parents.values():
        of = parent.spec.experiment, parent.spec.model.name
        parents.setdefault(of, []).append(f"{parent.trial}")
    for (experiment, model), numbers in parents.items():
        said = f"{experiment} ({model}, trial {', '.join(numbers)})"
        rows.setdefault("starts from", []).append(said)
    for part in ("model", "task", "training"):
        fields = vars(getattr(spec, part)).items()
        on = {name: one for name, one in fields if not (one in (None, (), "") or one is False)}
        rows[part] = [f"{name.replace('_', ' ')} {_setting(one)}" for name, one in on.items()]
    return pd.DataFrame({"settings": {part: "; ".join(said) for part, said in rows.items()}})


def _setting(value: object) -> str:
    """A value as people read it; several of them are listed, numbers in four digits.

    Example:
        >>> _setting((0.0, 1 / 3, "metric")), _setting(0.0)
        ('0, 0.3333, metric', '0.0')
    """
    if not isinstance(value, tuple):
        return f"{value}"
    return ", ".join(f"{one:.4g}" if isinstance(one, float) else f"{one}" for one in value)


def seed(spec: Spec) -> None:
    """Put torch's generator where it stands when the run begins: weights, the order of batches and
    dropout are then those of the run."""
    compute.seed(spec)


def context(study: Study) -> Context:
    """What the runs of a study work with that start from the weights of other runs."""
    return Context(load=weights_of_parents(study.workspace))


def source(function: FunctionType | type) -> Markdown:
    """The source of a function or class, folded."""
    name = f"<code>{function.__module__.replace('abstractor_lib.', '')}.{function.__qualname__}"
    code = inspect.getsource(function).rstrip()
    summary = f"<details><summary>Source: {name}</code></summary>"
    return Markdown(f"{summary}\n\n```python\n{code}\n```\n\n</details>")


def beside_record(study: Study, spec: Spec, computed: Fingerprint) -> Markdown:
    """Numbers of a run that were computed now beside those of its record, and whether they agree to
    what the experiment declares for any machine.

    Args:
        study: whose records are read.
        spec: of the run.
        computed: quantity -> its numbers; of a training run the `FIRST_LOSS`.
    """
    record = study.plans[spec.protocol].records.get(spec.id)
    if record is None:
        rows = [(name, _shown(numbers), NOT_RUN) for name, numbers in computed.items()]
        said = f"The run `{spec.id[:12]}` has no record; the parameter `compute` makes it."
    else:
        expected = {name: fingerprint(record)[name] for name in computed}
        rows = [
            (name, _shown(computed[name], numbers), _shown(numbers))
            for name, numbers in expected.items()
        ]
        tolerance = experiments.get(spec.experiment).repeating(spec).tolerance
        apart = distance(expected, rounded(dict(computed)))
        told = "agree" if apart <= tolerance else "**do not agree**"
        said = f"The two {told}, to {tolerance:g} of their scale, which every machine should reach."
    table = ["| | computed now | recorded |", "| --- | --- | --- |"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    return Markdown("\n".join([*table, "", said]))


def _shown(numbers: Sequence[float | None], beside: Sequence[float | None] = ()) -> str:
    """The first numbers to four digits. One within half a digit of its neighbour is shown as that:
    the processor does not decide which way it is rounded."""
    some = []
    for one, other in itertools.zip_longest(numbers[:4], beside[:4]):
        if one is not None and other is not None and math.isclose(one, other, rel_tol=5e-5):
            one = other
        some.append("none" if one is None else f"{one:.4g}")
    return ", ".join(some) + ", ..." * (len(numbers) > len(some))


def go_on(trainer: Trainer, updates: int) -> Markdown:
    """Some updates more, with a progress bar, and the training loss before and after: the mean over
    trials, of the first and of the last tenth of them."""
    bar = tqdm(range(updates), unit="update", file=sys.stderr, disable=updates == 0)
    losses = [trainer.step().mean().item() for _ in bar if not trainer.finished]
    if not losses:
        return Markdown(STILL)
    tenth = math.ceil(len(losses) / 10)
    before, after = (sum(some) / tenth for some in (losses[:tenth], losses[-tenth:]))
    return Markdown(
        f"After {trainer.update} updates the training loss is {after:.3g}; it was {before:.3g} in "
        f"the first {tenth}."
    )


def play_on(learner: ActorLearner, updates: int) -> Markdown:
    """Some plays more, each learned from, with a progress bar that tells the win rate; and what was
    won in the first and in the last tenth of them."""
    won = []
    with tqdm(unit="play", total=updates, file=sys.stderr, disable=updates == 0) as bar:
        while len(won) < updates and not learner.finished:
            won.append(learner.step())
            bar.set_postfix_str(f"{learner.decisions:,} decisions, won {won[-1]:.0%}")
            bar.update()
    if not won:
        return Markdown(STILL)
    tenth = math.ceil(len(won) / 10)
    before, after = (sum(some) / tenth for some in (won[:tenth], won[-tenth:]))
    return Markdown(
        f"After {learner.decisions:,} decisions the agent wins {after:.0%} of its episodes; it won "
        f"{before:.0%} in the first {tenth} of {len(won)} plays."
    )


def minimise_on(parameters: Iterable[Tensor], loss: Callable[[], Tensor], updates: int) -> Markdown:
    """Some iterations of L-BFGS, with a progress bar, and the loss before and after."""
    if updates == 0:
        return Markdown(STILL)
    with tqdm(unit="evaluation", file=sys.stderr) as bar:

        def counted() -> Tensor:
            bar.update()
            return loss()

        losses = minimise(parameters, counted, updates)
    return Markdown(
        f"After {updates} iterations more, which evaluated the loss {len(losses)} times, it is "
        f"{losses[-1]:.3g}; it was {losses[0]:.3g} before."
    )


def parameters(model: nn.Module) -> int:
    """How many numbers of a model are trained."""
    return sum(part.numel() for part in model.parameters() if part.requires_grad)
