"""What notebook 16 says of attention: it follows the records."""

import pandas as pd
import pytest

from abstractor_lib.experiments.agents_attention import sentences


def frames(far=0.0, most=1.0, uniform=0.99, began=(0.3, 0.4, 0.5), seeds=5):
    """Two draws for each seed; the numbers given are those of the last one."""

    def row(model, seed, trial, far, most, uniform):
        run = {"model": model, "variant": f"seed {seed}", "trial": trial, "objects_unlike": far}
        run |= {"largest_pair": most, "pairs_over_uniform": 1 + far / 10}
        run |= {"pairs_over_boxes": 1 + far / 5}
        return run | {"late_greedy": 0.99, "late_uniform": uniform}

    last = {seeds - 1: (far, most, uniform)}
    rows = [
        row("trained", seed, trial, *last.get(seed, (0.0, 1.0, 0.99)))
        for seed in range(seeds)
        for trial in range(2)
    ]
    rows += [row("untrained", 0, k, one, 0.6, 0.99) for k, one in enumerate(began)]
    return {"sound": pd.DataFrame(rows)}


def checks(sentence):
    """Those of its conditions that are no verdicts."""
    return [one for one in sentence.because if isinstance(one, bool)]


def test_numbers_are_those_of_each_seed_and_of_untrained_agents():
    said = sentences.alike(frames(far=0.02, most=0.99))
    expected = {"n": 5, "most": 0.99, "far": 0.02, "spread": 0.6, "began": 0.4, "others": 3}
    assert said.values == pytest.approx(expected)
    assert checks(said) == [True, True, True]
    said = sentences.stand_out(frames(far=0.02))
    expected = {"n": 5, "least": 1.0, "most": 1.002, "above": 0, "low": 1.03, "high": 1.05}
    expected |= {"boxes_least": 1.0, "boxes_most": 1.004}
    assert said.values == pytest.approx(expected)
    said = sentences.needed(frames(uniform=0.988))
    expected = {"n": 5, "greedy": 0.99, "uniform": 0.9896, "most": 0.002}
    assert said.values == pytest.approx(expected)
    assert checks(said) == [True, True]


@pytest.mark.parametrize(
    "other", [{"far": 0.2}, {"most": 0.9}, {"began": (0.0, 0.4)}, {"seeds": 4}]
)
def test_objects_that_attend_to_other_pairs_are_not_called_alike(other):
    assert not all(checks(sentences.alike(frames(**other))))


def test_an_agent_that_loses_without_attention_needs_it():
    assert not all(checks(sentences.needed(frames(uniform=0.9))))


def test_messages_that_are_needed_are_not_said_to_be_of_no_use():
    def won(*shares):
        found = pd.Series(shares)
        found.attrs["puzzles"] = 1000
        return sentences.messages({}, won=found)

    said = won(0.99, 0.99, 0.99, 0.98)
    assert all(said.because) and (said.values["own"], said.values["count"]) == (0.99, 1000)
    assert not all(won(0.99, 0.99, 0.7, 0.6).because)  # those of other puzzles do not do
    assert not all(won(0.99, 0.9, 0.99, 0.98).because)  # nor those of other objects
    assert not all(won(0.99, 0.99, 0.99, 0.5).because)  # some are needed
