"""Names of metrics, and what they say as columns. `run` says what the metrics are.

Nothing else composes such a name or takes it apart.
"""

import pandas as pd

from ...records.frame import unfold
from .grid import MAIN

PATTERN = (
    r"(?:(?P<weights>averaged|best_loss)_)?(?P<measure>\w+?)"
    r"_(?:(?P<class>line|rbf|sine|all)(?:_step_(?P<step>\d+))?|(?P<layer>\d+))"
)
LAST = "last"  # weights of metrics whose names say nothing of weights
NOTHING = pd.DataFrame(columns=["model", "size", "variant", "trial"])


def metric_name(
    measure: str,
    kind: str | None = None,
    *,
    step: int | None = None,
    layer: int | None = None,
) -> str:
    """The name of a metric of a class of curves, over all steps or at one, or of a layer.

    Example:
        >>> metric_name("mse", "line"), metric_name("sd", "rbf", step=7)
        ('mse_line', 'sd_rbf_step_07')
        >>> metric_name("window_length", layer=2)
        'window_length_2'
    """
    ends = f"{measure}_{layer if kind is None else kind}"
    return ends if step is None else f"{ends}_step_{step:02d}"


def of_weights(metric: str, weights: str) -> str:
    """The name of a metric of other weights than the last ones."""
    return metric if weights == LAST else f"{weights}_{metric}"


def standard_error(metric: str) -> str:
    """The name of a metric's standard error over test curves."""
    return f"{metric}_error"


def tidy(table: pd.DataFrame | None) -> pd.DataFrame:
    """A row for each number of a table of trials or of what was seen during runs.

    Returns:
        The table's other columns, and ``measure``, ``class``, ``step`` (none: over all steps),
        ``layer``, ``weights`` (``last``, ``averaged`` or ``best_loss``), ``value``; without rows if
        the table is None.
    """
    return unfold(NOTHING if table is None else table, PATTERN).fillna({"weights": LAST})


def of(
    table: pd.DataFrame,
    model: str,
    measure: str,
    kind: str,
    *,
    step: int | None = None,
    variant: str = MAIN,
    weights: str = LAST,
) -> pd.Series:
    """A number of the models of a name, by trial; without values if there are none.

    Args:
        table: of `tidy`.
        measure: such as ``mse``.
        kind: class of curves.
        step: over all steps, if None.
    """
    wanted = {"model": model, "measure": measure, "class": kind, "step": step}
    for name, value in (wanted | {"variant": variant, "weights": weights}).items():
        table = table[table[name].isna() if value is None else table[name] == value]
    return table.set_index("trial")["value"]
