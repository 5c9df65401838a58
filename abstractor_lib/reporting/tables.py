"""Tables as text: Markdown for people, LaTeX for papers, CSV for programs."""

from pathlib import Path

import pandas as pd

from ..findings.interval import number, steady
from .files import write


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
