"""Pictures of Box World for people: enlarged, or as text; and what actions are called."""

import numpy as np

from .rules import ACTIONS, BLANK, EMPTY, FIRST_HUE, GEM, PLAYER, Rules

TILE = 24  # pixels of a tile
SIGNS = {BLANK: ".", GEM: "*", PLAYER: "@", EMPTY: " "}
MODES = ("rgb_array", "ansi")


def enlarged(picture: np.ndarray) -> np.ndarray:
    """The picture ``(r, c + 1, 3)`` with tiles of `TILE` pixels."""
    return picture.repeat(TILE, axis=0).repeat(TILE, axis=1)


def text(codes: np.ndarray) -> str:
    """A picture as text, a line for each row, the inventory behind a bar.

    A colour is a letter: small for a key, loose or in a box or in the inventory, and large for a
    lock, which stands to the right of what it locks. ``*`` is the Gem, ``@`` the player.

    Args:
        codes: ``(r, c + 1)``; see `Game.picture`.

    Example:
        >>> print(text(np.array([[2, 0, 4, 5, 0, 7], [0, 1, 7, 0, 0, 3]])))
        @.aB.|d
        .*D..|
    """
    lines = []
    for row in codes.tolist():
        board, signs, left = row[:-1], [], BLANK
        for code in board:
            locked = left == GEM or left >= FIRST_HUE
            sign = _sign(code)
            signs.append(sign.upper() if locked else sign)
            left = code
        lines.append(f"{''.join(signs)}|{_sign(row[-1])}".rstrip())
    return "\n".join(lines)


def _sign(code: int) -> str:
    return SIGNS.get(code) or chr(ord("a") + code - FIRST_HUE)


def meanings(rules: Rules, macro: bool) -> list[str]:
    """What each action does, in words.

    Example:
        >>> meanings(Rules(), macro=False)
        ['left', 'up', 'right', 'down']
        >>> meanings(Rules(), macro=True)[::9]
        ['take what lies in row 1, column 1', "open the Gem's lower lock"]
    """
    if not macro:
        return list(ACTIONS)
    words = [f"take what lies in row {row}, column {column}" for row, column in rules.slots]
    return words + ["open the Gem's lower lock"] * (rules.locks == 2)


def check_mode(mode: str | None) -> None:
    """Raise a ValueError for a render mode that there is not."""
    if mode not in (None, *MODES):
        raise ValueError(f"render_mode is {mode!r}; allowed: None, {', '.join(MODES)}")
