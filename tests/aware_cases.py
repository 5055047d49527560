"""Shared by the tests of sole-aware control: a robot that stands, what it feels, its programs."""

from __future__ import annotations

import numpy as np
from doors import door

from robot.control import SoleAwareChoice
from robot.control.balance_kernels import BodyNow
from robot.control.body_kernels import feel_body
from robot.control.whole_body_solver import solve_program
from robot.gait import Standing
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import Sensing
from sole.base.compiled import packed

T = 1e-3


def standing(young=1e6, sensing="true", settle=0.4, robot="hrp2-like", eta=0.0, seed=0, **values):
    return assemble_walk(
        Scenario(
            robot=robot,
            sole=SoleChoice(young=young, size=0.06, element="p1", eta=eta),
            gait=Standing(initial=0.05, final=0.05),
            control=ControlChoice(kind="sole-aware", sole_aware=SoleAwareChoice(**values)),
            sensing=Sensing(kind=sensing),
            settle=settle,
            seed=seed,
        )
    )


def felt_by(walk):
    """Return what the controller of a walk feels at its start, its arrays copied."""
    control = walk.controller
    readings = control.readings(*sensed_by(walk))
    felt = door(feel_body)(packed(readings), packed(control.tables), packed(control.limbs))
    return BodyNow(*(np.array(part) for part in felt))


def sensed_by(walk):
    """Return q, v and wrenches at the start of a walk."""
    return np.array(walk.sensed.q), np.array(walk.sensed.v), np.array(walk.sensed.wrenches)


def solved(walk):
    """The program of t = 0, its solution, and dv/dt (nv,)."""
    control = walk.controller
    program = control.program(*sensed_by(walk), 0.0)
    x = solve_program(control.solve, program)
    n = len(walk.feet.robot.joints)
    return program, x, np.concatenate([program.V @ x + program.v0, x[:n]])
