"""SET against networks: what trained models say of all triples of cards, beside a reader."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from ...findings.sentences import listed
from ...tasks.set_game import every_triple, is_set
from .fragment import fragment, read

LETTERS = 91  # of a gap, from "#" on
CAPTION = """Three cards form a SET if in each of four attributes (number, colour, filling, shape) \
all three agree or all three differ. Choose three cards. The networks learned SET from triples of \
embedded pictures: settings <code>sound</code>, {train:,} training triples, first trial. The \
Abstractor has the weights that come with its records. The other two were trained once more with \
these settings, so their answers differ a little from those in the records. What the networks say \
is the mean over the six orders of three cards. No network runs here: the page holds the answers \
of each one to all 85,320 triples. The CoRelNet shown is a deep one of several relations. The \
paper's CoRelNet, of one relation, is right on {plain:.0%} of its test triples under these \
settings, where chance is 50%. Of all triples the networks miss {missed} of {sets:,} SETs, and \
they call {called} of the other {others:,} a SET ({names}, in this order). So the Abstractor knows \
little more than the MLP, which has no relations, and the deep CoRelNet most.\
"""


def set_against_networks() -> str:
    """The exhibit as HTML.

    Example:
        >>> page = set_against_networks()
        >>> page.count("<figure"), "six orders" in page
        (1, True)
    """
    known = json.loads(read("set_game.json"))
    said = mistakes(known["networks"])
    return fragment(
        "set-against-networks",
        "SET against the networks.",
        CAPTION.format(train=known["train"], plain=known["plain"], **said),
        "Twelve cards of the game of SET on a table",
        data(),
        "set_game",
        ["set_game_rules.js", "set_game.js"],
    )


def mistakes(networks: Sequence[Mapping]) -> dict[str, object]:
    """How many of all SETs and of all other triples each network takes for the other, in words."""
    is_one = is_set(every_triple())  # (85320,)
    wrong = [unpacked(one["errors"], len(is_one)) for one in networks]
    return {
        "names": listed([one["name"] for one in networks]),
        "missed": listed([str((one & is_one).sum()) for one in wrong]),
        "called": listed([f"{(one & ~is_one).sum():,}" for one in wrong]),
        "sets": int(is_one.sum()),
        "others": int((~is_one).sum()),
    }


def data() -> dict:
    """The networks, and of which triples each is wrong."""
    networks = json.loads(read("set_game.json"))["networks"]
    return {"networks": [{"name": one["name"], "errors": one["errors"]} for one in networks]}


def packed(wrong: np.ndarray) -> str:
    """Places of ones as text: a letter for the gap before each.

    Args:
        wrong: of every triple whether a network is wrong, ``(85320,)``.

    Example:
        >>> packed(np.array([1, 0, 0, 1, 1], bool))
        '#%#'
    """
    places = np.flatnonzero(wrong)
    gaps = np.diff(places, prepend=-1) - 1
    return "".join("~" * (gap // LETTERS) + chr(35 + gap % LETTERS) for gap in gaps.tolist())


def unpacked(text: str, count: int) -> np.ndarray:
    """The inverse of `packed`, ``(count,)``.

    Example:
        >>> unpacked("#%#", 6).astype(int).tolist()
        [1, 0, 0, 1, 1, 0]
    """
    found, place = np.zeros(count, bool), -1
    for letter in text:
        if letter == "~":
            place += LETTERS
        else:
            place += ord(letter) - 34
            found[place] = True
    return found


def answers(chances: np.ndarray, truth: np.ndarray) -> str:
    """The errors of a network as `packed` text.

    Args:
        chances: its probability that each triple is a SET, ``(n,)``.
        truth: whether it is, ``(n,)``.
    """
    return packed((chances >= 0.5) != truth)
