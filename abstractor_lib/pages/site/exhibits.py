"""The page of all exhibits."""

import re

from ...reporting import exhibits

INTRODUCTION = """# Exhibits

Figures to play with, by keyboard, mouse or touch. Each state has an address of its own, and the
address of this page becomes that of the exhibit used last. So a sentence can lead to a state:
<a href="#bridge-box-world:puzzle=6&player=nearest-object&step=99">a script that opens a bridge</a>,
<a href="#bridge-box-world:puzzle=6&player=parity-oracle&step=99">one that does not</a>,
<a href="#drag-an-object:preset=1&relation=4&activation=sigmoid&chosen=3">a learned relation</a>,
<a href="#sample-efficiency:settings=sound&size=300&level=0.9">sorting after 300 sequences</a>,
<a href="#set-against-networks:deal=1&cards=44,50,55">three cards that the Abstractor calls a SET,
wrongly</a>.
"""


ARTICLES = {  # exhibit -> the notebook in which it stands
    "drag_an_object": "00_start_here",
    "set_against_networks": "10_set_classification",
    "bridge_box_world": "15_box_world",
    "sample_efficiency": "02_object_sorting",
}
PHRASE = "exhibits to play with"  # of the README, where there are none
PLAYED = "drag_an_object"  # on the front page itself: it shows what the page's picture says
OTHERS = {
    "set_against_networks": "Find SETs against the networks",
    "bridge_box_world": "Play bridge Box World",
    "sample_efficiency": "Choose a training set size",
}


def linked(front: str) -> str:
    """The README as the front page of the site: with an exhibit to play with, and still pictures
    that lead to the others.

    Raises:
        ValueError: if it does not name them, or has no section.
    """
    if PHRASE not in front or "\n## " not in front:
        raise ValueError(f"README.md does not say {PHRASE!r}, or has no section")
    cards = "\n".join(_card(name, words) for name, words in OTHERS.items())
    shown = _raw(f'{getattr(exhibits, PLAYED)()}<div class="exhibits">\n{cards}\n</div>\n')
    first, _, rest = front.partition("\n## ")
    play = f"\n## Play with it\n\n{shown}"
    return f"{first}{play}\n## {rest}".replace(PHRASE, f"[{PHRASE}](EXHIBITS.md)")


def _card(name: str, words: str) -> str:
    """The still picture of an exhibit, and a link to it."""
    whole = getattr(exhibits, name)()
    (link,), (picture,) = re.findall(r'id="([\w-]+)"', whole), re.findall("<img [^>]+>", whole)
    return f'<a href="EXHIBITS.html#{link}">{picture}<span>{words}</span></a>'


def _raw(html: str) -> str:
    return f"`````{{raw}} html\n{html}`````\n"


def page() -> str:
    """Markdown with every exhibit as raw HTML."""
    parts = [INTRODUCTION]
    for name in exhibits.__all__:
        number = ARTICLES[name].partition("_")[0]
        parts.append(_raw(getattr(exhibits, name)()))
        parts.append(f"Read on in [notebook {number}](notebooks/{ARTICLES[name]}.ipynb).\n")
    return "\n".join(parts)
