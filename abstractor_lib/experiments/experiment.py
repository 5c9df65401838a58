"""One section of a paper as data: its settings, its grid, how its runs are computed and repeat."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..findings import registry, sentences
from ..records.fingerprint import Repeats
from ..records.spec import Spec, read_spec
from .needs import Needs
from .protocol import PROTOCOLS, check

if TYPE_CHECKING:  # these import torch
    from ..training.outcome import Outcome
    from .context import Context

GENERAL = ("measures", "sizes", "successes", "beside_paper", "within_trials")
FINDINGS = tuple(f"abstractor_lib.findings.{name}" for name in GENERAL)


def updates_of_trials(spec: Spec) -> float:
    """Updates that the trials of a spec may take together, a measure of its length."""
    training, updates = spec.training, spec.training.updates
    if updates is None:
        updates = training.epochs * -(-spec.task.train // training.batch_size)
    return updates * spec.trials.count


def nothing(metrics: Mapping) -> dict:
    """No metrics are derived from the recorded ones."""
    return {}


def as_all(spec: Spec) -> dict[str, float]:
    """Runs of all specs repeat alike."""
    return {}


def one_core(spec: Spec) -> Needs:
    """One core of a CPU and 600 MiB."""
    return Needs(cores=1, memory_mib=600)


@dataclass(frozen=True)
class NewSpec:
    """Makes the specs of one experiment and protocol: ``new(model, task, training, trials, draw,
    ...)`` is `Spec` with its first three fields filled in."""

    experiment: str
    version: int
    protocol: str

    def __call__(self, *settings, **more) -> Spec:
        return Spec(self.experiment, self.version, self.protocol, *settings, **more)


@dataclass(frozen=True)
class Experiment:
    """One section of a paper.

    Attributes:
        name: as in ``abstractor run NAME``, and of its package in ``abstractor_lib.experiments``,
            whose module ``run`` has ``compute(spec, context)``, and whose modules ``measures``
            and ``facts``, if there are any, what its claims name, and whose module ``sentences``
            has what its notebook says.
        version: raised when a change is meant to change results.
        title: what the section is about, in a few words.
        notebooks: names of the notebooks that show its records.
        model, task, training: the dataclasses of its settings.
        protocols: name -> its settings, each value with its source; see `protocol.setting`.
        profiles: name -> how much to compute, a dataclass of the experiment.
        runs: the grid, ``runs(new, amount, settings)``: specs, made by ``new``, a `NewSpec`, of
            that much in a profile and the settings of a protocol.
        columns: what tables call a run, from the canonical form of its spec: ``model``, ``size``,
            ``variant``, and more.
        repeats: how its runs come out again.
        loose: of a spec whose run repeats less well than others, ``metrics`` that stand in place of
            those of ``repeats``.
        derived: further metrics of a trial, from the recorded ones.
        cost: how long a run takes, in a unit of the experiment's own.
        needs: what a run takes of a machine.
        starts_from: specs of the runs that its own start from, of other experiments or itself.
        ships: whether the weights that its runs leave ship; if not, they stay where they were
            computed, and whoever computes a further run computes what it starts from.
    """

    name: str
    version: int
    title: str
    notebooks: tuple[str, ...]
    model: type
    task: type
    training: type
    protocols: Mapping[str, Any]
    profiles: Mapping[str, Any]
    runs: Callable[[NewSpec, Any, Any], Iterable[Spec]]
    columns: Callable[[Mapping], dict]
    repeats: Repeats = field(default_factory=Repeats)
    loose: Callable[[Spec], Mapping[str, float]] = as_all
    derived: Callable[[Mapping], dict] = nothing
    cost: Callable[[Spec], float] = updates_of_trials
    needs: Callable[[Spec], Needs] = one_core
    starts_from: Callable[[], Iterable[Spec]] = tuple
    ships: bool = True

    def grid(self, profile: str, protocol: str) -> list[Spec]:
        """The specs of one profile and protocol, each once; none if the section has no such
        protocol (mathematics has one).

        Raises:
            ValueError: for an unknown profile or protocol.
        """
        check("profile", profile, self.profiles)
        check("protocol", protocol, PROTOCOLS)
        return list(self._grid(profile, protocol)) if protocol in self.protocols else []

    @cached_property
    def _grid(self) -> Callable[[str, str], tuple[Spec, ...]]:
        """`grid`, made once: other experiments ask for it once for each run that starts from it."""
        return cache(self._make)

    def _make(self, profile: str, protocol: str) -> tuple[Spec, ...]:
        new = NewSpec(self.name, self.version, protocol)
        specs: dict[str, Spec] = {}
        for spec in self.runs(new, self.profiles[profile], self.protocols[protocol]):
            specs.setdefault(spec.id, spec)
        return tuple(specs.values())

    def spec(self, plain: Mapping) -> Spec:
        """The spec of a record, from its canonical form.

        Raises:
            ValueError: for unknown fields or values of another type.
        """
        parents = self.parents if plain.get("parents") else {}
        return read_spec(plain, self.model, self.task, self.training, parents)

    @cached_property
    def parents(self) -> dict[str, Spec]:
        """By run id, the runs that its own start from."""
        return {spec.id: spec for spec in self.starts_from()}

    def compute(self, spec: Spec, context: "Context") -> "Outcome":
        """Compute a run; torch is imported now, and its random state is the caller's to seed."""
        return import_module(f"{__package__}.{self.name}.run").compute(spec, context)

    def measure(self, name: str) -> Callable:
        """What a claim of this experiment names: a measure of its own module ``measures``; of its
        ``facts``, which are computed when they are judged (mathematics on fixed examples, printed
        numbers); or of `findings`.

        Raises:
            ValueError: if none has it.
        """
        own = (f"{__package__}.{self.name}.{module}" for module in ("measures", "facts"))
        return registry.named(name, [*own, *FINDINGS])

    def sentence(self, name: str) -> Callable[..., sentences.Sentence]:
        """What a notebook says of this experiment: a function of its module ``sentences``.

        Raises:
            ValueError: if there is none of that name.
        """
        return sentences.named(import_module(f"{__package__}.{self.name}.sentences"), name)

    def repeating(self, spec: Spec) -> Repeats:
        """How the run of a spec comes out again; in distribution if another engine drives it."""
        repeats = replace(self.repeats, metrics={**self.repeats.metrics, **self.loose(spec)})
        return replace(repeats, same_class="distribution") if self.needs(spec).engine else repeats
