"""Pictures of Box World: what is drawn is what was played."""

import json
import re
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from abstractor_lib import paths
from abstractor_lib.reporting.pictures import box_world as pictures
from abstractor_lib.reporting.pictures.box_world.colours import hexadecimal, letters, signs
from abstractor_lib.reporting.pictures.box_world.graph import places
from abstractor_lib.reporting.pictures.box_world.replay import STILL
from abstractor_lib.tasks.box_world import BRIDGE, STANDARD, Game, Rules, draw
from abstractor_lib.tasks.box_world.policies import POLICIES
from abstractor_lib.tasks.box_world.rules import CODES, PLAYER


@pytest.fixture(scope="module")
def played():
    puzzles = draw(np.random.default_rng(0), Rules(bridges=1.0))
    frames = pictures.episode(puzzles, POLICIES["no_bridge"], np.random.default_rng(1))
    return puzzles, frames


def test_an_episode_moves_one_tile_at_a_time_and_ends_with_the_gem(played):
    puzzles, frames = played
    assert [frame.steps for frame in frames] == list(range(len(frames)))
    at = [np.argwhere(frame.picture == PLAYER)[0] for frame in frames]
    assert all(abs(b - a).sum() == 1 for a, b in pairwise(at))
    assert (
        frames[-1].total == sum(frame.reward for frame in frames) == 10 + 2 * puzzles.kind().length
    )
    told = [frame.words for frame in pictures.moments(frames)]
    assert told[0] == "start" and told[-1] == "takes the Gem: +10"
    assert sum("loose" in words for words in told) == 2


def test_a_won_episode_is_a_proof_of_the_gem(played):
    puzzles, frames = played
    found = pictures.derivation(puzzles, frames)
    assert len(found) == 2 * puzzles.kind().length + 1 == len(pictures.moments(frames)) - 1
    assert found["proved"].iloc[-1] == "⊢ G" and found["axiom"].is_unique
    bridge = f"C{puzzles.kind().lock} ⊢ C{puzzles.kind().key}"
    assert bridge not in set(found["axiom"])
    cheating = [*frames[:2], *frames[2:][::-1]]
    with pytest.raises(ValueError, match="used has"):
        pictures.derivation(puzzles, cheating)


def test_a_lost_episode_says_what_was_opened():
    puzzles = draw(np.random.default_rng(3), Rules(bridges=1.0), 50)
    for index in range(50):
        found = pictures.episode(puzzles, POLICIES["nearest"], np.random.default_rng(0), index)
        kind = puzzles.kind(index)
        if found[-1].reward < 0:
            assert found[-1].words == f"opens the bridge, {kind.lock} → {kind.key}: −1"
            return
    raise AssertionError("no episode was lost")


def test_players_part_in_the_puzzle_that_is_chosen():
    puzzles = draw(np.random.default_rng(3), Rules(bridges=1.0), 50)
    oracle, nearest = POLICIES["no_bridge_nearest"], POLICIES["nearest"]
    index = pictures.parting(puzzles, oracle, nearest)
    ends = [
        pictures.episode(puzzles, one, np.random.default_rng(0), index)[-1]
        for one in (oracle, nearest)
    ]
    assert ends[0].words == "takes the Gem: +10" and ends[1].words.startswith("opens the bridge")
    safe = draw(np.random.default_rng(3), Rules(bridges=0.0), 3)
    with pytest.raises(ValueError, match="puzzles holds 3, and in none of them the players part"):
        pictures.parting(safe, oracle, nearest)


def test_the_replay_of_the_notebook_shows_two_episodes_that_end_differently():
    text = (paths.root() / "notebooks" / "15_box_world.ipynb").read_text()
    (page,) = [
        "".join(output["data"]["text/html"])
        for cell in json.loads(text)["cells"]
        for output in cell.get("outputs", [])
        if "box-world-replay" in "".join(output.get("data", {}).get("text/html", ""))
    ]
    data = json.loads(re.search(r"data=(\{.*?\}),pick", page)[1])
    last = [one["frames"][-1][3] for one in data["episodes"]]
    assert last[0] == "takes the Gem: +10" and last[1].startswith("opens the bridge")


def test_a_board_shows_every_tile_and_a_keyhole_for_each_lock(played):
    puzzles, frames = played
    _, axis = plt.subplots()
    pictures.board(axis, frames[0].picture, signs(puzzles))
    shown = [text.get_text() for text in axis.texts]
    boxes = puzzles.boxes()
    contents = [str(box.key) if box.key else "♦" for box in boxes]
    locks = [str(box.lock) for box in boxes if box.lock > 0]
    assert sorted(shown) == sorted(contents + locks)
    keyholes = [patch for patch in axis.patches if isinstance(patch, plt.Polygon)]
    assert len(keyholes) == len(locks)


def test_letters_can_be_read():
    def luminance(color):
        parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for code in range(CODES):
        ground = luminance(hexadecimal(code))
        ink = 1.0 if letters(code) == "white" else 0.0
        light, dark = max(ground, ink), min(ground, ink)
        assert (light + 0.05) / (dark + 0.05) >= 3, code  # WCAG, large or bold text


@pytest.mark.parametrize("rules", [BRIDGE, STANDARD, Rules(9, 9, 1, 3, 0.0, 3, 2)])
def test_vertices_do_not_lie_on_each_other(rules):
    puzzles = draw(np.random.default_rng(4), rules, 60)
    for index in range(len(puzzles)):
        boxes = sorted(puzzles.boxes(index), key=lambda box: (box.lock > rules.longest, box))
        where = np.array([*places(boxes, puzzles.kind(index), rules.locks).values()])
        assert len(where) == len({number for box in boxes for number in box if number >= 0})
        apart = np.linalg.norm(where[:, None] - where[None], axis=-1)
        assert apart[~np.eye(len(where), dtype=bool)].min() > 0.6


def test_a_graph_has_an_arrow_for_each_box():
    puzzles = draw(np.random.default_rng(5), STANDARD, 5)
    for index in range(5):
        _, axis = plt.subplots()
        pictures.graph(axis, puzzles, index)
        arrows = [p for p in axis.patches if type(p).__name__ == "FancyArrowPatch"]
        assert len(arrows) == 2 * sum(box.lock > 0 for box in puzzles.boxes(index))  # shaft, head


def test_a_replay_holds_every_frame_and_nothing_from_elsewhere(played):
    puzzles, frames = played
    page = pictures.replay({"one": frames, "other": frames[:3]}, signs(puzzles), "a-name")
    assert page == pictures.replay({"one": frames, "other": frames[:3]}, signs(puzzles), "a-name")
    data = json.loads(re.search(r"data=(\{.*?\}),pick=", page, re.S)[1])
    assert [len(one["frames"]) for one in data["episodes"]] == [len(frames), 3]
    for (codes, steps, total, words), frame in zip(
        data["episodes"][0]["frames"], frames, strict=True
    ):
        assert [ord(code) - 65 for code in codes] == frame.picture.flatten().tolist()
        assert (steps, total, words) == (frame.steps, frame.total, frame.words)
    assert page.count("<rect") == frames[0].picture.size
    assert "http" not in page and 'id="a-name"' in page
    loose = re.sub(r"<script>.*?</script>|<select.*?</select>|<[^>]*>", " ", page, flags=re.S)
    assert " ".join(loose.split()) == f"player |◀ ◀ ▶ ▶| play {STILL}"  # where nothing is drawn
    with pytest.raises(ValueError, match="episodes is empty"):
        pictures.replay({}, {})


def test_pictures_start_as_the_game_does(played):
    puzzles, frames = played
    assert (frames[0].picture == Game(puzzles).picture()).all()


def trials():
    """A table of trials in which every number of a player and group is known."""
    rows = []
    for at, model in enumerate(("boxes_last", "even_key")):
        for trial in range(10):
            row = {"model": model, "variant": "bridge", "trial": trial}
            groups = ("all", "none", "bridge", "first", "late", "112", "213")
            row |= {f"puzzles_{name}": 100 for name in groups}
            rows.append(row | {f"win_rate_{name}": 0.5 + at / 10 for name in groups})
    return pd.DataFrame(rows)


def test_win_rates_stand_above_published_ones():
    figure, points = pictures.win_rates(trials())
    found = points.set_index(["player", "group"])["estimate"]
    assert found["boxes_last", "late"] == 0.5 and found["even_key", "all"] == pytest.approx(0.6)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names[:2] == ["boxes last", "even key colour, all tiles"] and len(names) == 6
    for axis in (figure.axes[0], figure.axes[-1]):  # the last is the first, enlarged
        (hollow,) = [line for line in axis.lines if line.get_marker() == "D"]
        assert list(hollow.get_ydata()) == [2, 3, 4, 5]
        assert list(hollow.get_xdata()) == sorted(hollow.get_xdata())  # start, plateau, two ends
    (dashed,) = [line for line in figure.axes[-1].lines if line.get_linestyle() == "--"]
    assert list(dashed.get_xdata()) == [found["even_key", "all"]] * 2


def test_the_matrix_of_types_has_the_numbers_of_the_trials():
    figure, points = pictures.by_type(trials())
    assert set(points["type"]) == {"(1, 1, 2)", "(2, 1, 3)"} and len(points) == 4
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written[:2] == ["0.50", "0.50"] and "0.60" in written


def test_the_matrix_of_rules_has_a_row_a_rule():
    known = {"model": "exact", "length": [1, 1, 2], "lock": [0, 1, 2], "key": [0, 2, 3]}
    known |= {"states": [4, 4, 9], "parity": 1.0, "thrice": [1.0, 1.0, 2 / 3], "motifs": 0.5}
    figure, points = pictures.rules(pd.DataFrame(known))
    assert points["type"].tolist() == ["(1, 1, 2)", "(2, 2, 3)"]  # without a bridge there is none
    assert points["three"].tolist() == pytest.approx([1 / 4, 2 / 9])
    assert points["loose"].tolist() == pytest.approx([2 / 4, 4 / 9])
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written[:6] == ["1.00", "1.00", "0.25", "0.22", "1.00", "0.67"]


def test_a_puzzle_and_the_examples_of_motifs_show_their_boxes():
    many = draw(np.random.default_rng(15), BRIDGE, 400)
    _, boxes = pictures.puzzle(many[:1])
    assert [tuple(row) for row in boxes.to_numpy()] == [tuple(box) for box in many.boxes(0)]
    figure, points = pictures.motif_examples(many)
    panels = dict(list(points.groupby("panel", sort=False)))
    assert len(panels) == len(figure.axes) == 4
    for name, same, other in (("source", "lock", "key"), ("sink", "key", "lock")):
        pair = panels[f"{name} (3, 2, 5)"]
        assert len(pair) == 2 and pair[same].nunique() == 1 and pair[other].nunique() == 2
        assert (5, 2) in {tuple(row) for row in pair[["key", "lock"]].to_numpy()}  # the bridge
