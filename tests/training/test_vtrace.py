"""V-trace: against the sum that defines it, discounted sums of rewards, and torchrl."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.training.vtrace import vtrace

STEPS, WORLDS = 7, 3


def a_play(seed=0):
    draw = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    ended = torch.rand(STEPS, WORLDS, generator=draw) < 0.2
    discounts = 0.9 * (~ended).double()
    ratios = normal(STEPS, WORLDS).exp()
    return ratios, discounts, normal(STEPS, WORLDS), normal(STEPS + 1, WORLDS), ended


def defined(ratios, discounts, rewards, values, rho, trace):
    """Equation 1 of IMPALA as it stands: a sum over later steps, of products over those before."""
    targets = torch.zeros_like(rewards)
    for world in range(WORLDS):
        for s in range(STEPS):
            total, weight = values[s, world].item(), 1.0
            for t in range(s, STEPS):
                ahead = rewards[t, world] + discounts[t, world] * values[t + 1, world]
                delta = min(rho, ratios[t, world]) * (ahead - values[t, world])
                total += float(weight * delta)
                weight = weight * discounts[t, world] * min(trace, ratios[t, world])
            targets[s, world] = total
    return targets


@given(st.integers(0, 1000), st.floats(0.2, 3), st.floats(0.2, 3))
def test_against_the_sum_that_defines_it(seed, rho, trace):
    ratios, discounts, rewards, values, _ = a_play(seed)
    found = vtrace(ratios, discounts, rewards, values, largest_ratio=rho, largest_trace=trace)
    targets = defined(ratios, discounts, rewards, values, rho, trace)
    torch.testing.assert_close(found.values, targets, rtol=1e-10, atol=1e-10)
    later = torch.cat([targets[1:], values[-1:]])
    expected = ratios.clamp(max=rho) * (rewards + discounts * later - values[:-1])
    torch.testing.assert_close(found.advantages, expected, rtol=1e-10, atol=1e-10)


def test_of_the_policy_that_played_targets_are_discounted_sums():
    """Closed form: rewards until the episode's end, and the last value if it goes on."""
    _, discounts, rewards, values, _ = a_play(3)
    found = vtrace(torch.ones_like(rewards), discounts, rewards, values)
    sums, after = [], values[-1]
    for step in reversed(range(STEPS)):
        after = rewards[step] + discounts[step] * after
        sums.append(after)
    torch.testing.assert_close(found.values, torch.stack(sums[::-1]), rtol=1e-12, atol=1e-12)


def test_nothing_reaches_back_over_the_end_of_an_episode():
    ratios, discounts, rewards, values, _ = a_play(4)
    discounts[3] = 0.0
    before = vtrace(ratios, discounts, rewards, values)
    rewards[4:], values[5:] = 100.0, -50.0
    after = vtrace(ratios, discounts, rewards, values)
    torch.testing.assert_close(after.values[:4], before.values[:4], rtol=0, atol=0)
    assert (after.values[4:] != before.values[4:]).all()


def test_against_torchrl():
    functional = pytest.importorskip("torchrl.objectives.value.functional")
    ratios, discounts, rewards, values, ended = a_play(5)
    gamma, column = 0.9, (..., None)
    advantages, targets = functional.vtrace_advantage_estimate(
        gamma,
        ratios.log().T[column],
        torch.zeros_like(ratios).T[column],
        values[:-1].T[column],
        values[1:].T[column],
        rewards.T[column],
        done=ended.T[column],
        terminated=ended.T[column],
    )
    found = vtrace(ratios, gamma * (~ended).double(), rewards, values)
    torch.testing.assert_close(found.values, targets[..., 0].T, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(found.advantages, advantages[..., 0].T, rtol=1e-6, atol=1e-6)
    assert (discounts == gamma * (~ended).double()).all()


def test_shapes_that_do_not_fit_are_an_error():
    ratios, discounts, rewards, values, _ = a_play()
    with pytest.raises(ValueError, match=r"expected \(t, w\) thrice, and \(t \+ 1, w\)"):
        vtrace(ratios, discounts, rewards, values[:-1])
