"""The outlook of the deformable soles' paper: a control law with the soles in its dynamics.

`robot.control.SoleAware` against the stabiliser, which knows of the soles only how far they yield
at rest, and against itself with rigid feet in the model. hrp2-like walks forward on flat ground, on
true readings; one walk each, so the numbers are no ensemble.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot.control import SoleAwareChoice
from robot.gait import Walking
from robot.measures import metrics
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.claims import Effort, Findings

__all__ = ["CONTROLLERS", "ControlledWalk", "reproduce_control", "walk_through", "walk_under"]

CONTROLLERS = {
    "stabiliser": ControlChoice(),
    "sole-aware": ControlChoice(kind="sole-aware"),
    "the same, rigid": ControlChoice(kind="sole-aware", sole_aware=SoleAwareChoice(model="rigid")),
}
SOLES = (1e5, 3e5, 1e6)  # Pa
SHORT, FULL = 3, 6  # steps


@dataclass(frozen=True, kw_only=True)
class ControlledWalk:
    """What came of a walk; NaN after a fall.

    Parameters
    ----------
    fell_at : time of a fall [s]; infinite: none. tilt : largest inclination of the waist [deg].
    yaw_rate : largest of the waist about the vertical [rad/s]. landing : largest acceleration of a
        landing foot below 100 Hz [m/s^2]; NaN if none landed. failures : ticks without a solution;
        None: not counted.
    """

    fell_at: float
    tilt: float
    yaw_rate: float
    landing: float
    failures: int | None

    @property
    def fell(self) -> bool:
        """Whether the robot fell."""
        return bool(np.isfinite(self.fell_at))


def walk_under(young: float, control: ControlChoice, steps: int) -> ControlledWalk:
    """Walk on soles of `young` [Pa]."""
    return walk_through(
        Scenario(sole=SoleChoice(young=young), gait=Walking(steps=steps), control=control)
    )


def walk_through(scenario: Scenario) -> ControlledWalk:
    """Walk a scenario."""
    walk = assemble_walk(scenario)
    run, error = execute(walk, RecordingOptions())
    if error is not None:
        raise error
    found = metrics(run)
    failures = getattr(walk.controller, "failures", None)
    if found["fell"].value:
        return ControlledWalk(
            fell_at=float(found["fell at"].value), tilt=np.nan, yaw_rate=np.nan, landing=np.nan,
            failures=failures,
        )  # fmt: skip
    landing = found["landing acceleration 100 Hz"].value
    rate = np.gradient(np.unwrap(run["waist_rpy"][:, 2]), run["time"])
    return ControlledWalk(
        fell_at=np.inf,
        tilt=float(np.degrees(found["waist tilt"].value)),
        yaw_rate=float(np.abs(rate).max()),
        landing=float(np.nan if landing is None else landing),
        failures=failures,
    )


def reproduce_control(effort: Effort) -> Findings:
    """Walk with and without the soles in the control law, on 0.3 MPa or on three soles.

    Numbers are those of the worst sole: `tilt_ratio` and `yaw_ratio` over the stabiliser's,
    `yaw_rate` with the soles, `rigid_rate` with rigid feet in the model on 0.3 MPa.
    """
    soles, steps = (SOLES[1:2], SHORT) if effort.quick else (SOLES, FULL)
    cases = [(young, name) for young in soles for name in ("stabiliser", "sole-aware")]
    cases.append((SOLES[1], "the same, rigid"))
    walks = {}
    for k, (young, name) in enumerate(cases):
        walks[young, name] = walk_under(young, CONTROLLERS[name], steps)
        effort.tell((k + 1) / len(cases))
    aware = [walks[young, "sole-aware"] for young in soles]
    plain = [walks[young, "stabiliser"] for young in soles]
    return Findings(
        numbers={
            "walks": float(len(aware)),
            "aware_fell": float(sum(w.fell for w in aware)),
            "plain_fell": float(sum(w.fell for w in plain)),
            "failures": float(sum(w.failures or 0 for w in aware)),
            "tilt_ratio": _largest([a.tilt / p.tilt for a, p in zip(aware, plain, strict=True)]),
            "yaw_ratio": _largest(
                [a.yaw_rate / p.yaw_rate for a, p in zip(aware, plain, strict=True)]
            ),
            "yaw_rate": _largest([a.yaw_rate for a in aware]),
            "plain_rate": _largest([p.yaw_rate for p in plain]),
            "rigid_rate": walks[SOLES[1], "the same, rigid"].yaw_rate,
            "tilt": _largest([a.tilt for a in aware]),
            "plain_tilt": _largest([p.tilt for p in plain]),
        }
    )


def _largest(values: list[float]) -> float:
    """Return the largest value; NaN, of a robot that fell, counts as the largest."""
    return float(np.max(values))
