"""Ticks of a walk in blocks: the same walk as tick by tick."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from contact.swept_step import is_due, ways_of
from contact.swept_step.swept_details import SweptOrigin
from robot.control import Stabiliser
from robot.recorder import Recorder
from robot.recorder.snapshots import snapshot
from robot.simulator import Simulator, join_steps, leading_block
from robot.walk import PushPlan, Scenario, assemble_walk, replace_values
from robot.walk.landing import LandingWatch

STAND = replace_values(Scenario(), gait={"kind": "stand"}, duration=0.12, plan={"kind": "fixed"})
WALK = replace_values(STAND, gait={"kind": "walk", "steps": 2}, duration=1.6)
SHORT = replace_values(WALK, landing_dt=2.5e-4, duration=2.2)  # a foot lands
TERRAIN = replace_values(WALK, ground="step:0.005,0.4", duration=2.6)
COARSE = replace_values(STAND, sole={"size": 0.08})
PD = replace_values(STAND, control={"kind": "pd"})


def recorded(walk, ahead, **options):
    """Return the run of a walk, and how many of its steps were parts of blocks."""
    recorder = Recorder(walk.simulator, walk.start, 1e-3, feet=walk.feet, nodes=25, **options)
    blocks = 0
    for step, command in walk.steps(ahead=ahead):
        recorder.record(step, command)
        blocks += step.last.block is not None
    return recorder.run(), blocks


@pytest.fixture(scope="module")
def walks():
    scenarios = {"stand": STAND, "walk": WALK, "short": SHORT, "terrain": TERRAIN, "pd": PD}
    return {name: assemble_walk(scenario) for name, scenario in scenarios.items()}


@pytest.mark.parametrize(
    "name", ["stand", "short", "terrain", "pd", pytest.param("walk", marks=pytest.mark.nightly)]
)
def test_a_run_in_blocks_is_the_run_tick_by_tick(walks, name):
    """The kernels are the same; other inlining may round the last digit of a sum differently."""
    walk = walks[name]
    (plain, none), (blocked, some) = (recorded(walk, ahead) for ahead in (1, 32))
    assert none == 0
    assert some > 0.75 * len(plain.series["time"])
    if name in ("short", "terrain"):  # not a run in which all nodes stick
        assert (plain.series["sliding"] > 0).sum() > 10 and plain.series["iterations"].sum() > 10
    assert plain.series.keys() == blocked.series.keys()
    for key, series in plain.series.items():
        scale = max(1e-3, np.nanmax(np.abs(series)))
        np.testing.assert_allclose(blocked.series[key], series, rtol=0, atol=1e-9 * scale)
    for key, frames in plain.frames.items():
        assert len(frames) == len(plain.series["time"]) // 25
        scale = max(1e-3, np.abs(frames).max())
        np.testing.assert_allclose(blocked.frames[key], frames, rtol=0, atol=1e-9 * scale)


def test_parts_of_a_step_of_a_block_are_those_of_a_single_step(walks):
    walk = walks["stand"]
    single, block = ([*walk.steps(ahead=ahead)] for ahead in (1, 32))
    k = next(i for i, (step, _) in enumerate(block) if step.block is not None) + 40
    (one, asked), (other, wanted) = single[k], block[k]
    assert other.block is not None and one.block is None
    assert other.time == one.time == other.state.time
    for name in ("torques", "acceleration", "wrenches", "saturated", "stops"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-9)
    np.testing.assert_allclose(wanted.positions, asked.positions, atol=1e-12)
    np.testing.assert_allclose(other.contact.twists, one.contact.twists, atol=1e-12)
    assert other.contact.solutions[0].certificate.natural_map < 1e-6
    np.testing.assert_array_equal(other.details.before().q, block[k - 1][0].state.q)
    assert other.state.soles.steady == one.state.soles.steady
    np.testing.assert_allclose(other.state.soles.earlier, one.state.soles.earlier, atol=1e-6)
    assert other.contacts == one.contacts == other.contact.contacts
    assert walk.senses.posture(other) == pytest.approx(walk.senses.posture(one), abs=1e-12)


@pytest.mark.nightly
def test_parts_of_a_swept_step_of_a_block_are_those_of_a_single_step(walks):
    """A step in which nodes slide: its contacts, its forces node by node, its solution."""
    walk = walks["terrain"]
    single, block = ([*walk.steps(ahead=ahead)] for ahead in (1, 32))
    swept = [k for k, (step, _) in enumerate(block) if step.block is not None and step.slips]
    assert len(swept) > 50
    for k in swept[:: len(swept) // 7]:
        one, other = single[k][0].contact, block[k][0].contact
        np.testing.assert_array_equal(other.nodes, one.nodes)
        np.testing.assert_array_equal(other.state.status, one.state.status)
        np.testing.assert_array_equal(other.state.solid, one.state.solid)
        for name in ("positions", "gaps", "wrenches", "twists"):
            np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-9)
        for name in ("forces", "earlier", "outside", "displacement"):
            of = getattr(other.state, name), getattr(one.state, name)
            np.testing.assert_allclose(*of, rtol=0, atol=1e-7)
        a, b = other.solutions[0], one.solutions[0]
        assert a.certificate.holds(1e-6) and a.sweeps == b.sweeps
        np.testing.assert_allclose(a.reactions, b.reactions, rtol=0, atol=1e-7)


def test_a_state_from_a_block_goes_on_by_single_steps(walks):
    """The step after step k of a block, by `Simulator.step`, is step k + 1."""
    walk = walks["stand"]
    steps = [*walk.steps(ahead=32)]
    pairs = [p for p in pairwise(steps) if all(step.block is not None for step, _ in p)]
    (before, _), (after, command) = pairs[len(pairs) // 2]
    again = walk.simulator.step(before.state, command, 1e-3)
    np.testing.assert_allclose(again.state.q, after.state.q, rtol=0, atol=1e-14)


def test_nothing_of_a_block_is_walked_under_a_push(walks):
    """A push acts at the very step that it names, and the run is that without blocks."""
    push = PushPlan(start=0.05, duration=0.01, force=(200.0, 0.0, 0.0))
    walk = assemble_walk(replace_values(STAND, push=(push,)))
    (plain, _), (blocked, some) = (recorded(walk, ahead) for ahead in (1, 32))
    assert some > 0
    np.testing.assert_allclose(blocked.series["v"], plain.series["v"], rtol=0, atol=1e-10)
    pushed = np.flatnonzero(np.diff(blocked.series["outer_work"])) + 1
    np.testing.assert_array_equal(pushed, np.arange(50, 60))


def test_the_memory_of_the_controller_follows_the_block(walks):
    """The tick after a block asks for the same command as if all had been single ticks."""
    walk = walks["walk"]
    found = []
    for ahead in (1, 32):
        commands = [command.positions.copy() for _, command in walk.steps(ahead=ahead)]
        found.append(np.array(commands))
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-11)


def test_steps_are_short_while_a_foot_lands_with_blocks_and_without(walks):
    """The same ticks are divided as without blocks."""
    found = []
    for ahead in (1, 32):
        steps = [step for step, _ in walks["short"].steps(ahead=ahead)]
        found.append([len(step.parts) for step in steps])
    assert found[0] == found[1]
    assert 50 < sum(n == 4 for n in found[0]) < len(found[0]) / 2


@pytest.mark.parametrize("name", ["walk", "terrain"])
def test_snapshots_of_a_block_are_those_of_its_steps(walks, name):
    """To the last bit: at odd intervals, over the ends of blocks, of runs and of swept steps."""
    walk = walks[name]
    recorder = Recorder(walk.simulator, walk.start, 1e-3, feet=walk.feet, nodes=7)
    wanted, kinds = [], set()
    for k, (step, command) in enumerate(walk.steps(), start=1):
        recorder.record(step, command)
        if k % 7 == 0:
            wanted.append(snapshot(step))
            kinds.add((step.block is not None, step.slips))
    recorder.run()
    assert {(True, False), (True, True)} <= kinds and len(wanted) > 200
    for found, frame in zip(recorder._frames, wanted, strict=True):
        for a, b in zip(found, frame, strict=True):
            np.testing.assert_array_equal(a, b)
            base = getattr(a, "base", None)  # a copy for a few snapshots, not a view of a block
            assert base is None or (base.base is None and len(base) <= 5)


def test_steps_of_a_block_are_known_in_their_order_alone(walks):
    steps = [step for step, _ in walks["stand"].steps()]
    k = next(i for i, step in enumerate(steps) if step.block is not None)
    block, n = steps[k].block, steps[k].block.count
    assert steps[k].index == 0 and n > 3
    assert leading_block(steps[k:]) == (block, 0, n)  # the next block is another one
    assert leading_block([steps[k + 1], steps[k + 2], steps[k]]) == (block, 1, 3)
    joined = join_steps(steps[k : k + 2])
    assert joined.block is None and joined.buffers is None
    assert leading_block([joined, steps[k]]) is None


@pytest.mark.parametrize("ground", ["plane", "step:0.005,0.4"])
def test_a_second_run_has_the_same_blocks_and_bits(monkeypatch, ground):
    """From the very first tick: the run of the start is known again, or made again."""
    monkeypatch.setattr("contact.swept_step.affine_step.KEPT", 1)
    walk = assemble_walk(replace_values(WALK, ground=ground, duration=2.3))
    first, second = ([step for step, _ in walk.steps()] for _ in range(2))
    kinds = [[(type(step), step.block is None) for step in steps] for steps in (first, second)]
    assert kinds[0] == kinds[1]
    assert first[0].block is not None
    runs = {id(s.block.contact.run) for s in first if s.block is not None and not s.slips}
    assert len(runs) > 1
    for a, b in zip(first[::23], second[::23], strict=True):
        np.testing.assert_array_equal(a.state.q, b.state.q)


def test_what_sweeps_keep_from_step_to_step_changes_no_bit():
    """A node that is packed since an earlier step may join the contacts that are swept."""
    scenario = replace_values(
        Scenario(), ground="step:0.004", duration=0.25, settle=0.1, plan={"kind": "fixed"}
    )
    walk = assemble_walk(scenario)
    first, second = ([step.state for step, _ in walk.steps()] for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.soles.displacement, b.soles.displacement)
        np.testing.assert_array_equal(a.q, b.q)


def test_it_settles_in_blocks_as_tick_by_tick(monkeypatch):
    """The same start but for the last digits, whatever the length of the last block."""
    scenario = replace_values(COARSE, settle=0.2371)
    blocked = assemble_walk(scenario).start
    monkeypatch.setattr("robot.fused.tick_blocks.TickBlocks.next", lambda *a: None)
    single = assemble_walk(scenario).start
    assert blocked.soles.steady == single.soles.steady
    np.testing.assert_allclose(blocked.q, single.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(blocked.v, single.v, rtol=0, atol=1e-9)


@pytest.mark.parametrize("near", [pytest.param(2e-3, marks=pytest.mark.nightly), 1e-9])
def test_a_landing_within_blocks_of_sliding_nodes_is_noticed(monkeypatch, near):
    """Who looks at every tick sees the same landings: near the ground, or by the touch alone."""
    for module in ("landing", "walk"):
        monkeypatch.setattr(f"robot.walk.{module}.NEAR", near)
    walk = assemble_walk(replace_values(SHORT, control={"kind": "pd"}, duration=2.8))
    watch, plain = (LandingWatch(walk.simulator, 2) for _ in range(2))
    steps = [step for step, _ in walk.steps()]
    lands = [watch.landing(step) for step in steps]
    assert lands[:-1] == [len(step.parts) > 1 for step in steps[1:]]
    assert 10 < sum(lands) < len(lands) / 2
    assert lands == [plain.landing(replace(step.last)) for step in steps]  # not from sheets
    swept = {step.block for step in steps if step.block is not None and step.slips}
    assert sum(block.count > 4 for block in swept) > 10


def test_own_simulators_are_asked_step_by_step(walks):
    """A simulator that steps in its own way, as another engine does, makes every step."""

    class Own(Simulator):
        asked = 0

        def step(self, *args):
            Own.asked += 1
            return super().step(*args)

    walk = assemble_walk(STAND)
    walk.simulator.__class__ = Own
    before = Own.asked
    steps = [step for step, _ in walk.steps()]
    assert Own.asked - before == len(steps)


def test_states_of_other_soles_begin_no_block(walks):
    """They are refused, as by a single step; a state of its own goes on."""
    walk = walks["terrain"]
    state = next(
        step.state.soles for step, _ in walk.steps()
        if step.slips and not is_due(step.state.soles.steady)
    )  # fmt: skip
    assert isinstance(state.origin, SweptOrigin)
    assert ways_of(walk.simulator.stepper)[1].goes_on(state)
    assert not ways_of(assemble_walk(COARSE).simulator.stepper)[1].goes_on(state)


@pytest.mark.parametrize("given", [False, True])
def test_what_is_recorded_is_the_command_that_was_given(walks, given):
    """None, or another than that of the step."""
    walk = walks["stand"]
    recorder = Recorder(walk.simulator, walk.start, 1e-3, feet=walk.feet)
    for step, command in walk.steps():
        recorder.record(step, command.before(-1.0) if given else None)
    run = recorder.run()
    assert ("reference" in run.series) == given
    if given:
        asked = command.positions + command.velocities
        np.testing.assert_allclose(run["reference"][-1], asked, rtol=0, atol=1e-12)


def test_own_controllers_are_asked_tick_by_tick(walks):
    class Own(Stabiliser):
        asked = 0

        def update(self, sensed, t):
            Own.asked += 1
            return super().update(sensed, t)

    walk = assemble_walk(STAND)
    walk.controller.__class__ = Own
    before = Own.asked
    steps = [step for step, _ in walk.steps()]
    assert Own.asked - before == len(steps)
    assert all(step.block is None for step in steps)


@pytest.mark.parametrize("scenario", [STAND, PD], ids=["stabiliser", "pd"])
def test_who_listens_at_a_controller_hears_every_tick(scenario, monkeypatch):
    """Another `update` in the place of its own, and one in the place of its class's."""
    walk, heard = assemble_walk(scenario), []
    kind, update = type(walk.controller), walk.controller.update

    def listen(sensed, t):
        heard.append(t)
        return update(sensed, t)

    walk.controller.update = listen
    assert len([*walk.steps()]) == len(heard) == 120
    del walk.controller.update
    heard.clear()
    monkeypatch.setattr(kind, "update", lambda self, sensed, t: listen(sensed, t))
    assert len([*walk.steps()]) == len(heard) == 120


def test_the_contact_frames_of_a_step_are_not_those_of_a_later_one(walks):
    """On terrain, asked for while the simulator goes on: the same as when asked for at once."""
    walk, late, early = walks["terrain"], [], []
    for k, (step, _) in enumerate(walk.steps(ahead=1)):
        late.append(step.contact)
        if k % 100 == 50:
            early.append((k, step.contact.frame.contacts.P.copy()))
        if k > 400:
            break
    fresh = [step for step, _ in walk.steps(ahead=1)]
    assert any(not step.slips for step in fresh)
    for k, P in early:
        np.testing.assert_array_equal(fresh[k].contact.frame.contacts.P, P)
