"""Recording, runs and their files: what the simulator said is what can be read."""

from __future__ import annotations

import errno
import json
import re
import signal
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from command_line import in_this_process
from small_robot import REST, drop, model, pad, simulator, start

from robot.fused import fast_simulator
from robot.measures import metrics, touchdowns_of
from robot.recorder import Recorder, recording
from robot.recorder import recorder as module
from robot.recorder.recorded import NodalSnapshot, snapshot_series
from robot.run import CHANNELS, Channel, Run, Skeleton, load_run, save_run, tread_of
from robot.run.channels import FRAMES
from robot.summaries.run_summary import describe_run
from sole.base.errors import ConfigError, ResourceError, SchemaError, SoleError
from sole.base.stopping import Terminated, stoppable

STEPS = 120  # 0.12 s: 45 ms of fall, then the landing


@pytest.fixture(scope="module")
def fall():
    return drop(simulator(), STEPS, nodes=10, scenario={"seed": 3})


@pytest.fixture(scope="module")
def run(fall) -> Run:
    return fall.recorder.run()


def test_a_row_is_the_step_bit_for_bit(fall, run):
    assert len(run) == STEPS
    for i in (0, 50, STEPS - 1):
        step = fall.steps[i]
        assert run.time[i] == step.state.time
        np.testing.assert_array_equal(run["q"][i], step.state.q)
        np.testing.assert_array_equal(run["v"][i], step.state.v)
        np.testing.assert_array_equal(run["torque"][i], step.torques)
        np.testing.assert_array_equal(run["acceleration"][i], step.acceleration)
        np.testing.assert_array_equal(run["body_wrench"][i], step.contact.wrenches)
        np.testing.assert_allclose(
            run["wrench_world"][i], step.wrenches[:2], rtol=1e-14, atol=1e-12
        )
        assert run["iterations"][i] == step.contact.iterations
        assert run["contacts"][i] == len(step.contact.nodes)
        assert run["solved"][i] == step.contact.solved
        assert run["elastic"][i] == step.state.soles.elastic_energy


def test_forces_at_the_nodes_add_up_to_the_wrench(fall, run):
    rows = 10 * np.arange(1, 13) - 1
    np.testing.assert_array_equal(run.frames["frame_time"], run.time[rows])
    first = np.cumsum([0, *[len(t.points) for t in run.treads]])
    for b, tread in enumerate(run.treads):
        f = run.frames["node_force"][:, first[b] : first[b + 1]]
        tau = np.cross(tread.points, f).sum(axis=1)
        force = run["body_wrench"][rows, b]
        np.testing.assert_allclose(f.sum(axis=1), force[:, :3], rtol=1e-9, atol=1e-9)
        # moments about the deformed nodes differ by U x f, U below 0.2 mm
        np.testing.assert_allclose(
            tau, force[:, 3:], atol=3e-4 * np.abs(force[:, :3]).max() + 1e-12
        )


def test_derived_series_are_those_of_pinocchio(run):
    import pinocchio as pin

    m = model()
    data = m.createData()
    i = 100
    q, v = run["q"][i], run["v"][i]
    pin.centerOfMass(m, data, q, v)
    np.testing.assert_allclose(run["com"][i], data.com[0], atol=1e-14)
    np.testing.assert_allclose(run["com_velocity"][i], data.vcom[0], atol=1e-14)
    assert run["kinetic"][i] == pytest.approx(pin.computeKineticEnergy(m, data, q, v), rel=1e-12)
    h = 1e-6  # central differences of the feet's places: error h^2 and 1e-16/h
    frame = m.getFrameId("left_sole")
    places = []
    for s in (-h, h):
        pin.framesForwardKinematics(m, data, pin.integrate(m, q, s * v))
        places.append(data.oMf[frame].translation.copy())
    speed = (places[1] - places[0]) / (2 * h)
    np.testing.assert_allclose(run["foot_velocity"][i, 0], speed, atol=1e-8)


def test_acceleration_of_a_foot_is_the_change_of_its_velocity(run):
    """Mean over a step; what the frame's turning adds differs by O(dt)."""
    for name in ("foot", "waist"):
        a = run[f"{name}_acceleration"].reshape(STEPS, -1, 3)
        if name == "foot":
            v = run["foot_velocity"]
        else:
            v = np.gradient(run["waist_position"], run.dt, axis=0)[:, None]
            v = run["v"][:, None, :3]  # hardly turned
        change = np.diff(v, axis=0) / run.dt
        np.testing.assert_allclose(a[1:], change, atol=1e-3 * np.abs(a).max())


def test_energy_is_accounted_for(run):
    """Exactly in free flight (nothing turns); to the turning of the trunk afterwards."""
    flight = run["contacts"] == 0
    assert flight.sum() > 20
    last = np.flatnonzero(flight)[-1]
    assert np.abs(run["unaccounted"][:last]).max() < 1e-12 * run["potential"][0]
    assert np.abs(run["unaccounted"]).max() < 1e-4 * run["kinetic"].max()
    for never_grows in ("friction_work",):
        # to the tolerance of the contact solver
        assert np.diff(run[never_grows]).max() <= 1e-6 * run["kinetic"].max()
    for never_shrinks in ("viscous_loss", "numerical_loss", "slip"):
        assert np.diff(run[never_shrinks], axis=0).min() >= -1e-15


def test_every_nth_step_keeps_the_sums_of_all(run):
    thin = drop(simulator(), STEPS, every=7).recorder.run()
    rows = 7 * np.arange(1, 1 + STEPS // 7) - 1
    for name in ("time", "q", "wrench_world", "numerical_loss", "joint_work", "slip", "com"):
        np.testing.assert_array_equal(thin[name], run[name][rows])
    assert run.complete
    assert not thin.complete


def test_forces_on_all_surfaces_of_a_node_add_up():
    forces = np.random.default_rng(0).standard_normal((4, 3, 3))
    still = np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((1, 3)), np.eye(3)[None]
    found = snapshot_series([NodalSnapshot(0.0, forces, *still)])
    np.testing.assert_allclose(found["node_force"], forces.sum(axis=1)[None], atol=1e-15)


def test_arrays_grow_or_have_the_length_that_was_asked_for(run, monkeypatch):
    monkeypatch.setattr(module, "FIRST", 16)
    grown = drop(simulator(), STEPS).recorder.run()
    for name in run.series:
        np.testing.assert_array_equal(grown[name], run[name])
    with pytest.raises(SoleError, match="limited to 5 steps"):
        drop(simulator(), 6, steps=5)


def test_extras_are_recorded_and_refused():
    sim = simulator()
    wanted = {"wanted": Channel(("xy",), "m", "where the ZMP should be")}
    recorder = Recorder(sim, start(sim), 1e-3, extras=wanted)
    step = sim.step(start(sim), REST, 1e-3)
    recorder.record(step, REST, wanted=[1.0, 2.0])
    recorder.record(step, REST)
    run = recorder.run()
    np.testing.assert_array_equal(run["wanted"], [[1.0, 2.0], [np.nan, np.nan]])
    with pytest.raises(SoleError, match="'other' was not declared; declared extras: wanted"):
        recorder.record(step, other=1.0)
    with pytest.raises(SoleError, match="wanted"):
        recorder.record(step, wanted=[1.0, 2.0, 3.0])
    with pytest.raises(ConfigError, match="com"):
        Recorder(sim, start(sim), 1e-3, extras={"com": Channel((), "m", "")})
    with pytest.raises(SoleError, match="nothing was recorded"):
        Recorder(sim, start(sim), 1e-3).run()
    with pytest.raises(ConfigError, match="dt must be positive"):
        Recorder(sim, start(sim), 0.0)


def test_a_file_gives_the_run_back_bit_for_bit(run, tmp_path):
    path = tmp_path / "run.nc"
    save_run(path, run)
    back = load_run(path)
    assert list(back.series) != []
    for one, other in ((run.series, back.series), (run.frames, back.frames)):
        assert set(one) == set(other)
        for name in one:
            assert one[name].dtype == other[name].dtype, name
            np.testing.assert_array_equal(one[name], other[name])
    assert dict(back.header) == dict(run.header)
    assert back.header["scenario"] == {"seed": 3}
    for a, b in zip(run.treads, back.treads, strict=True):
        assert (a.name, a.foot, a.friction, a.rigid) == (b.name, b.foot, b.friction, b.rigid)
        np.testing.assert_array_equal(a.faces, b.faces)
        np.testing.assert_array_equal(a.areas, b.areas)
    q = run["q"][70]
    np.testing.assert_array_equal(back.skeleton.poses(q), run.skeleton.poses(q))
    np.testing.assert_array_equal(back.ground["height"], run.ground["height"])


def test_the_file_has_named_dimensions_and_units(run, tmp_path):
    import xarray

    path = tmp_path / "run.nc"
    save_run(path, run)
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert data.attrs["schema"] == "robot.run/1"
        assert data["wrench_world"].sel(foot="left", wrench="fz").dims == ("time",)
        for name, values in data.data_vars.items():
            assert values.attrs["units"], name
            if str(name) in CHANNELS:
                assert values.dims == ("time", *CHANNELS[str(name)].dims)


def test_ctrl_c_leaves_the_run_so_far(tmp_path):
    path, sim = tmp_path / "run.nc", simulator()
    state = start(sim)
    recorder = Recorder(sim, state, 1e-3)
    with pytest.raises(KeyboardInterrupt), recording(path, recorder):
        for k in range(10):
            if k == 4:
                raise KeyboardInterrupt
            step = sim.step(state, REST, 1e-3)
            recorder.record(step)
            state = step.state
    run = load_run(path)
    assert len(run) == 4
    assert run.header["ended"] == "interrupted"
    assert not run.finished
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_signal_stops_a_recording_when_the_next_step_is_given(tmp_path):
    """Not inside a step, where compiled code may lose it."""
    path, sim, went_on = tmp_path / "run.nc", simulator(), []
    before = signal.getsignal(signal.SIGTERM)
    recorder = Recorder(sim, start(sim), 1e-3)
    step = sim.step(start(sim), REST, 1e-3)
    with pytest.raises(Terminated), recording(path, recorder):
        recorder.record(step)
        signal.raise_signal(signal.SIGTERM)
        went_on.append(True)
        recorder.record(step)
        pytest.fail("the second step must not be taken")
    assert went_on
    assert load_run(path).header["ended"] == "terminated"
    assert len(load_run(path)) == 1
    assert signal.getsignal(signal.SIGTERM) == before
    with pytest.raises(KeyboardInterrupt), stoppable():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_an_error_leaves_the_run_so_far_and_its_reason(tmp_path):
    path, sim = tmp_path / "run.nc", simulator()
    recorder = Recorder(sim, start(sim), 1e-3)
    with pytest.raises(SoleError), recording(path, recorder):
        recorder.record(sim.step(start(sim), REST, 1e-3))
        raise SoleError("joint 3 is NaN")
    assert load_run(path).header["ended"] == "error: joint 3 is NaN"
    with recording(path, recorder):
        pass
    assert load_run(path).finished


def test_a_folder_that_is_not_there_is_refused_before_the_work(tmp_path):
    sim = simulator()
    with pytest.raises(SoleError, match="does not exist"):
        with recording(tmp_path / "no" / "run.nc", Recorder(sim, start(sim), 1e-3)):
            pytest.fail("the block must not start")


def test_a_full_disk_is_an_error_and_the_old_file_stays(run, tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    path.write_bytes(b"old")

    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ResourceError, match="disk is full"):
        save_run(path, run)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_foreign_and_truncated_files_are_refused(run, tmp_path, pad_file):
    path = tmp_path / "run.nc"
    save_run(path, run)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SchemaError):
        load_run(path)
    with pytest.raises(SchemaError, match=r"expected 'robot\.run/1'"):
        load_run(pad_file)


def test_a_run_names_what_it_has(run):
    with pytest.raises(SoleError, match="the run has no 'speed'; it has time, q"):
        run["speed"]
    with pytest.raises(SoleError, match=r"from 0\.001 to 0\.12 s, got 3 s"):
        run.row(3.0)
    assert run.row(0.0500) == 49
    with pytest.raises(ValueError, match="read-only"):
        run["q"][0, 0] = 1.0


def random_tree(seed: int):
    """Return a model with joints of all kinds that robots have."""
    import pinocchio as pin

    rng = np.random.default_rng(seed)
    m = pin.Model()
    parent = m.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    axis = rng.standard_normal(3)
    kinds = [
        pin.JointModelRX(),
        pin.JointModelRevoluteUnaligned(axis / np.linalg.norm(axis)),
        pin.JointModelPY(),
        pin.JointModelPrismaticUnaligned(axis / np.linalg.norm(axis)),
        pin.JointModelRZ(),
        pin.JointModelHZ(0.1),
    ]
    for k, kind in enumerate(kinds):
        parent = m.addJoint(parent if k % 2 else 1, kind, pin.SE3.Random(), f"j{k}")
    m.addFrame(pin.Frame("tip", parent, 0, pin.SE3.Random(), pin.FrameType.OP_FRAME))
    return m


@pytest.mark.parametrize("seed", [0, 1])
def test_the_skeleton_moves_as_pinocchio_says(seed):
    import pinocchio as pin

    m = random_tree(seed)
    skeleton, data = Skeleton.of(m, [m.getFrameId("tip")]), m.createData()
    rng = np.random.default_rng(seed)
    q = np.array([pin.integrate(m, pin.neutral(m), rng.standard_normal(m.nv)) for _ in range(4)])
    poses, tips = skeleton.poses(q), skeleton.frame_poses(q)
    for i in range(4):
        pin.framesForwardKinematics(m, data, q[i])
        for k in range(1, m.njoints):
            np.testing.assert_allclose(poses[i, k - 1], data.oMi[k].homogeneous, atol=1e-13)
        tip = data.oMf[m.getFrameId("tip")].homogeneous
        np.testing.assert_allclose(tips[i, 0], tip, atol=1e-13)


def test_a_joint_that_pictures_cannot_draw_is_named():
    import pinocchio as pin

    m = pin.Model()
    m.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "shoulder")
    with pytest.raises(SoleError, match="'shoulder' has 4 coordinates"):
        Skeleton.of(m, [])


def test_treads_know_their_area_with_and_without_a_sole():
    from contact.step import Body

    body = Body.of(pad())
    for soles in ((), (pad(),)):
        tread = tread_of("left", body, 0, soles)
        assert tread.areas.sum() == pytest.approx(0.16 * 0.08, rel=1e-12)
        assert len(tread.faces) == 16
        np.testing.assert_allclose(tread.half_size, [0.08, 0.04])


def test_the_rigid_fit_of_a_rigid_motion_is_that_motion():
    tread = tread_of("left", simulator().touching[0].body)
    d = np.array([1e-3, -2e-3, 3e-3, 0.01, 0.02, -0.03])
    U = d[:3] + np.cross(d[3:], tread.points - tread.origin)
    np.testing.assert_allclose(tread.fit() @ U.ravel(), d, atol=1e-14)
    bulge = np.zeros_like(U)  # even in x and y: no tilt, a lift of its mean over the area
    bulge[:, 2] = np.cos(20 * tread.points[:, 0]) * np.cos(30 * tread.points[:, 1])
    fitted = tread.fit() @ bulge.ravel()
    assert np.abs(np.delete(fitted, 2)).max() < 1e-13
    assert fitted[2] == pytest.approx(np.average(bulge[:, 2], weights=tread.areas), rel=1e-12)


def test_the_sliding_path_of_a_rigid_foot_is_how_far_it_went():
    """Every node of a foot that does not turn slides as far as the foot."""
    sim = simulator(young=None)
    run = drop(sim, 60, state=start(sim, drop=0.0, speed=0.3)).recorder.run()
    for f in range(2):
        travelled = np.abs(np.diff(run["foot_position"][:, f, 0]))[run.loaded[1:, f]].sum()
        first = run["slip"][np.argmax(run.loaded[:, f]), f]
        turned = 0.2 * run["waist_tilt"].max()  # m: what the turning of the trunk may add
        assert run["slip"][-1, f] - first == pytest.approx(travelled, abs=turned)
        assert travelled > 3e-3


def test_sole_info_says_whether_it_fell(run, tmp_path, monkeypatch, capsys):
    path = tmp_path / "run.nc"
    save_run(path, run)
    code, out, _ = in_this_process(monkeypatch, capsys)("info", path, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["fell"] is False
    assert told["fell_at"] is None
    assert told["units"]["impact_force"] == "N"
    assert told["robot"] == "small"


def test_sole_info_lists_every_variable_that_a_run_has(run, root, tmp_path, monkeypatch, capsys):
    path = tmp_path / "run.nc"
    save_run(path, run)
    code, out, _ = in_this_process(monkeypatch, capsys)("info", path, "--variables", "--json")
    found = json.loads(out)
    assert code == 0 and {*run.series, *run.frames} <= set(found)
    assert found["wrench_foot"] == "time, foot, wrench"
    assert found["units"]["wrench_foot"] == "N, N m"
    page = (root / "docs" / "files.md").read_text(encoding="utf-8")
    assert [name for name in {**CHANNELS, **FRAMES} if f"`{name}`" not in page] == []


def test_a_rigid_block_that_lands_loses_its_fall():
    """Plastic: m g h is lost, m v + m g T given to the ground in T = 20 ms, v = sqrt(2 g h).

    A step is a hundredth of the fall, which is what the sampled touch-down is off by.
    """
    import pinocchio as pin

    from contact.ground import Plane
    from contact.step import Body
    from robot.simulator import Command, Servo, Touching

    mass, height, g, dt = 20.0, 5e-3, 9.81, 2e-4
    block = pin.Model()
    base = block.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    block.appendBodyToJoint(
        base, pin.Inertia(mass, np.zeros(3), np.diag([0.2, 0.2, 0.2])), pin.SE3.Identity()
    )
    foot = block.addFrame(pin.Frame("sole", base, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    none = Servo(kp=np.zeros(0), kd=np.zeros(0), limits=np.zeros(0))
    touching = [Touching(name="foot", frame=foot, body=Body(points=corners))]
    sim = fast_simulator(block, touching, Plane(), none)
    state = sim.at([0, 0, height, 0, 0, 0, 1.0])
    recorder = Recorder(sim, state, dt, sides=[0])
    for _ in range(round(0.1 / dt)):
        step = sim.step(state, Command(positions=np.zeros(0), velocities=np.zeros(0)), dt)
        recorder.record(step)
        state = step.state
    block_run = recorder.run()
    (landing,) = touchdowns_of(block_run)
    table, speed = metrics(block_run), np.sqrt(2 * g * height)
    assert landing.speed == pytest.approx(speed, rel=0.01)
    assert table["impact loss"].value == pytest.approx(mass * g * height, rel=0.02)
    assert table["impact impulse"].value == pytest.approx(mass * (speed + 0.02 * g), rel=0.01)
    # all of it in one step, or two where it ends in between: raw peaks are as large as dt is short
    assert 0.5 <= table["impact force"].value / (mass * speed / dt) <= 1.02
    assert 0.5 <= table["foot acceleration"].value / (speed / dt) <= 1.02
    peak = 2 * np.pi * 100 / (np.sqrt(2) - 1) ** 0.25 / (2 * np.sqrt(2))  # of a unit impulse
    filtered = peak * speed - g / 2  # up from the middle of -g before and 0 after
    assert table["foot acceleration 100 Hz"].value == pytest.approx(filtered, rel=0.02)


def test_two_bodies_of_one_foot_add_up(run):
    """Parts before and behind a toe: one wrench about the origin of the first."""
    both = drop(simulator(), STEPS, sides=[0, 0, -1]).recorder.run()
    assert both.feet == ("left",)
    assert both.bodies_of(0) == [0, 1]
    arm = run["foot_position"][:, 1] - run["foot_position"][:, 0]
    force, moment = run["wrench_world"][..., :3], run["wrench_world"][..., 3:]
    wanted = moment.sum(axis=1) + np.cross(arm, force[:, 1])
    np.testing.assert_allclose(both["wrench_world"][:, 0, :3], force.sum(axis=1), atol=1e-9)
    # the arm of a step's start and that of its end differ by what the feet move in it
    np.testing.assert_allclose(both["wrench_world"][:, 0, 3:], wanted, atol=1e-5 * 300)
    loaded = run["contacts"] > 0
    zmp = both["zmp"][loaded, :2] - both["foot_position"][loaded, 0, :2]
    np.testing.assert_allclose(both["cop"][loaded, 0], zmp, atol=1e-5)


def test_a_run_that_stopped_says_so_in_its_report(fall):
    told = describe_run(fall.recorder.run("interrupted"))
    assert told.quantities["rows"].value == STEPS
    assert told.quantities["snapshots"].value == STEPS // 10
    assert any("did not reach its end: interrupted" in w for w in told.warnings)
    assert any("depend on dt" in w for w in told.warnings)


def test_a_report_of_a_fall_tells_what_a_swing_foot_met(fall):
    """The sentence itself: test_met_obstacle.py."""
    run = fall.recorder.run()
    event = {"time": 0.5, "kind": "early", "step": 2, "place": (0.79, 0.1, 0.06)}
    more = {
        "fall": {"fell": True, "time": 1.0, "reason": "it fell"},
        "events": [event],
        "scenario": {"gait": {"lift": 0.06}, "plan": {"arrive": 0.9}},
    }
    told = describe_run(replace(run, header={**run.header, **more}))
    assert any("[gait] lift" in w for w in told.warnings)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ([], "0 swings ended"),
        (["late"], "1 swing ended: 1 after its time"),
        (
            ["gave up", "out of reach"],
            "1 swing ended: 1 without ground; 1 with feet and centre of mass out of reach",
        ),
        (
            ["landed", "early", "again", "landed", "met"],
            "3 swings ended: 2 as planned, 1 before its time; 1 stepped again, off an edge; "
            "1 went over something",
        ),
    ],
)
def test_a_report_counts_the_swings_of_an_online_plan_and_how_they_ended(fall, kinds, told):
    run = fall.recorder.run()
    events = [{"time": 0.5, "kind": kind, "step": 0, "place": (0.0, 0.0, 0.0)} for kind in kinds]
    report = describe_run(replace(run, header={**run.header, "events": events}))
    assert report.quantities["plan"].remark == told


@pytest.mark.parametrize("name", ["base_position", "time", "joint_torque"])
def test_a_variable_of_texts_is_one_line(name, run, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.nc"
    save_run(path, run)
    with h5py.File(path, "r+") as f:
        del f.attrs["content"], f.attrs["sealed"]
        name = name if name in f else "time"
        length = len(f[name])
        del f[name]
        f.create_dataset(name, data=["x"] * length, dtype=h5py.string_dtype())
    code, out, err = in_this_process(monkeypatch, capsys, "info")(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {path}: ")
    assert "internal" not in err


def test_a_series_with_an_axis_too_many_is_refused(run, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.nc"
    save_run(path, run)
    with h5py.File(path, "r+") as f:
        del f.attrs["content"], f.attrs["sealed"]
        wrenches = f["wrench_world"][()]
        del f["wrench_world"]
        f["wrench_world"] = wrenches[..., None]
    with pytest.raises(SchemaError, match="'wrench_world' has 4 axes, expected time, foot, wrench"):
        load_run(path)
    code, out, err = in_this_process(monkeypatch, capsys, "info")(path)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_a_run_that_was_damaged_is_refused(run, tmp_path):
    path = tmp_path / "r.nc"
    save_run(path, run)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(SchemaError, match="does not match its digest"):
        load_run(path)


def test_a_run_is_printed_in_one_line(run):
    told = repr(run)
    assert re.fullmatch(r"<Run of .*: \d+ rows to [\d.]+ s, \d+ series, .+>", told), told
    assert len(told) < 120
