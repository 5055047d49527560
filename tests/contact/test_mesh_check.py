"""The recommended row of a table, computed again on a mesh of half the size.

A check fails no study: whatever goes wrong is its result.
"""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import in_this_process

from contact.press.press_rows import PressRows
from sole.base.errors import SoleError
from sole.mesh import Source, mesh_from, write_mesh
from sole.studies import (
    MeshCheck,
    add_check,
    describe_table,
    load_study,
    read_check,
    read_table,
    run_study,
)
from sole.studies.choice import check_table

PAD, FINE = "pad.nc", "fine.nc"
PRESS = """
schema = "sole.study/2"
mesh = "{mesh}"
rows = ["press"]
[[axis]]
quantity = "young"
values = [1e6, 2e6, 4e6, 8e6]
[[axis]]
quantity = "friction"
values = [0.5, 0.8]
{repeats}
[layers.sole]
poisson_ratio = 0.4
[options.press]
force = 60.0
ground = "step:0.002"
"""


def box(size: float) -> Source:
    return Source(box=(0.08, 0.05, 0.01), size_tread=size, size_bond=size)


def write_study(folder: Path, name: str, mesh: str = "pad.msh", repeats: str = "") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(PRESS.format(mesh=mesh, repeats=repeats))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A folder with a checked study, its table and the same study of the halved mesh."""
    folder = tmp_path_factory.mktemp("check")
    write_mesh(folder / "pad.msh", mesh_from(box(0.025)))
    write_mesh(folder / "fine.msh", mesh_from(box(0.0125)))
    write_mesh(folder / "foreign.msh", box_mesh(0.08, 0.05, 0.01, (4, 3, 1)))
    study = write_study(folder, "pad")
    output = folder / "pad.nc"
    summary = run_study(load_study(study), None, output, check=check_table)
    fine = load_study(write_study(folder, "fine", "fine.msh"))
    run_study(fine, None, folder / "fine.nc")
    return SimpleNamespace(folder=folder, study=study, output=output, summary=summary)


@pytest.fixture
def sole(monkeypatch, capsys, made, no_pictures):
    monkeypatch.chdir(made.folder)
    return in_this_process(monkeypatch, capsys)


def values(path: Path, place: int) -> dict[str, float]:
    table = read_table(path)
    return {
        str(n): float(v.values.ravel()[place])
        for n, v in table.data_vars.items()
        if v.dtype.kind == "f"
    }


def test_the_row_is_that_of_a_study_of_the_halved_mesh(made):
    check = read_check(made.output)
    assert check is not None
    (row,) = check.rows
    assert row.numbers == values(made.folder / "fine.nc", row.place)
    assert row.numbers != values(made.output, row.place)
    assert row.tread_nodes == len(mesh_from(box(0.025)).tread_vertices)
    assert row.finer_tread_nodes == len(mesh_from(box(0.0125)).tread_vertices)
    told = {f: describe_table(made.folder / f).quantities["mesh check"] for f in (PAD, FINE)}
    assert told[PAD].value == f"row {row.place}"
    assert told[FINE].value == "not checked"


def report(sole, *arguments: object) -> dict:
    code, out, err = sole("report", *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_the_report_tells_what_changes_the_worst_first(made, sole):
    told = report(sole, "pad.nc")
    check, place = told["mesh_check"], told["recommended"]["row"]
    before, after = (values(made.folder / f, place) for f in ("pad.nc", "fine.nc"))
    shares = {n: (after[n] - before[n]) / before[n] for n in check["changes"]}
    assert {n: c["share"] for n, c in check["changes"].items()} == pytest.approx(shares)
    assert {"pressure_peak", "sink", "strain_p99"} <= set(shares)
    sizes = [abs(s) for s in shares.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert check["state"] == "checked"
    first, *_, last = (f"{n}{{}} by {100 * s:+.1f} %" for n, s in shares.items())
    assert check["words"].startswith(
        "checked: on half the mesh size "
        f"({check['finer_tread_nodes']} tread nodes instead of {check['tread_nodes']}) "
        + first.format(" changes")
    )
    assert check["words"].endswith(last.format(""))
    assert made.summary.check == check["words"]
    page = (made.folder / "pad.html").read_text()
    assert page.count(f"Mesh {check['words']}.") == 1
    _, out, _ = sole("report", "pad.nc")
    assert "mesh check" in out
    assert "checked: on half the" in out


def test_a_bound_that_breaks_on_the_finer_mesh_is_named(made, sole):
    place = report(sole, "pad.nc")["recommended"]["row"]
    before, after = (values(made.folder / f, place)["strain_p99"] for f in ("pad.nc", "fine.nc"))
    bound = (before + after) / 2
    relation = "<=" if after > before else ">="
    asked = ["pad.nc", "--constraint", f"strain_p99 {relation} {bound:.6g}"]
    for kind in ("young", "friction"):
        value = values_of_axis(made.output, kind, place)
        asked += ["--where", f"{kind}={value:g}"]
    check = report(sole, *asked)["mesh_check"]
    assert check["table_rows"] == [place]
    assert len(check["broken"]) == 1
    assert f"On the finer mesh it breaks strain_p99 {relation} {bound:.6g}" in check["words"]


def values_of_axis(path: Path, axis: str, place: int) -> float:
    table = read_table(path)
    k = np.unravel_index(place, table["status"].shape)[table["status"].dims.index(axis)]
    return float(table[axis].values[k])


def test_another_row_is_not_checked_until_the_command_is_given(made, sole):
    asked = ["pad.nc", "--constraint", "young >= 8e6"]
    check = report(sole, *asked)["mesh_check"]
    (place,) = check["table_rows"]
    (known,) = (r.place for r in read_check(made.output).rows)
    assert place != known
    assert check["state"] == "not checked"
    assert check["words"] == (
        f"not checked: the check was of row {known} of the table; give the command that made it "
        f"once more, with --check-row {place}"
    )
    before = values(made.output, place)
    code, out, err = sole("study", "pad.toml", "-o", "pad.nc", "--check-row", place)
    assert code == 0, err
    assert f"checked: row {place}" in out
    assert values(made.output, place) == before
    assert report(sole, *asked)["mesh_check"]["state"] == "checked"
    assert report(sole, "pad.nc")["mesh_check"]["state"] == "checked"  # the first one stays
    rows = {r.place: r.numbers for r in read_check(made.output).rows}
    assert rows[place] == values(made.folder / "fine.nc", place)


def test_rows_of_another_study_are_not_checked(made, sole):
    code, _, err = sole("study", "fine.toml", "-o", "pad.nc", "--check-row", 0)
    assert code == 2
    assert "pad.nc is not the table of this study as it is now" in err
    code, _, err = sole("study", "pad.toml", "-o", "pad.nc", "--check-row", 8)
    assert code == 2
    assert "--check-row 8: the table has rows 0 to 7" in err


def test_without_a_check_the_table_is_not_checked(made, sole):
    code, out, err = sole("study", "pad.toml", "-o", "plain.nc", "--no-check")
    assert code == 0, err
    assert "mesh check" not in out
    assert "checking" not in err
    assert read_check(made.folder / "plain.nc") is None
    check = report(sole, "plain.nc")["mesh_check"]
    (place,) = check["table_rows"]
    assert check["words"] == (
        "not checked: the table holds no check; give the command that made it once more, with "
        f"--check-row {place}"
    )
    assert "Mesh not checked: the table holds no check" in (made.folder / "plain.html").read_text()


def test_a_foreign_mesh_is_not_checked_and_says_what_to_do(made, sole):
    write_study(made.folder, "foreign", "foreign.msh")
    text = (made.folder / "foreign.toml").read_text().replace("layers.sole", "layers.layer0")
    (made.folder / "foreign.toml").write_text(text)
    code, out, err = sole("study", "foreign.toml", "-o", "foreign.nc", "--json")
    assert code == 0, err
    said = json.loads(out)["mesh_check"]
    assert said.startswith("not checked: the mesh 'sole' does not contain the shape")
    assert said.endswith("mesh it with half the sizes yourself and study that mesh, too")
    assert report(sole, "foreign.nc")["mesh_check"]["words"] == said


def test_a_row_that_fails_on_the_finer_mesh_is_the_result(made, sole, monkeypatch):
    nodes = len(mesh_from(box(0.025)).tread_vertices)
    whole = PressRows.row

    def row(self, shared, case):
        if len(shared.sole.areas) > nodes:
            raise SoleError("no equilibrium")
        return whole(self, shared, case)

    monkeypatch.setattr(PressRows, "row", row)
    code, out, err = sole("study", "pad.toml", "-o", "failing.nc", "--json")
    assert code == 0, err
    said = json.loads(out)["mesh_check"]
    assert said.startswith("check failed: on half the mesh size (")
    assert said.endswith(": press: no equilibrium")
    assert report(sole, "failing.nc")["mesh_check"]["words"] == said


def test_ctrl_c_in_the_check_keeps_the_table_and_the_check_is_made_up_for(made, sole, monkeypatch):
    nodes = len(mesh_from(box(0.025)).tread_vertices)
    whole, begun = PressRows.row, []

    def row(self, shared, case):
        begun.append(len(shared.sole.areas) > nodes)
        if begun[-1] and not resumed:
            signal.raise_signal(signal.SIGINT)
        return whole(self, shared, case)

    resumed = False
    monkeypatch.setattr(PressRows, "row", row)
    code, _, err = sole("study", "pad.toml", "-o", "broken.nc")
    assert code == 130
    assert "checking on a mesh of half the size" in err
    assert "broken.nc is complete, but not checked on a finer mesh; run the same command" in err
    assert begun.count(True) == 1
    kept = made.folder / "broken.nc"
    assert read_check(kept) is None
    assert report(sole, "broken.nc")["mesh_check"]["state"] == "not checked"
    resumed, begun[:] = True, []
    code, _, err = sole("study", "pad.toml", "-o", "broken.nc")
    assert code == 0, err
    assert begun == [True]
    ours, whole_check = read_check(kept), read_check(made.output)
    assert ours.rows[0] == next(r for r in whole_check.rows if r.place == ours.rows[0].place)
    assert not list(made.folder.glob("broken.nc.*"))


@pytest.mark.nightly
def test_the_rows_behind_a_mean_are_all_checked(made, sole):
    write_study(made.folder, "mean", repeats="ensemble = true")
    code, out, err = sole("study", "mean.toml", "-o", "mean.nc", "--json")
    assert code == 0, err
    check = report(sole, "mean.nc")["mesh_check"]
    places = check["table_rows"]
    assert len(places) == 2
    assert check["words"] == json.loads(out)["mesh_check"]
    for column, change in check["changes"].items():
        for file, name in (("mean.nc", "before"), ("fine.nc", "after")):
            each = [values(made.folder / file, p)[column] for p in places]
            assert change[name] == pytest.approx(np.mean(each), rel=1e-14)


@pytest.mark.parametrize("order", [(1.0, 2.0), pytest.param((2.0, 1.0), marks=pytest.mark.nightly)])
def test_of_several_repeats_the_one_farthest_beyond_a_bound_is_named(made, sole, order):
    write_study(made.folder, "worst", repeats="ensemble = true")
    code, _, err = sole("study", "worst.toml", "-o", "worst.nc", "--quiet")
    assert code == 0, err
    check = read_check(made.folder / "worst.nc")
    assert check is not None
    strains = [bad * 10 for bad in order]
    rows = [
        replace(row, numbers={**row.numbers, "strain_p99": strain})
        for row, strain in zip(check.rows, strains, strict=True)
    ]
    add_check(made.folder / "worst.nc", MeshCheck(tuple(rows)))
    (broken,) = report(sole, "worst.nc", "--constraint", "strain_p99 <= 9")["mesh_check"]["broken"]
    assert broken == "strain_p99 <= 9: 20"


def test_the_file_stays_sealed_and_a_second_check_replaces_the_first(made, tmp_path):
    path = tmp_path / "copy.nc"
    path.write_bytes(made.output.read_bytes())
    before = read_check(path)
    add_check(path, MeshCheck(not_checked="why"))
    assert read_check(path) == MeshCheck((), "why")
    add_check(path, before)
    assert read_check(path) == before
    assert read_table(path).identical(read_table(made.output))
    damaged = bytearray(path.read_bytes())
    at = bytes(damaged).index(np.float64(before.rows[0].numbers["sink"]).tobytes())
    damaged[at] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(SoleError, match="does not match its digest"):
        read_table(path)
