"""The run that a notebook begins by hand is the recorded one, and a changed model is told."""

import inspect
from dataclasses import replace

import pytest
from IPython.display import Markdown

from abstractor_lib.experiments.sorting import run as sorting
from abstractor_lib.pages import notebooks
from abstractor_lib.reporting import live

# Of the function that builds the model: a piece of one line, and what stands there instead.
CHANGES = [
    ("lib.Heads(model.heads,", "lib.Heads(2 * model.heads,"),
    ("model.key_dim, fused", "model.key_dim // 2, fused"),
    ('"encoder": model.encoder_layers', '"encoder": model.encoder_layers - 1'),
    ("fused=fused)", "fused=fused, bias=False)"),
    ("hidden, dropout = model.hidden", "hidden, dropout = 2 * model.hidden"),
    ("= model.hidden, model.dropout", "= model.hidden, 0.0"),
    ("= model.hidden, model.dropout", "= model.hidden, 2 * model.dropout"),
    ("nn.Embedding(task.length + 1, dim)", "nn.Embedding(task.length + 2, dim)"),
    ("nn.Sequential(lib.LearnedSymbols(task.length, dim), lib.AddPositions(dim))",
     "nn.Sequential(lib.LearnedSymbols(task.length, dim))"),
    ("lib.LearnedSymbols(task.length, dim), lib.AddPositions(dim)",
     "lib.LearnedSymbols(task.length, dim), lib.AddPositions(dim), nn.Tanh()"),
    ("kind=model.kind", 'kind="ablation"'),
    ("heads=heads,", "heads=1,"),
    ("self_attention=model.self_attention", "self_attention=False"),
    ("model.abstractor_layers,", "model.abstractor_layers + 1,"),
    ("model.abstractor_layers,", "1,"),
    ('"decoder": model.decoder_layers', '"decoder": model.decoder_layers + 1'),
    ("nn.Linear(sum(task.dims), dim),", "nn.Linear(sum(task.dims), dim, bias=False),"),
    ('"encoder": model.encoder_layers', '"encoder": model.encoder_layers + 1'),
    ('"decoder": model.decoder_layers', '"decoder": model.decoder_layers - 1'),
    ("lib.initialise(built, model.initialisation)", "pass"),
]  # fmt: skip


# Of the model of a notebook's run: numbers that change nothing, as this kind of model, or its loss
# before any update, does not have what they count.
WITHOUT_EFFECT = {
    "01": {"heads"},  # those of a Transformer
    "03": {"encoder_layers", "abstractor_layers", "self_attention"},  # a Simple Abstractor has none
    "06": {"relations", "key_dim"},  # relations are given
    "10": {"heads"},
    "12": {"dropout"},  # its first loss is that of evaluation
    "13": {"shared"},
}


def beginning(number: str):
    """Begins the run of a notebook with a function that builds its model; and what the notebook has
    named before."""
    cells = notebooks.read(notebooks.find(number)).cells
    start = next(n for n, cell in enumerate(cells) if "## One " in cell.source)
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    begun = [cell.source for cell in cells[start:] if cell.cell_type == "code"]
    last = next(n for n, source in enumerate(begun) if "beside_record" in source)
    names = {}
    setup = code[: next(n for n, source in enumerate(code) if "Study(" in source) + 1]
    for source in [*setup, *begun[:last]]:
        exec(source, names)

    def begin(build) -> str:
        told = []
        here = {**names, "build": build, "live": Told(told)}
        exec(begun[last], here)
        return told[0]

    return begin, names


@pytest.fixture(scope="module")
def begin():
    """Begins the run of notebook 02 with a function that builds its model."""
    return beginning("02")[0]


class Told:
    """The module `live`, which takes down what a record is held against."""

    def __init__(self, told: list[str]):
        self.told = told

    def __getattr__(self, name):
        return getattr(live, name)

    def beside_record(self, *arguments) -> Markdown:
        shown = live.beside_record(*arguments)
        self.told.append(shown.data)
        return shown


def test_the_run_begun_by_hand_is_the_recorded_one(begin):
    assert "The two agree" in begin(sorting.build)


@pytest.mark.first(7)
@pytest.mark.parametrize(("piece", "other"), CHANGES)
def test_one_changed_line_of_the_model_is_told(begin, piece, other):
    assert "do not agree" in begin(changed(piece, other))


def test_a_first_loss_does_not_tell_relational_from_symbolic_attention(begin):
    """Before training the attention of both is nearly even; the notebook says so."""
    assert "The two agree" in begin(changed("kind=model.kind", 'kind="symbolic"'))
    cells = notebooks.read(notebooks.find("02")).cells
    assert any("nearly even" in cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.first(2)
@pytest.mark.parametrize("number", WITHOUT_EFFECT)
def test_each_changed_number_of_the_model_is_told(number):
    """Of the notebooks that build the model of their run by one function."""
    begin, names = beginning(number)
    build, model = names["build"], names["run"].model
    assert "The two agree" in begin(build)
    silent = set()
    for field, value in vars(model).items():
        if not isinstance(value, int | float):
            continue
        other = replace(model, **{field: different(value)})
        try:
            said = begin(lambda _, *more, other=other: build(other, *more))
        except ValueError:
            continue  # told by a sentence
        if "do not agree" not in said:
            silent.add(field)
    assert silent == WITHOUT_EFFECT[number]


def different(value: float) -> float:
    """Another number, which can stand in the same place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value < 4 else 2 * value  # heads divide features
    return value / 2 + 0.1


def changed(piece: str, other: str):
    """The function that builds a model, with one line changed."""
    source = inspect.getsource(sorting.build)
    assert piece in source
    names = dict(vars(sorting))
    exec(source.replace(piece, other, 1), names)
    return names["build"]
