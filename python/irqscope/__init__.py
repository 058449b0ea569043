# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads, measures and plots Linux interrupt latencies with irqscope.

    import irqscope
    run = irqscope.measure("demo", kernel="6.1", state="idle", count=200)
    run.figures()                        # the table's figures, a row for each stage and view
    run.samples(stage="user")            # every sample, as a Polars frame
    irqscope.plots.percentiles(run)      # with the extra irqscope[plot]

Times are whole nanoseconds, in columns and keys that end in `_ns`. In the twin they are virtual:
executed instructions times two, the structure of a latency and not a hardware's.
docs/python.md has the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import polars  # noqa: F401
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(
        "irqscope reads runs as frames of Polars, which is not installed\n"
        "  remedy: pip install polars; beside Debian's python3-irqscope, because Debian has no package of it:\n"
        "          python3 -m venv --system-site-packages DIR && DIR/bin/pip install polars",
        name="polars",
    ) from absent

from .errors import Error, GateExceeded, Invalid, NotARun, ProgramMissing, Refused, RigLost
from .program import measure
from .quantiles import quantile
from .run import Run

if TYPE_CHECKING:
    from . import plots

__all__ = [
    "Error",
    "GateExceeded",
    "Invalid",
    "NotARun",
    "ProgramMissing",
    "Refused",
    "RigLost",
    "Run",
    "measure",
    "plots",
    "quantile",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports `irqscope.plots` when it is first used: matplotlib is optional, and slow to load."""
    if name == "plots":
        import importlib

        return importlib.import_module(".plots", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
