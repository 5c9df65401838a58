"""Exhibits: figures that a reader plays with, the same in a notebook and on the site.

Each function returns one HTML fragment that brings all it needs: a still picture, the data, a style
and a script of a few hundred lines. It needs no network. Where no script runs, as in a notebook
that JupyterLab does not trust, the still picture and its caption remain.

A state is part of the address, ``#NAME:key=value&key=value``, so a sentence can link to it.
Notebooks show a fragment with ``IPython.display.HTML``.

* `box_world`: bridge Box World to play, beside scripts that play the same puzzles.
* `drag`: objects in a plane, and what self-attention and relational cross-attention make of them.
* `sample`: Figure 5a of v3, trial by trial, at a training size of one's choice.
* `set_game`: SET, and what trained networks say of all triples of cards.
"""

from .box_world import bridge_box_world
from .drag import drag_an_object
from .sample import sample_efficiency
from .set_game import set_against_networks

__all__ = ["bridge_box_world", "drag_an_object", "sample_efficiency", "set_against_networks"]
