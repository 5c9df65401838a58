"""Bridge Box World to play, beside scripts and trained agents that play the same puzzles."""

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

from ...tasks.box_world import BRIDGE, Game, Kind, Puzzles, draw
from ...tasks.box_world.policies import POLICIES
from ..pictures.box_world.episode import Player
from .fragment import fragment, read

LETTERS = "lurd"  # the actions: left, up, right, down
PLAYERS = {  # what notebooks call them -> the script
    "parity oracle": "no_bridge_nearest",
    "key colour on no other key": "only_key",
    "boxes last": "boxes_last",
    "nearest object": "nearest",
    "random object": "anything_once",
}
KINDS = (  # of the puzzles: easy ones first, and bridges of all sorts
    *(Kind(2), Kind(1, 1, 2), Kind(2, 1, 4), Kind(2, 2, 3), Kind(3), Kind(3, 2, 5)),
    *(Kind(3, 1, 4), Kind(3, 3, 6), Kind(3), Kind(3, 2, 6), Kind(3, 3, 5), Kind(3, 2, 4)),
)
CAPTION = """You are the dark dot. Step on a loose key to take it. A box has its key on the left \
and its lock on the right: step on the lock with a key of the same letter, and that key is \
exchanged for the key inside. The Gem ♦ needs two keys at once. In some puzzles there is a \
<em>bridge</em>, which looks like any other box. Opening it uses up a key that you need, and the \
episode ends. The reward is 1 for a loose key or a box, 10 for the Gem and −1 for the bridge. Five \
scripts play the same puzzle. Without a bridge each letter occurs as often on a key as on a lock. \
The bridge adds a lock of one letter and a key of another, so that both occur an odd number of \
times: the <em>parity oracle</em> never opens such a box. In a puzzle without a bridge no box is \
wrong. <em>Key colour on no other key</em> prefers a box whose key has a letter that no other key \
has; <em>boxes last</em> takes all loose keys first. Two agents learned by reward, on puzzles that \
all have a bridge, and paths of two or three keys. One has 2-simplicial attention, in which an \
object looks at two others at once; the other has usual attention."""


def bridge_box_world() -> str:
    """The exhibit as HTML.

    Example:
        >>> page = bridge_box_world()
        >>> page.count("<figure"), "parity oracle" in page
        (1, True)
    """
    return fragment(
        "bridge-box-world",
        "Bridge Box World.",
        CAPTION,
        "A board of 7 by 9 tiles with boxes, loose keys and the Gem, and an inventory beside it",
        data(),
        "box_world",
        ["box_world_rules.js", "box_world.js"],
    )


def data() -> dict:
    """The puzzles, and what each script and agent plays; agents as they were recorded."""
    drawn = draw(np.random.default_rng(3), BRIDGE, 400)
    known = json.loads(read("box_world.json"))
    puzzles = []
    for number, index in enumerate(chosen(drawn)):
        plays = [played(drawn, index, POLICIES[name]) for name in PLAYERS.values()]
        plays += [agent["plays"][number] for agent in known.values()]
        puzzles.append(
            puzzle(drawn, index)
            | {"kind": list(KINDS[number]), "colors": coded(drawn.codes[index]), "plays": plays}
        )
    players = [{"name": name, "link": name.replace(" ", "-")} for name in (*PLAYERS, *known)]
    size = {"rows": BRIDGE.rows, "columns": BRIDGE.columns}
    return {"size": size, "players": players, "puzzles": puzzles}


def recorded(player: Player) -> list[str]:
    """What an agent plays in each of the exhibit's puzzles; ``box_world.json`` holds it, so that
    pages need no weights."""
    drawn = draw(np.random.default_rng(3), BRIDGE, 400)
    return [played(drawn, index, player) for index in chosen(drawn)]


def chosen(drawn: Puzzles) -> Iterator[int]:
    """The first puzzle of each of `KINDS`."""
    left = list(range(len(drawn)))
    for kind in KINDS:
        index = next(k for k in left if drawn.kind(k) == kind)
        left.remove(index)
        yield index


def puzzle(drawn: Puzzles, index: int) -> dict:
    """A puzzle as the script takes it; tiles are numbered row by row."""
    columns = drawn.rules.columns
    row, column = drawn.gem[index].tolist()
    gem = [(row + path) * columns + column for path in range(drawn.rules.locks)]
    decoys = np.flatnonzero(drawn.decoys[index]).tolist()
    return {"board": coded(drawn.board[index].flat), "decoys": decoys, "gem": gem}


def coded(codes: Iterable[int]) -> str:
    """Codes of tiles as letters, "A" for blank.

    Example:
        >>> coded([0, 1, 5])
        'ABF'
    """
    return "".join(chr(65 + int(code)) for code in codes)


def played(drawn: Puzzles, index: int, policy: Player) -> str:
    """The single steps of a player that chooses what to walk to, a letter each.

    Its ties are broken by a generator of the seed 0.
    """
    game, ties = Game(drawn, index), np.random.default_rng(0)
    moves: list[int] = []
    while not game.ended:
        picture = torch.from_numpy(game.picture())[None]
        walk = game.walk(_tile(game, int(policy(picture, game.rules, ties))))
        for action in walk:
            game.step(action)
        moves += walk
    return spelled(moves)


def _tile(game: Game, choice: int) -> tuple[int, int]:
    tile = game.tile(choice)
    assert tile is not None  # scripts choose what can be taken
    return tile


def spelled(moves: Sequence[int]) -> str:
    """Actions as letters.

    Example:
        >>> spelled([0, 3, 3])
        'ldd'
    """
    return "".join(LETTERS[action] for action in moves)
