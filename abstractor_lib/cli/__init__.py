"""The command ``abstractor``. It starts fast: torch is imported only by commands that compute."""

import os

for _threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_threads] = "1"  # before numpy or torch is imported; a record is of one thread

from .extras import without

try:
    from .commands import main
except ModuleNotFoundError as error:
    main = without(error)

__all__ = ["main"]
