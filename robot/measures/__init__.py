"""Metrics of a run: impacts, tilt, margins, the fall criterion, the verdict."""

from robot.measures.convergence import Convergence
from robot.measures.fall import FELL, OVER
from robot.measures.feet import stances_of
from robot.measures.least_margins import (
    MARGINS,
    SOLE_MARGIN,
    require_soles,
    sole_margins,
)
from robot.measures.peaks import CUTOFF, TOUCHDOWN, low_pass
from robot.measures.run_metrics import (
    fall_in,
    judge_convergence,
    judge_tables,
    landings_of,
    metrics,
)
from robot.measures.run_verdict import verdict

__all__ = [
    "CUTOFF",
    "FELL",
    "MARGINS",
    "OVER",
    "SOLE_MARGIN",
    "TOUCHDOWN",
    "Convergence",
    "fall_in",
    "judge_convergence",
    "judge_tables",
    "landings_of",
    "low_pass",
    "metrics",
    "require_soles",
    "sole_margins",
    "stances_of",
    "verdict",
]
