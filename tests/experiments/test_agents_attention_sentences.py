"""What notebook 16 says of attention: it follows the records."""

import pandas as pd
import pytest

from abstractor_lib.experiments.agents_attention import sentences


def frames(far=0.0, most=1.0, uniform=0.99, began=(0.3, 0.4, 0.5)):
    def row(model, trial, far, most):
        run = {"model": model, "variant": "seed 0", "trial": trial, "objects_unlike": far}
        run |= {"largest_pair": most, "pairs_over_uniform": 1 + far / 10}
        return run | {"late_greedy": 0.99, "late_uniform": uniform}

    rows = [row("trained", k, far, most) for k in range(2)]
    rows += [{**rows[0], "variant": "seed 1", "objects_unlike": 0.7}]
    rows += [row("untrained", k, one, 0.6) for k, one in enumerate(began)]
    return {"sound": pd.DataFrame(rows)}


def checks(sentence):
    """Those of its conditions that are no verdicts."""
    return [one for one in sentence.because if isinstance(one, bool)]


def test_numbers_are_those_of_the_first_seed_and_of_untrained_agents():
    said = sentences.alike(frames())
    assert said.values == {"most": 1.0, "far": 0.0, "spread": 0.6, "began": 0.4, "n": 3}
    assert checks(said) == [True, True]
    said = sentences.stand_out(frames())
    assert (said.values["low"], said.values["high"]) == (pytest.approx(1.03), pytest.approx(1.05))
    said = sentences.needed(frames(uniform=0.988))
    expected = {"greedy": 0.99, "uniform": 0.988, "most": 0.002, "n": 2}
    assert said.values == pytest.approx(expected)
    assert checks(said) == [True]


@pytest.mark.parametrize("other", [{"far": 0.2}, {"most": 0.9}, {"began": (0.0, 0.4)}])
def test_objects_that_attend_to_other_pairs_are_not_called_alike(other):
    assert not all(checks(sentences.alike(frames(**other))))


def test_an_agent_that_loses_without_attention_needs_it():
    assert not all(checks(sentences.needed(frames(uniform=0.9))))
