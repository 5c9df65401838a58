"""Relations of two cards: pairs, shared embeddings, and what relations tell."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.same_different import EXPERIMENT as same_different
from abstractor_lib.experiments.same_different import relations
from abstractor_lib.experiments.same_different.probe import (
    of_embeddings,
    of_relations,
    probes,
    triples,
)
from abstractor_lib.experiments.same_different.run import (
    Builder,
    build,
    by_trial,
    combined,
    pairs,
    tells,
)
from abstractor_lib.experiments.same_different.run import relations as related
from abstractor_lib.experiments.same_different.settings import PROTOCOLS, model
from abstractor_lib.tasks import set_game

BITS = torch.from_numpy(np.eye(3)[set_game.attributes(np.arange(81))].reshape(81, 12)).float()


def context(embeddings=BITS):
    """Cards embedded by hand, in place of a trained network."""
    return Context(load=lambda parent: {"embeddings": embeddings})


def test_one_relation_of_two_cards():
    """Frozen: embedding 32 -> 64 and two symbols of 10; trained: keys and queries of 64 with bias,
    and a head 20 -> 32 -> 1."""
    made = build(model(PROTOCOLS["published"]), 32)
    frozen = sum(p.numel() for p in made.parameters() if not p.requires_grad)
    trained = sum(p.numel() for p in made.parameters() if p.requires_grad)
    assert frozen == 32 * 64 + 64 + 2 * 10
    assert trained == 2 * (64 * 64 + 64) + (2 * 2 * 5 * 32 + 32) + (32 + 1)


def test_forward_against_loops():
    made = build(model(PROTOCOLS["published"]), 12).double()
    cards = BITS[torch.tensor([[3, 40], [7, 7]])].double()
    found = made(cards)
    relation, symbols = made.relation, made.symbols.vectors
    for example in range(2):
        x = [made.embed(card) for card in cards[example]]
        read = []
        for i in range(2):
            mixed = torch.zeros(10, dtype=torch.double)
            for j in range(2):
                query = relation.left.weight @ x[i] + relation.left.bias
                key = relation.right.weight @ x[j] + relation.right.bias
                mixed = mixed + torch.sigmoid(50 * (query @ key) / 64) * symbols[j]
            read.append(mixed)
        assert torch.allclose(made.head(torch.cat(read)), found[example])


def test_the_four_models_of_a_trial_share_their_embedding():
    build_one = Builder(model(PROTOCOLS["sound"]), 12)
    made = [build_one() for _ in range(8)]
    for group in (made[:4], made[4:]):
        for other in group[1:]:
            assert torch.equal(group[0].embed.weight, other.embed.weight)
            assert not torch.equal(group[0].relation.left.weight, other.relation.left.weight)
    assert not torch.equal(made[0].embed.weight, made[4].embed.weight)


def test_relations_of_four_models_as_those_of_one():
    build_one = Builder(model(PROTOCOLS["sound"]), 12)
    made = [build_one() for _ in range(8)]
    names = dict(made[0].named_parameters())
    stacked = {
        name: torch.stack([dict(m.named_parameters())[name] for m in made]) for name in names
    }
    state = combined({name: value.detach() for name, value in stacked.items()}, 1)
    found = related(model(PROTOCOLS["sound"]), state, BITS)
    for k, one in enumerate(made[4:]):
        one.relation.activation = "linear"
        with torch.no_grad():
            wanted = one.double().relation(one.embed(BITS.double()))[0]
        assert torch.allclose(found[k], wanted)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pairs_of_a_trial(protocol):
    spec = same_different.grid("laptop", protocol)[0]
    found = pairs(spec.task, 1, spec.draw)
    assert [len(found.cards[part]) for part in ("train", "validation", "test")] == [1000, 500, 1000]
    for part, cards in found.cards.items():
        digits = np.stack([cards // 3**k % 3 for k in (3, 2, 1, 0)], axis=-1)
        assert np.array_equal(found.same[part], digits[:, 0] == digits[:, 1])
    names = [frozenset(pair) for cards in found.cards.values() for pair in cards.tolist()]
    if protocol == "sound":
        assert len(set(names)) == len(names) and {len(name) for name in names} == {2}
    shared = np.array_equal(pairs(spec.task, 0, spec.draw).cards["test"], found.cards["test"])
    assert shared == (protocol == "published")


def test_what_relations_tell():
    """One that counts agreements in colour tells colour and nothing else, whatever its sign."""
    values = set_game.attributes(np.arange(81))
    agree = torch.from_numpy((values[:, None] == values[None]).transpose(2, 0, 1)).double()
    scores = torch.stack([agree[0], -agree[1], torch.zeros(81, 81, dtype=torch.double), agree[3]])
    found = tells(scores)
    assert [found[f"{name}_tells_{name}"] for name in set_game.ATTRIBUTES] == [1.0, 1.0, 0.5, 1.0]
    assert found["number_tells_colour"] == pytest.approx(0.5, abs=0.02)


def test_metrics_of_four_fits_as_one_number():
    assert by_trial("updates", [1, 2, 3, 9]) == [9]
    assert by_trial("converged", [1, 1, 0, 1, 1, 1, 1, 1]) == [0, 1]
    assert by_trial("validation_loss", [1.0, 2.0, 3.0, 4.0]) == [2.5]


def test_relations_are_learned_from_cards_embedded_by_hand():
    """On attributes as bits 300 updates are enough, and each relation tells its own attribute."""
    spec = same_different.grid("smoke", "sound")[0]
    training = replace(spec.training, updates=300, validate_every=100)
    spec = replace(spec, training=training, task=same_different.grid("laptop", "sound")[0].task)
    found = outcome(spec, context()).metrics
    assert min(found["test_accuracy"]) > 0.9
    for name in set_game.ATTRIBUTES:
        own = np.mean(found[f"{name}_tells_{name}"])
        others = [np.mean(found[f"{name}_tells_{n}"]) for n in set_game.ATTRIBUTES if n != name]
        assert own > max(others)


def test_only_kept_relations_can_be_started_from():
    settings = PROTOCOLS["sound"]
    numbers = settings.kept.value - 1, settings.trials.value  # the last kept, the first added
    last, added = (relations("laptop", "sound", number) for number in numbers)
    assert (last.trial, added.trial) == numbers
    assert added.spec.part and not last.spec.part
    assert relations("laptop", "published", 0, seed=2).spec.parents["embedder"].trial == 2
    with pytest.raises(ValueError, match="no relations of trial 1, seed 0, are kept"):
        relations("laptop", "published", 1)


def test_probes_find_what_is_there_and_nothing_else():
    """Off true relations: who agrees, but no values. Off attributes as bits: values; agreement is
    not linear in them."""
    values = set_game.attributes(np.arange(81))
    agree = (values[:, None] == values[None]).transpose(2, 0, 1).astype(float)
    strict = probes(of_relations(agree), np.random.default_rng(1))
    assert strict["same"] == 1.0
    assert strict["value"] == pytest.approx(1 / 3, abs=0.06)
    bits = probes(of_embeddings(BITS.numpy()), np.random.default_rng(1))
    assert bits["value"] == 1.0
    assert bits["same"] < 0.75


def test_probes_read_the_relations_of_their_triples():
    relations = np.arange(2 * 81 * 81).reshape(2, 81, 81)
    chosen = triples(np.random.default_rng(0), np.arange(5, 20), 6)
    assert chosen.min() >= 5 and chosen.max() < 20
    assert all(len(set(row)) == 3 for row in chosen.tolist())
    found = of_relations(relations)(chosen).reshape(6, 2, 3, 3)
    for n, (a, b, c) in enumerate(chosen):
        assert np.array_equal(found[n, 1], relations[1][np.ix_([a, b, c], [a, b, c])])
