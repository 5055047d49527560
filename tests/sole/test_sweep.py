from __future__ import annotations

import csv
import errno
import json
from dataclasses import replace
from typing import ClassVar

import h5py
import numpy as np
import pytest
from box_mesh import box_mesh
from threadpoolctl import threadpool_limits

import sole.studies.engine as engine
from sole.base.errors import (
    ConfigError,
    EquilibriumError,
    MaterialError,
    ResourceError,
    SchemaError,
)
from sole.base.file_digest import UNSEALED
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.pictures import ViewOptions, view_sweep
from sole.shape import preset
from sole.studies import (
    AxisQuantity,
    Column,
    LayerMaterial,
    StiffnessRows,
    Study,
    describe_table,
    parse_axis,
    read_table,
    run_study,
)
from sole.studies.journal import Journal, journal_path
from sole.studies.netcdf import Stream
from sole.studies.shared_soles import Family
from sole.studies.study_plan import Plan
from sole.studies.study_progress import CONDENSING

LOAD = {"stiffness": {"mass": 50.0, "com_height": 0.8}}
LAYERS = {
    "layer0": LayerMaterial(young_modulus=1e6, poisson_ratio=0.3),
    "layer1": LayerMaterial(young_modulus=3e6, poisson_ratio=0.3, density=900.0),
}


@pytest.fixture(scope="module")
def mesh():
    return box_mesh(0.2, 0.1, 0.02, (4, 3, 2), layers=(1.0, 1.0))


def study(*texts, **more):
    axes = tuple(parse_axis(*t.split(" ")) for t in texts)
    return Study(axis=axes, **{"element": "p1", "layers": LAYERS, **more})


class Probe:
    """Rows that record what they were asked and can fail or be interrupted."""

    columns: ClassVar = {"twice": Column("Pa", "2 E"), "trace": Column("m/N", "trace of C")}
    quantities: ClassVar = {"friction": AxisQuantity("", "friction", low=0.0)}
    fingerprint = None
    needs_sole = True

    def __init__(self, trouble=None):
        self.trouble, self.seen = trouble or {}, []

    def row(self, shared, case):
        self.seen.append(case.index)
        if case.index in self.trouble:
            raise self.trouble[case.index]
        return {
            "twice": 2 * case.young,
            "trace": float(np.trace(shared.sole.compliance)) / case.scale,
        }


@pytest.fixture
def probed(monkeypatch):
    """Replace the kinds of rows by a probe: probed(trouble) returns it."""

    def use(trouble=None, **kinds):
        probe = Probe(trouble)
        monkeypatch.setattr(engine, "make_rows", lambda study, folder: {"probe": probe, **kinds})
        return probe

    return use


@pytest.mark.parametrize(
    ("axis", "upper"), [("young 1e5:1e7:3", 1), ("stiffness_factor 0.1:10:3", 3)]
)
def test_table_equals_direct_condensations(tmp_path, mesh, axis, upper):
    """`young` is E of both layers, as in `condense`; a factor keeps the upper one stiffer."""
    s = study(axis, "poisson 0:0.45:40", options=LOAD)
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert summary.interpolated == 1
    assert summary.condensations <= 20
    table = read_table(tmp_path / "t.nc")
    for i, j in ((0, 3), (1, 17), (2, 39)):
        factor = float(table[axis.split()[0]][i])
        E, nu = factor if upper == 1 else 1e6 * factor, float(table["poisson"][j])
        direct = condense(
            mesh,
            [
                Material(young_modulus=E, poisson_ratio=nu),
                Material(young_modulus=upper * E, poisson_ratio=nu),
            ],
            "p1",
        )
        K = direct.foot_stiffness
        at = table.isel({axis.split()[0]: i, "poisson": j})
        names = ("x", "y", "z", "rx", "ry", "rz")
        found = np.array(
            [[float(at[f"k_{names[min(a, b)]}_{names[max(a, b)]}"]) for b in range(6)]
             for a in range(6)]
        )  # fmt: skip
        d = np.sqrt(np.diag(K))
        assert np.abs((found - K) / np.outer(d, d)).max() < 1e-8
        toppling = 50.0 * 9.80665 * 0.8
        critical = max(toppling / (K[3, 3] / E), toppling / (K[4, 4] / E))
        if upper == 1:
            assert float(at["critical_young"]) == pytest.approx(critical, rel=1e-7)
        else:  # layers of different E: no one E is critical
            assert np.isnan(at["critical_young"])
        assert float(at["standing_margin"]) == pytest.approx(E / critical, rel=1e-7)
    assert float(table["sole_mass"][0, 0]) == pytest.approx(0.2 * 0.1 * 0.02 * 1000.0)


@pytest.mark.nightly
def test_hundred_by_hundred_with_twenty_condensations(tmp_path, mesh):
    """The figure of the issue: [0, 0.49] to 1e-8, check points included."""
    s = study("young 1e5:1e8:100", "poisson 0:0.49:100")
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert summary.rows == summary.new_rows == 10_000
    assert summary.failed == 0
    assert 15 <= summary.condensations <= 20
    assert 0 < summary.compliance_error <= 1e-8
    assert "locks" in summary.warnings[0]
    stored = read_table(tmp_path / "t.nc").attrs
    assert stored["compliance_error"] == summary.compliance_error
    assert stored["condensations"] == summary.condensations
    assert json.loads(stored["reference_layer"]) == {"": "layer0"}


def test_stored_error_bounds_the_error_everywhere(mesh):
    plan = Plan(study("young 1e6", "poisson 0:0.49:60", tolerance=1e-6), mesh)
    ((key, groups),) = plan.groups.items()
    family = Family(plan, key)
    errors = []
    for shared_key in list(groups)[:54:9]:
        sole = family.shared(shared_key).sole
        C = sole.compliance
        assert np.abs(sole.stiffness @ C - np.eye(len(C))).max() < 1e-9
        direct = condense(mesh, plan.shared_materials(shared_key), "p1").compliance
        errors.append(np.linalg.norm(C - direct) / np.linalg.norm(direct))
    assert max(errors) <= 1.5 * family.record.compliance_error
    assert max(errors) <= 1e-6


@pytest.mark.parametrize(("element", "inverse"), [("p1", False), ("ccr", True)])
def test_foot_stiffness_is_interpolated_as_well_as_the_compliance(mesh, element, inverse):
    """With locking (p1) the stiffness is the smoother one, without (ccr) its inverse."""
    plan = Plan(study("stiffness_factor 1", "poisson 0:0.49:40", element=element), mesh)
    ((key, groups),) = plan.groups.items()
    family = Family(plan, key, matrices=False)
    assert family.record.inverse == inverse
    assert family.record.stiffness_error <= 1e-8
    assert family.record.condensations == family.expected_condensations == 20
    for shared_key in list(groups)[3:36:8]:
        K = family._condense(shared_key).foot_stiffness
        d = np.sqrt(np.diag(K))
        found = family.shared(shared_key).foot_stiffness
        assert (np.abs(found - K) / np.outer(d, d)).max() < 1e-8


def test_an_older_table_that_scaled_layers_says_how_to_make_it_again(tmp_path, mesh):
    """Its `young` was E of the tread; who makes a sole of it today would make a softer one."""
    layers = {name: LayerMaterial(young_modulus=1e6, poisson_ratio=0.3) for name in LAYERS}
    for name, given in {"equal": layers, "different": LAYERS}.items():
        run_study(study("young 1e6,2e6", "poisson 0.3", layers=given), mesh, tmp_path / "t.nc")
        with h5py.File(tmp_path / "t.nc", "r+") as file:
            for attribute in ("young_axis", *UNSEALED):
                del file.attrs[attribute]
        (tmp_path / "t.nc").rename(tmp_path / f"{name}.nc")
    assert read_table(tmp_path / "equal.nc")["young"].values.tolist() == [1e6, 2e6]
    with pytest.raises(SchemaError, match=r"different\.nc: an older table.*--stiffness-factor"):
        read_table(tmp_path / "different.nc")


def test_few_poisson_ratios_are_condensed_one_by_one(tmp_path, mesh):
    summary = run_study(study("young 1e5:1e7:9", "poisson 0.1,0.3,0.4"), mesh, tmp_path / "t.nc")
    assert (summary.condensations, summary.interpolated) == (3, 0)
    assert summary.compliance_error == 0


def test_an_error_out_of_reach_ends_in_direct_condensations(tmp_path, mesh, monkeypatch):
    monkeypatch.setattr("sole.studies.shared_soles.relative_error", lambda approximate, exact: 1.0)
    s = study("young 1e6", "poisson 0.3:0.4:24")
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert summary.interpolated == 0
    assert summary.condensations > 24  # the attempts count
    assert summary.compliance_error == 0


def test_one_layer_and_thickness_axes(tmp_path, mesh):
    s = study("young layer1=1e6:4e6:2", "thickness 0.01,0.02", "poisson 0.3")
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert summary.condensations == 4
    at = read_table(tmp_path / "t.nc").sel(young_layer1=4e6, thickness=0.01, poisson=0.3)
    direct = condense(
        mesh.with_thickness(0.01),
        [
            Material(young_modulus=1e6, poisson_ratio=0.3),
            Material(young_modulus=4e6, poisson_ratio=0.3),
        ],
        "p1",
    )
    assert float(at["k_z_z"]) == pytest.approx(direct.foot_stiffness[2, 2], rel=1e-12)
    assert float(at["sole_mass"]) == pytest.approx(0.2 * 0.1 * 0.01 * 1000.0)


def test_failed_rows_stay_with_their_reason(tmp_path, mesh, probed):
    probe = probed({2: EquilibriumError("tips\nover"), 4: ZeroDivisionError("oops")})
    s = study("young 1e6:2e6:3", "poisson 0.3,0.4")
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert sorted(probe.seen) == list(range(6))
    assert summary.failed == 2
    with (tmp_path / "t.csv").open() as f:
        rows = list(csv.DictReader(f))
    assert rows[2]["reason"] == "probe: tips over"
    assert rows[4]["reason"] == "probe: ZeroDivisionError: oops"
    assert [r["status"] for r in rows] == ["ok", "ok", "failed", "ok", "failed", "ok"]
    assert rows[2]["twice[Pa]"] == ""
    table = read_table(tmp_path / "t.nc")
    assert np.isnan(table["twice"].values).sum() == 2
    assert table["status"].values[1, 0] == "failed"


@pytest.mark.parametrize("matrices", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_continued_table_is_identical_and_nothing_is_done_twice(
    tmp_path, mesh, probed, monkeypatch, matrices
):
    s = study("young 1e5:1e7:5", "poisson 0:0.45:30", "friction 0.3,0.6")
    more = {"stiffness": StiffnessRows({})}
    probed(**more)
    monkeypatch.setattr(Probe, "needs_sole", matrices)
    if not matrices:
        monkeypatch.setattr(Probe, "row", _light_row)
    once = run_study(s, mesh, tmp_path / "once.nc")
    first = probed({47: KeyboardInterrupt()}, **more)
    with pytest.raises(KeyboardInterrupt):
        run_study(s, mesh, tmp_path / "t.nc")
    assert not (tmp_path / "t.nc").exists()
    assert journal_path(tmp_path / "t.nc").exists()
    second = probed(**more)
    stages = []
    summary = run_study(s, mesh, tmp_path / "t.nc", listener=lambda p: stages.append(p.stage))
    assert summary.resumed == len(first.seen) - 1
    assert sorted(first.seen[:-1] + second.seen) == list(range(300))
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "once.csv").read_bytes()
    assert read_table(tmp_path / "t.nc").identical(read_table(tmp_path / "once.nc"))
    assert summary.condensations == once.condensations
    if not matrices:
        assert CONDENSING not in stages
    assert sorted(p.name for p in tmp_path.iterdir()) == ["once.csv", "once.nc", "t.csv", "t.nc"]


def test_continuing_repeats_no_direct_condensation(tmp_path, mesh, probed, monkeypatch):
    monkeypatch.setattr(Probe, "needs_sole", False)
    monkeypatch.setattr(Probe, "row", _light_row)
    s = study("young 1e5:1e7:5", "poisson 0.3,0.4")
    probed({2: KeyboardInterrupt()}, stiffness=StiffnessRows({}))
    with pytest.raises(KeyboardInterrupt):
        run_study(s, mesh, tmp_path / "t.nc")
    probed(stiffness=StiffnessRows({}))
    stages = []
    run_study(s, mesh, tmp_path / "t.nc", listener=lambda p: stages.append((p.stage, p.done)))
    assert [done for stage, done in stages if stage == CONDENSING] == [1]  # nu = 0.4


def _light_row(probe, shared, case):
    probe.seen.append(case.index)
    if case.index in probe.trouble:
        raise probe.trouble[case.index]
    return {"twice": 2 * case.young}


def test_a_journal_of_another_study_is_refused(tmp_path, mesh, probed):
    s = study("young 1e5:1e7:5", "poisson 0.3")
    probed({3: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        run_study(s, mesh, tmp_path / "t.nc")
    probed()
    other = replace(s, tolerance=1e-7)
    with pytest.raises(ConfigError, match="3 rows of another study"):
        run_study(other, mesh, tmp_path / "t.nc")
    assert run_study(other, mesh, tmp_path / "t.nc", restart=True).resumed == 0


def test_full_disk_keeps_rows(tmp_path, mesh, probed, monkeypatch):
    s = study("young 1e5:1e7:300", "poisson 0.3")
    monkeypatch.setattr("sole.studies.journal.BATCH_ROWS", 10)
    probed()
    opened = Journal._open

    def small(self, digest):
        opened(self, digest)
        pages = self._db.execute("PRAGMA page_count").fetchone()[0]
        self._db.execute(f"PRAGMA max_page_count={pages + 3}")

    monkeypatch.setattr(Journal, "_open", small)
    with pytest.raises(ResourceError, match=r"t\.nc\.journal\.sqlite: the disk is full"):
        run_study(s, mesh, tmp_path / "t.nc")
    monkeypatch.setattr(Journal, "_open", opened)
    summary = run_study(s, mesh, tmp_path / "t.nc")
    assert 0 < summary.resumed < 300
    assert summary.resumed + summary.new_rows == 300


def test_full_disk_at_the_end_keeps_all_rows(tmp_path, mesh, monkeypatch):
    s = study("young 1e5:1e7:5", "poisson 0.3")

    def full(self, data):
        self.error = OSError(errno.ENOSPC, "No space left on device")
        return len(data)

    monkeypatch.setattr(Stream, "write", full)
    with pytest.raises(ResourceError, match=r"t\.nc: the disk is full.*all 5 rows are kept"):
        run_study(s, mesh, tmp_path / "t.nc")
    assert [p.name for p in tmp_path.iterdir()] == ["t.nc.journal.sqlite"]
    monkeypatch.undo()
    assert run_study(s, mesh, tmp_path / "t.nc").resumed == 5


def test_a_condensation_that_fails_makes_failed_rows(tmp_path, mesh, monkeypatch):
    real = Family._condense

    def sometimes(self, key):
        if key.nus[0] == 0.4:
            raise np.linalg.LinAlgError("not positive definite")
        return real(self, key)

    monkeypatch.setattr(Family, "_condense", sometimes)
    summary = run_study(study("young 1e6,2e6", "poisson 0.3,0.4"), mesh, tmp_path / "t.nc")
    assert summary.failed == 2
    reasons = read_table(tmp_path / "t.nc")["reason"].values
    assert reasons[0, 1] == "condensation: LinAlgError: not positive definite"
    assert reasons[0, 0] == ""


def test_rows_and_options_are_checked(tmp_path, mesh):
    def run(*texts, **more):
        run_study(study(*texts, **more), mesh, tmp_path / "t.nc")

    with pytest.raises(
        ConfigError, match="unknown rows 'jump'; known are finite_press, press, stiffness"
    ):
        run("young 1e6", rows=("jump",))
    with pytest.raises(ConfigError, match="rows stiffness have no quantity 'friction'"):
        run("friction 0.3,0.4")
    with pytest.raises(ConfigError, match="no option 'wass'"):
        run("young 1e6", options={"stiffness": {"wass": 3.0}})
    with pytest.raises(ConfigError, match="both mass and com_height"):
        run("young 1e6", options={"stiffness": {"mass": 3.0}})
    with pytest.raises(ConfigError, match="mass must be a positive number, got -3"):
        run("young 1e6", options={"stiffness": {"mass": -3.0, "com_height": 1.0}})
    with pytest.raises(ConfigError, match=r"written to an \.nc file"):
        run_study(study("young 1e6"), mesh, tmp_path / "t.csv")
    with pytest.raises(MaterialError, match=r"too close to 0\.5"):
        run("poisson 0.3:0.49999:5")
    assert list(tmp_path.iterdir()) == []


def test_the_table_describes_itself_and_is_checked(tmp_path, mesh):
    path = tmp_path / "t.nc"
    run_study(study("young 1e5:1e7:3", "poisson 0.3,0.4"), mesh, path)
    table = read_table(path)
    assert table.attrs["schema"] == "sole.sweep/1"
    assert table["k_z_z"].dims == ("young", "poisson")
    assert table["k_z_rx"].attrs["units"] == "N"
    assert table["k_rx_rx"].attrs["units"] == "N m"
    assert table["young"].attrs["units"] == "Pa"
    header = (tmp_path / "t.csv").read_text().splitlines()[0]
    assert header.startswith("row,young[Pa],poisson,k_x_x[N/m],")
    quantities = describe_table(path).quantities
    assert quantities["rows"].value == 6
    assert quantities["k_z_z"].value[1] == pytest.approx(float(table["k_z_z"].max()))
    assert table["k_z_z"].attrs["long_name"] == "foot stiffness: vertical"
    assert table["k_z_ry"].attrs["long_name"] == ("foot stiffness: vertical force per pitch motion")
    whole = path.read_bytes()
    for share in (0.02, 0.1, 0.5, 0.9, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(SchemaError, match=r"t\.nc"):
            read_table(path)


def without(table, what):
    if what in table.attrs:
        table.attrs.pop(what)
        return table
    return table.drop_vars(what)


@pytest.fixture(scope="module")
def small_table(tmp_path_factory, mesh):
    path = tmp_path_factory.mktemp("small") / "s.nc"
    run_study(study("young 1e5:1e7:3", "poisson 0.3,0.4"), mesh, path)
    return path


@pytest.mark.parametrize("what", ["everything", "rows", "status", "young"])
def test_a_table_that_is_not_whole_is_refused(tmp_path, small_table, what):
    """With the right schema and nothing, or something, behind it."""
    path = tmp_path / "t.nc"
    if what == "everything":
        with h5py.File(path, "w") as file:
            file.attrs["schema"] = "sole.sweep/1"
    else:
        without(read_table(small_table), what).to_netcdf(path, engine="h5netcdf")
    for read in (describe_table, lambda path: view_sweep(path, ViewOptions())):
        with pytest.raises(SchemaError, match=r"t\.nc: incomplete 'sole\.sweep/1' file: lacks"):
            read(path)


def test_assembly_does_not_depend_on_the_number_of_threads():
    """The process that condenses has all threads, workers have one: strains agree to the bit."""
    shape = mesh_shape(preset("talos"), 0.03, 0.03)
    layers = {name: LayerMaterial(young_modulus=1e6, poisson_ratio=0.3) for name in shape.layers}
    plan = Plan(Study(axis=(parse_axis("young", "1e6"),), layers=layers, element="ccr"), shape)
    family, (key,) = next((f, list(keys)) for f, keys in plan.groups.items())
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            parts = Family(plan, family).condenser.parts
        found.append(parts.stiffness(plan.shared_materials(key)).blocks)
    np.testing.assert_array_equal(*found)
