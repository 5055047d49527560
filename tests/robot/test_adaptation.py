"""Footholds that follow the error of the DCM: how fast, how far, and that nothing chatters."""

from __future__ import annotations

import numpy as np
import pytest

from robot.gait import Walking
from robot.online import PlanChoice
from robot.online.adaptation import ADAPTED, DEAD, FOLLOW, MOST, adapt_goal
from robot.scenery import Start
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk

T = 1e-3
PLACE = np.array([0.4, 0.1, 0.0, 0.0])


def driven(errors):
    """Return offset, velocity and acceleration (n, 3) of the goal in x for errors [m]."""
    goal, rates, out = PLACE.copy(), np.zeros((2, 2)), []
    still = np.zeros(4), np.zeros((3, 2))
    for e in errors:
        far = np.array([e, 0.0])
        adapt_goal(0, PLACE, *still, far, 3.0, 1.0, 0.0, T, goal, rates)
        out.append((goal[0] - PLACE[0], *rates[:, 0]))
    return np.array(out)


def test_a_foothold_reaches_the_error_without_overshoot_or_jumps():
    off, rate, a = driven(np.full(600, 0.04)).T
    assert off[-1] == pytest.approx(0.04, abs=1e-4)
    assert off.max() <= 0.04 + 1e-6
    assert np.diff(off) == pytest.approx(T * rate[1:], abs=1e-12)
    # the step of the error appears in the jerk: FOLLOW^3 0.04
    assert np.abs(np.diff(a, prepend=0.0)).max() <= 1.01 * T * FOLLOW**3 * 0.04
    assert driven(np.full(600, 1.0))[-1, 0] == pytest.approx(MOST, abs=1e-3)
    assert np.abs(driven(np.full(600, 1.0))[:, 1]).max() <= ADAPTED


def test_small_errors_are_ignored_without_a_jump_at_the_limit():
    assert (driven(np.full(300, DEAD)) == 0).all()
    assert abs(driven(np.full(600, 1.02 * DEAD))[-1, 0]) < 0.05 * DEAD
    assert driven(np.full(600, 2 * DEAD))[-1, 0] == pytest.approx(2 * DEAD, rel=1e-2)


def test_vibrations_of_the_body_hardly_accelerate_the_swing_foot():
    """At s = i w the filter F^3/(s + F)^3 accelerates by A w^2 F^3/(w^2 + F^2)^(3/2)."""
    w, A = 2 * np.pi * 45.0, 2e-3
    t = T * np.arange(1, 1500)
    a = driven(0.04 + A * np.sin(w * t))[-400:, 2]
    wanted = A * w**2 * FOLLOW**3 / (w**2 + FOLLOW**2) ** 1.5
    # explicit steps: the error is of the order w T/2
    assert np.ptp(a) / 2 == pytest.approx(wanted, rel=w * T / 2)


def test_foot_forces_are_calm_after_a_drop_of_3_cm_under_force_control():
    """The foot that adapts must not drive the one that stands.

    Its reaction is fed forward to that one's torque, so a stiff adaptation closed a loop at 45 Hz
    in which the load went from 0 to 1000 N for half a second.
    """
    made = assemble_walk(
        Scenario(
            robot="lola-like",
            ground="step:0.03,-0.88,angle_deg=180",
            start=Start(z=0.03),
            sole=SoleChoice(young=2e6, poisson=0.45, size=0.04, element="p1"),
            gait=Walking(steps=5, forward=0.35),
            plan=PlanChoice(kind="online"),
            control=ControlChoice(kind="force"),
        )
    )
    loads = []
    for step, _ in made.steps():
        t = step.state.time
        if t > 4.5:
            break
        if t > 4.2:  # the left foot has stood on the lower ground since 3.99 s
            loads.append(step.contact.wrenches[0, 2])
    assert [e.kind for e in made.online.events][2] == "late"
    assert np.std(np.diff(loads)) < 5.0  # N in 1 ms; 60 N when it chattered
