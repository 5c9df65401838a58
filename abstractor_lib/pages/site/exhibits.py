"""The page of all exhibits."""

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
PLAY = """**Play with it:** <a href="EXHIBITS.html#drag-an-object">drag an object</a>,
<a href="EXHIBITS.html#set-against-networks">find SETs against the networks</a>,
<a href="EXHIBITS.html#bridge-box-world">play bridge Box World</a>,
<a href="EXHIBITS.html#sample-efficiency">choose a training set size</a>.
"""


def linked(front: str) -> str:
    """The README as the front page of the site, with links to the exhibits.

    Raises:
        ValueError: if it does not name them, or has no section.
    """
    if PHRASE not in front or "\n## " not in front:
        raise ValueError(f"README.md does not say {PHRASE!r}, or has no section")
    first, _, rest = front.partition("\n## ")
    return f"{first}\n{PLAY}\n## {rest}".replace(PHRASE, f"[{PHRASE}](EXHIBITS.md)")


def page() -> str:
    """Markdown with every exhibit as raw HTML."""
    parts = [INTRODUCTION]
    for name in exhibits.__all__:
        number = ARTICLES[name].partition("_")[0]
        parts.append(f"`````{{raw}} html\n{getattr(exhibits, name)()}`````\n")
        parts.append(f"Read on in [notebook {number}](notebooks/{ARTICLES[name]}.ipynb).\n")
    return "\n".join(parts)
