"""What notebooks draw from tables of trials: curves, runs and trials one by one, strips, errors.

Each takes tables by panel title (None where a grid is incomplete) or one axis, and returns the
points that it has plotted.
"""

from .axes import logarithmic, not_run, plain
from .bars import bars, interval_table
from .beside import beside
from .each_draw import each_draw
from .errors_by_size import errors
from .learning import learning_curves
from .means import draw
from .runs import runs_against
from .series import Series, palette
from .shares import shares
from .strips import strip, strips

__all__ = [
    "Series",
    "bars",
    "beside",
    "draw",
    "each_draw",
    "errors",
    "interval_table",
    "learning_curves",
    "logarithmic",
    "not_run",
    "palette",
    "plain",
    "runs_against",
    "shares",
    "strip",
    "strips",
]
