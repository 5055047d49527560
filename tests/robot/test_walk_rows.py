"""Rows of a study that walk: what axes change, what a row holds, how strained the soles were."""

from __future__ import annotations

import pickle
import signal
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import robot.studies.columns
import robot.walk.walk
from contact.press import Wrench, press
from robot.gait import Balancing, Standing, Walking
from robot.measures import metrics, verdict
from robot.model import load_robot
from robot.run import load_run, save_run
from robot.soles import on_soles
from robot.studies.columns import COLUMNS, METRICS, column_name
from robot.studies.scenarios import scenario_of
from robot.studies.strains import MIRROR, largest_strains, with_strains
from robot.studies.walk_rows import WalkRows
from robot.summaries.run_summary import describe_run
from robot.walk import (
    ControlChoice,
    KnownPlans,
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    replace_values,
)
from robot.walk.assembly import plan_of
from sole.base.errors import ConfigError, SoleError
from sole.condense import STRAIN_LIMIT, Recovery, condense, save_condensed
from sole.material import Material
from sole.studies import FIELD_COLUMNS, Axis, Case, SharedSole, Study, field_metrics
from sole.studies.rows import declared_by
from sole.studies.studied_soles import find_soles
from sole.studies.study_plan import Plan

E = 1e6
WALK = {
    "dt": 4e-3,
    "settle": 0.1,
    "sole": {"size": 0.06, "element": "p1"},
    "gait": {"steps": 1, "forward": 0.1, "single": 0.5, "initial": 0.3, "final": 0.8},
    "control": {"period": 4e-3},
}
STAND = WALK | {"gait": {"kind": "stand", "initial": 0.1, "final": 0.1}}
SIDEWAYS = {"push": [{"force": [0.0, 2500.0, 0.0], "start": 0.01}]}
Rubber = Material(young_modulus=E, poisson_ratio=0.4)


@pytest.fixture(scope="module")
def kind(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "step.toml").write_text(
        'schema = "contact.ground/1"\n[[solid]]\nkind = "step"\nrise = 0.01\n'
    )
    return WalkRows(WALK, folder)


@pytest.fixture(scope="module")
def stand(kind):
    return WalkRows(STAND, kind.files.folder)


@pytest.fixture(scope="module")
def shared(kind):
    """The pad of hrp2-like's foot at 1 MPa."""
    sole = condense(kind.mesh(kind.pad({})), Rubber, element="p1")
    return SharedSole(
        foot_stiffness=sole.foot_stiffness,
        inertia=sole.inertia,
        make_sole=lambda: sole,
        make_recovery=Recovery,
    )


def case(young: float = 3 * E, **settings) -> Case:
    material = Material(young_modulus=young, poisson_ratio=0.4)
    return Case(index=0, settings=settings, materials=(material,), scale=young / E, young=young)


@pytest.fixture(scope="module")
def walked(kind, shared):
    """(settings, row) of a walk of two steps over something unexpected, on noisy sensors."""
    settings = {
        "young": 3 * E,
        "eta": 5e-3,
        "ground": "step:0.001,0.2",
        "sensing.kind": "noisy",
        "seed": 7,
        "controller": "pd",
    }
    return settings, kind.row(shared, case(**settings))


def test_a_row_is_the_metrics_of_that_walk(walked, shared, tmp_path):
    settings, row = walked
    save_condensed(tmp_path / "pad.npz", shared.sole.scaled(3.0))
    scenario = replace_values(
        Scenario(
            sole=SoleChoice(file="pad.npz", eta=5e-3),
            gait=Walking(**WALK["gait"]),
            control=ControlChoice(kind="pd", period=4e-3),
            ground=settings["ground"],
            dt=4e-3,
            settle=0.1,
            seed=7,
        ),
        sensing={"kind": "noisy"},
    )
    run, error = execute(assemble_walk(scenario, tmp_path), RecordingOptions())
    assert error is None
    found = metrics(run)
    numbers = {
        column_name(name): (float(q.value), q.unit)
        for name, q in found.items()
        if isinstance(q.value, bool | int | float)
    }
    own = {k: v for k, v in row.items() if k not in FIELD_COLUMNS}
    assert own.pop("survived") == 1.0 - own["fell"]
    assert own == {k: v for k, (v, _) in numbers.items()}
    assert {k: COLUMNS[k].unit for k in numbers} == {k: unit for k, (_, unit) in numbers.items()}
    assert row["landings"] >= 2.0
    missing = {name for name in found if name not in METRICS}
    assert missing == {"impact forces", "sole margin"}


def test_another_process_or_thread_gets_the_same_bits(kind, stand, shared):
    first, rows = stand.row(shared, case()), []
    copy = pickle.loads(pickle.dumps(stand))
    thread = threading.Thread(target=lambda: rows.append(copy.row(shared, case())))
    thread.start()
    thread.join()
    assert rows == [first]
    assert list(copy.columns) == [*COLUMNS, *FIELD_COLUMNS]


def test_axes_reach_the_scenario(kind):
    settings = {
        "young": 1e6,
        "shape": "a.toml",
        "friction": 0.3,
        "eta": 0.01,
        "ground": "slope:angle_deg=2",
        "seed": 3.0,
        "robot": "hrp4-like",
        "controller": "pd",
        "sole.rigid": True,
        "start.x": 0.5,
        "sensing.noise.gyro": 0.1,
        "gait.single": 0.9,
        "speed": 0.25,
        "dt": 1e-3,
    }
    made = scenario_of(kind.base, settings)
    assert made == replace_values(
        kind.base,
        robot="hrp4-like",
        ground="slope:angle_deg=2",
        seed=3,
        dt=1e-3,
        sole={"friction": 0.3, "eta": 0.01, "rigid": True},
        start={"x": 0.5},
        gait={"single": 0.9, "double": 0.1, "forward": 0.25 * (0.9 + 0.1)},
        control={"kind": "pd"},
        sensing={"noise": replace_values(kind.base.sensing.noise, gyro=0.1)},
    )
    assert isinstance(made.seed, int)
    with pytest.raises(ConfigError, match=r"speed and gait\.forward"):
        scenario_of(kind.base, {"speed": 0.2, "gait.forward": 0.1})
    with pytest.raises(ConfigError, match=r"gait\.steps must be a whole number, got 2\.5"):
        scenario_of(kind.base, {"gait.steps": 2.5})


def test_quantities_are_the_keys_of_a_scenario(kind):
    found = kind.quantities
    short = {"friction", "eta", "speed", "ground", "seed", "robot", "controller"}
    assert short <= set(found)
    expected = {"gait.single": "number", "gait.steps": "whole", "sole.rigid": "flag"}
    expected |= {"control.kind": "text", "duration": "number", "sensing.noise.gyro": "number"}
    assert {name: found[name].kind for name in expected} == expected
    assert [found[k].unit for k in ("speed", "eta", "dt", "gait.turn_deg")] == [
        "m/s",
        "s",
        "s",
        "deg",
    ]
    ours = ("young", "poisson", "density", "thickness", "size", "element", "file", "place")
    assert not {f"sole.{name}" for name in ours} & set(found)
    assert not {"bush.height", "urdf.left_foot", "push"} & set(found)


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("robot", "hrp2like", "no robot 'hrp2like'; there are hrp2-like"),
        ("ground", "stpe:0.01", "unknown ground 'stpe'"),
        ("ground", "nowhere.toml", "no such file"),
        ("controller", "pid", "control: kind must be one of stabiliser, force, sole-aware, pd"),
        ("gait.kind", "run", "gait: kind must be one of"),
        ("gait.steps", 0, "gait: steps must be 1 to 1000"),
        ("control.kp", -1.0, "kp must be positive"),
        ("dt", 0.05, "scenario: dt must be at most 0.02 s"),
        ("dt", 1e-300, "scenario: dt must be at least 1e-07 s"),
        ("duration", 1e9, "at most 1e+07"),
        ("settle", -1.0, "settle must be finite and not negative"),
        ("tolerance", 0.0, "tolerance"),
        ("start.x", "far", "number"),
        ("seed", 1.5, "whole number"),
        ("sole.rigid", 1.0, "true or false"),
    ],
)
def test_wrong_values_are_refused_before_any_row(kind, quantity, value, text):
    assert text in kind.quantities[quantity].refuse(value)


def test_right_values_are_taken(kind):
    for name, value in (
        ("robot", "hrp4-like"),
        ("ground", "step.toml"),
        ("seed", 2),
        ("speed", 0.2),
        ("dt", 5e-3),
        ("sole.rigid", False),
    ):
        assert kind.quantities[name].refuse(value) == ""


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"gate": {}}, "no option 'gate'; known: scenario, after, strain, converge, robot"),
        ({"gait": {"stpes": 6}}, "gait.stpes: unknown key"),
        ({"scenario": "nowhere.toml"}, "no such file"),
        ({"scenario": 3}, "scenario must be the name of a file"),
        ({"robot": "hrp2like"}, "no robot 'hrp2like'"),
        ({"ground": "stpe"}, "unknown ground 'stpe'"),
        ({"sole": {"file": "pad.npz"}}, "a study condenses its own"),
        ({"after": -1.0}, "after must be a time"),
        ({"strain": 1}, "strain must be true or false"),
    ],
)
def test_wrong_options_are_refused(options, text, tmp_path):
    with pytest.raises(SoleError) as caught:
        WalkRows(options, tmp_path)
    assert text in str(caught.value)


def test_inline_tables_win_over_the_file(tmp_path):
    (tmp_path / "plate.toml").write_text(
        'schema = "robot.scenario/1"\nground = "step:0.005,0.4"\n[gait]\nsteps = 4\nsingle = 0.9\n'
    )
    kind = WalkRows({"scenario": "plate.toml", "gait": {"steps": 2}, "after": 1.0}, tmp_path)
    assert kind.base == Scenario(ground="step:0.005,0.4", gait=Walking(steps=2, single=0.9))


def test_an_inline_kind_leaves_out_what_only_the_files_kind_has(tmp_path):
    (tmp_path / "walk.toml").write_text(
        'schema = "robot.scenario/1"\n[gait]\nsteps = 4\nlift = 0.1\n'
    )
    given = {"scenario": "walk.toml", "gait": {"kind": "balance", "hold": 1.0}}
    rows = WalkRows(given, tmp_path)
    assert rows.base.gait == Balancing(lift=0.1, hold=1.0)
    told = 'gait.steps: a key of kind "walk", not of "balance"'
    assert told in rows.quantities["gait.steps"].refuse(3.0)
    assert rows.quantities["gait.hold"].refuse(3.0) == ""
    assert scenario_of(rows.base, {"gait.kind": "stand"}).gait == Standing(lift=0.1)
    with pytest.raises(ConfigError, match='speed: of a gait of kind "walk", not of "balance"'):
        scenario_of(rows.base, {"speed": 0.1})


def test_a_pad_is_that_of_the_robots_foot(kind):
    pad = kind.mesh(kind.pad({"robot": "lola-like", "eta": 0.1}))
    half = load_robot("lola-like").left.half_size
    assert np.ptp(pad.points[:, :2], axis=0) == pytest.approx(2 * half)
    assert pad.thickness == pytest.approx(kind.base.sole.thickness)
    assert pad.materials == (Material(young_modulus=3e6, poisson_ratio=0.4, density=1100.0),)
    assert kind.pad({}) == "hrp2-like"


def test_pads_have_the_scenarios_element_unless_the_study_names_one(tmp_path):
    rows = {"walk": WalkRows({"sole": {"element": "ccr", "size": 0.08}})}
    axes = (Axis(quantity="young", values=(1e6,)),)
    study = Study(axis=axes, rows=("walk",))
    meshes = find_soles(study, rows, tmp_path)
    assert Plan(study, meshes, rows).element == "ccr"
    assert Plan(replace(study, element="p1"), meshes, rows).element == "p1"


def test_axes_that_rule_each_other_are_refused_at_the_start(tmp_path):
    rows = {"walk": WalkRows({"sole": {"size": 0.08}})}
    axes = tuple(Axis(quantity=q, values=(0.2,)) for q in ("speed", "gait.forward"))
    study = Study(axis=axes, rows=("walk",))
    with pytest.raises(ConfigError, match=r"speed and gait\.forward cannot both be axes"):
        Plan(study, find_soles(study, rows, tmp_path), rows)


def test_rows_depend_on_the_files_that_were_read(kind, tmp_path):
    prints = []
    for rise in (0.01, 0.02):
        (tmp_path / "step.toml").write_text(
            f'schema = "contact.ground/1"\n[[solid]]\nkind = "step"\nrise = {rise}\n'
        )
        rows = WalkRows(WALK, tmp_path)
        before = rows.fingerprint
        assert rows.quantities["ground"].refuse("step.toml") == ""
        assert rows.fingerprint != before
        prints.append(rows.fingerprint)
    assert prints[0] != prints[1]


def test_a_fall_is_a_row(shared, kind):
    options = STAND | SIDEWAYS | {"duration": 2.0}
    row = WalkRows(options, kind.files.folder).row(shared, case())
    assert row["fell"] == 1.0
    assert 0.05 < row["fell_at"] <= row["duration"] < 2.0
    late = WalkRows(options | {"after": 1.99, "strain": False}, kind.files.folder)
    kept = late.row(shared, case())
    assert set(kept) == {"fell", "survived", "fell_at", "duration"} and kept["survived"] == 0.0


def test_what_cannot_be_walked_says_why(kind, shared):
    with pytest.raises(SoleError, match="out of reach"):
        kind.row(shared, case(**{"gait.forward": 2.0}))


def test_rigid_soles_have_no_strain(stand, shared):
    row = stand.row(shared, case(**{"sole.rigid": True}))
    assert row["fell"] == 0.0
    assert not set(row) & set(FIELD_COLUMNS)


def test_a_stand_converges_and_the_finest_counts(shared, kind, monkeypatch):
    """It hardly moves: what impacts and peaks there are do not depend on dt."""
    heard = []

    def measured(run, after):
        heard.append((run.dt, after))
        return before(run, after)

    before = robot.studies.columns.measure_run
    monkeypatch.setattr(robot.studies.columns, "measure_run", measured)
    options = STAND | {"gait": {"kind": "stand", "initial": 0.02, "final": 0.02}}
    options |= {"after": 0.02}
    rows = WalkRows(options | {"converge": True}, kind.files.folder)
    row = rows.row(shared, case(E))
    assert rows.columns["unconverged"].unit == ""
    assert row.pop("unconverged") == 0.0
    assert heard == [(dt, 0.02) for dt in (4e-3, 2e-3, 1e-3, 1e-3)]
    finest = WalkRows(options | {"dt": 1e-3}, kind.files.folder).row(shared, case(E))
    assert set(row) == set(finest)
    assert {k: row[k] for k in COLUMNS if k in row} == {k: finest[k] for k in COLUMNS if k in row}


def test_an_interrupt_is_no_failed_row(stand, shared, monkeypatch):
    def fallen(self, step):
        signal.raise_signal(signal.SIGINT)
        return False

    monkeypatch.setattr(robot.walk.walk.Walk, "fallen", fallen)
    with pytest.raises(KeyboardInterrupt):
        stand.row(shared, case())


def test_a_standing_robot_strains_its_soles_like_a_press_of_half_its_weight(stand, shared):
    row = stand.row(shared, case())
    sole = shared.sole.scaled(3.0)
    run, _ = execute(assemble_walk(stand.base, None, (sole, None)), RecordingOptions(nodes=1))
    cop = run["cop"][-1, 0]
    result = press(sole, Wrench.standing(run.weight / 2, cop=tuple(cop)))
    expected = field_metrics(shared.recovery(result.forces, 3.0))
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, rel=0.03), name


def test_a_walk_tells_its_largest_strains_and_a_verdict_on_them(stand, tmp_path):
    walk = assemble_walk(stand.base, None)
    done = execute(walk, RecordingOptions(nodes=1)).run
    run = with_strains(done, walk.feet)
    expected = largest_strains(done, walk.feet, Recovery(walk.feet.soles[0]), 1.0)
    for name in ("strain_p99", "strain_max"):  # each sole by itself, or both as the left one
        assert run.header[name] == pytest.approx(expected[name], rel=1e-6)
    assert 0 < run.header["strain_p99"] < 0.1
    assert "linear" not in verdict(run)
    save_run(tmp_path / "r.nc", replace(run, header=run.header | {"strain_p99": 0.12}))
    told = describe_run(load_run(tmp_path / "r.nc")).quantities
    assert told["strain"].value == 0.12
    limit = f"limit {STRAIN_LIMIT:g})"
    assert f"beyond linear elasticity (strain 0.12; {limit}" in told["verdict"].value
    bare = replace(done, frames={})
    assert with_strains(bare, walk.feet) is bare
    assert "strain" not in describe_run(bare).quantities


def snapshot(feet, left, right):
    """A run of one snapshot with these displacements of the soles, split among the bodies."""
    U = np.concatenate(
        [(left, right)[side][nodes] for side, nodes in zip(feet.sides, feet.nodes, strict=True)]
    )
    frames = {"frame_time": np.ones(1), "node_force": U[None], "node_displacement": U[None]}
    treads = [SimpleNamespace(points=t.body.points) for t in feet.touching]
    return SimpleNamespace(frames=frames, treads=treads)


@pytest.mark.parametrize("robot", ["hrp2-like", "lola-like"])
def test_a_mirrored_load_strains_the_right_sole_alike(robot, kind):
    """Also where a toe joint splits the sole: every node of it is where it belongs."""
    sole = condense(kind.mesh(robot), Rubber, element="p1")
    feet, recovery = on_soles(load_robot(robot), sole), Recovery(sole)
    f = np.random.default_rng(1).normal(size=sole.points.shape)
    U, nothing = (sole.compliance @ f.ravel()).reshape(-1, 3), np.zeros_like(f)
    expected = field_metrics(recovery(f))
    for left, right in ((U, nothing), (nothing, U * MIRROR)):
        found = largest_strains(snapshot(feet, left, right), feet, recovery, 1.0)
        assert found == {name: pytest.approx(value) for name, value in expected.items()}
    wrong = largest_strains(snapshot(feet, nothing, U), feet, recovery, 1.0)
    assert wrong["strain_p99"] != pytest.approx(expected["strain_p99"], rel=1e-3)
    assert largest_strains(snapshot(feet, U, U), feet, recovery, 1.0, after=2.0) == {}


def test_walks_declare_what_is_good_and_how_they_end():
    columns, trades = declared_by(["walk"])
    assert set(WalkRows({}).columns) <= set(columns) == set(WalkRows.declare())
    (ended,) = [name for name, column in columns.items() if column.outcome is not None]
    assert ended == "fell"
    assert columns[ended].outcome.count(12, 3) == "walked 12, fell 3"
    assert {name: c.bound for name, c in columns.items() if c.bound} == {
        "fell": "== 0",
        "stance_margin": "> 0",
        "strain_p99": f"<= {STRAIN_LIMIT:g}",
    }
    kept = [name for name, c in columns.items() if c.of_failures]
    assert kept == ["fell", "survived", "fell_at", "duration"]
    assert trades[0] == ("landing_acceleration_100_hz", "waist_tilt")
    assert {c for pair in trades for c in pair} <= set(columns)


def test_rows_share_the_plans_of_equal_gaits():
    robot, plans = load_robot("hrp2-like"), KnownPlans()
    short = Walking(steps=1, forward=0.1, single=0.5, initial=0.3, final=0.8)
    scenario = Scenario(gait=short, sole=SoleChoice(size=0.06, element="p1"))
    pad = assemble_walk(replace(scenario, settle=0.0)).feet.soles[0]
    heavy = condense(pad.mesh, replace(pad.materials[0], density=2000.0), "p1")
    plan = plans.of(scenario, on_soles(robot, pad), plan_of)
    assert plans.of(scenario, on_soles(robot, pad.scaled(3.0)), plan_of) is plan
    assert plans.of(replace(scenario, dt=5e-4), on_soles(robot, pad), plan_of) is plan
    longer = replace(scenario, gait=replace(short, forward=0.11))
    assert plans.of(longer, on_soles(robot, pad), plan_of) is not plan
    assert plans.of(scenario, on_soles(robot, heavy), plan_of) is not plan
    copy = pickle.loads(pickle.dumps(plans)).of(scenario, on_soles(robot, pad), plan_of)
    assert copy is not plan
    np.testing.assert_array_equal(copy.q_ref, plan.q_ref)
