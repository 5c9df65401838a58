"""Box World: puzzles and rules, one game and many at once."""

from copy import deepcopy
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import stats

from abstractor_lib.tasks.box_world import BRIDGE, STANDARD, Game, Rules, draw
from abstractor_lib.tasks.box_world import environment as gym
from abstractor_lib.tasks.box_world.arrays import put
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.layout import lay
from abstractor_lib.tasks.box_world.puzzles import Kind, Puzzles, draw_each, kinds, probability
from abstractor_lib.tasks.box_world.rules import (
    BLANK,
    CODES,
    EMPTY,
    GEM,
    HUES,
    PLAYER,
    palette,
)
from abstractor_lib.tasks.box_world.walks import FAR, distances
from abstractor_lib.tasks.box_world.worlds import Worlds

LONG = Rules(rows=9, locks=1, longest=3, bridges=0.0, branches=3, branch_longest=2)
WORLDS = {"bridge": BRIDGE, "standard": STANDARD, "long branches": LONG}
LEFT, UP, RIGHT, DOWN = range(4)
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")),
]


def test_codes_have_different_colours():
    assert len({tuple(colour) for colour in palette().tolist()}) == CODES == HUES + 4


@pytest.mark.parametrize("rules", WORLDS.values(), ids=WORLDS)
def test_puzzles_are_well_formed(rules):
    found = draw(np.random.default_rng(0), rules, 300)
    for index in range(len(found)):
        board, kind = found.board[index], found.kind(index)
        free = board == BLANK
        assert free[0].all() and free[:, ::3].all() and not (board == PLAYER).any()
        gem = found.gem[index]
        even = free[::2].copy()
        assert (~even).sum() == (2 if rules.locks == 2 else 0)  # the Gem's lower half
        assert (board == GEM).sum() == rules.locks and board[gem[0], gem[1] - 1] == GEM
        hues = found.codes[index, 1:]
        assert len(set(hues.tolist())) == rules.colours and hues.min() > EMPTY
        boxes = found.boxes(index)
        path = [(i, i + 1) for i in range(kind.length)]
        path += [(kind.length, -1)]
        if rules.locks == 2:
            length = kind.length
            path += [(0, length + 1), *((length + i, length + i + 1) for i in range(1, length))]
            path += [(2 * length, -1)] + ([(kind.key, kind.lock)] if kind.lock else [])
            assert sorted(boxes) == sorted(path)
        assert set(path) <= {tuple(box) for box in boxes}
        decoys = np.argwhere(found.decoys[index])
        assert len(decoys) == len(boxes) - (len(path) - bool(kind.lock))
        number = {int(code): k for k, code in enumerate(found.codes[index])}
        for y, x in decoys:
            box = number[int(board[y, x - 1])], number[int(board[y, x])]
            assert box == (kind.key, kind.lock) if rules.locks == 2 else box[0] > rules.longest


def test_everything_can_be_reached():
    """Over blank tiles alone, whatever lies where, against networkx; the player starts on one."""
    for rules in WORLDS.values():
        puzzles = draw(np.random.default_rng(1), rules, 20)
        blank = torch.from_numpy(puzzles.board == BLANK)
        found = distances(blank, torch.zeros(len(puzzles), dtype=torch.int64))
        for index in range(len(puzzles)):
            grid = nx.grid_2d_graph(rules.rows, rules.columns, create_using=nx.DiGraph)
            closed = [tuple(tile) for tile in np.argwhere(~blank[index].numpy())]
            grid.remove_edges_from(list(grid.out_edges(closed)))
            known = nx.single_source_shortest_path_length(grid, (0, 0))
            assert {t: int(d) for t, d in np.ndenumerate(found[index]) if d < FAR} == known
            game = Game(puzzles, index)
            tiles = [game.tile(k) for k in range(rules.choices)]
            assert all(tile in known for tile in tiles if tile)
            assert [len(game.walk(tile)) for tile in tiles if tile] == [
                known[tile] for tile in tiles if tile
            ]


def test_types_places_and_hues_are_drawn_as_the_paper_says():
    found = draw(np.random.default_rng(2), BRIDGE, 60_000)
    every = kinds(BRIDGE)
    expected = [float(probability(kind, BRIDGE)) for kind in every]
    assert sum(expected) == pytest.approx(1)
    assert probability(Kind(1, 1, 2), BRIDGE) * 6 == 1
    seen = {tuple(kind): 0 for kind in every}
    for kind in map(tuple, found.kinds.tolist()):
        seen[kind] += 1
    counts = list(seen.values())
    assert stats.chisquare(counts, np.array(expected) * len(found)).pvalue > 1e-3
    places = np.unique(found.gem, axis=0, return_counts=True)[1]
    assert len(places) == 4 and stats.chisquare(places).pvalue > 1e-3
    for number in (1, 6):
        assert stats.chisquare(np.bincount(found.codes[:, number])[4:]).pvalue > 1e-3
    loose = found.codes[np.arange(len(found)), found.kinds[:, 0]]  # the upper loose key
    rows, columns = np.array(BRIDGE.slots).T
    lies = found.board[:, rows, columns] == loose[:, None]
    shares = lies.sum(axis=0) / len(found)
    # nothing lies under the Gem, so the outer slots hold more
    assert shares[[2, 5]] == pytest.approx([1 / 7, 1 / 7], abs=0.01)


@pytest.mark.parametrize(
    "rules", [BRIDGE, STANDARD, Rules(bridges=0.0), Rules(bridges=1.0)], ids=str
)
def test_types_are_those_that_are_drawn(rules):
    every, found = kinds(rules), draw(np.random.default_rng(0), rules, 500)
    assert set(every) == {found.kind(k) for k in range(500)}
    assert sum(probability(kind, rules) for kind in every) == 1


@pytest.mark.parametrize("kind", [Kind(9, 1, 2), Kind(0), Kind(2, 1, 2), Kind(2, 0, 3), Kind(4)])
def test_impossible_types_have_no_probability(kind):
    assert probability(kind, BRIDGE) == 0


def test_a_seed_gives_the_same_puzzles():
    first, again, other = (draw(np.random.default_rng(seed), BRIDGE, 5) for seed in (3, 3, 4))
    assert (first.board == again.board).all() and (first.board != other.board).any()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"locks": 3}, "locks is 3; allowed: 1, 2"),
        ({"longest": 4}, "room for 7 boxes and loose keys beside the Gem; expected room for 9"),
        ({"branches": 1}, "branches is 1; a Gem with two locks has none"),
        ({"locks": 1}, "bridges is 0.5; a Gem with one lock has none"),
        ({"bridges": 2.0}, "bridges is 2.0; expected a probability"),
        ({"longest": 0}, "longest is 0"),
    ],
)
def test_impossible_rules(given, message):
    with pytest.raises(ValueError, match=message):
        Rules(**given)


def test_too_many_colours():
    with pytest.raises(ValueError, match="may have 21 colours; expected at most 20"):
        Rules(21, 21, 1, longest=21, bridges=0.0)


TOP, BOTTOM, UPPER, LOWER = 5, 6, 7, 8  # codes of the colours 2, 4, 1, 3 of a puzzle with L = 2


def by_hand() -> Puzzles:
    """A bridge from 2 to 3 (type (2, 2, 3)). Upper path: loose 2, box 1 with lock 2."""
    board = np.zeros((1, 7, 9), np.uint8)
    board[0, 1, 1], board[0, 1, 4] = TOP, BOTTOM  # loose keys
    board[0, 3, 1:3], board[0, 5, 1:3] = (UPPER, TOP), (LOWER, BOTTOM)
    board[0, 3, 4:6], board[0, 4, 4:6] = (GEM, UPPER), (GEM, LOWER)
    board[0, 5, 7:9] = LOWER, TOP
    decoys = np.zeros(board.shape, bool)
    decoys[0, 5, 8] = True
    codes = np.array([[GEM, UPPER, TOP, LOWER, BOTTOM, 9, 10]], np.uint8)
    return Puzzles(BRIDGE, board, decoys, np.array([[3, 5]]), np.array([[2, 2, 3]]), codes)


WON = [  # actions, reward of the last of them, inventory after it
    ([LEFT, UP], 0, []),  # the edge is a wall
    ([RIGHT, DOWN], 1, [TOP]),  # a loose key
    ([RIGHT, RIGHT, RIGHT], 1, [TOP, BOTTOM]),
    ([DOWN, DOWN], 0, [TOP, BOTTOM]),  # on to the Gem itself: nothing happens
    ([LEFT, LEFT, DOWN], 1, [BOTTOM, UPPER]),  # a box: its key comes last
    ([RIGHT, DOWN, RIGHT], 0, [BOTTOM, UPPER]),  # the Gem's lower half
    ([DOWN, LEFT], 1, [UPPER, LOWER]),
    ([RIGHT, DOWN, RIGHT, RIGHT, RIGHT, UP, UP, LEFT], 10, [GEM]),  # by its lower lock
]
LOST = [
    ([RIGHT, DOWN], 1, [TOP]),
    ([DOWN, DOWN], 0, [TOP]),  # the content of a box
    ([LEFT, DOWN, DOWN, RIGHT], 0, [TOP]),
    ([LEFT, DOWN, DOWN, *[RIGHT] * 7, UP], 0, [TOP]),  # the content of the bridge
    ([RIGHT, UP], -1, [LOWER]),
]


@pytest.mark.parametrize("script", [WON, LOST], ids=["won", "lost"])
def test_a_puzzle_made_by_hand(script):
    game, worlds = Game(by_hand()), BoxWorlds("bridge", 1, np.random.default_rng(0))
    worlds.reset(puzzles=by_hand())
    assert str(game.kind) == "(2, 2, 3)"
    for actions, reward, inventory in script:
        for action in actions:
            step, found = game.step(action), worlds.step(torch.tensor([action]))
            assert (step.reward, step.ended) == (found.reward.item(), found.ended.item())
            assert (game.picture() == worlds.codes()[0].numpy()).all()
        assert (step.reward, game.inventory) == (reward, inventory)
    assert game.ended and game.solved == (script is WON) == worlds.solved.item()
    with pytest.raises(ValueError, match="the episode has ended"):
        game.step(LEFT)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("macro", [False, True], ids=["steps", "macro"])
@pytest.mark.parametrize("rules", WORLDS.values(), ids=WORLDS)
def test_against_one_game_step_by_step(rules, macro, device):
    """Random play, all pictures, rewards and ends; finished worlds stand still, then start anew."""
    count, steps = 40, 60 if macro else 600
    random = np.random.default_rng(5)
    worlds = BoxWorlds(
        rules, count, np.random.default_rng(6), macro=macro, count_walks=True, device=device
    )
    puzzles = draw(random, rules, count)
    worlds.reset(puzzles=puzzles)
    games = [Game(puzzles, index) for index in range(count)]
    ends = wins = 0
    for step in range(steps):
        actions = random.integers(0, rules.choices if macro else 4, count)
        found = worlds.step(torch.from_numpy(actions).to(device))
        reward, ended, walked = (
            part.tolist() for part in (found.reward, found.ended, found.walked)
        )
        for index, game in enumerate(games):
            if game.ended:
                assert (reward[index], ended[index], walked[index]) == (0, False, 0)
                continue
            known = (game.choose if macro else game.step)(int(actions[index]))
            assert known == (reward[index], ended[index], walked[index])
        over = np.array([game.ended for game in games])
        assert (np.stack([game.picture() for game in games]) == worlds.codes().cpu().numpy()).all()
        assert worlds.over.tolist() == over.tolist()
        assert worlds.solved.tolist() == [game.solved for game in games]
        if step % 10 == 9 and over.any():
            ends, wins = ends + over.sum(), wins + sum(game.solved for game in games)
            some = draw(random, rules, int(over.sum()))
            worlds.reset(worlds.over, some)
            for at, index in enumerate(np.flatnonzero(over)):
                games[index] = Game(some, at)
    assert ends > 20 and 0 < wins < ends


def test_pictures_are_those_of_the_game():
    worlds, puzzles = (
        BoxWorlds(BRIDGE, 6, np.random.default_rng(0)),
        draw(np.random.default_rng(7), BRIDGE, 6),
    )
    worlds.reset(puzzles=puzzles)
    for index, picture in enumerate(worlds.images().numpy()):
        assert (picture == palette()[Game(puzzles, index).picture()]).all()
    assert worlds.images()[0, 0, 0].tolist() == [127, 127, 127]


def test_a_horizon_truncates():
    worlds = BoxWorlds(BRIDGE, 3, np.random.default_rng(0), horizon=2)
    first, second, third = (worlds.step(torch.zeros(3, dtype=torch.int64)) for _ in range(3))
    assert not first.truncated.any() and second.truncated.all() and not second.ended.any()
    assert not third.truncated.any() and worlds.steps.tolist() == [2, 2, 2]
    worlds.reset(torch.tensor([1]))
    assert worlds.over.tolist() == [True, False, True]
    with pytest.raises(ValueError, match="puzzles holds 1; expected 3"):
        worlds.reset(puzzles=by_hand())


def test_an_episode_stays_truncated():
    env = gym.BoxWorldEnv(horizon=2)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(4)] == [False, True, True, True]
    env.reset()
    assert not env.step(0)[3]


@pytest.mark.parametrize("macro", [False, True], ids=["steps", "macro"])
@pytest.mark.parametrize("rules", WORLDS.values(), ids=WORLDS)
def test_masks_allow_what_changes_something(rules, macro):
    """Against trying each action on a copy of the game."""
    random = np.random.default_rng(11)
    puzzles = draw(random, rules, 12)
    worlds = BoxWorlds(rules, len(puzzles), random, macro=macro)
    worlds.reset(puzzles=puzzles)
    games = [Game(puzzles, index) for index in range(len(puzzles))]
    ended = 0
    for _ in range(15 if macro else 150):
        masks = worlds.masks().numpy()
        for game, mask in zip(games, masks, strict=True):
            assert mask.tolist() == game.mask(macro).tolist() and mask.any()
            for action, allowed in enumerate(mask):
                if not game.ended:
                    tried = deepcopy(game)
                    (tried.choose if macro else tried.step)(action)
                    assert allowed == (tried.picture() != game.picture()).any()
            ended += game.ended and mask.all()
        actions = (masks * random.random(masks.shape)).argmax(axis=1)
        worlds.step(torch.from_numpy(actions))
        for game, action in zip(games, actions.tolist(), strict=True):
            if not game.ended:
                (game.choose if macro else game.step)(action)
    assert ended


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("macro", [False, True], ids=["steps", "macro"])
@pytest.mark.parametrize("rules", WORLDS.values(), ids=WORLDS)
def test_numpy_and_torch_play_alike(rules, macro, device):
    """With torch on the CPU as well, where `BoxWorlds` takes numpy."""
    random = np.random.default_rng(12)
    more = {"macro": macro, "count_walks": True, "horizon": 50}
    plain, torch_like = np.empty(0), torch.empty(0, device=device)
    pair = [(Worlds(rules, 30, like, **more), like) for like in (plain, torch_like)]

    def both(call):
        found, other = (call(worlds, like) for worlds, like in pair)
        for one, tensor in zip(found, other, strict=True):
            assert isinstance(tensor, torch.Tensor) and tensor.device.type == device
            assert one.dtype == tensor.cpu().numpy().dtype and np.array_equal(one, tensor.cpu())

    def renew(worlds, like):
        which = np.flatnonzero(puzzled)
        worlds.place(put(which, like), lay(puzzles, like))
        return [worlds.kinds]

    puzzled = np.ones(30, bool)
    for step in range(120):
        if puzzled.any():
            puzzles = draw(random, rules, int(puzzled.sum()))
            both(renew)
        actions = random.integers(0, rules.choices if macro else 4, puzzled.size)
        both(lambda worlds, like: worlds.step(put(actions, like)))  # noqa: B023
        both(lambda worlds, like: [worlds.codes(), worlds.images(), worlds.masks()])
        both(lambda worlds, like: [worlds.over, worlds.ended, worlds.solved, worlds.steps])
        if step == 60:
            kept = random.random(30) < 0.7
            both(lambda worlds, like: worlds.keep(put(kept, like)) or [worlds.kinds])  # noqa: B023
        puzzled = pair[0][0].over.copy() if step % 5 == 0 else np.zeros(pair[0][0].count, bool)


def test_a_generator_for_each_puzzle():
    for rules in WORLDS.values():
        many, alone = ([np.random.default_rng(seed) for seed in range(9)] for _ in range(2))
        for _ in range(3):
            found, known = draw_each(many, rules), [draw(one, rules) for one in alone]
            for name in ("board", "decoys", "gem", "kinds", "codes"):
                wanted = np.concatenate([getattr(one, name) for one in known])
                assert np.array_equal(getattr(found, name), wanted)
    with pytest.raises(ValueError, match="generators is empty"):
        draw_each([], BRIDGE)


def test_what_worlds_give_is_the_callers():
    worlds = BoxWorlds(BRIDGE, 4, np.random.default_rng(0))
    kept = worlds.kinds, worlds.over
    for part in (worlds.kinds, worlds.over, worlds.steps, worlds.solved, worlds.codes()):
        part[:] = 1
    assert torch.equal(worlds.kinds, kept[0]) and not worlds.over.any()
    worlds.step(torch.full((4,), 3))
    assert worlds.steps.tolist() == [1] * 4
    images = worlds.images()
    assert images.is_contiguous() and images.numpy().flags["C_CONTIGUOUS"]
    images[:] = 0
    assert (worlds.images() != 0).all()
    with pytest.raises(AttributeError):
        worlds.kinds = kept[0]
    with pytest.raises(ValueError, match="read-only"):
        draw(np.random.default_rng(0), BRIDGE).kinds[0] = 1


def test_what_worlds_refuse():
    worlds, random = BoxWorlds(BRIDGE, 2, np.random.default_rng(0)), np.random.default_rng(0)
    one_lock = Rules(locks=1, longest=3, bridges=0.0)
    with pytest.raises(ValueError, match=r"puzzles has the rows, columns and locks \(7, 9, 1\)"):
        worlds.reset(puzzles=draw(random, one_lock, 2))
    odd = by_hand().board.copy()
    odd[0, 2, 3] = TOP
    given = replace(by_hand(), board=odd)
    with pytest.raises(ValueError, match="something in row 2 and column 3 of puzzle 0; expected"):
        worlds.reset(torch.tensor([1]), given)
    with pytest.raises(ValueError, match=r"actions has type torch.float32; expected whole numbers"):
        worlds.step(torch.tensor([2.9, 1.0]))
    before = worlds.state_dict()["worlds"]
    wrong = {
        r"actions has type torch\.bool; expected whole numbers": torch.tensor([True, False]),
        "actions is a list; expected a tensor": [1, 0],
        r"actions has shape \(1,\); expected \(2,\)": torch.tensor([1]),
        r"actions has shape \(\); expected \(2,\)": torch.tensor(1),
        "actions holds -1; expected 0 to 3": torch.tensor([-1, 2]),
        "actions holds 9; expected 0 to 3": torch.tensor([0, 9]),
        "actions holds 5000; expected 0 to 3": torch.tensor([5000, 0]),
    }
    for message, actions in wrong.items():
        with pytest.raises(ValueError, match=message):
            worlds.step(actions)
    after = worlds.state_dict()["worlds"]
    assert all(torch.equal(before[name], after[name]) for name in before)
    decisions = BoxWorlds(BRIDGE, 2, np.random.default_rng(0), macro=True)
    last = BRIDGE.choices - 1
    decisions.step(torch.tensor([0, last]))
    with pytest.raises(ValueError, match=f"actions holds {last + 1}; expected 0 to {last}"):
        decisions.step(torch.tensor([0, last + 1]))
    for horizon in (2.5, 0, True):
        with pytest.raises(ValueError, match=f"horizon is {horizon}; expected an integer of at"):
            BoxWorlds(BRIDGE, 2, np.random.default_rng(0), horizon=horizon)


def test_some_worlds_are_kept():
    worlds = BoxWorlds(BRIDGE, 4, np.random.default_rng(0))
    whole = BoxWorlds(BRIDGE, 4, np.random.default_rng(0))
    worlds.keep(torch.tensor([False, True, False, True]))
    for action in (3, 1, 1, 3):
        worlds.step(torch.full((2,), action))
        whole.step(torch.full((4,), action))
        assert torch.equal(worlds.codes(), whole.codes()[[1, 3]])


def test_worlds_take_puzzles_in_turn():
    """Whoever asks first; the same generator gives the same ones, however many worlds there are."""
    some, many = (BoxWorlds(BRIDGE, count, np.random.default_rng(8)) for count in (2, 5000))
    assert (some.codes() == many.codes()[:2]).all()
    some.reset()
    assert (some.codes() == many.codes()[2:4]).all()


def test_episodes_repeat_with_their_seed():
    def episode(seed):
        env = gym.BoxWorldEnv(horizon=30)
        pictures = [env.reset(seed=seed)[0]]
        env.action_space.seed(seed)
        over = False
        while not over:
            picture, _, ended, truncated, info = env.step(env.action_space.sample())
            pictures.append(picture)
            over = ended or truncated
        assert truncated == (info["steps"] == 30 and not ended)
        return np.stack(pictures)

    assert np.array_equal(episode(1), episode(1))
    assert not np.array_equal(episode(1)[0], episode(2)[0])


def test_macro_actions_are_walks_of_steps():
    """The same puzzle, by choices and by the steps of their walks: same pictures and rewards."""
    puzzle = by_hand()
    chooser, walker = gym.BoxWorldEnv(macro=True), gym.BoxWorldEnv()
    for env in (chooser, walker):
        env.reset(options={"puzzle": puzzle})
    rewards = []
    for choice in (8, 0, 1, 3, 6, 9):  # the bridge cannot be opened yet; the last is the lower lock
        tile = chooser.game.tile(choice)
        walk = chooser.game.walk(tile) if chooser.game.can_take(*tile) else []
        picture, reward, ended, _, info = chooser.step(choice)
        each = [walker.step(action) for action in walk]
        assert reward == sum(step[1] for step in each)
        assert (picture == (each[-1][0] if each else picture)).all()
        rewards.append(reward)
    assert rewards == [0, 1, 1, 1, 1, 10] and ended
    last = each[-1][4]
    assert info.pop("action_mask").all() and last.pop("action_mask").all() and info == last


def test_what_the_environment_refuses():
    for horizon in (0, 2.5):
        with pytest.raises(ValueError, match=f"horizon is {horizon}; expected an integer of at"):
            gym.BoxWorldEnv(horizon=horizon)
    with pytest.raises(ValueError, match="render_mode is 'human'; allowed: None, rgb_array, ansi"):
        gym.BoxWorldEnv(render_mode="human")
    env = gym.BoxWorldEnv()
    with pytest.raises(ValueError, match="reset has not been called"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action is 4; expected 0 to 3"):
        env.step(4)
    for given in (2.9, "left", None, np.array([1])):
        with pytest.raises(ValueError, match=r"action is .*; expected a whole number"):
            env.step(given)
    assert env.step(np.array(3))[-1]["steps"] == 1


def test_options_that_are_no_puzzle_of_the_rules():
    env, random = gym.BoxWorldEnv(), np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"columns and locks \(9, 9, 1\); expected \(7, 9, 2\)"):
        env.reset(options={"puzzle": draw(random, STANDARD)})
    with pytest.raises(ValueError, match="options holds 'puzle'; allowed: puzzle"):
        env.reset(options={"puzle": draw(random, BRIDGE)})
    with pytest.raises(ValueError, match=r"options\['puzzle'\] is 3; expected Puzzles"):
        env.reset(options={"puzzle": 3})
    bridged = draw(random, Rules(bridges=1.0))  # of the same size
    assert env.reset(options={"puzzle": bridged})[1]["type"] == tuple(bridged.kind())


def test_the_state_of_worlds_of_other_rules_is_refused_and_changes_nothing():
    ours, theirs = (BoxWorlds(rules, 4, np.random.default_rng(0)) for rules in (STANDARD, BRIDGE))
    before = ours.images().clone()
    with pytest.raises(
        ValueError, match=r"the state has \w+ of shape .*, of worlds of the same rul"
    ):
        ours.load_state_dict(theirs.state_dict())
    assert ours.images().equal(before)
