"""Tables as text: HTML and Markdown for people, LaTeX for papers, CSV for programs."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ..findings.interval import number, steady
from .files import write


class Plain:
    """A table as a notebook shows it: no row numbers, nothing where a value is missing, and names
    in words.

    Args:
        table: to be shown; a plain range as its index is left out.
        words: code name -> what it is called, wherever it stands alone: in the index, in a column's
            name, in a cell.

    Example:
        >>> Plain(pd.DataFrame({"model": ["mlp"], "accuracy": [0.5]}), {"mlp": "MLP"})
        model  accuracy
          MLP       0.5
    """

    def __init__(self, table: pd.DataFrame, words: Mapping[str, str] | None = None):
        found = table.rename_axis(columns=None)
        if words:
            found = found.replace(dict(words)).rename(index=dict(words), columns=dict(words))
        text = found.select_dtypes(exclude=["number", "bool"]).columns
        self.table = found.assign(**{name: found[name].fillna("") for name in text})
        self.numbered = isinstance(table.index, pd.RangeIndex)

    def __repr__(self) -> str:
        text = self.table.to_string(index=not self.numbered, na_rep="", max_colwidth=60)
        return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()

    def _repr_html_(self) -> str:
        return self.table.to_html(index=not self.numbered, na_rep="", justify="left", border=0)


def markdown(table: pd.DataFrame) -> str:
    """A GitHub table, numbers to three digits.

    Example:
        >>> print(markdown(pd.DataFrame({"n": [5], "accuracy": [0.51234]})))
        | n | accuracy |
        | --- | --- |
        | 5 | 0.512 |
    """
    lines = [list(table.columns), ["---"] * table.shape[1]]
    lines += [[shown(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def shown(value) -> str:
    """A cell's text.

    Example:
        >>> shown(0.9365), shown(None), shown(float("nan")), shown(12)
        ('0.936', '', '', '12')
    """
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return ""
    if isinstance(value, float):
        return number(value)
    return str(value).replace("|", "\\|")


def latex(table: pd.DataFrame) -> str:
    r"""A booktabs table of plain text: what LaTeX would take for a command is escaped.

    Example:
        >>> print(latex(pd.DataFrame({"cost": ["~5 $"]})).splitlines()[4])
        \textasciitilde{}5 \$ \\
    """
    escape = str.maketrans(
        {char: f"\\{char}" for char in "_%&#${}"}
        | {"^": r"\^{}", "~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
    )
    rows = [list(map(str, table.columns))]
    rows += [
        [shown(value).replace("\\|", "|") for value in row] for row in table.itertuples(index=False)
    ]
    body = [" & ".join(cell.translate(escape) for cell in row) + r" \\" for row in rows]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * table.shape[1]}}}",
            r"\toprule",
            body[0],
            r"\midrule",
            *body[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def save(table: pd.DataFrame, folder: Path, name: str) -> None:
    """Write ``name.md``, ``name.tex`` and ``name.csv`` (6 significant digits)."""
    write(folder / f"{name}.md", markdown(table) + "\n")
    write(folder / f"{name}.tex", latex(table))
    write(folder / f"{name}.csv", csv(table))


def csv(table: pd.DataFrame) -> str:
    """CSV text with six significant digits, the same on every processor."""
    return table.to_csv(index=False, float_format=lambda value: f"{steady(value):.6g}")
