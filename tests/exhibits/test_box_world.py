"""Bridge Box World in the browser: the rules of Python, by keyboard and by touch."""

import json

import numpy as np
import pytest
import torch

from abstractor_lib.reporting.exhibits import box_world, set_game
from abstractor_lib.reporting.exhibits.fragment import read
from abstractor_lib.tasks.box_world import BRIDGE, STANDARD, Game, draw
from abstractor_lib.tasks.box_world.policies import POLICIES

ASK = """
return given.map(({ puzzle, moves, walks }) => {
    const game = new Game(puzzle), rewards = [], places = [], ways = [];
    const all = () => game.board.map((_, tile) => Number(game.canTake(tile))).join("");
    const takes = [all()];
    for (let k = 0; k < moves.length; k++) {
        if (walks[k] != null) ways.push(game.walk(walks[k]));
        rewards.push(game.step(moves[k]));
        places.push(game.player);
        if (rewards[k]) takes.push(all(), game.inventory.join());
    }
    game.step("d");
    return [rewards, places, ways, takes, game.board, game.inventory, game.player, game.solved,
            game.ended, game.moves, game.total];
});"""


@pytest.fixture(scope="module")
def page():
    return box_world.bridge_box_world()


def episode(puzzles, index, policy, random):
    """An episode as Python plays it, and what JavaScript has to say of it."""
    game = Game(puzzles, index)
    size = {"rows": game.rules.rows, "columns": game.rules.columns}
    tiles = [(row, column) for row in range(game.rules.rows) for column in range(size["columns"])]
    number = {tile: k for k, tile in enumerate(tiles)}

    def takes():
        return "".join(str(int(game.can_take(*tile))) for tile in tiles)

    moves, walks, rewards, places, ways = "", {}, [], [], []
    taken = [takes()]
    while not game.ended and len(moves) < 300:
        picture = torch.from_numpy(game.picture())[None]
        choice = int(policy(picture, game.rules, random))
        walk = [choice]
        if policy.macro:
            tile = game.tile(choice)
            walk = game.walk(tile)
            walks[len(moves)] = number[tile]
            ways.append(box_world.spelled(walk))
        for action in walk:
            rewards.append(game.step(action).reward)
            places.append(number[game.player])
            if rewards[-1]:
                taken += [takes(), ",".join(map(str, game.inventory))]
        moves += box_world.spelled(walk)
    # One step more; after the end it changes nothing.
    whole, further = (moves, 0.0) if game.ended else (moves + "d", game.step(3).reward)
    asked = {
        "puzzle": size | box_world.puzzle(puzzles, index),
        "moves": moves,
        "walks": [walks.get(k) for k in range(len(moves))],
    }
    board = [code for row in game.board for code in row]
    player = number[game.player]
    ended = [board, game.inventory, player, game.solved, game.ended]
    return asked, [rewards, places, ways, taken, *ended, whole, sum(rewards) + further]


def test_500_episodes_of_python_are_the_same_and_no_mutant_plays_them(check_rules):
    random = np.random.default_rng(0)
    names = [name for name in POLICIES if name not in ("towards_gem", "no_leaf", "steps")]
    names += ["steps"] * 3
    asked, expected = [], []
    for rules, count in ((BRIDGE, 400), (STANDARD, 100)):
        puzzles = draw(random, rules, count)
        for index in range(count):
            policy = POLICIES[names[index % len(names)]]
            one, answer = episode(puzzles, index, policy, random)
            asked.append(one)
            expected.append(answer)
    assert {answer[7] for answer in expected} == {answer[8] for answer in expected} == {True, False}

    def agree(answer):
        try:
            return json.loads(answer) == expected
        except ValueError:
            return False

    check_rules("box_world_rules.js", ASK, asked, agree)


def test_the_still_picture_is_the_first_board(still, page):
    assert still(page) == read("box_world.svg")


def test_scripts_end_as_they_do_in_python():
    """The parity oracle wins all puzzles; on late bridges others lose some."""
    found = box_world.data()
    assert [tuple(one["kind"]) for one in found["puzzles"]] == [*box_world.KINDS]
    scripts = len(box_world.PLAYERS)
    won = np.zeros((len(found["puzzles"]), scripts), bool)
    for row, one in enumerate(found["puzzles"]):
        puzzles = draw(np.random.default_rng(3), BRIDGE, 400)
        coded = [box_world.coded(board.flat) for board in puzzles.board]
        index = coded.index(one["board"])
        for column, moves in enumerate(one["plays"][:scripts]):
            game = Game(puzzles, index)
            for move in moves:
                game.step("lurd".index(move))
            assert game.ended
            won[row, column] = game.solved
    assert won[:, 0].all() and not won[:, 1:].all(axis=0).any()


def test_a_tile_that_cannot_be_entered_says_why(opened, page):
    """Each object of the first board is tapped; the first step takes a loose key at most."""
    one = opened(page)
    size, first = box_world.BRIDGE, box_world.data()["puzzles"][0]
    codes = [ord(letter) - 65 for letter in first["board"]]
    tile = one.exhibit.locator("svg.scene").bounding_box()["width"] / (size.columns + 1.5)
    reasons = set()
    for number, code in enumerate(codes):
        beside = {way: codes[number + way] if number + way < len(codes) else 0 for way in (-1, 1)}
        row, column = divmod(number, size.columns)
        if not code or (not beside[-1] and not beside[1]):
            continue  # blank, or a loose key
        one.exhibit.locator("svg.scene").click(
            position={"x": (column + 0.5) * tile, "y": (row + 0.5) * tile}
        )
        said = one.exhibit.get_by_role("status").inner_text()
        if not beside[-1] and code != 1:
            expected = "is in a box"
        elif code == 1 or beside[-1] == 1:
            expected = "both of its keys" if code != 1 else "is in a box"
        else:
            expected = "This lock needs a key"
        reasons.add(expected)
        assert expected in said
        assert one.exhibit.get_by_role("slider").is_disabled()  # nothing was moved
    assert len(reasons) == 3


SOLUTION = "() => document.querySelector('figure').exhibit.DATA.puzzles[0].plays[0]"
KEYS = {"l": "ArrowLeft", "u": "ArrowUp", "r": "ArrowRight", "d": "ArrowDown"}


def test_a_puzzle_is_solved_by_keyboard_alone(opened, page):
    one = opened(page)
    keyboard = one.page.keyboard
    for _ in range(4):
        keyboard.press("Tab")  # puzzle, next, again, board
    moves = one.page.evaluate(SOLUTION)
    for move in moves:
        keyboard.press(KEYS[move])
    assert "The Gem is taken" in one.exhibit.get_by_role("status").inner_text()
    assert one.state == f"bridge-box-world:puzzle=1&moves={moves}"
    keyboard.press("u")
    assert "The Gem" not in one.exhibit.get_by_role("status").inner_text()
    one.page.reload()
    assert one.state == f"bridge-box-world:puzzle=1&moves={moves[:-1]}"


def test_a_puzzle_is_solved_by_touch_alone(opened, page):
    one = opened(page, width=390, has_touch=True, is_mobile=True)
    names = {"l": "left", "u": "up", "r": "right", "d": "down"}
    moves = one.page.evaluate(SOLUTION)
    for move in moves:
        one.exhibit.get_by_role("button", name=names[move], exact=True).tap()
    assert "The Gem is taken" in one.exhibit.get_by_role("status").inner_text()
    one.exhibit.get_by_role("button", name="Start again").tap()
    assert one.exhibit.get_by_role("status").inner_text().startswith("Take a loose key")
    # A tile that is tapped is walked to.
    box = one.exhibit.locator("svg.scene").bounding_box()
    tile = box["width"] / 10.5
    one.page.touchscreen.tap(box["x"] + 1.5 * tile, box["y"] + 0.5 * tile)
    assert one.state == "bridge-box-world:puzzle=1&moves=r"


def test_a_script_is_watched_beside_a_game_of_ones_own(opened, page):
    one = opened(page, state="bridge-box-world:puzzle=6&player=nearest-object&step=999")
    said = one.exhibit.get_by_role("status")
    assert "That box was the bridge" in said.inner_text()
    slider = one.exhibit.get_by_role("slider")
    slider.press("Home")
    assert said.inner_text().startswith("Take a loose key")
    # The steps of a script are not the reader's.
    one.exhibit.get_by_role("button", name="down", exact=True).click()
    assert said.inner_text().startswith("You are watching: nearest object.")
    assert one.state == "bridge-box-world:puzzle=6&player=nearest-object&step=0"
    one.exhibit.get_by_role("button", name="back to your game").click()
    one.exhibit.get_by_role("button", name="down", exact=True).click()
    assert one.state == "bridge-box-world:puzzle=6&moves=d"
    one.exhibit.get_by_role("button", name="watch parity oracle").click()
    one.page.wait_for_function("() => location.hash.endsWith('step=3')")
    one.exhibit.get_by_role("button", name="Pause").click()
    # A reader's own game is still there.
    one.exhibit.get_by_role("button", name="back to your game").click()
    assert one.state == "bridge-box-world:puzzle=6&moves=d"
    one.exhibit.get_by_text("Show the solution").click()
    assert "a bridge leads" in one.exhibit.get_by_role("img").get_attribute("aria-label")
    # A link within the page leads to a state.
    one.page.evaluate("location.hash = 'bridge-box-world:puzzle=2&moves=rr'")
    one.page.wait_for_function(
        "() => document.querySelector('.exhibit-live').shadowRoot"
        ".querySelector('select').value === '1'"
    )


def test_the_solution_stays_open_while_a_script_is_watched(opened, page):
    one = opened(page, state="bridge-box-world:puzzle=6")
    one.exhibit.get_by_text("Show the solution").click()
    one.exhibit.get_by_role("button", name="watch parity oracle").click()
    assert one.exhibit.get_by_role("img").is_visible()
    one.exhibit.get_by_role("button", name="Next puzzle").click()  # whose solution is another one
    assert one.exhibit.get_by_role("img").count() == 0


def test_playing_does_not_take_the_address_from_another_exhibit(opened, page):
    one = opened(page + set_game.set_against_networks())
    one.exhibit.first.get_by_role("button", name="watch parity oracle").click()
    one.exhibit.last.get_by_role("button", name="New deal").click()
    one.exhibit.first.get_by_role("button", name="Play").wait_for()  # it has come to its end
    assert one.state == "set-against-networks:deal=2"


def test_the_board_is_in_sight_while_a_script_is_watched(opened, page):
    one = opened(page, width=390, has_touch=True, is_mobile=True)
    one.exhibit.get_by_role("button", name="watch random object").tap()
    box = one.exhibit.locator("svg.scene").bounding_box()
    assert box["y"] >= -1 and box["y"] + box["height"] <= 845
