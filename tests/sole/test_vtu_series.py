"""Series for ParaView: a .pvd that lists datasets in time, and their folder."""

from __future__ import annotations

import numpy as np
import pytest
import pyvista

from sole.base.errors import SoleError
from sole.pictures import write_series


def ball(size: float) -> pyvista.PolyData:
    made = pyvista.Sphere(radius=size, theta_resolution=8, phi_resolution=8)
    made.point_data["pressure"] = np.full(made.n_points, size)
    return made


def test_a_series_is_read_with_its_times_and_what_stays_is_written_once(tmp_path):
    ground = pyvista.Plane()
    instants = [(0.1 * k, {"ball": ball(1.0 + k), "ground": ground}) for k in range(3)]
    assert write_series(tmp_path / "run.pvd", iter(instants), {"pressure": "Pa"}) == 3
    files = sorted(p.name for p in (tmp_path / "run_series").iterdir())
    assert files == ["ball_0000.vtp", "ball_0001.vtp", "ball_0002.vtp", "ground_0000.vtp"]
    reader = pyvista.PVDReader(str(tmp_path / "run.pvd"))
    assert reader.time_values == pytest.approx([0.0, 0.1, 0.2])
    reader.set_active_time_value(reader.time_values[2])
    read = reader.read()
    assert read[0]["pressure [Pa]"] == pytest.approx(3.0)
    assert read[1].n_points == ground.n_points


def test_an_older_series_is_replaced_and_other_files_stay(tmp_path):
    write_series(tmp_path / "a.pvd", [(float(k), {"ball": ball(1)}) for k in range(5)], {})
    (tmp_path / "a_series" / "notes.txt").write_text("mine")
    write_series(tmp_path / "a.pvd", [(0.0, {"ball": ball(1)})], {})
    left = sorted(p.name for p in (tmp_path / "a_series").iterdir())
    assert left == ["ball_0000.vtp", "notes.txt"]


def test_a_series_that_fails_leaves_the_older_one(tmp_path):
    write_series(tmp_path / "a.pvd", [(0.0, {"ball": ball(1)})], {})
    before = (tmp_path / "a.pvd").read_bytes()

    def broken():
        yield 0.0, {"ball": ball(2)}
        raise SoleError("no more")

    with pytest.raises(SoleError, match="no more"):
        write_series(tmp_path / "a.pvd", broken(), {})
    assert (tmp_path / "a.pvd").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pvd", "a_series"]
    assert pyvista.read(tmp_path / "a_series/ball_0000.vtp").bounds[1] == pytest.approx(
        1.0, rel=0.1
    )
