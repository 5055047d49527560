"""Penalty contact in the simulator, against the law written out from the joints' dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robot_cases import DT, G, feet, hold, momentum_residual, servo, standing

from contact.ground import Plane
from contact.papers.penalty import ContactSpace, PenaltyLaw, penalty_forces
from contact.step import Body, StepOptions
from robot.fused import fast_simulator
from robot.gait import Standing
from robot.measures import metrics
from robot.recorder import Recorder
from robot.simulator.penalty_step import PenaltyStep
from robot.walk import Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import ContactChoice
from sole.base.errors import ConfigError

LAW = PenaltyLaw(kp=1e4, kv=200.0, friction=0.7)


def corner_simulator(on, law=LAW):
    touching = []
    for t in on.touching:
        x = t.body.points
        corner = (np.abs(np.abs(x[:, :2]) - np.abs(x[:, :2]).max(axis=0)) < 1e-9).all(axis=1)
        touching.append(replace(t, body=Body(points=x[corner], friction=law.friction)))
    return fast_simulator(
        on.robot.model, touching, Plane(), servo(on.robot), StepOptions(), penalty=law
    )


def test_forces_are_those_of_the_law_from_inertia_and_jacobians_of_the_points():
    import pinocchio as pin

    on = feet(rigid=True)
    sim, n = corner_simulator(on), len(on.robot.joints)
    rng = np.random.default_rng(2)
    q = standing(on, -1e-3)
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.002, -0.003, 0.1)).coeffs()
    v = 0.5 * rng.standard_normal(sim.model.nv)
    state, command = sim.at(q, v), hold(q, n)
    step = sim.step(state, command, DT)
    # A and Gamma - H of the step: servos implicit; 8 points with world axes, by Pinocchio alone.
    model, data = sim.model, sim.model.createData()
    pin.computeAllTerms(model, data, q, v)
    kp, kd = sim.servo.kp, sim.servo.kd
    A = np.array(data.M)
    A[range(6, 6 + n), range(6, 6 + n)] += DT * (kd + DT * kp)
    force = -np.array(data.nle)
    force[6:] += kp * (command.positions - q[7:]) + kd * command.velocities - (kd + DT * kp) * v[6:]
    points = [(t.frame, x) for t in sim.touching for x in t.body.points]
    D, B, gap = np.zeros((model.nv, 24)), np.zeros(24), np.zeros(8)
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    for i, (frame, x) in enumerate(points):
        pose = pin.updateFramePlacement(model, data, frame)
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        arm = pose.rotation @ x
        D[:, 3 * i : 3 * i + 3] = (J[:3] - pin.skew(arm) @ J[3:]).T
        a = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        w = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).angular
        rest = a.linear + np.cross(a.angular, arm) + np.cross(w, np.cross(w, arm))
        B[3 * i : 3 * i + 3] = rest
        gap[i] = pose.translation[2] + arm[2]
    assert 2 < (gap <= 0).sum()
    space = ContactSpace.of_dynamics(A, D, force, B)
    law = penalty_forces(LAW, space, gap, (D.T @ v).reshape(-1, 3))
    assert np.abs(law.forces).max() > 100.0
    assert not step.saturated.any()
    found = step.contact.state.forces.sum(axis=1)
    turned = np.concatenate([found[4 * b : 4 * b + 4] @ step.start.turns[b].T for b in range(2)])
    assert turned == pytest.approx(law.forces, abs=1e-7 * np.abs(law.forces).max())
    residual = momentum_residual(sim, state, step)
    assert np.abs(residual).max() < 1e-10 * max(G * on.robot.mass, np.abs(law.forces).sum())


def test_a_robot_stands_on_corners_under_the_law():
    on = feet(rigid=True)
    sim, n = corner_simulator(on, replace(LAW, epsilon=-1e-4)), len(on.robot.joints)
    q = standing(on)
    state, command = sim.at(q), hold(q, n)
    for _ in range(1500):
        before = state
        step = sim.step(state, command, DT)
        state = step.state
    weight = G * on.robot.mass
    assert step.wrenches[:, 2].sum() == pytest.approx(weight, rel=1e-3)
    heights = step.start.places[:, 2] - on.thickness
    # At rest P'' = 0 = kp (epsilon - p_z).
    assert heights == pytest.approx(-1e-4, abs=2e-5)
    assert np.abs(momentum_residual(sim, before, step)).max() < 1e-10 * weight


def test_a_scenario_runs_and_is_recorded_under_each_law():
    scenario = Scenario(
        sole=SoleChoice(size=0.07, element="p1"),
        gait=Standing(initial=0.1, final=0.1),
        tolerance=1e-6,
    )
    loads = {}
    for kind in ("compliant", "rigid", "penalty"):
        made = assemble_walk(replace(scenario, contact=ContactChoice(kind=kind)))
        assert made.feet.rigid is (kind != "compliant")
        recorder = Recorder(made.simulator, made.start, scenario.dt, feet=made.feet)
        for step, command in made.steps():
            recorder.record(step, command)
        run = recorder.run()
        loads[kind] = run["wrench_world"][-100:, :, 2].sum(axis=1).mean()
        assert loads[kind] == pytest.approx(G * made.feet.robot.mass, rel=0.05)
        assert ("residual" in run) is (kind != "penalty")
    assert loads["rigid"] != loads["penalty"]
    told = metrics(run)
    for name in ("slip", "contact residual", "missed", "iterations"):
        assert told[name].value is None
        assert "not recorded" in told[name].remark
    assert not run.missed.any()


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ({"kind": "soft"}, "compliant, rigid, penalty"),
        ({"kp": -1.0}, "negative"),
        ({"epsilon": 1e-6}, "epsilon"),
        ({"kind": "penalty", "kv": 1000.0}, "kv dt < 1"),
        ({"kind": "penalty", "kp": 2e6}, "kp dt"),
    ],
)
def test_bad_choices_are_refused(numbers, reason):
    with pytest.raises(ConfigError, match=reason):
        Scenario(contact=ContactChoice(**numbers))


def test_penalty_contact_takes_no_soles():
    on = feet()
    with pytest.raises(ConfigError, match="rigid points"):
        PenaltyStep([t.body for t in on.touching], Plane(), LAW, StepOptions())


def test_either_law_of_contact_is_one_step_of_the_simulator():
    """Only exact contact has solutions to certify; what the simulator needs, both have."""
    on = feet()
    law = corner_simulator(on)
    exact = fast_simulator(law.model, law.touching, law.ground, law.servo)
    for sim, certified in ((law, False), (exact, True)):
        done = sim.step(sim.at(standing(on, -1e-4)), hold(standing(on), len(sim.servo.kp)), DT)
        assert sim.stepper.certified == done.contact.certified == certified
        assert bool(done.contact.solutions) == certified
        assert done.contact.wrenches[:, 2].sum() > 0
