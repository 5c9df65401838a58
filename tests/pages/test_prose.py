"""Prose cannot go stale: what was measured is printed by cells, and never typed."""

import re

import jupytext
import pytest

from abstractor_lib.pages import notebooks

CODE = re.compile(r"```.*?```|`[^`]*`", re.S)
MATHS = re.compile(r"\$\$.*?\$\$|\$.*?\$", re.S)
LINK = re.compile(r"\]\([^)]*\)")
WORDS = (
    r"sections? eq\. equations? algorithms? theorems? lemmas? remarks? definitions? figures? "
    r"tables? v1 v3 B\."
)
PLACE = re.compile(rf"\b({'|'.join(WORDS.split())}|and|to)[\s(]+\d+(\.\d+)+(,\s\d\.\d+)*", re.I)
DECIMAL = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?\s?%|\d*\.\d+(?!\w))")

EVERYWHERE = {"95 %"}  # the confidence of all intervals
# What is set or known from mathematics, by notebook. A measured number is printed by a cell.
SET = {
    "01_order_relations": {
        "0.01": "least improvement, a setting",
        "0.1": "greatest tolerance that decides, a rule",
        "0.59": "0.6 less 0.01",
        "0.6": "baseline of early stopping, a setting",
        "15 %": "share of validation pairs, a setting",
        "35 %": "share of test pairs, a setting",
    },
    "02_object_sorting": {
        "0.1": "greatest tolerance that decides, a rule",
        "0.10": "chance level",
        "0.293": "mean of 1/k for k = 1, ..., 10",
        "0.5": "level of accuracy that counts as learned, a setting",
    },
    "03_pretraining": {
        "0.5": "level of accuracy that counts as learned, a setting",
        "0.95": "level of accuracy that counts as learned well, a setting",
        "0.99": "share of validation sequences that a parent which has learned gets right",
        "0.995": "share of validation sequences that ends a trial, a setting",
    },
    "04_robustness": {
        "0.95": "clean accuracy of models that are compared, a setting",
        "0.995": "validation accuracy at which training ends, a setting",
        "0.1": "distance below which curves count as alike, a setting",
    },
    "06_message_passing": {"0.95": "level of accuracy that counts as learned, a setting"},
    "07_robust_recovery": {
        "0.95": "quantile, a setting",
        "0.65": "where further trials were made, a setting",
        "99 %": "share of relations that counts as safe, a setting",
        "0.05": "margin of a claim",
        "40 %": "share of signs that are flipped, an example",
        "60 %": "the rest of it",
    },
    "08_sparse_recovery": {
        "0.05": "noise, a setting",
        "0.1": "share of errors, a setting",
        "0.2": "largest share of errors, a setting",
        "0.4": "multiple of the penalty, a setting",
        "0.5": "what counts as small, a setting",
        "0.9": "quantile, a setting",
        "0.95": "probability to decide, for which trials were added",
        "1.1": "factor of the pivotal penalty, from the literature",
    },
    "10_set_classification": {"50%": "a quotation from v3", "0.01": "margin of claims"},
    "11_set_modularity": {"0.9": "level of accuracy, a setting", "0.02": "margin of claims"},
    "12_mathematics": {"0.01": "margin of claims"},
    "14_simplicial_attention": {"0.32": "what an exercise asks for"},
    "17_open_questions": {"0.01": "allowed loss, a setting", "0.9": "cosine, a setting"},
    "18_which_abstractor": {"0.1": "what an exercise asks for"},
    "90_your_own_task": {"0.20": "chance level"},
    "15_box_world": {
        "0.85": "the published plateau, in a quotation",
        "0.015": "a tolerance, which was widened",
    },
}


def numbers(text: str) -> set[str]:
    """Decimals and percentages in Markdown that are not code, formulas, links or places in papers.

    Example:
        >>> numbers("Section 4.2 reports 0.25 of `0.5` in $x = 0.75$, [here](a/1.2).")
        {'0.25'}
    """
    for pattern in (CODE, MATHS, LINK, PLACE):
        text = pattern.sub(" ", text)
    return {re.sub(r"\s", " ", found) for found in DECIMAL.findall(text)}


@pytest.mark.parametrize("source", notebooks.sources(), ids=lambda source: source.stem)
def test_markdown_holds_no_measured_number(source):
    cells = jupytext.read(source).cells
    prose = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert numbers(prose) - EVERYWHERE == set(SET.get(source.stem, {}))


def test_numbers_are_found_in_prose_and_left_out_elsewhere():
    text = (
        "From 12.5 to 13 %, see Theorem 3.2, eq. (3.14) and 3.15, `1.5`, $0.1$, v3 4.2, [a](b/2.5)"
    )
    assert numbers(text) == {"12.5", "13 %"}
    assert numbers("an accuracy of 0.93, or 93 %.") == {"0.93", "93 %"}
