"""Effects in a factorial with blocks: against group means, paired intervals, regressions."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.findings.factorial import Factorial, contrasts, holm
from abstractor_lib.findings.statistics import difference_interval, mean_interval

FACTORS = {"x": ("a", "b", "c"), "y": (1, 2), "z": (True, False)}


def complete(blocks=6, seed=0, **effects):
    """Every cell once in each block; effects by level, noise and blocks of size one."""
    random = np.random.default_rng(seed)
    rows = [
        {"seed": block, "x": x, "y": y, "z": z}
        for block in range(blocks)
        for x in FACTORS["x"]
        for y in FACTORS["y"]
        for z in FACTORS["z"]
    ]
    table = pd.DataFrame(rows)
    shift = random.standard_normal(blocks)[table["seed"]]
    table["value"] = shift + random.standard_normal(len(table))
    for name, own in effects.items():
        table["value"] += table[name].map(own)
    return table


def fitted(table):
    return Factorial(table, FACTORS, "value", "seed")


def test_levels_are_group_means_where_every_block_is_complete():
    table = complete(x={"a": 0, "b": 1, "c": 5})
    found = fitted(table)
    for factor, levels in FACTORS.items():
        for level in levels:
            mean = table.loc[table[factor].eq(level), "value"].mean()
            assert found.level(factor, level).estimate == pytest.approx(mean, abs=1e-10)
    means = table.groupby(["x", "y"])["value"].mean()
    for pair, mean in means.items():
        assert found.cell(*pair) == pytest.approx(mean, abs=1e-10)


@pytest.mark.parametrize("comparisons", [1, 3])
def test_against_paired_intervals_where_every_block_is_complete(comparisons):
    """To 1e-9: the jackknife of a mean of differences is their Student-t interval."""
    table = complete()
    found = fitted(table)
    by_block = table.groupby(["seed", "x"])["value"].mean().unstack()
    wanted = difference_interval(by_block["b"], by_block["c"], comparisons)
    assert tuple(found.difference("x", "b", "c", comparisons)) == pytest.approx(tuple(wanted), 1e-9)
    apart = by_block["a"] - by_block.mean(axis=1)
    interval, wanted = found.level("x", "a"), mean_interval(apart)
    assert interval.high - interval.low == pytest.approx(wanted.high - wanted.low, 1e-9)


def test_against_a_paired_double_difference():
    table = complete()
    cells = table.groupby(["seed", "x", "y"])["value"].mean().unstack(["x", "y"])
    each = cells["a", 1] - cells["a", 2] - cells["b", 1] + cells["b", 2]
    found = fitted(table).double_difference(["a", "b"], [1, 2])
    assert tuple(found) == pytest.approx(tuple(mean_interval(each)), 1e-9)
    by_block = fitted(table).double_differences(["a", "b"], [1, 2])
    assert by_block == pytest.approx(each.tolist(), 1e-9)


def test_blocks_that_hold_fractions_are_no_matter():
    """Without noise, effects come out exactly from any part of the cells that has enough rows."""
    table = complete(x={"a": 0, "b": 1, "c": 5}, y={1: 0, 2: -2})
    table["value"] = (
        table["x"].map({"a": 0, "b": 1, "c": 5}) - 2 * table["y"].eq(2) + 10 * table["seed"]
    )
    part = table.sample(frac=0.7, random_state=0)
    found = fitted(part)
    assert tuple(found.difference("x", "c", "b")) == pytest.approx((4, 4, 4, 6))
    assert tuple(found.difference("y", 1, 2)) == pytest.approx((2, 2, 2, 6))
    assert found.difference("z", True, False).estimate == pytest.approx(0, abs=1e-9)


def test_the_jackknife_leaves_out_one_block_at_a_time():
    table = complete().sample(frac=0.8, random_state=1)
    parts = [
        Factorial(table[table["seed"] != seed], FACTORS, "value", "seed")
        .difference("x", "a", "b")
        .estimate
        for seed in range(6)
    ]
    half = 2.5705818 * (5 / 6 * ((parts - np.mean(parts)) ** 2).sum()) ** 0.5
    found = fitted(table).difference("x", "a", "b")
    assert found.high - found.estimate == pytest.approx(half, rel=1e-6)


def test_a_spread_holds_what_pairs_of_levels_allow():
    found = fitted(complete(x={"a": 0, "b": 1, "c": 5}))
    spread = found.spread("x")
    assert spread.estimate == pytest.approx(found.difference("x", "c", "a").estimate)
    pairs = [found.difference("x", *pair, 3) for pair in (("c", "a"), ("c", "b"), ("b", "a"))]
    assert spread.low == pytest.approx(max(one.low for one in pairs))
    assert spread.high == pytest.approx(max(one.high for one in pairs))
    wider = found.spread("x", comparisons=9)
    assert wider.low < spread.low and wider.high > spread.high
    assert fitted(complete(seed=3)).spread("z").low == 0  # nothing is known, but no less than zero


def naive_ratio(table, term):
    """The F of a term given all others up to pairs, by regressions on indicators."""
    names = list(FACTORS)
    every = [(one,) for one in names] + [
        (a, b) for i, a in enumerate(names) for b in names[i + 1 :]
    ]

    def left(terms):
        parts = [pd.get_dummies(table["seed"])]
        for one in terms:  # products of contrasts, so that a term can go and its pairs stay
            columns = np.ones((len(table), 1))
            for name in one:
                levels = FACTORS[name]
                own = np.array(
                    [
                        [float(v == k) - float(v == levels[-1]) for k in levels[:-1]]
                        for v in table[name]
                    ]
                )
                columns = np.stack([(columns.T * col).T for col in own.T], axis=-1)
                columns = columns.reshape(len(table), -1)
            parts.append(pd.DataFrame(columns, index=table.index))
        matrix = np.hstack([part.to_numpy(float) for part in parts])
        solution = np.linalg.lstsq(matrix, table["value"], rcond=None)
        return ((table["value"] - matrix @ solution[0]) ** 2).sum(), solution[2]

    (whole, rank), (less, other) = left(every), left([one for one in every if one != term])
    return (less - whole) / (rank - other) / (whole / (len(table) - rank))


def test_against_f_ratios_by_regression():
    table = complete(x={"a": 0, "b": 1, "c": 2}).sample(frac=0.9, random_state=2)
    found = fitted(table).tests(permutations=9).set_index("term")["F"]
    for term in (("x",), ("y",), ("x", "y"), ("y", "z")):
        assert found[" x ".join(term)] == pytest.approx(naive_ratio(table, term), rel=1e-8)


def test_effects_are_found_where_they_are():
    tests = fitted(complete(x={"a": 0, "b": 1, "c": 5})).tests(permutations=999).set_index("term")
    assert tests.loc["x", "p"] == 0.001 and tests.loc["x", "holm"] == pytest.approx(0.006)
    assert (tests.drop("x")["holm"] > 0.05).all()
    repeated = fitted(complete(x={"a": 0, "b": 1, "c": 5})).tests(permutations=999)
    assert repeated["p"].tolist() == tests["p"].tolist()


def test_without_effects_small_values_are_as_rare_as_they_should_be():
    found = [fitted(complete(seed=seed)).tests(permutations=99)["p"] for seed in range(60)]
    assert 0.02 < (np.concatenate(found) <= 0.05).mean() < 0.09


def test_what_makes_no_sense_is_refused():
    table = complete()
    with pytest.raises(ValueError, match="x is 'c'; allowed: a, b"):
        Factorial(table, FACTORS | {"x": ("a", "b")}, "value", "seed")
    with pytest.raises(ValueError, match="table holds 1 blocks; expected at least 2"):
        fitted(table[table["seed"].eq(0)])
    with pytest.raises(ValueError, match="too few to estimate the effects"):
        fitted(table[table["z"]])
    with pytest.raises(ValueError, match="not finite"):
        fitted(table.assign(value=np.nan))
    with pytest.raises(ValueError, match="y is 3; allowed: 1, 2"):
        fitted(table).difference("y", 1, 3)


def test_contrasts_add_up_to_zero():
    assert contrasts(4).sum(axis=0).tolist() == [0, 0, 0]


def test_holm_against_a_loop():
    values = [0.01, 0.5, 0.02, 0.04]
    order, worst, wanted = sorted(range(4), key=values.__getitem__), 0.0, {}
    for place, index in enumerate(order):
        worst = max(worst, min(1.0, values[index] * (4 - place)))
        wanted[index] = worst
    assert holm(values).tolist() == pytest.approx([wanted[index] for index in range(4)])


@pytest.mark.parametrize(
    ("value", "there"),
    [
        (lambda table: 1.0 + 0 * table["x"], set()),
        (lambda table: table["seed"] + table["x"] + 2 * table["y"], {"x", "y"}),
        (lambda table: 0.1 * table["seed"] + 0.3 * table["x"], {"x"}),
        (lambda table: 3 * table["x"] * table["y"] + table["seed"], {"x", "y", "x x y"}),
    ],
)
def test_without_noise_an_effect_is_there_or_not(value, there):
    cells = [(seed, x, y) for seed in range(6) for x in (0, 1) for y in (0, 1)]
    table = pd.DataFrame(cells, columns=["seed", "x", "y"])
    table["value"] = value(table)
    found = Factorial(table, {"x": (0, 1), "y": (0, 1)}, "value", "seed").tests()
    assert set(found.loc[found["holm"] < 0.05, "term"]) == there
    assert found.loc[~found["term"].isin(there), "p"].eq(1).all()
    assert found["p"].gt(0).all()
