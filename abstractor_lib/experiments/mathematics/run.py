"""Computing one run of the mathematics experiment.

Metrics, on validation questions: ``teacher_forcing_accuracy``, the share of characters that are
right after the true ones before them (`;`, which ends an answer, counts; null characters do not);
``exact_match_accuracy``, the share of answers that are written right from start to end, greedily;
``equal_accuracy``, the share that sympy finds equal to the right answer, written so or otherwise;
``ended_accuracy``, the share of answers that end at all; of models with two contexts
``without_CONTEXT_accuracy``, teacher-forcing accuracy of the trained decoder when nothing comes
from ``encoder`` or ``abstractor``. ``parameters``: of the model. ``characters``: of questions and
answers in the training set, without padding. Where the budget is one of epochs,
``epoch_N_accuracy``: teacher-forcing accuracy after those epochs that the authors' logs have.

The artifact ``answers`` holds the answers to the questions shown at every look, ``(looks,
questions, n)``, as character numbers; ``watched`` what `inspect.watch` returns.

Shapes: ``t`` trials, ``q`` questions, ``m`` characters of a question, ``n`` of an answer.
"""

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.mathematics import Problems, Unreadable, alphabet, equal
from ...tasks.mathematics.alphabets import PADDING, unframed
from ...training.objectives import Objective, token_cross_entropy
from ...training.outcome import Outcome, curve
from ...training.trainer import Fitted
from ...training.validation import validate
from ..context import Context
from ..supervised import supervised
from . import data
from .grid import ANSWERS, WATCHED
from .inspect import watch, without
from .settings import LOGGED, PROTOCOLS, TASKS, Model, Task, after_epoch, models

CHUNK = 250  # questions answered at once
SAMPLE = 8  # questions of the sample that the loss of an untrained model is taken on


def build(model: Model, task: Task) -> lib.PaddedTokens:
    """A freshly initialised model, ``(b, m), (b, n) -> (b, n, o)``: scores of each character."""
    count, dim = len(alphabet(task.alphabet)), model.dim
    heads = lib.Heads(model.heads, model.key_dim)

    def abstractor(features: int) -> lib.Abstractor:
        symbols: nn.Module = lib.SinusoidalSymbols(dim)
        if model.entries:
            library = lib.RetrievedSymbols(dim, dim, model.entries, model.heads)
            symbols = nn.Sequential(library, lib.AddPositions(dim))
        return lib.Abstractor(
            features,
            heads,
            model.layers,
            symbols=symbols,
            self_attention=model.self_attention,
            hidden=model.hidden,
            dropout=model.dropout,
        )

    wiring = lib.ARCHITECTURES[model.architecture]
    built = lib.sequence_to_sequence(
        model.architecture,
        nn.Embedding(count, dim),
        nn.Embedding(count, dim),
        count,
        dim=dim,
        heads=heads,
        layers={"encoder": model.layers, "decoder": model.decoder_layers},
        abstractor=abstractor if wiring.abstractors else None,
        sensory=model.sensory if len(wiring.attends) > 1 else None,
        hidden=model.hidden,
        dropout=model.dropout,
    )
    lib.initialise(built, model.initialisation)
    return lib.PaddedTokens(built, PADDING if task.padding == "ignored" else None)


@functools.cache
def parameter_counts(protocol: str) -> dict[str, int]:
    """How many parameters each model has, with the sizes of a protocol.

    Example:
        >>> parameter_counts(next(iter(PROTOCOLS)))["abstractor"]
        567008
    """
    settings = PROTOCOLS[protocol]
    task = Task(next(iter(TASKS)), 1, 1, 1, 1, settings.alphabet.value, settings.padding.value)
    with torch.random.fork_rng(devices=[]):
        built = {name: build(model, task) for name, model in models(settings).items()}
    return {name: sum(part.numel() for part in one.parameters()) for name, one in built.items()}


def objective(task: Task) -> Objective:
    """What is minimised, and which characters count."""
    return token_cross_entropy(PADDING, in_loss=task.padding == "read")


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test a spec; torch's default generator is the caller's to seed."""
    first = {"loss on the sample": untrained(spec)}
    if context.first_numbers:  # which takes no data but the sample
        return Outcome({}, [], fingerprint=first)
    train, questions = (data.problems(spec.task, split) for split in ("train", "validation"))
    batches = data.source(train, spec, context.device)
    validation = data.parts(questions, spec.task, spec.training.validation_chunk, context.device)
    shown = questions[: spec.task.shown]

    def trained(fitted: Fitted) -> lib.PaddedTokens:
        model = build(spec.model, spec.task).to(context.device).eval()
        model.load_state_dict({name: value[0] for name, value in fitted.parameters.items()})
        return model

    def measured(fitted: Fitted) -> dict[str, list]:
        model = trained(fitted)
        found = {
            "parameters": sum(part.numel() for part in model.parameters()),
            "characters": data.characters(train),
            **scores(model, spec.task, validation),
            **accuracies(model, questions[: spec.task.decoded]),
        }
        if spec.training.epochs:
            found |= by_epoch(fitted.history, batches.per_epoch)
        return {name: [value] for name, value in found.items()}

    def leaves(fitted: Fitted) -> dict:
        history, written = unwritten(fitted.history, spec.task.shown)
        artifacts = {ANSWERS: {"tokens": written}}
        if WATCHED in spec.keep:
            artifacts[WATCHED] = watch(trained(fitted), shown)
        return {
            "curve": curve(history),
            "parameters": fitted.parameters,
            "fingerprint": first,
            "artifacts": artifacts,
            "data": {"train": train.checksum(), "validation": questions.checksum()},
        }

    return supervised(
        spec,
        context,
        {"train": batches, "validation": validation}.__getitem__,
        lambda: build(spec.model, spec.task),
        measured,
        leaves,
        objective=objective(spec.task),
        watch=watcher(spec, shown, context.device),
        replay=True,
    )


def untrained(spec: Spec) -> list[float]:
    """Losses of the freshly initialised model of a run on the sample that ships, a number for each
    of some parts: what any machine can compute again. The random state is left as it was."""
    with torch.random.fork_rng(devices=[]):
        model = build(spec.model, spec.task).eval()
    sample = data.problems(spec.task, "validation", SAMPLE)
    measure = objective(spec.task)
    with torch.no_grad():
        return [
            measure(model(*(one[0] for one in part.inputs))[None], part.targets).item()
            for part in data.parts(sample, spec.task, 2)
        ]


def by_epoch(history: list[dict], updates: int) -> dict[str, float]:
    """Accuracy after each epoch that the authors' logs have and a look falls on.

    Args:
        history: the looks.
        updates: of an epoch.

    Example:
        >>> looks = [{"update": n, "validation_accuracy": torch.tensor([n / 8])} for n in (1, 2, 4)]
        >>> by_epoch(looks, 2)
        {'epoch_1_accuracy': 0.25, 'epoch_2_accuracy': 0.5}
    """
    seen = {entry["update"]: entry["validation_accuracy"].item() for entry in history}
    return {after_epoch(n): seen[n * updates] for n in LOGGED if n * updates in seen}


def scores(model: lib.PaddedTokens, task: Task, validation: list) -> dict[str, float]:
    """Teacher-forcing accuracy; of a model with two contexts also without each of them."""

    def accuracy() -> float:
        found = validate(lambda given: model(*(one[0] for one in given))[None], validation, measure)
        return found["accuracy"].item()

    measure = objective(task)
    with torch.no_grad():
        found = {"teacher_forcing_accuracy": accuracy()}
        contexts = model.model.attends
        for index, name in enumerate(contexts if len(contexts) > 1 else ()):
            with without(model.model, index):
                found[f"without_{name}_accuracy"] = accuracy()
    return found


def answers(model: lib.PaddedTokens, questions: Problems) -> Tensor:
    """What the model writes, greedily: characters ``(q, n)``, padded after the end of an answer."""
    tokens = torch.from_numpy(questions.questions).to(next(model.parameters()).device)
    (start, end), length = data.marks(questions.alphabet), questions.labels.shape[1]
    found = []
    for part in tokens.split(CHUNK):
        written = model.answer(part, length, start, stop=end)  # (q, at most n)
        over = (written == end).cumsum(dim=1) - (written == end).long() > 0
        written = written.masked_fill(over, PADDING)  # after the end
        found.append(nn.functional.pad(written, (0, length - written.shape[1]), value=PADDING))
    return torch.cat(found)


def accuracies(model: lib.PaddedTokens, questions: Problems) -> dict[str, float]:
    """Shares of the answers that are right from start to end, that are equal, and that end."""
    written, (_, end) = answers(model, questions), data.marks(questions.alphabet)  # (q, n)
    right = torch.from_numpy(questions.labels).to(written)
    exact, ended = (written == right).all(dim=1), (written == end).any(dim=1)  # (q,)
    texts = alphabet(questions.alphabet).decode(written.cpu().numpy())
    same = [
        bool(done) and _equal(unframed(text), expected)
        for done, text, expected in zip(ended, texts, questions.answer_texts(), strict=True)
    ]
    return {
        "exact_match_accuracy": exact.double().mean().item(),
        "equal_accuracy": sum(same) / len(same),
        "ended_accuracy": ended.double().mean().item(),
    }


def _equal(answer: str, expected: str) -> bool:
    """`equal`, where a right answer that cannot be read equals nothing but itself."""
    try:
        return equal(answer, expected)
    except Unreadable:
        return answer == expected


def watcher(spec: Spec, shown: Problems, device: str) -> Callable:
    """Looks at what a model writes: the history holds each character, so that it is part of the
    state that a killed run goes on from."""
    with torch.random.fork_rng(devices=[]):
        model = build(spec.model, spec.task).to(device).eval()

    def look(state: dict[str, Tensor]) -> dict[str, Tensor]:
        model.load_state_dict({name: value[0] for name, value in state.items()})
        written = answers(model, shown).flatten().float()
        return {f"character_{at}": one[None] for at, one in enumerate(written)}

    return look


def unwritten(history: list[dict], shown: int) -> tuple[list[dict], Tensor]:
    """A history without what was written, and that as characters, ``(looks, q, n)``."""
    rest, written = [], []
    for entry in history:
        mine = {name: value for name, value in entry.items() if name.startswith("character_")}
        rest.append({name: value for name, value in entry.items() if name not in mine})
        written.append(torch.stack([value[0] for value in mine.values()]))
    return rest, torch.stack(written).view(len(history), shown, -1).to(torch.uint8)
