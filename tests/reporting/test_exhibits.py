"""Exhibits as HTML; tests/exhibits plays with them in a browser."""

import json
import re

import numpy as np
import pytest

from abstractor_lib.experiments.agents import decisions, play
from abstractor_lib.pages.site import exhibits as page_of_all
from abstractor_lib.reporting import exhibits
from abstractor_lib.reporting.exhibits import box_world
from abstractor_lib.reporting.exhibits.fragment import LARGEST, fragment, read
from abstractor_lib.reporting.study import Study
from abstractor_lib.tasks.box_world import BRIDGE, Game, draw


@pytest.fixture(scope="module", params=exhibits.__all__)
def made(request):
    return getattr(exhibits, request.param)()


def test_an_exhibit_is_small_the_same_each_time_and_asks_for_nothing(made, request):
    assert len(made.encode()) <= LARGEST
    name = request.node.callspec.params["made"]
    assert getattr(exhibits, name)() == made
    addresses = set(re.findall(r"\w+://[^\"'`\s]*", made))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of the language of drawings
    for word in ("fetch(", "import(", "XMLHttpRequest", "eval(", "localStorage", "innerHTML"):
        assert word not in made


def test_it_can_be_read_without_a_script(made):
    """A picture with a text in its place, and a caption; what an untrusted JupyterLab leaves."""
    before = made[: made.index("<script>")]
    assert re.search(
        r'<img src="data:image/svg\+xml;base64,[\w+/=]{2000,}" alt="[^"]{20,}"', before
    )
    assert re.search(r"<figcaption[^>]*><strong>.+</strong> .{100,}", before)
    assert not re.search(r"\s(on\w+|tabindex|role|data-\w+)=", before)


def test_markdown_may_hold_it(made):
    assert "\n\n" not in made and "`````" not in made
    assert made.count("<script>") == made.count("</script>") == 1


def test_links_of_the_page_of_all_lead_to_exhibits_there():
    text = page_of_all.page()
    links = re.findall(r'href="#([\w-]+):', text)
    assert links and {f'id="{name}"' for name in links} <= set(re.findall(r'id="[\w-]+"', text))
    assert text.count("<figure ") == len(exhibits.__all__)


def test_an_exhibit_that_is_too_large_is_refused():
    with pytest.raises(ValueError, match=r"the exhibit drag has \d+ bytes; allowed: 40000"):
        fragment("a", "b", "c", "d", "e" * LARGEST, "drag", [])


def test_agents_play_as_they_were_recorded():
    """Those whose weights ship; they may lose, but every episode ends."""
    known, study = json.loads(read("box_world.json")), Study("agents")
    assert [one["name"] for one in box_world.data()["players"]][-2:] == [*known]
    drawn = draw(np.random.default_rng(3), BRIDGE, 400)
    for agent in known.values():
        (spec,) = (one for one in study.wanted("sound") if one.id == agent["run"])
        trained = play.with_weights(spec.model, spec.task, study.weights(spec, 0)).double()
        assert box_world.recorded(decisions.Greedy(trained)) == agent["plays"]
        for index, moves in zip(box_world.chosen(drawn), agent["plays"], strict=True):
            game = Game(drawn, index)
            for move in moves:
                assert not game.ended
                game.step("lurd".index(move))
            assert game.ended
