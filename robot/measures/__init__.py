"""Metrics of a run: impacts, tilt, margins, the fall criterion, the verdict."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.measures.balance import WINDOW, at_rest, losing_balance
    from robot.measures.convergence import Convergence, judge_tables
    from robot.measures.fall import CONTINUED, FELL, Fall, least_height, sign_of_fall
    from robot.measures.feet import stances_of
    from robot.measures.least_margins import (
        MARGINS,
        SOLE_MARGIN,
        require_soles,
        sole_margins,
    )
    from robot.measures.peaks import CUTOFF, TOUCHDOWN, Hit, hardest_hit, low_pass
    from robot.measures.run_metrics import (
        fall_in,
        judge_convergence,
        landings_of,
        metrics,
        sign_in,
        touchdowns_of,
    )
    from robot.measures.run_verdict import verdict
    from robot.measures.vertex_series import VERTEX_CHANNELS, VERTICES, has_vertices, vertex_values
else:
    # Later: at once, `sole view RUN` would import 263 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "CONTINUED",
    "CUTOFF",
    "FELL",
    "MARGINS",
    "SOLE_MARGIN",
    "TOUCHDOWN",
    "VERTEX_CHANNELS",
    "VERTICES",
    "WINDOW",
    "Convergence",
    "Fall",
    "Hit",
    "at_rest",
    "fall_in",
    "hardest_hit",
    "has_vertices",
    "judge_convergence",
    "judge_tables",
    "landings_of",
    "least_height",
    "losing_balance",
    "low_pass",
    "metrics",
    "require_soles",
    "sign_in",
    "sign_of_fall",
    "sole_margins",
    "stances_of",
    "touchdowns_of",
    "verdict",
    "vertex_values",
]
