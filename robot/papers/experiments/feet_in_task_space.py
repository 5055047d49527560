"""Force control of both feet in task space, over an unseen obstacle; blending of swing legs.

`lola-like` takes five steps of 0.35 m over 4 cm, without the dynamics of the centre of mass. At
every millisecond the controller's wanted and measured wrenches (T_x, T_y, F_z) of each foot are
kept, its blending factor b_f and the motion w_f by which the law moves the foot. It walks once more
with feet that hardly move for a wrench: the law takes the soles for fifty times as stiff. While b_f
goes from 1 to 0 within b and then stays there, (17) pulls the foot back to the plan by

    w_f' = -K_x (1 - b_f) w_f.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from robot.control import ForceChoice
from robot.papers.experiments.lola_cases import EdgeCase
from robot.walk import RecordingOptions, assemble_walk, execute
from sole.base.arrays import FloatArray, spans
from sole.claims import Effort, Findings

__all__ = ["decays", "follow_wrenches_in_task_space"]

WALK = EdgeCase(height=0.04, force=ForceChoice(g_a=0.0))
STIFF = replace(WALK, force=ForceChoice(g_a=0.0, kappa=0.02))
LEAST = 1e-4  # m, rad: a smaller motion at lift-off says nothing


class FootListener:
    """Passes on to a controller and keeps what its force control knows of the feet."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.period = inner, inner.period
        self.kept: list[tuple[FloatArray, ...]] = []

    def update(self, sensed: Any, t: float) -> Any:
        """Return the command for time t + period."""
        command = self.inner.update(sensed, t)
        m = getattr(self.inner, "inner", self.inner).memory
        self.kept.append((m.desired.copy(), m.error.copy(), m.blend.copy(), m.moved.copy()))
        return command


def follow_wrenches_in_task_space(effort: Effort) -> Findings:
    """Walk; compare wrenches with what is wanted, and swing feet with the law of blending."""
    fell, listener = _walked(WALK)
    effort.tell(0.5)
    desired, wrong, blend, moved = (np.array(x) for x in zip(*listener.kept, strict=True))
    on = blend >= 1.0
    rms = _errors(wrong, blend)
    stiff = _walked(STIFF)[1].kept
    still = _errors(np.array([k[1] for k in stiff]), np.array([k[2] for k in stiff]))
    asked = [float(np.sqrt(np.mean(desired[on][:, k] ** 2))) for k in range(2)]
    force = WALK.force
    apart, left = zip(*decays(blend, moved, force.K_x, listener.period), strict=True)
    return Findings(
        numbers={
            "fell": float(fell),
            "force_error": rms[2],
            "force_still": still[2],
            "force_share": rms[2] / still[2],
            "roll_share": rms[0] / asked[0],
            "pitch_share": rms[1] / asked[1],
            "roll_torque": rms[0],
            "pitch_torque": rms[1],
            "asked_roll": asked[0],
            "asked_pitch": asked[1],
            "swings": float(len(apart)),
            "decay_error": float(max(apart)),
            "left": 100 * float(max(left)),
        }
    )


def _walked(case: EdgeCase) -> tuple[bool, FootListener]:
    """Return whether the robot falls in a walk, and what was heard of it."""
    walk = assemble_walk(case.scenario)
    listener = FootListener(walk.controller)
    walk.controller = listener
    run, error = execute(walk, RecordingOptions(every=5))
    if error is not None:
        raise error
    return bool(run.header["fall"]["fell"]), listener


def _errors(wrong: FloatArray, blend: FloatArray) -> list[float]:
    """Return the RMS of the errors (T, 2, 3) of wrenches of controlled feet [N m, N m, N]."""
    return [float(np.sqrt(np.mean(wrong[blend >= 1.0][:, k] ** 2))) for k in range(3)]


def decays(
    blend: FloatArray, moved: FloatArray, K_x: float, period: float
) -> Iterator[tuple[float, float]]:
    """Yield of each swing and each part of w_f: error of the law of decay, and what is left.

    Parameters
    ----------
    blend, moved : b_f (T, 2), w_f (T, 2, 3) of every period. K_x [1/s], period [s].

    A swing lasts while b_f is 0. Both numbers are relative to w_f at its begin.
    """
    for foot in range(blend.shape[1]):
        for start, end in spans(blend[:, foot] <= 0.0):
            span = moved[start:end, foot]
            law = (1 - K_x * period) ** np.arange(len(span))
            for part in span.T:
                if abs(part[0]) > LEAST:
                    kept = part / part[0]
                    yield float(np.abs(kept - law).max()), float(abs(kept[-1]))
