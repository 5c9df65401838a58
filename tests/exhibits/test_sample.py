"""Sample efficiency: the trials of the records, and what is said of them."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.findings.published import published
from abstractor_lib.findings.sizes import brackets, in_words, median_bracket
from abstractor_lib.reporting.exhibits import sample
from abstractor_lib.reporting.exhibits.fragment import read
from abstractor_lib.reporting.study import Study

ASK = """
const plain = bracket => bracket.map(one => one === Infinity ? "inf" : one);
return given.map(({ sizes, trials, level }) => {
    const found = trials.map(trial => bracketOf(level, sizes, trial));
    return [found.map(plain), plain(medianBracket(found)),
            sizes.map((_, k) => summary(trials, k, level))];
});"""


@pytest.fixture(scope="module")
def study():
    return Study("sorting")


@pytest.fixture(scope="module")
def page(study):
    return sample.sample_efficiency(study)


def plain(numbers):
    return ["inf" if one == math.inf else float(one) for one in numbers]


def summary(values, level):
    if values.empty:
        return None
    reach = int((values >= level).sum())
    found = {"count": len(values), "mean": values.mean(), "low": values.min()}
    return found | {"high": values.max(), "reach": reach}


def test_1000_sets_of_trials_say_what_python_says_and_no_mutant_does(check_rules):
    random = np.random.default_rng(0)
    asked, expected = [], []
    for _ in range(1000):
        shape = random.integers(1, 8, 2)
        sizes = np.sort(random.choice(np.arange(1, 31) * 100, shape[1], replace=False)).tolist()
        values = random.random(shape).round(1)  # level and values are often equal
        rising = random.random() < 0.5
        values = np.sort(values, axis=1) if rising else values
        values[random.random(shape) < 0.2] = np.nan
        values[:, 0] = np.nan_to_num(values[:, 0])
        level = float(random.integers(1, 10)) / 10
        table = pd.DataFrame(values, columns=sizes)
        each = brackets(level, table)
        said = [plain(row) for row in each.to_numpy()]
        sums = [summary(table[size].dropna(), level) for size in sizes]
        expected.append([said, plain(median_bracket(each)), sums])
        trials = table.astype(object).where(table.notna(), None).values.tolist()
        asked.append({"sizes": sizes, "trials": trials, "level": level})

    def agree(answer):
        try:
            return same(json.loads(answer), expected)
        except ValueError:
            return False

    check_rules("sample_rules.js", ASK, asked, agree)


def same(found, expected):
    """Equal, numbers to 1e-9."""
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(map(same, found, expected))
        )
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            same(found.get(key), value) for key, value in expected.items()
        )
    if isinstance(expected, float | int) and isinstance(found, float | int):
        return math.isclose(found, expected, abs_tol=1e-9)
    return found == expected


def test_every_dot_is_a_recorded_trial(study):
    found = sample.data(study)
    assert [one["name"] for one in found["protocols"]] == list(study.complete)
    for one in found["protocols"]:
        rows = study.table(one["name"])
        for model, shown in zip(sample.MODELS.values(), one["models"], strict=True):
            some = rows[rows["model"] == model]
            for variant in ("curve", "draw"):
                recorded = some[some["variant"] == variant]
                pairs = sorted(
                    (size, round(value, 4))
                    for size, value in zip(recorded["size"], recorded[sample.METRIC], strict=True)
                )
                if variant == "curve":
                    dots = [
                        (size, value)
                        for trial in shown["trials"]
                        for size, value in zip(one["sizes"], trial, strict=True)
                        if value is not None
                    ]
                else:
                    dots = [
                        (int(size), value)
                        for size, values in shown["further"].items()
                        for value in values
                    ]
                assert sorted(dots) == pairs


def test_the_still_picture_is_the_first_chart(still, page):
    assert still(page) == read("sample.svg")


@pytest.mark.parametrize("way", ["keyboard", "touch"])
def test_sizes_and_accuracies_are_chosen(opened, page, study, way):
    touch = {"width": 390, "has_touch": True, "is_mobile": True} if way == "touch" else {}
    one = opened(page, **touch)
    size, level = (one.exhibit.get_by_role("slider", name=name) for name in ("Training", "Accur"))
    if way == "keyboard":
        one.page.keyboard.press("Tab")
        one.page.keyboard.press("ArrowRight")
        one.page.keyboard.press("Tab")
        one.page.keyboard.press("Home")
        one.page.keyboard.press("ArrowRight")
        one.page.keyboard.press("Tab")
        one.page.keyboard.press("End")
    else:
        one.exhibit.get_by_text("published", exact=True).tap()
        chart = one.exhibit.locator("svg.scene")
        box = chart.bounding_box()
        chart.tap(position={"x": 40 + (box["width"] - 64) * 200 / 3000, "y": 50})
        box = level.bounding_box()
        level.tap(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert one.state == "sample-efficiency:settings=published&size=200&level=0.95"
    assert size.get_attribute("aria-valuetext") == "200 training sequences"
    said = one.exhibit.get_by_role("status").inner_text()
    assert said.startswith("With 200 training sequences, 0 of 5 trials of the Abstractor, 0 of 5")
    *_, needs, paper = one.exhibit.get_by_role("row").all_inner_texts()
    values = sample.trials(study.table("published").query("variant == 'curve'"), "abstractor")
    whole = values.dropna(subset=[values.columns[0], values.columns[-1]])
    assert in_words(*median_bracket(brackets(0.95, whole))) in needs
    points = published("fig_v3_05a", "Abstractor").set_index("x")["mean"]
    assert in_words(*median_bracket(brackets(0.95, points.to_frame().T))) in paper
