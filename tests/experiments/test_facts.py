"""What claims compute when they are judged, against other ways to the same numbers."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest

from abstractor_lib import experiments
from abstractor_lib.experiments.box_world import facts as box_world
from abstractor_lib.experiments.box_world import readings
from abstractor_lib.experiments.curves import facts as curves
from abstractor_lib.experiments.curves.measures import STEPS
from abstractor_lib.experiments.mathematics.facts import first_epoch
from abstractor_lib.experiments.memory import facts as memory
from abstractor_lib.experiments.order import facts as order
from abstractor_lib.experiments.robust_recovery import facts as robust_recovery
from abstractor_lib.experiments.simplicial_attention import facts as simplicial
from abstractor_lib.findings import claims
from abstractor_lib.findings.known import known
from abstractor_lib.findings.published import published
from abstractor_lib.records.frame import frame
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks.box_world.motifs import State, states
from abstractor_lib.tasks.box_world.puzzles import Kind, boxes_of
from abstractor_lib.tasks.curves import Ranges
from abstractor_lib.tasks.curves import draw as drawn_curves
from abstractor_lib.theory.curve_prediction import gaussian, truncated

NOTHING = ({}, "described")


def values(measured):
    return [point.interval.estimate for point in measured.points]


def test_a_known_number_is_its_own_interval_and_needs_no_trials():
    (point,) = known({"a": -1e-17}, 2).points
    assert point.computed and point.interval.exact
    assert math.copysign(1, point.interval.estimate) == 1  # no minus zero


def test_a_softmax_of_rows_makes_a_symmetric_matrix_asymmetric():
    scores = np.array([[2.0, 0.0], [0.0, 1.0]])
    first, second = (1 / (1 + math.exp(scores[i, i])) for i in range(2))
    assert first != second  # R_12 and R_21 of two objects
    (rows,), (plain,) = (values(order.asymmetry(*NOTHING, rows=r)) for r in (True, False))
    assert rows > 0.1 and plain == 0


def test_the_diagonal_alone_shows_a_change_that_no_other_relation_sees():
    (kept,), (masked,) = (
        values(order.feature_reaches_states(*NOTHING, diagonal=d)) for d in (True, False)
    )
    assert kept > 1e-3 and masked == 0  # of the least change, and the greatest


def test_distance_from_a_hull():
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for state, distance in (([0.2, 0.2], 0), ([1.0, 1.0], 0.5**0.5), ([-2.0, 0.0], 2)):
        found = robust_recovery.from_hull(np.array(state), triangle)
        assert found == pytest.approx(distance, abs=1e-4)
    inside = values(robust_recovery.hull_distance(*NOTHING, normalised=True))
    assert inside == [0.0]
    assert values(robust_recovery.hull_distance(*NOTHING, normalised=False))[0] > 1


def test_variance_of_kernel_regression_by_simulation():
    """The variance that the weights predict is that of predictions from noisy values."""
    width = 0.1
    bias, variance = memory.bias_and_variance((width,))
    random = np.random.default_rng(3)
    keys = (np.arange(memory.KEYS) + 0.5) / memory.KEYS
    queries = np.arange(1, memory.KEYS) / memory.KEYS
    weights = np.exp(-(((queries[:, None] - keys) / width) ** 2) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    drawn = np.sin(2 * np.pi * keys) + random.standard_normal((20_000, memory.KEYS))
    found = drawn @ weights.T
    assert found.var(axis=0).mean() == pytest.approx(variance[0], rel=0.02)
    off = found.mean(axis=0) - np.sin(2 * np.pi * queries)
    assert (off**2).mean() == pytest.approx(bias[0], rel=0.02)
    assert min(values(memory.regulated(*NOTHING))) > 0


def test_independent_vectors_fall_short_of_the_greatest_triple_product():
    assert min(values(simplicial.shortfall(*NOTHING))) >= 1 - 1e-6


def won_by_trying(state: State) -> bool:
    """Whether one of all orders of opening things takes the Gem."""
    for order_of_play in itertools.permutations(state.board):
        inventory = list(state.inventory)
        closed = {box.lock for box in state.board if box.key == 0}
        for box in order_of_play:
            if box.key == 0:
                if closed <= set(inventory):
                    return True
                break
            if box.lock in inventory:
                inventory.remove(box.lock)
            elif box.lock >= 0:
                break
            inventory.append(box.key)
    return False


@pytest.mark.parametrize("kind", [Kind(1, 1, 2), Kind(2, 1, 3), Kind(2, 2, 4)])
def test_whether_a_puzzle_can_be_won_by_all_orders_of_play(kind):
    for state in [*states(kind), *box_world.after_the_bridge(kind)]:
        assert box_world.winnable(state) == won_by_trying(state)


def test_a_puzzle_is_lost_with_its_bridge_alone():
    assert values(box_world.lost_by_the_bridge(*NOTHING)) == [1.0]
    assert values(box_world.won_without_it(*NOTHING)) == [1.0]
    assert all(map(box_world.winnable, box_world.after_the_bridge(Kind(2, 1, 3), kept=True)))
    start = State(tuple(boxes_of(Kind(2))), ())
    assert box_world.winnable(start)
    without = tuple(box for box in start.board if box.lock >= 0)  # no loose key: nothing opens
    assert not box_world.winnable(State(without, ()))


def test_sentences_on_motifs_by_what_counts_as_a_box():
    """Each sentence fails by one reading; by that of appendix I none does."""

    def least(sentence, reading):
        (value,) = values(box_world.motifs(*NOTHING, sentence=sentence, reading=reading))
        return value

    assert least("every", "appendix_i") == 1
    assert least("appear", "halves") == 1 and least("hold", "halves") < 1
    assert least("locate", "halves") == 0  # of type (1, 1, 2) it is the Gem that is part of both
    assert least("appear", "no_gem") == 0 and least("every", "no_gem") == 0
    assert least("hold", "no_gem") == least("locate", "no_gem") == 1
    table = readings.table()
    assert (table[readings.BOXES["appendix_i"]] == 1).all() and len(table) == 3


def test_cosine_similarity_of_numbers_is_a_sign():
    assert values(curves.cosine(*NOTHING, same_sign=False)) == [-1.0]
    assert values(curves.cosine(*NOTHING, same_sign=True)) == [1.0]


def test_the_predictive_spread_is_that_of_the_closed_form():
    spreads = curves.predictive_spreads()
    closed = gaussian.predict(
        np.zeros((1, curves.OBSERVED)), gaussian.rbf(curves.OBSERVED + 1), gaussian.NOISE
    ).sd
    assert spreads == pytest.approx(np.full(len(spreads), closed.ravel()[0]), abs=1e-6)
    assert values(curves.posterior_spread(*NOTHING)) == [0.0]


def test_parameters_of_sorters_beside_the_printed_ones():
    """`test_sorting` builds the models."""
    ratio = experiments.get("sorting").measure("parameters")
    table = published("sorting_parameters").set_index("series")["mean"]
    for model in ("transformer", "ablation"):
        (point,) = ratio(*NOTHING, model=model, over="abstractor").points
        assert point.interval.estimate == pytest.approx(table[model] / table["abstractor"])
        assert point.published == pytest.approx(point.interval.estimate, abs=1e-3)


@pytest.mark.slow
def test_sampling_explains_less_than_the_bound_on_how_far_stated_variances_differ():
    """Of the same curves, each given to the sampler four times: its chains are independent."""
    (claim,) = [one for one in claims.read() if one.measure == "stated_spread"]
    some = drawn_curves(np.random.default_rng(0), np.ones(40, int), curves.OBSERVED, Ranges()).noisy
    covariance = gaussian.rbf(curves.OBSERVED + STEPS)
    sd = truncated.predict(np.repeat(some, 4, axis=0), covariance, gaussian.NOISE).sd
    each = np.square(sd).mean(axis=1).reshape(40, 4)
    assert 0.5 * claim.bound < np.sqrt(each.var(axis=1, ddof=1).mean()) < claim.bound
    experiment = experiments.get("curves")
    rows = frame(Workspace().records("curves").values(), experiment.columns, experiment.derived)
    measure = experiment.measure("stated_spread")
    (stated,) = values(measure({"described": rows}, "described", **claim.arguments))
    assert stated > claim.bound


def test_a_claim_on_printed_numbers_needs_no_grid():
    (claim,) = [one for one in claims.read() if one.id == "mathematics_v3_sample_efficiency"]
    measure = experiments.get("mathematics").measure(claim.measure)
    assert claims.judge(claim, "published", {}, measure).verdict == "holds"


def test_the_first_epoch_at_a_level():
    curve = published("fig_v3_07", "add, Abstractor").set_index("x")["mean"]
    assert first_epoch(curve, curve.iloc[0]) == curve.index[0]
    assert first_epoch(curve, 1.1) == math.inf
    measure = experiments.get("mathematics").measure("logged_epochs")
    found = measure(*NOTHING, others=["Transformer"])
    assert len(found.points) == 5 and 0 < min(values(found)) <= max(values(found))
    (same,) = {*values(measure(*NOTHING, others=["Abstractor"]))}
    assert same == 1.0


def test_the_deck_is_judged_by_its_worst_network():
    table = Study("cards").frames["published"]
    measure = experiments.get("cards").measure("over_the_deck")
    asked = {"model": "cnn_32", "metric": "card_accuracy", "end": "least"}
    (found,) = measure({"published": table}, "published", **asked).points
    rows = table[table["model"] == "cnn_32"]
    assert found.interval.estimate == pytest.approx(min(rows["card_accuracy"]))
    assert found.label == f"least of {len(rows)} networks, 81 cards" and len(rows) > 1


def test_verdicts_are_given_without_torch():
    """So that `abstractor claims` starts fast."""
    code = (
        "import sys\n"
        "from abstractor_lib import experiments\n"
        "from abstractor_lib.findings import claims\n"
        "for one in claims.read():\n"
        "    if one.experiment:\n"
        "        experiments.get(one.experiment).measure(one.measure)\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert any(not one.experiment for one in claims.read())
