"""What may change a result's last bits: versions, device, processor class, threads."""

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path

import joblib
import numpy as np
import scipy
import sklearn
import threadpoolctl
import torch

from .. import __version__

CLASS = ("torch", "numpy", "scipy", "sklearn", "device", "cpu_capability", "threads", "processor")


def machine(device: str = "cpu") -> dict:
    """The part of a record's provenance that says where it was computed."""
    return {
        "abstractor_lib": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "joblib": joblib.__version__,
        "device": device if device == "cpu" else torch.cuda.get_device_name(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "processor": processor(),
        "threads": torch.get_num_threads(),
    }


def processor() -> str:
    """Which code the numerical libraries choose on this processor: its vendor (MKL asks for it),
    OpenBLAS's kernels, numpy's vector instructions, and what MKL is told by its environment."""
    blas = sorted(
        {
            found["architecture"]
            for found in threadpoolctl.threadpool_info()
            if found.get("internal_api") == "openblas"
        }
    )
    vectors = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    told = [f"{name}={os.environ[name]}" for name in sorted(os.environ) if name in MKL]
    parts = [_vendor(), "OpenBLAS " + "/".join(blas), "numpy " + "/".join(vectors[-1:]), *told]
    return ", ".join(parts)


MKL = ("MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS")


def _vendor() -> str:
    try:
        found = re.search(r"vendor_id\s*:\s*(\w+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def same_class(first: Mapping, second: Mapping) -> bool | None:
    """Whether two provenances promise bitwise equal results; None if one of them, of an earlier
    release, leaves it open."""
    if any(_dispatched(first[key]) != _dispatched(second[key]) for key in _both(first, second)):
        return False
    return True if all(key in first and key in second for key in CLASS) else None


def _both(first: Mapping, second: Mapping) -> list[str]:
    return [key for key in CLASS if key in first and key in second]


def _dispatched(value: object) -> str:
    """What two machines of a class have the same: of numpy's names for vector instructions those
    beyond AVX512_SKX concern sorting and half precision alone, which no run rounds by.

    Example:
        >>> _dispatched("numpy AVX512_SPR") == _dispatched("numpy AVX512_ICL")
        True
    """
    return re.sub(r"numpy AVX512_\w+", "numpy AVX512", str(value))
