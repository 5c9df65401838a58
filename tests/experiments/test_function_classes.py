"""The experiment on function classes: what its models can and cannot see."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib import nn
from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.function_classes import EXPERIMENT as function_classes
from abstractor_lib.experiments.function_classes.run import build, draw
from abstractor_lib.experiments.function_classes.settings import Model, Task
from abstractor_lib.tasks import relations as functions


def twins():
    """Two tensors in which the rows of object 0 are equal and the others are not."""
    random = np.random.default_rng(0)
    one, other = functions.binary(random, 2, 4).astype(np.float32)
    other[0] = one[0]
    return torch.from_numpy(np.stack([one, other]))


@pytest.mark.parametrize("name", ["one_step", "two_layers", "chain", "chain_of_three", "free"])
def test_one_step_sees_its_own_row_alone(name):
    torch.manual_seed(0)
    model = build(Model(name, 8), Task("equal_degree", 4))
    with torch.no_grad():
        answers = model(twins())  # (2, m, o)
    assert answers.shape == (2, 4, 2)
    same = torch.equal(answers[0, 0], answers[1, 0])
    assert same == (name == "one_step")


def test_grid_and_targets_agree():
    specs = function_classes.grid("laptop", "described")
    assert function_classes.grid("laptop", "sound") == []
    with pytest.raises(ValueError, match="profile is 'big'"):
        function_classes.grid("big", "described")
    assert {one.task.target for one in specs} == set(functions.TARGETS) | {"relations"}
    assert len({one.id for one in specs}) == len(specs)
    assert function_classes.spec(specs[-1].canonical()).id == specs[-1].id


def test_trials_and_parts_draw_their_own_relations():
    task = Task("median", 4)
    tensors, answers = draw(task, 0, "train", 10)
    assert np.array_equal(answers, functions.median(tensors))
    assert not np.array_equal(tensors, draw(task, 1, "train", 10)[0])
    assert not np.array_equal(tensors, draw(task, 0, "test", 10)[0])


def test_a_short_run_learns_a_first_order_function():
    (spec, *_) = [
        one
        for one in function_classes.grid("smoke", "described")
        if one.task.target == "degree" and one.model.symbol_dim == 3
    ]
    long = replace(spec.training, updates=300, validate_every=50)
    found = outcome(replace(spec, training=long, task=replace(spec.task, train=512)))
    assert min(found.metrics["accuracy"]) > 0.99
    assert found.metrics["row_accuracy"] == [1.0] * spec.trials.count


def test_reading_back_against_noise_and_rank():
    specs = [
        one for one in function_classes.grid("laptop", "described") if one.model.name == "inverse"
    ]
    for spec in specs:
        d, m, noise = spec.model.symbol_dim, spec.task.objects, spec.task.noise
        metrics = outcome(spec).metrics
        assert set(metrics["rank"]) == {min(d, m)}
        if d < m:
            assert min(metrics["error"]) > 0.1
            assert metrics["amplification"] == [None] * spec.trials.count
        elif noise == 0:
            assert max(metrics["error"]) < 1e-8
        else:
            ratio = np.array(metrics["error"]) / noise / np.array(metrics["amplification"])
            assert np.median(ratio) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("name", ["two_layers", "chain", "chain_of_three"])
def test_against_the_papers_equations(name):
    """eq. 3.8 for two layers, and the equations of section 3.3 for a chain, with the model's own
    networks, object by object."""
    torch.manual_seed(0)
    m = 4
    model = build(Model(name, 6), Task("popular", m)).double()
    r = torch.from_numpy(functions.binary(np.random.default_rng(2), 1, m)).double()[0]
    first = model.abstractors[0]
    symbols = first.symbols(r[None])

    def passed(layer, relations, states):
        """phi(sum_k W_k sum_j R_ij^k s_j + b), ``relations`` a list over the dimensions k."""
        messages, phi = layer.relational.message_passing, layer.feedforward
        made = []
        for i in range(m):
            mixed = [sum(one[i, j] * states[j] for j in range(m)) for one in relations]
            given = torch.stack([torch.cat(mixed)] * m)[None]  # (1, m, r d)
            made.append(phi(linear(messages, given, len(relations)))[0, 0])
        return torch.stack(made)

    def linear(messages, mixed, count):
        """The module's own map, read off by passing it identity relations on one symbol."""
        dim = mixed.shape[-1] // count
        columns = []
        for k in range(count):
            for f in range(dim):
                relations = torch.zeros(1, count, 1, 1, dtype=torch.float64)
                relations[0, k] = 1
                unit = torch.zeros(1, dim, dtype=torch.float64)
                unit[0, f] = 1
                columns.append(messages(relations, unit)[0, 0])
        bias = messages(torch.zeros(1, count, 1, 1).double(), torch.zeros(1, dim).double())[0, 0]
        return mixed @ torch.stack([column - bias for column in columns]) + bias

    with torch.no_grad():
        states = passed(first.layers[0], [r], symbols)
        if name == "two_layers":
            states = passed(first.layers[1], [r], states)
        for second in model.abstractors[1:]:
            relation = second.layers[0].relational.relation
            embedded = relation.embedder(states)
            left, right = (part(embedded[None])[0] for part in (relation.left, relation.right))
            again = [
                torch.stack(
                    [torch.stack([left[k, i] @ right[k, j] for j in range(m)]) for i in range(m)]
                )
                for k in range(len(left))
            ]  # R2_k[i, j] = <W_1 phi(a_i), W_2 phi(a_j)>
            states = passed(second.layers[0], again, second.symbols(states[None]))
        torch.testing.assert_close(model(r[None])[0], model.head(states))


class Indicator(torch.nn.Module):
    """What each entry of a row is, 0, 1 or 2, as one-hot: two layers of relu would do."""

    def __init__(self, value=None):
        super().__init__()
        self.value = value

    def forward(self, rows):
        if self.value is None:  # how many relations hold, one-hot
            return torch.nn.functional.one_hot((rows == 1).sum(-1), rows.shape[-1]).double()
        return (rows == self.value).double()


@pytest.mark.parametrize("target", functions.SECOND_ORDER)
def test_a_chain_of_library_modules_with_chosen_encoders(target):
    """v1 Lemma 3.2 with two Abstractors of the library: S = I, and phi read from the proof."""
    m = 5
    tensors = functions.binary(np.random.default_rng(0), 300, m)
    identity = torch.eye(m, dtype=torch.float64)
    given = torch.from_numpy(tensors).double()[:, None]
    rows = nn.symbolic_message_passing(nn.GivenRelation()(given), identity)[:, 0]  # a_i = R_i
    encoders = {
        "equal_degree": ([Indicator()], [Indicator()]),
        "same_row": ([Indicator(1), Indicator(0)], [Indicator(0), Indicator(1)]),
        "transitive": ([Indicator(1), Indicator(0)], [Indicator(2), Indicator(1)]),
    }[target]
    relations = nn.InnerProductRelation(*encoders)(rows)  # (n, r, m, m)
    read = nn.symbolic_message_passing(relations, identity)  # a_i holds R2_i, all dimensions
    found = {
        "equal_degree": lambda: read[:, 0].sum(-1) > 1,
        "same_row": lambda: (read.sum(1) == 0).sum(-1) > 1,
        "transitive": lambda: ((read[:, 0] == 1) & (read[:, 1] > 0)).sum(-1) == 0,
    }[target]()
    assert np.array_equal(found.numpy(), functions.TARGETS[target](tensors).astype(bool))


class Degree(torch.nn.Module):
    """How many relations hold in a row, or 1 whatever the row."""

    def __init__(self, constant):
        super().__init__()
        self.constant = constant

    def forward(self, rows):
        degrees = (rows == 1).sum(-1, keepdim=True).double()
        return torch.ones_like(degrees) if self.constant else degrees


def test_a_chain_of_two_library_modules_for_the_common_degree():
    """R2[i, j] = (deg_j, deg_i), by a constant query and a constant key; S = I."""
    m = 5
    tensors = functions.binary(np.random.default_rng(0), 300, m)
    given = torch.from_numpy(tensors).double()[:, None]
    identity = torch.eye(m, dtype=torch.float64)
    rows = nn.symbolic_message_passing(nn.GivenRelation()(given), identity)[:, 0]
    query, key = [Degree(True), Degree(False)], [Degree(False), Degree(True)]
    second = nn.InnerProductRelation(query, key)(rows)  # (n, 2, m, m)
    every, own = nn.symbolic_message_passing(second, identity).unbind(1)  # (n, m, m) each
    counts = (every[..., :, None] == every[..., None, :]).sum(-1)  # of the degree of each j
    alike = (every == own).sum(-1)  # of the degree of i
    found = alike == counts.max(-1).values
    assert np.array_equal(found.numpy(), functions.common_degree(tensors).astype(bool))


class Scale(torch.nn.Module):
    """Of a whole number up to m, one-hot or how many of 0, ..., m it exceeds."""

    def __init__(self, size, exceeds):
        super().__init__()
        self.values, self.exceeds = torch.arange(size + 1), exceeds

    def forward(self, count):
        return (count > self.values if self.exceeds else count == self.values).double()


def test_a_chain_of_three_library_modules_with_chosen_encoders():
    """v1 Lemma 3.2 with k = 3: each Abstractor relates what the one before hands on."""
    m = 5
    tensors = functions.binary(np.random.default_rng(0), 300, m)
    given = torch.from_numpy(tensors).double()[:, None]
    ones = torch.ones(m, 1, dtype=torch.float64)
    rows = nn.symbolic_message_passing(nn.GivenRelation()(given), torch.eye(m).double())[:, 0]
    second = nn.InnerProductRelation([Indicator()], [Indicator()])(rows)  # equal degrees
    alike = nn.symbolic_message_passing(second, ones)[:, 0]  # (n, m, 1)
    third = nn.InnerProductRelation([Scale(m, False)], [Scale(m, True)])(alike)
    more = nn.symbolic_message_passing(third, ones)[:, 0, :, 0]
    assert np.array_equal((more == 0).numpy(), functions.common_degree(tensors).astype(bool))
