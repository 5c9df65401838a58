"""Prose cannot go stale: what was measured is printed by cells, and never typed."""

import re

import jupytext
import pytest

from abstractor_lib import paths
from abstractor_lib.reporting import notebooks

# Numbers that Markdown cells may hold: they are set or proven, not measured.
SET = {}
MATHS = re.compile(r"\$\$.*?\$\$|\$.*?\$", re.S)
CODE = re.compile(r"```.*?```|`[^`]*`", re.S)
LINK = re.compile(r"\]\([^)]*\)")
PLACE = re.compile(r"(sections?|eq\.|equations?|Algorithms?|Theorems?|Lemmas?|Remarks?|Figures?|Tables?|"
                   r"appendix|v1|v3|B\.)[ ~]*\(?[\dA-Z.,a-z/() and-]*\d")
DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])|\d+(?:\.\d+)? ?%")


def numbers(text):
    for pattern in (CODE, MATHS, LINK, PLACE):
        text = pattern.sub(" ", text)
    return set(DECIMAL.findall(text))
