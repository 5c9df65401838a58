"""The type of keyword arguments, by name, that several calls share: matplotlib's, and of what
draws with it."""

from typing import Any

Keywords = dict[str, Any]
