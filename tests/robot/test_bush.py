"""Bushes between ankle and foot: deflection, the stiff limit, what controllers see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robot_cases import DT, G, feet, hold, momentum_residual, servo, standing

from contact.ground import Plane
from contact.step import StepOptions
from robot.fused import fast_simulator
from robot.gait import Balancing, Standing
from robot.model import load_robot
from robot.recorder import Recorder
from robot.scenery import Bush, with_bushes
from robot.sensing.step_senses import without_objects
from robot.walk import Scenario, SoleChoice, assemble_walk, load_scenario
from robot.walk.controllers import controller_of
from sole.base.errors import ConfigError, SoleError

SOFT = Bush(stiffness=(2e5, 2e5, 1e6, 3e3, 3e3, 3e3), damping=(4e3, 4e3, 1e4, 500.0, 500.0, 500.0))
ROBOT = load_robot("hrp2-like")


def on_bushes(on, bush, tolerance=1e-10):
    bushed = with_bushes(on, ROBOT.model, bush)
    options = StepOptions(tolerance=tolerance)
    gains, couplings = servo(on.robot), bushed.couplings
    sim = fast_simulator(bushed.model, on.touching, Plane(), gains, options, couplings=couplings)
    return sim, bushed


def on_ankles(on):
    return fast_simulator(
        on.robot.model, on.touching, Plane(), servo(on.robot), StepOptions(tolerance=1e-10)
    )


def test_a_bush_moves_no_mass():
    import pinocchio as pin

    on = feet()
    bushed = with_bushes(on, ROBOT.model, SOFT)
    rng = np.random.default_rng(1)
    q = standing(on)
    q[7:] += 0.1 * rng.standard_normal(30)
    v = rng.standard_normal(36)
    old, new = on.robot.model.createData(), bushed.model.createData()
    whole = np.r_[q, bushed.places(q)]
    pin.computeAllTerms(on.robot.model, old, q, v)
    pin.framesForwardKinematics(bushed.model, new, whole)
    # The feet move with their ankles.
    pin.forwardKinematics(bushed.model, new, whole, np.r_[v, np.zeros(12)])
    twists = [
        pin.getFrameVelocity(bushed.model, new, c.upper, pin.LOCAL).vector for c in bushed.couplings
    ]
    pin.computeAllTerms(bushed.model, new, whole, np.r_[v, *twists])
    assert new.com[0] == pytest.approx(old.com[0], abs=1e-12)
    assert new.kinetic_energy == pytest.approx(old.kinetic_energy, rel=1e-12)
    h = pin.computeCentroidalMomentum(on.robot.model, old).vector
    assert pin.computeCentroidalMomentum(bushed.model, new).vector == pytest.approx(h, abs=1e-10)


def test_it_gives_way_by_force_over_stiffness():
    import pinocchio as pin

    on = feet(3e7)
    (sim, bushed), n = on_bushes(on, SOFT), len(on.robot.joints)
    q = standing(on)
    state, command = sim.at(np.r_[q, bushed.places(q)]), hold(q, n)
    for _ in range(2000):
        before = state
        step = sim.step(state, command, DT)
        state = step.state
    assert np.abs(state.v).max() < 1e-5
    weight = G * on.robot.mass
    assert np.abs(momentum_residual(sim, before, step)).max() < 1e-10 * weight
    assert step.wrenches[:, 2].sum() == pytest.approx(weight, rel=1e-4)
    # What the bush carries is the ground's force less the weight of the foot under it.
    data = sim.model.createData()
    pin.framesForwardKinematics(sim.model, data, before.q)
    for side, c in enumerate(bushed.couplings):
        lower, upper = data.oMf[c.lower], data.oMf[c.upper]
        below = sim.model.inertias[sim.model.frames[c.lower].parentJoint]
        force, moment = step.wrenches[side, :3], step.wrenches[side, 3:]
        arm = data.oMf[sim.touching[side].frame].translation - lower.translation
        pull = np.array([0.0, 0.0, -G * below.mass])
        moment = moment + np.cross(arm, force) + np.cross(lower.rotation @ below.lever, pull)
        R = lower.rotation
        d = upper.actInv(lower)
        found = np.r_[d.rotation.T @ d.translation, pin.log3(d.rotation)]
        expected = np.r_[R.T @ (force + pull), R.T @ moment]
        assert np.array(SOFT.stiffness) * found == pytest.approx(expected, abs=1e-3)
        assert step.couplings[side] == pytest.approx(-expected, abs=1e-3)
        assert found[2] > 2e-4  # the foot has come nearer to the ankle


def test_a_stiff_bush_is_none():
    on = feet()
    stiff = Bush(stiffness=(1e10,) * 3 + (1e9,) * 3, damping=(1e6,) * 6)
    n = len(on.robot.joints)
    q = standing(on, 0.002)

    def far(bush):
        (sim, bushed), plain = on_bushes(on, bush), on_ankles(on)
        a, b, largest, worst = sim.at(np.r_[q, bushed.places(q)]), plain.at(q), 0.0, 0.0
        for _ in range(80):
            one, other = sim.step(a, hold(q, n), DT), plain.step(b, hold(q, n), DT)
            a, b = one.state, other.state
            largest = max(largest, np.abs(other.wrenches[:, :3]).max())
            worst = max(worst, np.abs(one.wrenches - other.wrenches).max())
        assert largest > 300.0
        return worst / largest, np.abs(a.q[:37] - b.q).max()

    # What is left: the foot moves by its own twist, the ankle by joint angles, dt^2 apart a step.
    force, place = far(stiff)
    assert force < 2e-3
    assert place < 1e-6
    soft = far(SOFT)
    assert soft[0] > 20 * force
    assert soft[1] > 20 * place


def test_a_scenario_stands_on_bushes_and_its_controller_sees_the_robot():
    scenario = Scenario(
        sole=SoleChoice(size=0.07, element="p1"),
        gait=Standing(initial=0.2, final=0.2),
        bush=SOFT,
    )
    made = assemble_walk(scenario)
    recorder = Recorder(made.simulator, made.start, scenario.dt, feet=made.feet)
    for step, command in made.steps():
        recorder.record(step, command)
    assert command.positions.shape == (30,)
    assert without_objects(step, made.feet).state.q.shape == (37,)
    assert step.state.q.shape == (51,)
    run = recorder.run()
    assert run["torque"].shape == (400, 30)
    assert run.header["joints"] == list(ROBOT.joints)
    assert run.header["mass"] == pytest.approx(made.feet.robot.mass, rel=1e-12)
    load = run["wrench_world"][-100:, :, 2].sum(axis=1).mean()
    assert load == pytest.approx(G * made.feet.robot.mass, rel=0.02)


def test_bush_and_sole_give_way_one_after_the_other():
    """By hand: a force f at the tread turns the bush by f D / k, and so moves it by f D^2 / k."""
    K6, thick = feet().stiffness, (0.02, 0.03)
    added = np.linalg.inv(SOFT.in_series(K6, thick)) - np.linalg.inv(K6)
    k, near = SOFT.stiffness, {"abs": 1e-11}
    for C, thickness in zip(added, thick, strict=True):
        D = SOFT.height + thickness
        assert C[:, 0] == pytest.approx([1 / k[0] + D**2 / k[4], 0, 0, 0, -D / k[4], 0], **near)
        assert C[:, 1] == pytest.approx([0, 1 / k[1] + D**2 / k[3], 0, D / k[3], 0, 0], **near)
        assert C[:, 2] == pytest.approx([0, 0, 1 / k[2], 0, 0, 0], **near)
        assert np.diag(C)[3:] == pytest.approx([1 / k[3], 1 / k[4], 1 / k[5]], rel=1e-6)
    alone = np.linalg.inv(SOFT.in_series(None, thick))
    assert alone == pytest.approx(added, rel=1e-6, abs=1e-11)


def test_the_stabiliser_feeds_the_bush_forward():
    """On one leg: without, the robot leans by the moment over the bush's stiffness."""
    scenario = Scenario(
        sole=SoleChoice(size=0.07, element="p1"),
        gait=Balancing(initial=0.8, final=0.6, hold=0.1),
        bush=SOFT,
        duration=1.2,
        settle=0.0,
        tolerance=1e-5,
    )
    off = []
    for fed in (scenario, replace(scenario, bush=None)):
        made = assemble_walk(scenario)
        made.controller = controller_of(fed, made.feet, made.plan, Plane())
        made.settle(0.2)
        away = [step.state.q[:3] - made.plan.at(step.state.time).q[:3] for step, _ in made.steps()]
        off.append(np.abs(away).max())
    assert off[0] < 0.3 * off[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"stiffness": (1.0, 1.0, 0.0, 1.0, 1.0, 1.0)}, "stiffness"),
        ({"damping": (-1.0,) * 6}, "damping"),
        ({"share": 1.0}, "share"),
        ({"height": np.inf}, "height"),
    ],
)
def test_bad_bushes_are_refused(change, reason):
    with pytest.raises(ConfigError, match=reason):
        replace(SOFT, **change)


def test_bushes_come_from_toml_and_toes_are_refused(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        'schema = "robot.scenario/1"\n[bush]\nstiffness = [2e5, 2e5, 1e6, 3e3, 3e3, 3e3]\n'
        "damping = [4e3, 4e3, 1e4, 500.0, 500.0, 500.0]\n"
    )
    assert load_scenario(path).bush == SOFT
    lola = load_robot("lola-like")

    class Feet:
        robot = lola

    with pytest.raises(SoleError, match="another joint"):
        with_bushes(Feet(), lola.model, SOFT)
