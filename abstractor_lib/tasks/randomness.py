"""Where the data's randomness comes from: one numpy Generator per trial (or draw) and purpose."""

from zlib import crc32

import numpy as np


def generator(index: int, purpose: str) -> np.random.Generator:
    """The generator of a trial or shared draw for one purpose.

    Args:
        index: number of the trial or draw, at least 0.
        purpose: what is drawn, such as ``objects``, ``split``, ``subset``.

    Returns:
        A fresh Generator; the same arguments give the same stream.

    Example:
        >>> bool(generator(0, "objects").random() == generator(0, "objects").random())
        True
        >>> bool(generator(0, "objects").random() == generator(0, "split").random())
        False
    """
    return np.random.default_rng(np.random.SeedSequence([index, crc32(purpose.encode())]))
