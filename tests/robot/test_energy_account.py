"""The energy account: drives, contact, stops, pushes and bushes; the rest falls with dt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robot.gait import Standing
from robot.recorder import Recorder
from robot.scenery import Bush
from robot.simulator import Command
from robot.walk import ControlChoice, PushPlan, Scenario, SoleChoice, assemble_walk

SCENE = Scenario(
    sole=SoleChoice(size=0.07, element="p1"),
    gait=Standing(initial=0.1, final=0.2),
    control=ControlChoice(kind="pd"),
    push=(PushPlan(force=(60.0, 20.0, 0.0), start=0.05, duration=0.2),),
    bush=Bush(stiffness=(2e5, 2e5, 1e6, 3e3, 3e3, 3e3), damping=(4e3, 4e3, 1e4, 50.0, 50.0, 50.0)),
    tolerance=1e-10,
)


class Bend:
    """Swings the left elbow onto its stop."""

    period = 1e-3

    def __init__(self, robot):
        self.q, self.joint = np.array(robot.q0[7:]), robot.joint("left_elbow")
        self.end = robot.upper[self.joint]

    def update(self, sensed, t):
        q = self.q.copy()
        q[self.joint] += min(t / 0.2, 1.0) * (self.end + 0.01 - q[self.joint])
        return Command(positions=q, velocities=np.zeros_like(q))


def recorded(dt):
    made = assemble_walk(replace(SCENE, dt=dt))
    made.controller = Bend(made.feet.robot)
    recorder = Recorder(made.simulator, made.start, dt, feet=made.feet)
    pushed = 0.0
    for step, command in made.steps():
        recorder.record(step, command)
        pushed += step.work.pushes
    return recorder.run(), pushed


def test_what_is_not_accounted_for_falls_with_dt():
    coarse, fine = recorded(1e-3)[0], recorded(2.5e-4)[0]
    for name in ("stop_work", "outer_work", "bush_work", "joint_work"):
        assert abs(fine[name][-1]) > 1e-3, name
    left = [np.abs(run["unaccounted"]).max() for run in (coarse, fine)]
    # Of first order: a quarter at dt/4. Without any of the works it would not fall.
    assert left[1] < 0.4 * left[0]
    assert left[1] < 0.02 * fine["outer_work"].max()


def test_pushes_work_force_times_way():
    run, pushed = recorded(1e-3)
    waist = run["waist_position"]
    on = (run.time > 0.05 + 1e-9) & (run.time < 0.25 + 1e-9)
    first = np.flatnonzero(on)[0]
    way = waist[np.flatnonzero(on)[-1]] - waist[first - 1]
    assert run["outer_work"][-1] == pytest.approx(pushed, rel=1e-12)
    # The waist's frame is the base: it moves by R v dt, straight in a step, turning aside.
    assert pushed == pytest.approx(60.0 * way[0] + 20.0 * way[1], rel=2e-3)
