"""Sources of batches: every example once an epoch, little padding, and a position to go back to."""

import json
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.training.examples import Examples
from abstractor_lib.training.sources import Bucketed, Generated, Resident


def numbered(trials, count, longest=6):
    """Sequences that hold their example's number, and random lengths."""
    lengths = torch.randint(1, longest + 1, (trials, count))
    tokens = torch.arange(1, count + 1).expand(trials, count).unsqueeze(-1)  # (t, n, 1)
    padding = torch.arange(longest) >= lengths.unsqueeze(-1)  # (t, n, m)
    return Examples(tokens.expand(-1, -1, longest).masked_fill(padding, 0), tokens[..., 0]), lengths


sizes = st.integers(1, 3), st.integers(1, 20), st.integers(1, 7), st.none() | st.integers(1, 3)


@given(*sizes)
def test_each_epoch_shows_each_example_once(trials, count, batch_size, pool):
    """Whole and in batches of the size asked for but one; both sources; two epochs."""
    data, lengths = numbered(trials, count)
    for source in (
        Resident(data, batch_size),
        Bucketed(data, (lengths, None), batch_size, pool),
    ):
        for _ in range(2):
            epoch = [next(source) for _ in range(source.per_epoch)]
            seen = torch.cat([batch.targets for batch in epoch], dim=1)
            assert seen.sort(dim=1).values.tolist() == data.targets.tolist()
            assert sum(len(batch) < batch_size for batch in epoch) <= 1
            for batch in epoch:  # nothing is cut off, and inputs belong to targets
                for t in range(trials):
                    for row, number in zip(batch.inputs[t], batch.targets[t], strict=True):
                        whole = data.inputs[t, number - 1]
                        assert row[row > 0].tolist() == whole[whole > 0].tolist()


@given(*sizes)
def test_batches_are_as_long_as_their_longest_sequence(trials, count, batch_size, pool):
    data, lengths = numbered(trials, count)
    source = Bucketed(data, (lengths, None), batch_size, pool)
    for _ in range(source.per_epoch):
        batch = next(source)
        chosen = lengths.gather(1, batch.targets - 1)
        assert batch.inputs.shape == (trials, len(batch), int(chosen.max()))


@given(st.integers(1, 30), st.integers(1, 7))
def test_sorted_batches_do_not_overlap_in_length(count, batch_size):
    """Sorted as a whole, the shortest of a batch is no shorter than the longest of one before: no
    other batches of this size have less padding."""
    data, lengths = numbered(1, count)
    source = Bucketed(data, (lengths, None), batch_size)
    spans = []
    for _ in range(source.per_epoch):
        some = lengths[0][next(source).targets[0] - 1]
        spans.append((int(some.min()), int(some.max())))
    spans.sort()
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_equal_lengths_are_mixed_and_batches_come_in_random_order():
    data, lengths = numbered(1, 64, longest=2)
    source = Bucketed(data, (lengths, None), 8)
    epochs = [[next(source) for _ in range(8)] for _ in range(2)]
    first, second = ([sorted(batch.targets[0].tolist()) for batch in epoch] for epoch in epochs)
    assert sorted(first) != sorted(second)
    widths = [batch.inputs.shape[2] for batch in epochs[0]]
    assert widths != sorted(widths)


def test_targets_are_cut_as_well_and_sort_what_inputs_leave_open():
    """Questions of one length and answers of two: no batch mixes the answers."""
    questions, answers = torch.ones(1, 8, 3), torch.ones(1, 8, 5)
    lengths = torch.tensor([[2, 5] * 4])
    data = Examples((questions, torch.zeros(1, 8)), answers)
    source = Bucketed(data, (torch.full((1, 8), 3), None, lengths), 4)
    shapes = {tuple(next(source).targets.shape) for _ in range(2)}
    assert shapes == {(1, 4, 2), (1, 4, 5)}


def drawn(generator, update):
    x = generator.standard_normal((4, 3))
    return (x, np.full(4, update)), x.sum(axis=1)


def sources():
    torch.manual_seed(3)
    data, lengths = numbered(2, 11)
    yield Resident(data, 4)
    yield Bucketed(data, (lengths, None), 4, pool=2)
    yield Generated(drawn, [np.random.default_rng(number) for number in range(2)])


@pytest.mark.parametrize("batches", range(8))
def test_a_source_goes_on_where_its_state_was_taken(batches):
    """After any number of batches: the next five are those that would have come, bit for bit."""
    for kind, (source, fresh) in enumerate(zip(sources(), sources(), strict=True)):
        for _ in range(batches):
            next(source)
        state, random = source.state_dict(), torch.get_rng_state()
        if kind == 2:
            state = json.loads(json.dumps(state))  # a generator's state is plain
        expected = [next(source) for _ in range(5)]
        next(fresh)  # somewhere else
        fresh.load_state_dict(state)
        torch.set_rng_state(random)
        for batch in expected:
            found = next(fresh)
            for one, other in zip(found.inputs, batch.inputs, strict=True):
                assert torch.equal(one, other)
            assert torch.equal(found.targets, batch.targets)


def test_generated_trials_do_not_depend_on_each_other():
    both = Generated(drawn, [np.random.default_rng(number) for number in range(2)])
    alone = Generated(drawn, [np.random.default_rng(1)])
    for update in (1, 2):
        one, two = next(alone), next(both)
        assert torch.equal(one.targets[0], two.targets[1])
        assert two.inputs[1].unique().tolist() == [update]


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_generators_of_other_kinds_are_saved_as_well(kind):
    source = Generated(drawn, [np.random.Generator(kind(1))])
    state = json.loads(json.dumps(source.state_dict()))
    expected = next(source)
    other = Generated(drawn, [np.random.Generator(kind(2))])
    other.load_state_dict(state)
    assert torch.equal(next(other).targets, expected.targets)


def test_inputs_and_targets_have_the_same_examples():
    x, y = torch.zeros(2, 5, 3), torch.zeros(2, 6)
    with pytest.raises(ValueError, match=r"inputs begin with \(2, 5\) and targets with \(2, 6\); "):
        Examples(x, y)
    with pytest.raises(ValueError, match=r"inputs begin with \(2, 5\), \(1, 5\) and targets with"):
        Examples((x, x[:1]), y[:, :5])
    with pytest.raises(ValueError, match=r"expected the same \(trials, examples\) for all"):
        Examples(x[0, :, 0], y[0, :5])


def test_examples_are_tensors():
    x, y = torch.zeros(2, 5, 3), torch.zeros(2, 5)
    with pytest.raises(ValueError, match="inputs holds a ndarray; expected a tensor, or a tuple"):
        Examples(x.numpy(), y)
    with pytest.raises(ValueError, match="inputs holds a list; expected a tensor, or a tuple"):
        Examples([x, x], y)
    with pytest.raises(ValueError, match="targets holds a ndarray; expected a tensor"):
        Examples(x, (y, y.numpy()))


def test_bad_arguments_are_named():
    data, lengths = numbered(2, 5)
    with pytest.raises(ValueError, match="batch_size is 0; expected at least 1"):
        Resident(data, 0)
    with pytest.raises(ValueError, match="examples is empty"):
        Resident(data.rows(0, 0), 4)
    with pytest.raises(ValueError, match="lengths has 1 entries; expected 2"):
        Bucketed(data, (lengths,), 4)
    with pytest.raises(ValueError, match=r"lengths hold the shape \(2, 5\) for a tensor of shape"):
        Bucketed(data, (lengths, lengths), 4)
    with pytest.raises(ValueError, match="expected 1 to 6"):
        Bucketed(data, (lengths + 6, None), 4)
    with pytest.raises(ValueError, match="pool is 0"):
        Bucketed(data, (lengths, None), 4, pool=0)
    with pytest.raises(ValueError, match="generators is empty"):
        Generated(drawn, [])
