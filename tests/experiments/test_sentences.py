"""Sentences of notebooks: each rests on what the records may say otherwise.

A sentence that takes more than the tables of trials is called, with numbers that it does not hold
of, by a test in a module ``test_*_sentences.py`` of this folder.
"""

import importlib
import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from abstractor_lib import experiments
from abstractor_lib.findings import prose
from abstractor_lib.findings.sentences import Sentence, named, sentences
from abstractor_lib.reporting.study import Study


def module(name: str):
    """The sentences' module of an experiment, or None."""
    try:
        return importlib.import_module(f"abstractor_lib.experiments.{name}.sentences")
    except ModuleNotFoundError:
        return None


ALL = [
    (name, sentence)
    for name in experiments.by_name()
    if module(name)
    for sentence in sentences(module(name))
]


def takes_more(name: str, sentence: str) -> bool:
    """Whether a sentence takes more than the tables of trials."""
    return len(inspect.signature(named(module(name), sentence)).parameters) > 1


def changed(frames):
    """The tables of trials, with the same shape and other results, in several ways."""

    def each(change):
        return {protocol: change(table.copy()) for protocol, table in frames.items()}

    def numbers(table):
        settings = {
            "size",
            "trial",
            "draw",
            "updates",
            "epochs",
            "batch",
            "ratio",
            "errors",
            "rows",
        }
        return [n for n in table.select_dtypes(["number", "bool"]) if n not in settings]

    def mirrored(table):
        return table.assign(**{name: 1 - table[name].astype(float) for name in numbers(table)})

    def constant(value):
        def change(table):
            for name in numbers(table):
                table[name] = np.full(len(table), value)
            return table

        return change

    def turned(table):
        models = sorted(table["model"].unique())
        table["model"] = table["model"].map(dict(zip(models, models[1:] + models[:1], strict=True)))
        return table

    def doubled(table):
        return pd.concat([table, table], ignore_index=True)

    def lighter(table):
        return table.assign(errors=table["errors"] / 100) if "errors" in table else table

    others = [lighter, constant(0.0), constant(1.0), constant(100.0)]
    yield from map(each, [mirrored, *others, turned, doubled])


def rests_on_records(sentence: Sentence) -> bool:
    return any(isinstance(one, str) for one in sentence.because)


@pytest.mark.parametrize(("name", "sentence"), ALL)
def test_a_sentence_rests_on_what_could_be_otherwise(shipped, name, sentence):
    function, study = named(module(name), sentence), shipped.study(name)
    assert inspect.getdoc(function), f"{name}.{sentence} has no docstring"
    if takes_more(name, sentence):
        tests = Path(__file__).parent.glob("test_*_sentences.py")
        assert any(f"sentences.{sentence}(" in path.read_text() for path in tests)
        return
    judged = {(one.id, one.protocol): one for one in shipped.verdicts}
    said = function(study.frames)
    if not study.complete:
        assert "ot run" in said.text and not all(said.because)
        assert "`abstractor run" in study.say(sentence).data
        return
    assert prose.disagreements(said.because, judged) == []
    assert prose.fill(said.text, judged, said.values)
    if not rests_on_records(said):
        assert any(not all(other.because) for other in _answers(function, study.frames))


def _answers(function, frames):
    """The sentence of tables with other results, where it can be said of them."""
    for other in changed(frames):
        with np.errstate(all="ignore"):
            try:
                yield function(other)
            except (ValueError, KeyError, IndexError, ZeroDivisionError):
                continue


def test_a_sentence_rests_on_something():
    with pytest.raises(TypeError, match="a sentence rests on 'nothing'; expected verdicts"):
        Sentence("A number.", n=3)
    with pytest.raises(TypeError, match="a sentence rests on 3; expected"):
        Sentence("A number.", 3)
    with pytest.raises(ValueError, match="the sentence is 'no_such'; allowed: "):
        named(module("sorting"), "no_such")


def test_tables_of_a_study_are_copies():
    study = Study("memory")
    (name, table), *_ = study.frames.items()
    table["further"] = pd.Series(range(len(table)))
    assert "further" not in study.frames[name]
