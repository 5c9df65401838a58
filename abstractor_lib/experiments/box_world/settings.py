"""Settings of the Box World experiment.

The paper trains agents in these worlds; here scripts play them. So there is one protocol,
``described``: text and public code play by the same rules, and where the text is silent a setting
follows the code.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from ...records.spec import added
from ...tasks.box_world.puzzles import Kind
from ...tasks.box_world.rules import Rules
from ..protocol import Sourced, code, note, ours, setting, text

BridgePlayer = Literal[
    "steps",
    "anything",
    "nearest",
    "boxes_last",
    "even_lock",
    "even_key",
    "no_bridge",
    "no_bridge_nearest",
]
PLAYERS: tuple[BridgePlayer, ...] = get_args(BridgePlayer)
LaterPlayer = Literal["anything_once", "only_key"]
LATER_PLAYERS: tuple[LaterPlayer, ...] = get_args(LaterPlayer)
Player = Literal[BridgePlayer, LaterPlayer, "no_leaf", "towards_gem", "types", "exact", "wins"]
EXACT = ("anything", "boxes_last", "even_lock", "even_key", "no_bridge")
STANDARD_PLAYERS: tuple[Player, ...] = ("steps", "anything", "no_leaf", "towards_gem")


@dataclass(frozen=True)
class Task:
    """A world: the fields of `Rules`, and the actions after which an episode is truncated."""

    rows: int
    columns: int
    locks: int
    longest: int
    bridges: float
    branches: int
    branch_longest: int
    horizon: int | None = None

    @property
    def rules(self) -> Rules:
        """As the world takes them."""
        names = ("rows", "columns", "locks", "longest", "bridges", "branches", "branch_longest")
        return Rules(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class Model:
    """Who plays: a policy of `tasks.box_world.policies`. ``types`` draws puzzles and plays none of
    them; ``exact`` goes through all states of every type, a trial each, and computes how likely the
    ``players`` win; ``wins`` does the latter alone."""

    name: Player
    players: tuple[str, ...] = added(EXACT)


@dataclass(frozen=True)
class Play:
    """How much is played: puzzles a trial, each to its end, with at most ``most`` actions."""

    puzzles: int
    most: int = 40_000


@dataclass(frozen=True)
class WorldProtocol:
    """What the text says, and where it is silent the public code."""

    bridges: Sourced[float] = setting("share of puzzles with a bridge")
    longest: Sourced[int] = setting("longest solution, bridge Box World")
    board: Sourced[tuple] = setting("rows and columns, bridge Box World")
    standard_longest: Sourced[int] = setting("longest solution, Box World")
    standard_board: Sourced[tuple] = setting("rows and columns, Box World")
    branches: Sourced[int] = setting("most decoy branches, Box World")
    branch_longest: Sourced[int] = setting("longest decoy branch, Box World")
    horizon: Sourced[None] = setting("most steps of an episode")

    short: Sourced[int] = setting(
        "a shorter horizon, for comparison", ours(120, "the cap of Zambaldi et al., appendix D")
    )
    rewards: Sourced[str] = note(
        "rewards", text("Gem +10, decoy or bridge -1, other boxes and loose keys +1", "section 3")
    )
    hues: Sourced[str] = note(
        "colours",
        text("20 hues, dealt anew for each episode", "section 5; the hues are the code's"),
    )
    different: Sourced[str] = note(
        "colours of one puzzle",
        code("all different; the text: uniformly sampled, none on both paths"),
    )
    gem: Sourced[str] = note(
        "place of the Gem", text("not in the last column or row of boxes", "section 5")
    )
    under: Sourced[str] = note("under the Gem", code("nothing lies in the slot below it"))
    gem_twice: Sourced[str] = note(
        "the Gem's locks", code("the upper lock belongs to the path with the bridge's lock")
    )
    start: Sourced[str] = note("start", code("the upper left corner, an empty inventory"))
    order: Sourced[str] = note(
        "order of the inventory",
        code("a used key leaves it, a new key comes last"),
    )
    opened: Sourced[str] = note(
        "a box that is opened", text("its key is in the inventory at once", "section 3")
    )


PROTOCOLS = {
    "described": WorldProtocol(
        bridges=text(0.5, "section 5"),
        longest=text(3, "section 5"),
        board=text((7, 9), "section 5"),
        standard_longest=text(5, "section 5"),
        standard_board=text((9, 9), "section 5"),
        branches=text(4, "section 5"),
        branch_longest=ours(1, "the text gives the number of distractors, not their length"),
        horizon=text(None, "section 5: no cap"),
    )
}


def type_name(kind: Kind) -> str:
    """How metrics call a type, such as ``112``; ``100`` has no bridge."""
    return "".join(map(str, kind))
