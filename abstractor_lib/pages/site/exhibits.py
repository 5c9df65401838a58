"""The page of all exhibits."""

from ...reporting import exhibits

INTRODUCTION = """# Exhibits

Figures to play with, by keyboard, mouse or touch. Each state has an address of its own, so a
sentence can lead to one:
<a href="#bridge-box-world:puzzle=6&player=nearest-object&step=99">a script that opens a bridge</a>,
<a href="#bridge-box-world:puzzle=6&player=parity-oracle&step=99">one that does not</a>,
<a href="#drag-an-object:preset=1&relation=4&activation=sigmoid&chosen=3">a learned relation</a>,
<a href="#sample-efficiency:settings=sound&size=300&level=0.9">sorting after 300 sequences</a>,
<a href="#set-against-networks:deal=1&cards=44,50,55">three cards that the Abstractor calls a SET,
wrongly</a>.
"""


def page() -> str:
    """Markdown with every exhibit as raw HTML."""
    parts = [INTRODUCTION]
    for name in exhibits.__all__:
        parts.append(f"`````{{raw}} html\n{getattr(exhibits, name)()}`````\n")
    return "\n".join(parts)
