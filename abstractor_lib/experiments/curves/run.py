"""Computing one run of the function learning experiment.

Metrics are means over test curves, the same for all runs. Their names are made by `names`. CLASS is
``line``, ``rbf``, ``sine`` or ``all``; STEP is ``step_01``, ``step_02`` and so on, the point after
the observed ones.

- ``mse_CLASS``: mean square error against the noisy values, over all steps;
  ``mse_CLASS_STEP`` (not for ``all``): at one step;
- ``mse_clean_CLASS``: against the values without noise;
- ``sd_CLASS``, ``sd_CLASS_STEP``: mean predicted standard deviation;
- ``coverage_50_CLASS``, ``_80_``, ``_95_``: share of noisy values within the central normal
  interval of that probability, over all steps;
- ``crps_CLASS``, ``crps_CLASS_STEP``: mean continuous ranked probability score of the normal
  prediction; of a model without standard deviation, the mean absolute error;
- ``mse_long_CLASS_STEP``, ``sd_long_CLASS_STEP`` (not for ``all``): over the five steps that end
  there, of the curves that are extrapolated for long;
- ``mse_outside_CLASS``, ``sd_outside_CLASS``, ``crps_outside_CLASS``, ``coverage_95_outside_CLASS``
  (``line`` and ``sine``): curves outside the training ranges;
- ``window_a_LAYER``, ``window_b_LAYER``, ``window_length_LAYER``: of the trained windows, LAYER is
  1, 2, ...; the length is the distance at which F falls below one half. The curve of a record
  holds the same over training;
- ``best_loss_METRIC``, ``averaged_METRIC``: of watched runs, the same of the weights of the lowest
  validation loss and of averaged ones, over the test curves; not by step but for the first. The
  curve of a record holds ``rolled_mse_CLASS``, of the last weights on validation curves;
- ``similarity_delta``, ``similarity_epsilon``: of a learned similarity;
- ``expected_mse_CLASS``, of references: the mean of their variances; of Bayes also its standard
  error over test curves, ``expected_mse_CLASS_error``, and their number, ``curves_CLASS``.

Metrics of standard deviations are there for relational models, and for references but the last
value and the constant. The artifact ``gallery`` holds
``clean``, ``noisy``, ``median`` and, of relational models, ``sd`` of the first test curves, which
are in turn lines, RBF curves and sinusoids: ``(curves, observed + long_steps)`` the first two,
``(curves, long_steps)`` the others.

Shapes: ``n`` curves, ``N`` observed points, ``s`` steps.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from ... import nn as lib
from ...nn.function_learning import CurveModel
from ...records.spec import Spec
from ...tasks import curves
from ...tasks.randomness import generator
from ...training import calibration
from ...training.examples import Examples
from ...training.outcome import Outcome, by_name
from ...training.sources import Generated
from ...training.trainer import Fitted
from ..context import Context
from ..supervised import supervised
from .grid import GALLERY
from .names import metric_name, of_weights, standard_error
from .references import SAMPLED, reference
from .settings import BAYES, REFERENCES, Model, Task

CHUNK = {"cpu": 50, "cuda": 500}  # curves extrapolated at once
LEVELS = (50, 80, 95)  # per cent
BLOCK = 5  # steps of long extrapolations that are averaged


def build(model: Model) -> CurveModel:
    """A freshly initialised model."""
    names = ("mask", "queries", "gating", "shared", "norm_first")
    options = {name: getattr(model, name) for name in names}
    if model.window:
        options["start"] = model.start
    kind = lib.CurveTransformer
    if model.relational:
        kind, options["similarity"] = lib.RelationalCurveTransformer, model.similarity
    sizes = (model.dim, model.heads, model.layers, model.hidden)
    return kind(*sizes, window=model.window, **options)


def batches(spec: Spec, device: str) -> Generated:
    """New curves for every update: observed values, and what the model is to answer."""
    task, precision = spec.task, np.dtype(spec.precision)
    model = build(replace(spec.model, dim=spec.model.heads, hidden=1, layers=1))

    def draw(random: np.random.Generator, update: int) -> tuple[np.ndarray, Tensor]:
        observed = task.observed
        if task.lengths == "varied":  # as many in all trials
            most = task.observed + task.steps
            observed = int(generator(update, "curves, length").integers(observed // 2, most))
        kinds = curves.mixed(random, spec.training.batch_size)
        found = curves.draw(random, kinds, observed + 1, ranges(task))
        answers = found.noisy if task.target == "noisy" else found.clean
        following = torch.from_numpy(answers[:, -1].astype(precision))
        return found.noisy[:, :-1].astype(precision), model.target(following, observed)

    return Generated(draw, [generator(trial, "curves") for trial in spec.trials], device)


def ranges(task: Task) -> curves.Ranges:
    """Of the training curves."""
    return curves.Ranges(intercept=task.intercept)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    if spec.model.name in REFERENCES:
        return compare(spec)
    watched = spec.training.monitor == "validation"

    def watch(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return windows(state) | (rolled(models(spec, state), spec.task) if watched else {})

    galleries: list[dict[str, Tensor]] = []

    def measured(fitted: Fitted) -> dict[str, list]:
        trials = []
        for model in models(spec, fitted.parameters):
            found, gallery = tested(partial(extrapolated, model), spec.task)
            trials.append(found)
            galleries.append(gallery)
        for name in spec.training.also:
            for found, model in zip(trials, models(spec, fitted.further(name)), strict=True):
                further = by_class(model, spec.task)
                found |= {of_weights(metric, name): one for metric, one in further.items()}
        metrics = by_name(trials)
        metrics |= {name: value.tolist() for name, value in windows(fitted.state).items()}
        if spec.model.similarity == "learned":
            metrics["similarity_delta"] = fitted.parameters["similarity.log_delta"].exp().tolist()
            metrics["similarity_epsilon"] = fitted.parameters["similarity.epsilon"].tolist()
        return metrics

    examples = {"train": batches(spec, context.device)}
    if watched:
        examples["validation"] = validation_examples(spec, context.device)
    return supervised(
        spec,
        context,
        examples.get,
        lambda: build(spec.model),
        measured,
        lambda fitted: {"parameters": fitted.parameters, "artifacts": {GALLERY: galleries[0]}},
        watch=watch,
        replay=spec.task.lengths != "varied",
    )


def models(spec: Spec, state: Mapping[str, Tensor]) -> list[CurveModel]:
    """The models of the trials, with the weights of a state, each ``(t, ...)``."""
    found = []
    for index in range(spec.trials.count):
        own = {name: value[index] for name, value in state.items()}
        weight = next(iter(own.values()))
        model = build(spec.model).to(weight.device, weight.dtype).eval()
        model.load_state_dict(own)
        found.append(model)
    return found


def validation_curves(task: Task) -> curves.Curves:
    """The curves that all watched runs are validated on."""
    random = generator(0, "curves, validation")
    points = task.observed + task.steps
    return curves.draw(random, curves.even(task.validation), points, ranges(task))


def validation_examples(spec: Spec, device: str) -> Examples:
    """Validation curves for all trials: observed values ``(t, n, N)``, and what the model is to
    answer of the next point."""
    task, precision = spec.task, np.dtype(spec.precision)
    some = validation_curves(task)
    values = torch.from_numpy(some.noisy[:, : task.observed + 1].astype(precision)).to(device)
    model = build(replace(spec.model, dim=spec.model.heads, hidden=1, layers=1))
    answers = model.target(values[:, -1], task.observed)
    every = spec.trials.count
    observed = values[:, :-1].expand(every, -1, -1)
    return Examples(observed, answers.expand(every, *answers.shape))


def rolled(models: list[CurveModel], task: Task) -> dict[str, Tensor]:
    """``rolled_mse_CLASS`` of each trial, ``(t,)``: mean square error over all steps, against the
    noisy values of the first validation curves."""
    first = curves.Curves(*(part[: task.rolled] for part in validation_curves(task)))
    each = []
    for model in models:
        values, sd = extrapolated(model, first, task.observed, task.steps, ranges(task))
        found = scores(first, values, sd, task.observed)
        each.append({name: found[metric_name("mse", name)] for name in (*curves.CLASSES, "all")})
    where = next(models[0].parameters()).device
    return {
        metric_name("rolled_mse", name): torch.tensor([one[name] for one in each], device=where)
        for name in each[0]
    }


def by_class(model: CurveModel, task: Task) -> dict[str, float]:
    """Metrics of a model on the test curves, by class; of single steps the first alone."""
    test = test_curves(task)
    found = extrapolated(model, test, task.observed, task.steps, ranges(task))
    return scores(test, *found, task.observed, single=1)


def compare(spec: Spec) -> Outcome:
    """Metrics of a reference, which has nothing to train."""
    task = spec.task
    predict = partial(referred, spec.model.name)
    metrics, _ = tested(predict, task)
    test = test_curves(task)
    _, sd = predict(test, task.observed, task.steps, ranges(task))
    for name, chosen in groups(test.kinds):
        if sd is None:
            break
        stated = np.square(sd[chosen]).mean(axis=1)  # of each curve
        expected = metric_name("expected_mse", name)
        metrics[expected] = float(np.square(sd[chosen]).mean())
        if spec.model.name in BAYES:
            metrics[standard_error(expected)] = float(stats.sem(stated))
            metrics[metric_name("curves", name)] = len(stated)
    sampled = SAMPLED if spec.model.name in BAYES else ()
    first = [metrics[metric_name("mse", name)] for name in curves.CLASSES if name not in sampled]
    return Outcome(by_name([metrics]), first, fingerprint={"mse": first})


def windows(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """a, b and effective length of each window, ``(t,)`` each, from the parameters of a model."""
    found = {}
    names = [name.removesuffix("log_a") for name in state if name.endswith("window.log_a")]
    for layer, name in enumerate(names, start=1):
        a, b = state[f"{name}log_a"].exp(), state[f"{name}log_b"].exp()
        seen = {"a": a, "b": b, "length": lib.window_length(a, b)}
        found |= {metric_name(f"window_{one}", layer=layer): what for one, what in seen.items()}
    return found


class Predict(Protocol):
    """Predicted values of some curves, and standard deviations if there are any, ``(n, s)``."""

    def __call__(
        self, data: curves.Curves, observed: int, steps: int, among: curves.Ranges
    ) -> tuple[np.ndarray, np.ndarray | None]: ...


def tested(predict: Predict, task: Task) -> tuple[dict[str, float], dict[str, Tensor]]:
    """Metrics of predictions, and those for the gallery."""
    test, among = test_curves(task), ranges(task)
    metrics = scores(test, *predict(test, task.observed, task.steps, among), task.observed)
    first = curves.Curves(*(part[: task.long] for part in test))
    long = predict(first, task.observed, task.long_steps, among)
    metrics |= long_scores(first, *long, task.observed)
    other = replace(curves.OUTSIDE, intercept=task.intercept)
    outside = curves.draw(
        generator(0, "curves, outside"),
        curves.even(task.outside, ("line", "sine")),
        task.observed + task.steps,
        other,
    )
    further = predict(outside, task.observed, task.steps, other)
    found = scores(outside, *further, task.observed)
    for name in ("line", "sine"):
        for metric in ("mse", "sd", "crps", "coverage_95"):
            if (there := metric_name(metric, name)) in found:
                metrics[metric_name(f"{metric}_outside", name)] = found[there]
    parts = {"clean": test.clean, "noisy": test.noisy, "median": long[0], "sd": long[1]}
    gallery = {
        name: torch.from_numpy(part[: task.gallery].astype(np.float32))
        for name, part in parts.items()
        if part is not None
    }
    return metrics, gallery


def test_curves(task: Task) -> curves.Curves:
    """The curves that all runs are tested on."""
    points = task.observed + task.long_steps
    return curves.draw(generator(0, "curves, test"), curves.even(task.test), points, ranges(task))


def extrapolated(
    model: CurveModel, data: curves.Curves, observed: int, steps: int, among: curves.Ranges
) -> tuple[np.ndarray, np.ndarray | None]:
    """What a trained model predicts; see `Predict`. It does not know the ranges."""
    weight = next(model.parameters())
    given = torch.from_numpy(data.noisy[:, :observed]).to(weight)
    parts = [lib.extrapolate(model, part, steps) for part in given.split(CHUNK[given.device.type])]
    values, deviations = zip(*parts, strict=True)
    if deviations[0] is None:
        return torch.cat(values).double().cpu().numpy(), None
    return tuple(torch.cat(part).double().cpu().numpy() for part in (values, deviations))


def referred(
    name: str, data: curves.Curves, observed: int, steps: int, among: curves.Ranges
) -> tuple[np.ndarray, np.ndarray | None]:
    """What a reference predicts; see `Predict`."""
    found = reference(name, data.noisy[:, :observed], data.kinds, steps, among)
    return found.mean, None if np.isnan(found.sd).all() else found.sd


def groups(kinds: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Name of a class, and which curves are of it; last, all."""
    for number, name in enumerate(curves.CLASSES):
        yield name, kinds == number
    yield "all", kinds >= 0


def scores(
    data: curves.Curves,
    values: np.ndarray,
    sd: np.ndarray | None,
    observed: int,
    single: int | None = None,
) -> dict[str, float]:
    """Metrics of predictions ``(n, s)`` by class, as above; of single steps the first ``single``,
    or all."""
    after = slice(observed, observed + values.shape[1])
    clean, noisy = data.clean[:, after], data.noisy[:, after]
    by_point = {
        "mse": np.square(values - noisy),
        "crps": calibration.crps_normal(noisy, values, np.zeros(()) if sd is None else sd),
    }
    whole = {"mse_clean": np.square(values - clean)}
    if sd is not None:
        by_point["sd"] = sd
        for level in LEVELS:
            whole[f"coverage_{level}"] = calibration.covered(noisy, values, sd, level / 100)
    metrics = {}
    for name, chosen in groups(data.kinds):
        if not chosen.any():
            continue
        for metric, found in (by_point | whole).items():
            metrics[metric_name(metric, name)] = float(found[chosen].mean())
        for metric, found in by_point.items() if name != "all" else ():
            for step, mean in enumerate(found[chosen].mean(axis=0)[:single], start=1):
                metrics[metric_name(metric, name, step=step)] = float(mean)
    return metrics


def long_scores(
    data: curves.Curves, values: np.ndarray, sd: np.ndarray | None, observed: int
) -> dict[str, float]:
    """Metrics of long extrapolations, by class and blocks of steps."""
    steps = values.shape[1]
    found = {"mse": np.square(values - data.noisy[:, observed : observed + steps])}
    if sd is not None:
        found["sd"] = sd
    metrics = {}
    for name, chosen in groups(data.kinds):
        for last in range(BLOCK, steps + 1, BLOCK) if name != "all" else ():
            for metric, points in found.items():
                part = points[chosen, last - BLOCK : last]
                metrics[metric_name(f"{metric}_long", name, step=last)] = float(part.mean())
    return metrics
