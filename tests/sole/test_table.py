from __future__ import annotations

import csv
import errno
import json
import math
import tracemalloc

import h5py
import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import in_this_process

from sole.base.errors import ConfigError, ResourceError, SchemaError, SoleError
from sole.studies import (
    Axis,
    AxisQuantity,
    Column,
    LayerMaterial,
    Sampling,
    Study,
    describe_table,
    highlights,
    netcdf,
    open_table,
    read_table,
)
from sole.studies.journal import FinishedRow
from sole.studies.netcdf import Stream, blocks, boxes, create_netcdf
from sole.studies.study_plan import Plan
from sole.studies.table import write_table
from sole.studies.table_description import commonest_reason, extremes

COLUMNS = {"peak": Column("N", "largest force", True), "tilt": Column("rad", "of the waist")}
ABOUT = {"title": "t", "rows": "probe", "condensations": 0, "compliance_error": 0.0, "warnings": []}
YOUNG = Axis(quantity="young", values=(1e5, 1e6, 1e7))
CONTROLLER = Axis(quantity="controller", values=("pd", "stabiliser"))
RIGID = Axis(quantity="sole.rigid", values=(False, True))
SEED = Axis(quantity="seed", values=(1, 2), ensemble=True)


class Kind:
    columns = COLUMNS
    quantities = {  # noqa: RUF012
        "controller": AxisQuantity("", "controller", kind="text"),
        "sole.rigid": AxisQuantity("", "whether the sole is rigid", kind="flag"),
        "seed": AxisQuantity("", "seed", kind="whole"),
    }
    needs_sole = False
    fingerprint = None


def plan(*axes, **sampling):
    return Plan(
        Study(
            axis=axes,
            sampling=Sampling(**sampling),
            element="p1",
            layers={"layer0": LayerMaterial(young_modulus=1e6, poisson_ratio=0.3)},
        ),
        box_mesh(0.2, 0.1, 0.02, (2, 2, 1)),
        {"probe": Kind()},
    )


def rows(number, failed=()):
    for k in range(number):
        if k in failed:
            yield FinishedRow(k, f"{k}", {}, "failed", f"probe: fell over in {k % 2}")
        else:
            yield FinishedRow(k, f"{k}", {"peak": float(k), "tilt": -0.5 * k})


def written(path, plan, failed=(), number=None):
    write_table(path, plan, COLUMNS, rows(number or plan.study.size, failed), ABOUT)
    return read_table(path)


def test_info_lists_the_variables_of_a_table(tmp_path, monkeypatch, capsys):
    written(tmp_path / "t.nc", plan(YOUNG, SEED))
    info = in_this_process(monkeypatch, capsys, "info")
    code, out, _ = info(tmp_path / "t.nc", "--variables", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["peak"] == "young, seed" and found["seed"] == "seed"
    assert found["units"] == {"peak": "N", "tilt": "rad", "young": "Pa"}
    assert "largest force" in info(tmp_path / "t.nc", "--variables")[1]
    (tmp_path / "pad.toml").write_text('schema = "sole.shape/1"\n')
    code, _, err = info(tmp_path / "pad.toml", "--variables")
    assert code == 2 and "--variables is for runs and sweeps" in err


def test_texts_and_flags_are_coordinates_of_a_grid(tmp_path):
    table = written(tmp_path / "t.nc", plan(YOUNG, CONTROLLER, RIGID), failed=(5,))
    assert dict(table.sizes) == {"young": 3, "controller": 2, "rigid": 2}
    assert table["controller"].values.tolist() == ["pd", "stabiliser"]
    assert table["rigid"].values.tolist() == ["false", "true"]
    words = {"units": "Pa", "long_name": "Young's modulus", "quantity": "young", "layer": ""}
    assert table["young"].attrs == words
    assert table["rigid"].attrs["quantity"] == "sole.rigid"
    at = table.sel(young=1e6, controller="stabiliser", rigid="false")
    assert float(at["peak"]) == 6.0
    failed = table.sel(young=1e6, controller="pd", rigid="true")
    assert math.isnan(failed["peak"])
    assert (str(failed["status"].item()), str(failed["reason"].item())) == (
        "failed",
        "probe: fell over in 1",
    )
    assert str(at["reason"].item()) == ""
    assert table.attrs["sampling"] == "grid"
    with (tmp_path / "t.csv").open() as file:
        lines = list(csv.reader(file))
    assert lines[0] == "row,young[Pa],controller,rigid,peak[N],tilt[rad],status,reason".split(",")
    assert lines[7] == ["6", "1000000.0", "stabiliser", "false", "6.0", "-3.0", "ok", ""]
    assert lines[6] == ["5", "1000000.0", "pd", "true", "", "", "failed", "probe: fell over in 1"]


def test_samples_lie_along_one_dimension(tmp_path):
    young = Axis(quantity="young", range=(1e5, 1e8), spacing="log")
    p = plan(young, CONTROLLER, SEED, scheme="lhs", number=8)
    table = written(tmp_path / "t.nc", p)
    assert dict(table.sizes) == {"case": 16}
    assert table["case"].values.tolist() == list(range(16))
    assert set(table.coords) == {"case", "young", "controller", "seed"}
    for k in (0, 7, 15):
        point = p.study.named(k)
        assert {n: table[n].values[k] for n in point} == point
    assert table["peak"].values.tolist() == list(range(16))
    assert table.attrs["sampling"] == "lhs"
    assert json.loads(table.attrs["ensemble"]) == ["seed"]
    told = describe_table(tmp_path / "t.nc").quantities
    assert (told["sampling"].value, told["sampling"].remark) == ("lhs", "repeats along seed")
    assert told["axis young"].value == [table["young"].min(), table["young"].max()]
    assert told["axis controller"].remark == "2 values"
    assert told["peak"].remark.endswith("seed=2")


def test_a_table_of_samples_without_its_axes_is_refused(tmp_path):
    table = written(tmp_path / "t.nc", plan(YOUNG, scheme="list"))
    table.drop_vars("young").to_netcdf(tmp_path / "s.nc", engine="h5netcdf")
    with pytest.raises(SchemaError, match="lacks any axis"):
        read_table(tmp_path / "s.nc")


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 1, 5), (1, 3, 2, 2)])
def test_boxes_are_the_rows_in_order(shape, monkeypatch):
    places = np.arange(math.prod(shape)).reshape(shape)
    for start in range(places.size + 1):
        for stop in range(start, places.size + 1):
            found = [k for box in boxes(shape, start, stop) for k in places[box].ravel()]
            assert found == list(range(start, stop))
    monkeypatch.setattr(netcdf, "BLOCK_ROWS", 3)
    for place, box in blocks(shape):
        part = places[box].ravel()
        assert part.tolist() == list(range(place, place + len(part)))
        assert len(part) <= 3


def test_blocks_change_nothing(tmp_path, monkeypatch):
    p = plan(YOUNG, CONTROLLER, RIGID)
    whole = written(tmp_path / "t.nc", p, failed=(2, 3, 11))
    told = describe_table(tmp_path / "t.nc")
    monkeypatch.setattr("sole.studies.netcdf.BLOCK_ROWS", 5)
    assert written(tmp_path / "b.nc", p, failed=(2, 3, 11)).identical(whole)
    assert describe_table(tmp_path / "b.nc") == told
    assert told.quantities["failed"].value == 3
    assert told.quantities["peak"].value == [0.0, 10.0]
    assert commonest_reason(tmp_path / "b.nc") == "probe: fell over in 1 (2 rows)"
    with open_table(tmp_path / "b.nc") as lazy:
        assert "status" not in lazy
        assert extremes(lazy, ["peak", "tilt"]) == extremes(whole, ["peak", "tilt"])


@pytest.mark.parametrize("scheme", ["grid", "lhs"])
def test_ranges_on_the_way_are_those_of_the_file(tmp_path, scheme):
    """Ties, signs, rows without a column and columns that no row has: as read from the file."""
    young = YOUNG if scheme == "grid" else Axis(quantity="young", range=(1e5, 1e8), spacing="log")
    p = plan(young, CONTROLLER, RIGID, scheme=scheme, number=12 if scheme == "lhs" else None)
    columns = COLUMNS | {"flat": Column("", "same"), "none": Column("", "no row has it")}
    values = [2.0, -1.0, -1.0, 7.0, math.nan, 7.0, 3.0, -1.0, 0.0, 7.0, 1.0, 5.0]
    columns |= {"endless": Column("", "all inf"), "low": Column("", "all -inf")}
    columns = {n: Column(c.unit, c.title, True) for n, c in columns.items()}
    ends = {"flat": 4.0, "endless": math.inf}
    table = [
        FinishedRow(k, f"{k}", {"peak": v, "tilt": 1e3 * k * (-1) ** k, "low": -math.inf, **ends})
        for k, v in enumerate(values)
    ]
    del table[8].numbers["tilt"]
    assert p.study.size == len(table)
    found = write_table(tmp_path / "t.nc", p, columns, table, ABOUT).told()
    assert found == extremes(read_table(tmp_path / "t.nc"), columns)
    assert found["peak"].value == [-1.0, 7.0]
    assert found["flat"].remark == "same; everywhere"
    assert ("young=" in found["peak"].remark) and found["peak"].remark.count("kPa") >= 1
    assert found["none"].value is None
    assert found["endless"].value == [math.inf, math.inf]
    assert found["low"].value == [-math.inf, -math.inf]


@pytest.mark.parametrize(
    ("number", "told"), [(0, "row 0 is missing from"), (5, "1 rows are missing;")]
)
def test_a_missing_row_leaves_nothing(tmp_path, number, told):
    few = (row for row in rows(6) if row.place != number)
    with pytest.raises(SoleError, match=told):
        write_table(tmp_path / "t.nc", plan(YOUNG, CONTROLLER), COLUMNS, few, ABOUT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_memory_does_not_grow_with_the_rows(tmp_path):
    def peak(number):
        p = plan(Axis(quantity="seed", values=range(number // 100)), many)
        p.study.size  # noqa: B018
        tracemalloc.start()
        write_table(tmp_path / "t.nc", p, COLUMNS, rows(number), ABOUT)
        with open_table(tmp_path / "t.nc") as table:
            extremes(table, COLUMNS)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    many = Axis(quantity="young", range=(1e5, 1e8), number=100)
    peak(200)  # imports
    few, more = peak(2000), peak(6000)
    assert more - few < 5 * 4000  # bytes: less than one column


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path, monkeypatch):
    """HDF5 itself would end the process: it must not learn of it."""
    p, path = plan(YOUNG, CONTROLLER), tmp_path / "t.nc"
    written(path, p)
    before = path.read_bytes()
    real, left = Stream._put, [0]

    def put(self, data):
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(Stream, "_put", put)
    for space in (0, 100, 2000, 8000):
        left[0] = space
        with pytest.raises(ResourceError, match=r"t\.nc: the disk is full"):
            written(path, p, failed=(1,))
        assert path.read_bytes() == before
        assert sorted(f.name for f in tmp_path.iterdir()) == ["t.csv", "t.nc"]


def test_what_a_full_disk_refused_is_read_back_as_written(tmp_path, monkeypatch):
    """HDF5 trusts what it reads: other bytes at that place end the process."""
    with Stream(tmp_path / "file", "w+") as stream:
        stream.write(b"on disk")
        monkeypatch.setattr(Stream, "_put", lambda *_: (_ for _ in ()).throw(OSError("full")))
        stream.seek(3)
        stream.write(b"in memory")
        stream.seek(20)
        stream.write(b"further on")
        stream.seek(4)
        stream.write(b"N")
        assert (stream.tell(), stream.seek(0, 2)) == (5, 30)
        buffer = bytearray(b"x" * 32)
        stream.seek(0)
        assert stream.readinto(buffer) == 32
        assert buffer == b"on iN memory" + bytes(8) + b"further on" + bytes(2)
        assert str(stream.error) == "full"


def test_a_limit_of_the_system_is_an_error_of_the_system(tmp_path):
    """The real thing, in place of a full disk: a file that may not grow any more."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"), create_netcdf(tmp_path / "t.nc") as nc:
            nc.dimension("row", 100_000)
            nc.variable("peak", ["row"], np.float64, {})
            nc.variable("status", ["row"], str, {})
            for k in range(0, 100_000, 1000):
                nc.write("status", k, np.full(1000, "ok", dtype=object))
                nc.write("peak", k, np.ones(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("command", ["info", "report"])
def test_a_mistake_of_ours_is_not_called_damage(command, tmp_path, monkeypatch, capsys):
    written(tmp_path / "t.nc", plan(YOUNG, SEED))

    def mistaken(*_arguments):
        raise KeyError("misspelt")

    place = "describe_table" if command == "info" else "choice.choose"
    monkeypatch.setattr(f"sole.studies.{place}", mistaken)
    sole = in_this_process(monkeypatch, capsys, command, tmp_path / "t.nc")
    code, _, err = sole()
    assert (code, err.count("\n")) == (1, 1)
    assert "internal error, KeyError: 'misspelt'" in err
    with h5py.File(tmp_path / "t.nc", "r+") as f:
        del f.attrs["content"], f.attrs["sealed"]  # now nobody can tell
    code, _, err = sole()
    assert (code, err.count("\n")) == (2, 1)
    assert "damaged or made by hand (KeyError: 'misspelt')" in err


@pytest.mark.parametrize("command", ["info", "view", "report"])
def test_an_attribute_that_is_no_json_is_one_line(command, tmp_path, monkeypatch, capsys):
    written(tmp_path / "t.nc", plan(YOUNG, SEED))
    with h5py.File(tmp_path / "t.nc", "r+") as f:
        del f.attrs["content"], f.attrs["sealed"]
        for name in ("warnings", "ensemble", "trades"):
            f.attrs[name] = "{"
    sole = in_this_process(monkeypatch, capsys, command, tmp_path / "t.nc")
    code, out, err = sole() if command == "info" else sole("-o", tmp_path / "o.html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "t.nc: damaged or made by hand (JSONDecodeError" in err
    assert not (tmp_path / "o.html").exists()


def test_highlights_leave_out_what_no_row_has(tmp_path):
    table = written(tmp_path / "t.nc", plan(YOUNG))
    table["tilt"].attrs["highlight"] = 1
    assert highlights(table) == ["peak", "tilt"]
    table["peak"].values[:] = math.nan
    assert highlights(table) == ["tilt"]
    table["tilt"].values[:] = math.nan
    assert highlights(table) == ["peak", "tilt"]  # every row failed


@pytest.mark.parametrize(
    ("layers", "layer", "titled"),
    [
        ((1.0,), "", ""),
        ((1.0, 2.0), "", " of all layers"),
        ((1.0, 2.0), "layer0", " of layer layer0"),
    ],
)
def test_an_axis_of_a_sole_of_several_layers_says_that_it_sets_all(tmp_path, layers, layer, titled):
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 3), layers)
    materials = {n: LayerMaterial(young_modulus=1e6, poisson_ratio=0.3) for n in mesh.layers}
    axis = Axis(quantity="young", layer=layer, values=(1e5, 1e6))
    p = Plan(Study(axis=(axis, RIGID), layers=materials), mesh, {"probe": Kind()})
    table = written(tmp_path / "t.nc", p)
    assert table[axis.name].attrs["long_name"] == f"Young's modulus{titled}"
    remark = describe_table(tmp_path / "t.nc").quantities[f"axis {axis.name}"].remark
    assert remark == "2 values" + ", each for all layers" * titled.endswith("all layers")


def test_an_axis_must_not_be_named_as_the_column_of_rows(tmp_path):
    axis = Axis(name="row", quantity="young", values=(1e5, 1e6))
    with pytest.raises(ConfigError, match="axis row: the table has a column of this name"):
        plan(axis, RIGID)
