"""Dragged objects: relations and outputs as the library computes them, by keyboard and by touch."""

import json

import numpy as np
import pytest
import torch

from abstractor_lib.nn import Heads, MultiHeadRelation, RelationalCrossAttention
from abstractor_lib.nn.relations import activate
from abstractor_lib.reporting.exhibits import drag
from abstractor_lib.reporting.exhibits.fragment import read

STATES = 1000
ASK = """
return given.map(({ form, points, symbols, activation, strict, along, other }) => {
    const relations = relationsOf(form, points, activation, strict);
    const moved = shifted(points[0], along, 1.5, 2.8);
    return [relations, mixed(relations, points), mixed(relations, symbols), moved,
            apart(points, other)];
});"""


@pytest.fixture(scope="module")
def page():
    return drag.drag_an_object()


def attention(activation, strict):
    """The library's module with the weights of the relation that was made for the picture."""
    heads = Heads(1, key_dim=1, value_dim=2, activation=activation, strict=strict)
    found = RelationalCrossAttention(2, heads).double()
    with torch.no_grad():
        found.query.weight.copy_(torch.from_numpy(drag.QUERY).reshape(found.query.weight.shape))
        found.key.weight.copy_(torch.from_numpy(drag.KEY).reshape(found.key.weight.shape))
        if not strict:
            found.query.bias.fill_(drag.BIAS)
            found.key.bias.zero_()
        for part in (found.value, found.output):
            part.weight.copy_(torch.eye(2).reshape(part.weight.shape))
            part.bias.zero_()
    return found


def learned(weights):
    """The relation module of the trained Abstractor, with the embedding before it."""
    embed = torch.nn.Linear(8, 64).double()
    module = MultiHeadRelation(64, 4, 16, activation="linear").double()
    name = "1.0.layers.0.relational.relation."
    module.load_state_dict(
        {
            key.removeprefix(name): torch.from_numpy(value)
            for key, value in weights.items()
            if key.startswith(name)
        }
    )
    embed.load_state_dict(
        {one: torch.from_numpy(weights[f"0.{one}"]) for one in ("weight", "bias")}
    )
    return embed, module


def test_1000_states_are_those_of_the_library_and_no_mutant_has_them(check_rules, order_weights):
    random = np.random.default_rng(0)
    found = drag.data()
    embed, relation = learned(order_weights)
    plane = torch.tensor(json.loads(read("drag.json"))["plane"], dtype=torch.float64)
    symbols = torch.tensor(found["symbols"], dtype=torch.float64)
    asked, expected = [], []
    for _ in range(STATES):
        points = torch.from_numpy(random.uniform(-3, 3, (5, 2)).round(2))
        other = points + torch.from_numpy(random.normal(size=(5, 2)))
        activation, strict = random.choice(["softmax", "sigmoid"]), bool(random.integers(2))
        preset, which = random.integers(2), random.integers(4)
        with torch.no_grad():
            if preset == 0:
                module = attention(activation, strict)
                outputs, relations = module(points, symbols, need_weights=True)
                itself, relations = module(points, points)[None][0], relations.reshape(5, 5)
            else:
                objects = points @ plane
                embedded = objects @ embed.weight.T + (0 if strict else embed.bias)
                ignore = torch.eye(5, dtype=torch.bool) if strict else None
                scores = relation(embedded)[which]
                relations = activate(scores[None, None], activation, "right", ignore)[0, 0]
                outputs, itself = relations @ symbols, relations @ points
        along = found["presets"][preset]["along"]
        start = points[0].numpy()
        forth, back = (start + way * 1.5 * np.array(along) for way in (1, -1))
        moved = forth if np.abs(forth).max() <= 2.8 else back
        asked.append(
            {
                "form": found["presets"][preset]["forms"][which if preset else 0],
                "points": points.tolist(),
                "symbols": found["symbols"],
                "activation": activation,
                "strict": strict,
                "along": along,
                "other": other.tolist(),
            }
        )
        expected.append([relations, itself, outputs, moved, (points - other).abs().max()])

    def agree(answer):
        try:
            answers = json.loads(answer)
            return all(
                np.abs(np.array(one, float) - np.array(part, float)).max() < 1e-6
                for some, right in zip(answers, expected, strict=True)
                for one, part in zip(some, right, strict=True)
            )
        except (ValueError, TypeError):
            return False

    check_rules("drag_rules.js", ASK, asked, agree)


def test_learned_relations_are_those_of_the_shipped_weights(order_weights):
    found = drag.learned_forms(order_weights, 4)
    shipped = json.loads(read("drag.json"))
    assert found.keys() == shipped.keys()
    for name, numbers in found.items():
        np.testing.assert_allclose(numbers, shipped[name], atol=1e-7)
    plane = np.array(shipped["plane"])
    np.testing.assert_allclose(plane @ plane.T, np.eye(2), atol=1e-7)


def test_the_still_picture_is_the_first_drawing(still, page):
    assert still(page) == read("drag.svg")


def test_where_no_relation_looks_only_self_attention_changes(opened, page):
    one = opened(page)
    one.exhibit.get_by_role("button", name="Move object 1 without changing any relation").press(
        "Enter"
    )
    said = one.exhibit.get_by_role("status").inner_text()
    assert "of a relation 0;" in said and said.endswith("relational cross-attention 0.")
    assert float(said.split("self-attention ")[1].split(";")[0]) > 0.1
    one.exhibit.get_by_text("learned", exact=True).click()
    one.exhibit.get_by_role("button", name="where all four change least").click()
    assert "of a relation 0;" not in one.exhibit.get_by_role("status").inner_text()
    assert one.exhibit.get_by_text("Four relations of an Abstractor").is_visible()


def test_a_finger_drags_an_object_up_and_down_and_the_page_stays(opened, page):
    """A real touch, as the browser gets it: a page that scrolled would cancel the drag."""
    one = opened(f"{page}<p style='height: 3000px'>more</p>", width=390, has_touch=True)
    handle = one.exhibit.get_by_role("slider", name="object 3")
    box = handle.locator(".dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = one.page.context.new_cdp_session(one.page)

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": x, "y": y})
    for part in range(1, 11):
        send("touchMove", {"x": x + 2 * part, "y": y + 7 * part})
    send("touchEnd")
    moved = handle.locator(".dot").bounding_box()
    assert moved["y"] - box["y"] == pytest.approx(70, abs=3)
    assert moved["x"] - box["x"] == pytest.approx(20, abs=3)
    assert one.page.evaluate("scrollY") == 0


def test_trails_lead_from_the_old_outputs_to_the_new_ones(opened, page):
    one = opened(page)
    assert one.exhibit.locator("line.trail").count() == 0
    one.exhibit.get_by_role("slider", name="object 1").press("ArrowUp")
    trails = one.exhibit.locator("line.trail")
    assert trails.count() == 10
    ends = [
        one.page.evaluate("one => [one.x2, one.y2].map(x => x.baseVal.value)", line)
        for line in trails.element_handles()[:5]
    ]
    now = one.page.evaluate("document.querySelector('figure').exhibit.computed().self")
    places = [[150 + 140 * x / 3, 150 - 140 * y / 3] for x, y in now]
    assert np.abs(np.array(ends) - np.array(places)).max() < 1e-3


def test_starting_again_moves_objects_back_and_leaves_the_switches(opened, page):
    one = opened(page)
    first = one.exhibit.get_by_role("slider", name="object 1").get_attribute("aria-valuetext")
    one.exhibit.get_by_text("learned", exact=True).click()
    one.exhibit.get_by_text("sigmoid", exact=True).click()
    one.exhibit.get_by_role("button", name="Move object 1").click()
    moved = one.exhibit.get_by_role("slider", name="object 1").get_attribute("aria-valuetext")
    one.exhibit.get_by_role("button", name="Start again").click()
    again = one.exhibit.get_by_role("slider", name="object 1").get_attribute("aria-valuetext")
    assert first == again != moved
    assert "preset=1" in one.state and "activation=sigmoid" in one.state


def test_an_output_outside_the_panel_is_dashed(opened, page):
    """Sums of sigmoids reach further than the panel; symbols' panel shows all of theirs."""
    state = "drag-an-object:preset=1&relation=4&activation=sigmoid"
    one = opened(page, state=state)
    plane, symbols = (
        one.exhibit.locator("svg.scene").nth(0),
        one.exhibit.locator("svg.scene").nth(2),
    )
    found = one.page.evaluate("document.querySelector('figure').exhibit.computed().self")
    outside = sum(max(map(abs, output)) > 3 for output in found)
    assert plane.locator(".output.far").count() == outside
    assert symbols.locator(".output").count() == 5
    assert symbols.locator(".output.far").count() == 0


def test_all_of_it_is_reached_by_keyboard_alone(opened, page):
    one = opened(page)
    keyboard = one.page.keyboard
    keyboard.press("Tab")
    keyboard.press("ArrowRight")  # the learned relations
    keyboard.press("Tab")
    keyboard.press("ArrowRight")  # the second of them
    keyboard.press("Tab")
    keyboard.press("ArrowRight")  # sigmoid
    keyboard.press("Tab")
    keyboard.press("ArrowRight")  # strict
    for _ in range(2):
        keyboard.press("Tab")  # the second object
    keyboard.press("ArrowUp")
    keyboard.press("Shift+ArrowLeft")
    expected = "preset=1&relation=2&activation=sigmoid&strict=1&chosen=2"
    assert one.state == f"drag-an-object:at=-2.1,0.9,-1.2,-1.4,0.5,1.7,1.4,-0.6,2.2,1&{expected}"
    before = one.page.evaluate(
        "JSON.stringify(document.querySelector('figure').exhibit.computed())"
    )
    one.page.reload()
    again = one.page.evaluate("JSON.stringify(document.querySelector('figure').exhibit.computed())")
    assert again == before
    for _ in range(4 + 5 + 2):
        keyboard.press("Tab")  # to the last button, which starts again
    keyboard.press("Enter")
    assert (
        f"{one.state.split('at=')[1]}".startswith("-2.1,0.9,-0.7,-1.5,") and "preset=1" in one.state
    )


def test_all_of_it_is_reached_by_touch_alone(opened, page):
    one = opened(page, width=390, has_touch=True, is_mobile=True)
    client = one.page.context.new_cdp_session(one.page)
    box = one.exhibit.get_by_role("slider", name="object 3").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    one.page.evaluate(f"scrollTo(0, {y - 300})")
    y -= one.page.evaluate("scrollY")
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + 30, "y": y + 20}]),
        ("touchMove", [{"x": x + 60, "y": y + 40}]),
        ("touchEnd", []),
    ):
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert "Object 3 has moved" in one.exhibit.get_by_role("status").inner_text()
    place = [float(part) for part in one.state.split("=")[1].split("&")[0].split(",")[4:6]]
    assert place[0] > 0.9 and place[1] < 1.5
    one.exhibit.get_by_role("button", name="Move object 3").tap()
    for word in ("learned", "sigmoid", "on"):
        one.exhibit.get_by_text(word, exact=True).tap()
    assert one.state.endswith("preset=1&relation=1&activation=sigmoid&strict=1&chosen=3")
