"""A step in one call, a block of one: the same as without it, and where it does not hold."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from box_mesh import box_mesh
from robot_cases import feet, hold, momentum_residual, servo, simulator, standing

from contact.frames import rotation_of, rotation_of_quaternion
from contact.ground import Slope, parse_ground
from contact.step import StepOptions
from contact.swept_step import BufferStepResult, ways_of
from robot.control import check_command
from robot.fused import BufferSenses, StepBlock, fast_simulator
from robot.fused.block_parts import BlockParts
from robot.fused.walk_block_kernels import TickClock, no_control, walk_block
from robot.gait import Standing, Walking
from robot.measures import metrics
from robot.recorder import Recorder, row_writer
from robot.scenery import Bush
from robot.sensing import foot_wrenches
from robot.simulator import (
    Command,
    RobotState,
    Servo,
    Stops,
    joint_space,
)
from robot.soles import on_soles
from robot.walk import Scenario, SoleChoice, assemble_walk, replace_values
from sole.base.compiled import packed
from sole.base.errors import SoleError
from sole.condense import condense
from sole.material import Material

DT = 1e-3
RUBBER = Material(young_modulus=3e6, poisson_ratio=0.4)
SHORT = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Walking(steps=1, forward=0.1, initial=0.6, final=0.6, single=0.5),
    settle=0.1,
)


def walked(scenario, forbid):
    """Walk; return the run, q, the pads' switches and loads of every step, and steps in blocks."""
    walk = assemble_walk(scenario)
    if forbid:
        walk.blocks = None
    recorder = Recorder(walk.simulator, walk.start, scenario.dt, feet=walk.feet, nodes=20)
    q, switches, before, count = [], [], walk.start, 0
    weight = 9.81 * walk.feet.robot.mass
    for step, command in walk.steps():
        recorder.record(step, command)
        count += sum(part.block is not None for part in step.parts or (step,))
        q.append(step.state.q)
        senses = walk.senses
        known, least = senses.sensed(step), scenario.sensing.noise.switch
        switches.append(known.switches)
        np.testing.assert_array_equal(known.switches, senses.pads.closed(step, least))
        np.testing.assert_array_equal(known.wrenches, foot_wrenches(walk.feet, step))
        assert known.q is step.state.q and known.v is step.state.v
        _same_posture(senses, step)
        if not step.parts:
            off = momentum_residual(walk.simulator, before, step)
            assert np.abs(off).max() < 1e-9 * weight
        assert abs(step.contact.energy.imbalance) < 1e-12
        before = step.state
    return recorder.run(), np.array(q), np.array(switches), count


def _same_posture(senses, step):
    """The posture is that of the step's poses and of the waist's quaternion."""
    height, tilt = senses.posture(step)
    q, (R, p) = step.state.q, step.poses
    low = min(
        (p[b] + R[b] @ [0.0, 0.0, senses.feet.touching[b].body.points[:, 2].min()])[2]
        for b in range(2)
    )
    assert height == pytest.approx(q[2] - low, abs=1e-14)
    assert np.cos(tilt) == pytest.approx(rotation_of_quaternion(q[3:7])[2, 2], abs=1e-14)


@pytest.fixture(scope="module")
def pair():
    return walked(SHORT, False), walked(SHORT, True)


def test_a_whole_gait_is_the_same(pair):
    (a, q, switches, fused), (b, q_other, other, none) = pair
    assert fused > 0.9 * len(q) and none == 0
    assert np.abs(q - q_other).max() < 1e-9
    np.testing.assert_array_equal(switches, other)
    assert not switches.all() and switches.any()
    for name, metric in metrics(a).items():
        expected = metrics(b)[name].value
        if metric.value is None:
            assert expected is None
        else:
            assert metric.value == pytest.approx(expected, rel=1e-6, abs=1e-9), name
    for name, series in a.series.items():
        scale = np.nanmax(np.abs(b[name]), initial=1e-3)
        np.testing.assert_allclose(series, b[name], atol=1e-6 * scale, err_msg=name)
    # What no force did: as small as without.
    assert np.ptp(a["unaccounted"]) < 1.01 * np.ptp(b["unaccounted"]) + 1e-9


@pytest.mark.nightly
def test_blocks_go_on_between_short_steps_of_landings(pair):
    scenario = replace(SHORT, landing_dt=0.25e-3, duration=1.3)
    a, q, _, fused = walked(scenario, False)
    b, other, _, _ = walked(scenario, True)
    assert fused > 0.8 * len(q) and np.abs(q - other).max() < 1e-9
    np.testing.assert_array_equal(a["contacts"] > 0, b["contacts"] > 0)


def test_a_command_of_rows_is_checked_and_passed_on_as_a_whole():
    with pytest.raises(SoleError, match=r"shape \(2, 2\), expected \(3, n\)"):
        Command.of_rows(np.zeros((2, 2)))
    rows = np.arange(6.0).reshape(3, 2)
    command = Command.of_rows(rows)
    assert check_command(command, ("hip", "knee")) is command
    laws = Servo(kp=np.ones(2), kd=np.ones(2), limits=np.ones(2))
    assert laws.asked(command) is rows
    np.testing.assert_array_equal(laws.asked(replace(command)), rows)
    np.testing.assert_array_equal(laws.asked(command.before(1.0)), rows - [[2, 3], [0, 0], [0, 0]])
    for bad in (np.nan, 1e7):
        rows[1, 1] = bad
        with pytest.raises(SoleError, match="velocities of joint knee"):
            check_command(command, ("hip", "knee"))
    with pytest.raises(SoleError, match="expected"):
        check_command(command, ("hip", "knee", "toe"))
    with pytest.raises(SoleError, match="expected"):
        replace(laws, kp=np.ones(3), kd=np.ones(3), limits=np.ones(3)).asked(command)


def test_restored_it_goes_on_with_the_same_bits(tmp_path):
    """Also in a simulator that has never seen the run, and in the same one, repeated."""
    on = feet(eta=2e-3)
    q = standing(on)
    command = replace(hold(q, len(on.robot.joints)), torques=np.zeros(len(on.robot.joints)))

    def go(sim, state, count):
        steps = []
        for _ in range(count):
            steps.append(sim.step(state, command, DT))
            state = steps[-1].state
        return steps

    sim = simulator(on)
    state = go(sim, sim.at(q), 40)[-1].state
    np.savez(tmp_path / "state.npz", **state.arrays())
    expected = go(sim, state, 30)
    for other in (sim, simulator(on)):
        with np.load(tmp_path / "state.npz") as arrays:
            again = go(other, RobotState.from_arrays(arrays), 30)
        assert all(isinstance(step.contact, BufferStepResult) for step in again)
        for a, b in zip(expected, again, strict=True):
            for name, array in a.state.arrays().items():
                np.testing.assert_array_equal(array, b.state.arrays()[name], err_msg=name)
            np.testing.assert_array_equal(a.torques, b.torques)


def still(on, **more):
    """A robot that has stood for 60 ms, its simulator, its command."""
    sim = fast_simulator(
        on.robot.model, on.touching, more.pop("ground", parse_ground("plane")),
        more.pop("servo", servo(on.robot)), StepOptions(tolerance=1e-10), **more,
    )  # fmt: skip
    q = standing(on)
    command = hold(q, len(on.robot.joints))
    state = sim.at(q)
    for _ in range(60):
        state = sim.step(state, command, DT).state
    return sim, state, command


def both(on, sim, state, command):
    """A step as a block of one and the general way, and whether there was a block."""
    other = sim.step(state, command, DT)
    block = block_of_one(on, sim, state, command)
    return (block.step(0) if block else other), other, block is not None


def block_of_one(on, sim, state, command):
    """A block of one step with this command; None if there is none."""
    senses, parts = BufferSenses(on, sim, 1.0), BlockParts.of(sim)
    block = None if parts is None else StepBlock.of(parts, state, DT, 1, len(senses.pads.sides))
    if block is None:
        return None
    clock = TickClock(
        time=state.time, dt=DT, theta=sim.options.theta, period=1.0, tick=1.0, ticks=1,
        near=-np.inf, feet=len(on.touching),
    )  # fmt: skip
    robot = sim.dynamics.robot[0]
    given = np.empty_like(block.arrays.commands)
    given[:] = parts.laws.servo.asked(command)
    factors, tree, laws, soles, look = block.arguments
    block.count = walk_block(
        packed(clock), state.v, np.zeros((2, 6)), packed(no_control(robot, sim.dynamics.links)),
        given, factors, tree, laws, soles, look, senses.bundle, packed(block.arrays),
    )  # fmt: skip
    return block if block.count else None


def same(one, other):
    for name, array in one.state.arrays().items():
        np.testing.assert_array_equal(array, other.state.arrays()[name], err_msg=name)
    np.testing.assert_array_equal(one.torques, other.torques)
    np.testing.assert_array_equal(one.stops, other.stops)
    assert one.work == other.work


def test_every_part_of_a_fused_step_is_there():
    on = feet()
    sim, state, command = still(on)
    one, other, fused = both(on, sim, state, command)
    assert fused
    scale = np.abs(other.wrenches).max()
    for name in ("torques", "stops", "acceleration", "wrenches", "couplings"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-10 * scale)
    for name in ("M", "h", "J", "rotations", "places", "turns"):
        np.testing.assert_array_equal(getattr(one.start, name), getattr(other.start, name))
    a, b = one.contact, other.contact
    for name in ("twists", "mean_twists", "gaps", "nodes", "slots"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-12)
    np.testing.assert_allclose(a.frame.contacts.A, b.frame.contacts.A, atol=1e-12)
    assert a.solved and b.solved and a.solution.certificate.holds(1e-10)
    assert one.work == other.work and one.parts == () and not one.saturated.any()
    changed = replace(a, wrenches=2 * a.wrenches)  # an ordinary result
    assert changed.solved and changed.contacts == len(a.nodes)
    np.testing.assert_array_equal(changed.gaps, a.gaps)


def test_a_tilted_plane_is_fused_too():
    slope = Slope(angle=np.deg2rad(3), heading=0.4)
    on = feet()
    sim, q = simulator(on, slope), standing(on)
    x, z = slope.frame[:, 2][:2], slope.frame[2, 2]
    R = rotation_of(np.deg2rad(3) * np.array([-x[1], x[0], 0.0]) / np.hypot(*x))
    assert R[2, 2] == pytest.approx(z)
    half = np.deg2rad(3) / 2
    q[:3] = R @ q[:3]
    q[3:7] = [*np.sin(half) * np.array([-x[1], x[0], 0.0]) / np.hypot(*x), np.cos(half)]
    state, command = sim.at(q), hold(q, len(on.robot.joints))
    for _ in range(200):
        one, other, fused = both(on, sim, state, command)
        if fused:
            break
        state = one.state
    assert fused and one.contact.wrenches[:, 2].min() > 50.0
    np.testing.assert_allclose(one.state.q, other.state.q, atol=1e-13)


@pytest.mark.nightly
@pytest.mark.parametrize("text", ["step:0.005,0.05", "step:0.005,1.0"])
def test_steps_on_terrain_are_fused_too(text):
    """The edge of a step under both soles, which stick in part; or far away."""
    on = feet()
    sim, q, rise = simulator(on, parse_ground(text)), standing(on), text.endswith("0.05")
    q[2] += 0.005 * rise
    state, command, seen = sim.at(q), hold(q, len(on.robot.joints)), 0
    for _ in range(150):
        one, other, fused = both(on, sim, state, command)
        seen += fused
        if fused:
            a, b = one.contact, other.contact
            for name in ("twists", "mean_twists", "gaps", "nodes", "slots"):
                np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-12)
            first = np.array([0, len(b.gaps) // 2])
            np.testing.assert_array_equal(a.least_gaps(first), b.least_gaps(first))
            np.testing.assert_allclose(one.state.q, other.state.q, atol=1e-14)
            np.testing.assert_array_equal(one.state.soles.solid, other.state.soles.solid)
        state = one.state
    assert seen > 20 and (one.contact.contacts < state.soles.nodes) == rise


def test_steps_in_which_nodes_slide_are_fused_too():
    """A robot set down moving: its soles land, slide and stick. The numbers are the same ones."""
    on = feet()
    sim, q = simulator(on), standing(on)
    q[2] += 2e-4
    v = np.zeros(sim.model.nv)
    v[:3] = 0.3, 0.1, -0.1
    state, command, slid = sim.at(q, v), hold(q, len(on.robot.joints)), 0
    record = [Recorder(sim, state, DT, feet=on) for _ in range(2)]
    for _ in range(120):
        one, other, fused = both(on, sim, state, command)
        for recorded, step in zip(record, (one, other), strict=True):
            recorded.record(step, command)
        if fused and one.slips:
            slid += int((one.contact.laws[0].status == 2).sum())
            for name in ("torques", "stops", "acceleration", "saturated", "square", "work"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            for name in ("M", "h", "J", "rotations", "places", "turns"):
                np.testing.assert_array_equal(getattr(one.start, name), getattr(other.start, name))
            for name in ("q", "v"):
                np.testing.assert_array_equal(getattr(one.state, name), getattr(other.state, name))
            for name in ("wrenches", "twists", "gaps", "nodes", "slots"):
                a, b = getattr(one.contact, name), getattr(other.contact, name)
                np.testing.assert_array_equal(a, b, err_msg=name)
            assert one.contacts == one.contact.contacts == other.contact.contacts
        state = one.state
    assert slid > 100
    runs = [recorded.run() for recorded in record]
    assert runs[0]["sliding"].sum() > 100 and runs[0]["iterations"].sum() > 100
    for name in ("slip", "sliding", "iterations", "contacts", "residual", "elastic", "solved"):
        scale = np.abs(runs[1][name]).max()
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-6 * scale, err_msg=name)


@pytest.mark.parametrize("beyond", [[20], [12, 20, 26], [1, 4, 5, 11, 12, 20, 26]])
def test_drives_at_their_limits_are_fused_too(beyond):
    """One drive, some, more: those that are found at their limits stay there."""
    on = feet()
    sim, state, command = still(on, servo=servo(on.robot, limits=np.full(30, 80.0)))
    torques = np.where(np.isin(np.arange(30), list(beyond)), 200.0, 0.0)
    one, other, fused = both(on, sim, state, replace(command, torques=torques))
    assert fused and one.saturated.any() and (one.saturated <= np.isin(np.arange(30), beyond)).all()
    np.testing.assert_array_equal(one.saturated, other.saturated)
    np.testing.assert_allclose(one.torques, other.torques, atol=1e-9)
    for name in ("q", "v"):
        np.testing.assert_allclose(getattr(one.state, name), getattr(other.state, name), atol=1e-12)
    _, _, calm = both(on, sim, state, command)
    assert calm and not sim.step(state, command, DT).saturated.any()


def test_the_general_way_calls_kernels_that_are_compiled_beforehand(monkeypatch):
    """Read-only arrays are another type: kernels would be compiled anew in the middle of a walk."""
    on = feet()
    sim, state, command = still(on, servo=servo(on.robot, limits=np.full(30, 80.0)))
    wild = replace(command, torques=np.where(np.arange(30) == 20, 200.0, 0.0))
    seen, record, follow = [], row_writer.record_step, joint_space.kernels.follow_wrenches

    def note(kernel, *arrays):
        seen.append([a.flags.writeable for a in arrays])
        return kernel

    monkeypatch.setattr(row_writer, "record_step", lambda *a: note(record, a[7][7], a[7][10])(*a))
    kernels = SimpleNamespace(**vars(joint_space.kernels))
    kernels.follow_wrenches = lambda *a: note(follow, a[2])(*a)
    monkeypatch.setattr(joint_space, "kernels", kernels)
    made = Recorder(sim, state, DT, feet=on)
    for _ in range(2):
        step = sim.step(state, wild, DT)
        made.record(step, wild)
        state = step.state
    assert seen and all(map(all, seen))


def test_a_stop_is_left_to_the_general_way():
    on = feet()
    q = standing(on)
    n = len(on.robot.joints)
    stops = Stops(lower=np.full(n, -10.0), upper=q[7 : 7 + n] + 1e-4)
    sim, state, command = still(on, stops=stops)
    out = replace(command, positions=command.positions + np.where(np.arange(n) == 20, 0.01, 0.0))
    for _ in range(20):
        one, other, fused = both(on, sim, state, out)
        if one.stops.any():
            break
        state = one.state
    assert one.stops.any() and not fused
    same(one, other)


def test_a_command_that_is_no_number_is_refused_as_before():
    sim, state, command = still(feet())
    bad = Command(positions=np.full(len(command.positions), np.nan), velocities=command.velocities)
    with pytest.raises(SoleError, match="positions of joint 0 is nan"):
        sim.step(state, bad, DT)


def test_what_a_fused_step_does_not_know():
    """Rigid feet, solvers of one's own, springs and penalties: never fused."""
    stiff = feet(rigid=True)
    rigid, state, command = still(stiff)
    assert not both(stiff, rigid, state, command)[2]
    on = feet()
    for options in (
        StepOptions(sticking=False),
        StepOptions(substeps=2),
        StepOptions(error=1e-3),
        StepOptions(record=lambda *_: None),
    ):
        sim = fast_simulator(
            on.robot.model, on.touching, parse_ground("plane"), servo(on.robot), options
        )
        assert not ways_of(sim.stepper)[0].allowed
    bush = Bush(stiffness=(1e6,) * 3 + (1e4,) * 3, damping=(1e3,) * 6)
    stand = replace(SHORT, gait=Standing(), duration=0.01, settle=0.0)
    assert BlockParts.of(assemble_walk(replace(stand, bush=bush)).simulator) is None
    penalty = replace_values(stand, contact={"kind": "penalty"})
    assert BlockParts.of(assemble_walk(penalty).simulator) is None
    bare = replace(simulator(on), ways=())
    assert BlockParts.of(bare) is None


def test_a_state_of_other_soles_is_refused_in_words():
    """Also where a run would begin, and within one: there the general way is not taken first."""
    on, coarse = feet(), condense(box_mesh(0.24, 0.14, 0.02, (4, 2, 1)), [RUBBER], element="p1")
    other = simulator(on_soles(on.robot, coarse))
    _, state, command = still(on)
    begins = replace(state, soles=replace(state.soles, steady=2, run=None))
    for wrong in (state, begins):
        with pytest.raises(SoleError, match="nodes and slots, expected"):
            other.step(wrong, command, DT)
