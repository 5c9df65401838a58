"""Heads evaluated one at a time: what is masked, exact costs, walks."""

from itertools import permutations

import numpy as np
import pytest
import torch

from abstractor_lib.nn import serial
from abstractor_lib.nn.serial import AnytimeReader, HeadController


def random_policy(count, heads, seed=0):
    torch.manual_seed(seed)
    controller = HeadController(heads, 3, [16]).double()
    relations = torch.randn(count, heads, 3, dtype=torch.float64)
    return controller, relations, torch.full((count,), 0.1, dtype=torch.float64)


def test_a_head_that_is_not_evaluated_is_not_read():
    torch.manual_seed(0)
    reader, controller = AnytimeReader(4, 3, [8]), HeadController(4, 3, [8])
    relations, evaluated = torch.randn(6, 4, 3), torch.rand(6, 4) < 0.5
    other = torch.where(evaluated[..., None], relations, torch.randn(6, 4, 3))
    price = torch.full((6,), 0.1)
    assert torch.equal(reader(relations, evaluated), reader(other, evaluated))
    first, second = (controller(one, price, evaluated) for one in (relations, other))
    assert torch.equal(first, second)
    assert (first[..., :-1][evaluated] == 0).all()
    torch.testing.assert_close(first.sum(dim=-1), torch.ones(6))


def test_zero_relations_are_told_from_heads_that_are_not_evaluated():
    torch.manual_seed(0)
    reader, zero = AnytimeReader(2, 3, [8]), torch.zeros(1, 2, 3)
    none, both = torch.zeros(1, 2, dtype=torch.bool), torch.ones(1, 2, dtype=torch.bool)
    assert not torch.allclose(reader(zero, none), reader(zero, both))


def test_all_sets_at_once_against_one_at_a_time():
    controller, relations, price = random_policy(5, 3)
    reader = AnytimeReader(3, 3, [8]).double()
    for number, chosen in enumerate(serial.subsets(3)):
        evaluated = chosen.expand(5, 3)
        for found, alone in (
            (reader(relations), reader(relations, evaluated)),
            (controller(relations, price), controller(relations, price, evaluated)),
        ):
            torch.testing.assert_close(found[:, number], alone, rtol=1e-12, atol=1e-12)


def test_expected_cost_against_plays():
    """Drawn plays of the policy, 20,000 of them."""
    controller, relations, price = random_policy(1, 3)
    policy = controller(relations, price)
    errors = torch.rand(1, 8, dtype=torch.float64)
    error, used = serial.expected_cost(policy, errors)
    random, seen = np.random.default_rng(0), []
    shares = policy[0].detach().numpy()
    for _ in range(20_000):
        chosen = 0
        while (step := random.choice(4, p=shares[chosen])) < 3:
            chosen |= 1 << step
        seen.append((errors[0, chosen].item(), chosen.bit_count()))
    mean = np.mean(seen, axis=0)
    assert mean == pytest.approx([error[0, 0].item(), used[0, 0].item()], abs=0.03)


def test_the_gradient_of_the_cost_against_finite_differences():
    logits = torch.randn(2, 4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    done = torch.cat([serial.subsets(2), torch.zeros(4, 1, dtype=torch.bool)], dim=1)
    errors = torch.rand(2, 4, dtype=torch.float64)

    def cost(given):
        policy = given.masked_fill(done, -torch.inf).softmax(dim=-1)
        return torch.stack(serial.expected_cost(policy, errors))

    assert torch.autograd.gradcheck(cost, logits.requires_grad_())


def test_a_random_order_is_the_mean_over_all_orders():
    """If stopping does not depend on what is known."""
    errors = torch.rand(1, 8, generator=torch.Generator().manual_seed(1))
    policy = torch.zeros(1, 8, 4)
    policy[..., 0], policy[..., -1] = 0.7, 0.3
    policy[:, -1, 0], policy[:, -1, -1] = 0.0, 1.0
    every = [
        torch.stack(serial.expected_cost(serial.with_order(policy, order), errors))
        for order in permutations(range(3))
    ]
    random = torch.stack(serial.expected_cost(serial.with_order(policy, None), errors))
    torch.testing.assert_close(random, torch.stack(every).mean(dim=0), rtol=1e-5, atol=1e-6)


def test_certain_decisions_cost_what_their_walk_costs():
    controller, relations, price = random_policy(50, 4)
    policy = controller(relations, price).detach()
    sets = serial.decide(policy)
    heads, errors = serial.subsets(4).sum(dim=1), torch.rand(50, 16, dtype=torch.float64)
    certain = torch.zeros_like(policy)
    stop = policy[..., -1] >= 0.5
    best = policy[..., :-1].argmax(dim=-1)
    certain.scatter_(-1, torch.where(stop, 4, best)[..., None], 1.0)
    error, used = serial.expected_cost(certain, errors)
    assert torch.equal(used[:, 0], heads[sets].double())
    torch.testing.assert_close(error[:, 0], errors.gather(1, sets[:, None])[:, 0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: AnytimeReader(0, 3, [8]), "heads is 0"),
        (lambda: serial.subsets(13), "heads is 13"),
        (lambda: AnytimeReader(2, 3, [8])(torch.zeros(1, 2, 4)), "relations has shape"),
        (
            lambda: AnytimeReader(2, 3, [8])(torch.zeros(1, 2, 3), torch.zeros(1, 2)),
            "evaluated is torch.float32",
        ),
        (lambda: serial.with_order(torch.zeros(1, 4, 3), [0, 0]), r"order is \[0, 0\]"),
        (
            lambda: serial.expected_cost(torch.zeros(1, 4, 3), torch.zeros(1, 8)),
            r"errors \(1, 8\)",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
