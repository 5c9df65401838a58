"""Agents of bridge Box World against loops over tiles, published sizes, and their promises."""

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    ActorCritic,
    Answer,
    MaximumReadout,
    PictureEntities,
    ScoringReadout,
    SimplicialBlock,
    SimplicialTransformer,
    TokenEntities,
    initialise,
    relational_transformer,
    simplicial_transformer,
)
from abstractor_lib.tasks.box_world import BRIDGE

ROWS, COLUMNS = BRIDGE.picture


def agent(transformer):
    entities = PictureEntities(ROWS, COLUMNS)
    return ActorCritic(entities, transformer, MaximumReadout(64, 4))


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def pictures(*shape):
    return torch.from_numpy(
        np.random.default_rng(0).integers(0, 256, (*shape, ROWS, COLUMNS, 3), dtype=np.uint8)
    )


@pytest.mark.parametrize(
    ("transformer", "expected"),
    [
        (relational_transformer(), 239_241),
        (simplicial_transformer(), 365_513),
        # four iterations have two more pairs of layer norms, 2 * 2 * (64 + 64)
        (relational_transformer(iterations=4), 239_241 + 512),
        # the wide feed-forward network: 129 more numbers for each unit of its hidden layer
        (relational_transformer(hidden=1043), 239_241 + 129 * (1043 - 64)),
        (relational_transformer(virtual=2), 239_241 + 2 * 64),
        # without the norm of the 2-simplicial output, in each of two iterations
        (simplicial_transformer(pair_norm=False), 365_513 - 2 * 96),
        # normalised projections in place of normalised entities
        (relational_transformer(norm="projections"), 239_241 + 2 * (2 * 192 - 2 * 64)),
        # shared norms, as the text may be read
        (simplicial_transformer(sharing="all"), 365_513 - 352),
    ],
)
def test_parameters_against_the_published_counts(transformer, expected):
    """The two published ones, and arithmetic on them; see also the sizes of the parts."""
    assert parameters(agent(transformer)) == expected


def test_the_wide_relational_agent_matches_the_simplicial_one():
    wide, simplicial = relational_transformer(hidden=1043), simplicial_transformer()
    assert abs(parameters(agent(wide)) - parameters(agent(simplicial))) < 129


def test_entities_of_a_picture_against_a_loop_over_tiles(double):
    entities = initialise(PictureEntities(ROWS, COLUMNS, dim=7, filters=(3, 5)))
    for one in (entities.convolutions[0].bias, entities.convolutions[2].bias):
        nn.init.normal_(one)
    some = pictures(2)
    found = entities(some)
    first, second = entities.convolutions[0], entities.convolutions[2]
    x = some.numpy() / 255.0

    def window(grid, layer, row, column):
        patch = grid[row : row + 2, column : column + 2]  # (2, 2, channels)
        weight = layer.weight.detach().numpy()  # (f, channels, 2, 2)
        return np.einsum("fcij,ijc->f", weight, patch) + layer.bias.detach().numpy()

    for number in range(2):
        shape = (ROWS - 1, COLUMNS - 1)
        inner = np.array(
            [
                [np.maximum(window(x[number], first, r, c), 0) for c in range(shape[1])]
                for r in range(shape[0])
            ]
        )
        for row in range(ROWS - 2):
            for column in range(COLUMNS - 2):
                features = np.maximum(window(inner, second, row, column), 0)
                seen = entities.project.weight.detach().numpy() @ features
                place = [2 * row / (ROWS - 3) - 1, 2 * column / (COLUMNS - 3) - 1]
                entity = found[number, row * (COLUMNS - 2) + column].detach().numpy()
                np.testing.assert_allclose(entity, [*seen, *place], atol=1e-12)


def test_an_entity_sees_three_by_three_tiles_and_the_last_column_the_inventory(double):
    entities = PictureEntities(ROWS, COLUMNS)
    some = pictures().double()
    jacobian = torch.autograd.functional.jacobian(lambda x: entities(x).sum(-1), some)
    seen = jacobian.abs().sum(-1) > 0  # (n, r, c)
    for number in (0, 19, 39):
        row, column = divmod(number, COLUMNS - 2)
        outside = torch.ones(ROWS, COLUMNS, dtype=torch.bool)
        outside[row : row + 3, column : column + 3] = False
        assert not (seen[number] & outside).any()
    inventory = seen[:, :, -1].any(dim=-1).nonzero()[:, 0]
    assert set(inventory.tolist()) <= {7, 15, 23, 31, 39}


@pytest.mark.parametrize("kind", [relational_transformer, simplicial_transformer])
def test_an_agent_against_its_parts(kind, double):
    """Maximum over entities, four dense layers, two heads; virtual entities do not reach it."""
    model = agent(kind())
    some = pictures(3)
    answer, weights = model(some, need_weights=True)
    torch.testing.assert_close(model(some), answer)
    entities = model.transformer(model.entities(some))
    assert entities.shape == (3, 40, 64)
    state = torch.stack([entities[:, :, k].max(dim=1).values for k in range(64)], dim=1)
    for layer in model.readout.network:
        state = layer(state)
    assert sum(isinstance(layer, nn.Linear) for layer in model.readout.network) == 4
    torch.testing.assert_close(answer.logits, model.readout.policy(state))
    torch.testing.assert_close(answer.value, model.readout.value(state)[:, 0])
    assert len(weights) == 2
    assert weights[0].standard.shape == (3, 2, 40, 40)
    assert (weights[0].pairs is None) == (kind is relational_transformer)


def test_batches_of_any_shape(double):
    model = agent(simplicial_transformer())
    some = pictures(2, 3)
    found = model(some)
    assert found.logits.shape == (2, 3, 4) and found.value.shape == (2, 3)
    alone = model(some[1, 2])
    torch.testing.assert_close(Answer(found.logits[1, 2], found.value[1, 2]), alone)


def test_registers_are_ordinary_entities(double):
    """Virtual entities of a standard block: the same as entities put beside the others."""
    model = SimplicialTransformer(SimplicialBlock(8, 2, 4), 2, virtual=2)
    x = torch.randn(3, 5, 8)
    beside = torch.cat([x, model.entities.weight.expand(3, -1, -1)], dim=1)
    plain = SimplicialTransformer(SimplicialBlock(8, 2, 4), 2)
    plain.load_state_dict({k: v for k, v in model.state_dict().items() if k != "entities.weight"})
    torch.testing.assert_close(model(x), plain(beside)[:, :5])
    first = torch.autograd.grad(model(x).sum(), model.entities.weight)[0]
    assert (first.abs() > 0).any()


def test_uniform_attention_is_the_mean_over_pairs(double):
    block = SimplicialBlock(8, 2, 4, simplicial_heads=2, simplicial_dim=3, logits="uniform")
    x = torch.randn(5, 8)
    two = block.two
    *_, values = two.vectors(x)
    pairs = two.values(values, values)  # (h, n, n, v)
    expected = pairs.mean(dim=(1, 2)).flatten()  # (h * v,)
    torch.testing.assert_close(two(x), expected.expand(5, -1))


def test_without_the_norm_of_pairs_messages_are_larger(double):
    """The output of 2-simplicial attention enters the network as it is."""
    block = SimplicialBlock(8, 2, 4, simplicial_heads=1, simplicial_dim=6, pair_norm=False)
    x = torch.randn(5, 8)
    entities = block.norms.entities(x)
    messages = torch.cat([block.one(entities), block.two(entities)], dim=-1)
    expected = block.norms.output(block.network(messages) + x)
    torch.testing.assert_close(block(x), expected)
    assert block.new_norms().pairs is None


def test_tokens_are_sums_of_embeddings(double):
    entities = TokenEntities((5, 4), 6)
    tokens = torch.tensor([[[4, 0], [1, 3], [0, 2]]])
    first, second = (one.weight for one in entities.embeddings)
    expected = torch.stack([first[4] + second[0], first[1] + second[3], first[0] + second[2]])
    torch.testing.assert_close(entities(tokens)[0], expected)


def test_scores_follow_the_objects(double):
    """If two entities change places, so do the scores of the actions about them."""
    readout = ScoringReadout(6, [2, 0, 1])
    x = torch.randn(2, 4, 6)
    found = readout(x)
    swapped = readout(x[:, [1, 0, 2, 3]])
    torch.testing.assert_close(swapped.logits, found.logits[:, [0, 2, 1]])
    torch.testing.assert_close(swapped.value, found.value)


def test_bad_arguments_are_told():
    with pytest.raises(ValueError, match="rows is 3 and columns 10; expected at least 4"):
        PictureEntities(3, 10)
    with pytest.raises(ValueError, match=r"dim is 2; expected at least 3, since two features"):
        PictureEntities(7, 10, dim=2)
    with pytest.raises(ValueError, match=r"shape \(2, 7, 9, 3\); expected \(\.\.\., 7, 10, 3\)"):
        PictureEntities(7, 10)(torch.zeros(2, 7, 9, 3))
    with pytest.raises(ValueError, match=r"tokens has shape \(2, 3, 4\); expected .* 2\)"):
        TokenEntities((3, 4), 8)(torch.zeros(2, 3, 4))
    with pytest.raises(ValueError, match=r"places is \[\]; expected the number of an entity"):
        ScoringReadout(8, [])
    with pytest.raises(ValueError, match=r"places is \[0, -1\]; expected the number of an entity"):
        ScoringReadout(8, [0, -1])
    with pytest.raises(ValueError, match="pair_norm is False; expected nothing, since a block"):
        relational_transformer(pair_norm=False)
