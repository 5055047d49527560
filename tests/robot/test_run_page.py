"""The page of a run: what it packs is the run to a stated step, and it asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import in_this_process
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from small_robot import drop, simulator

from robot.pictures.browser import Quantised, pack, page_text, run_html, run_page, unpack
from robot.pictures.browser.run_columns import MOST_ROWS, frame_rows, plot_columns
from robot.pictures.browser.stage_data import MOST_TRIANGLES, solids_of
from robot.pictures.nodal import SoleField
from robot.run import LinkShape, Run, save_run
from sole.base.errors import SoleError
from sole.condense import STRAIN_LIMIT

MEGABYTE = 1e6


@pytest.fixture(scope="module")
def run() -> Run:
    return drop(simulator(), 120, nodes=5).recorder.run()


@pytest.fixture(scope="module")
def page(run):
    return run_page([run], ["drop"])


def packed_data(text: str) -> str:
    return re.search(r'id="data">([^<]*)<', text)[1]


@given(
    values=arrays(
        float,
        array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6),
        elements=st.floats(-1e7, 1e7) | st.just(np.nan),
    ),
    step=st.sampled_from([1e-6, 1e-3, 0.5]),
)
def test_what_is_unpacked_is_within_half_a_step(values, step):
    text = pack({"a": [1, "ü"]}, {"x": Quantised(values, step, "m"), "one": Quantised(7.0, 1.0)})
    header, found = unpack(text)
    told = header["arrays"][0]
    assert header["a"] == [1, "ü"] and told["unit"] == "m" and found["one"] == 7.0
    used = told["step"]
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    assert used == max(step, largest / 2**30)  # coarser only where 32 bits do not suffice
    assert found["x"].shape == values.shape
    np.testing.assert_array_equal(np.isnan(found["x"]), np.isnan(values))
    # half a step, and what two roundings to 53 bits add
    np.testing.assert_allclose(found["x"], values, rtol=0, atol=0.5 * used + 4e-16 * largest)


def test_the_page_holds_the_recorded_rows(run, page):
    header, found = unpack(packed_data(page.text))
    rows = frame_rows(run)
    assert page.frames == (len(rows),) and rows[-1] == len(run) - 1
    snapshot = [SoleField(run).snapshot(int(row)) for row in rows]
    expected = {
        "time": run.time[rows],
        "q": run["q"][rows],
        "tilt": run["waist_tilt"][rows],
        "waist": run["waist_position"][rows],
        "force": run["wrench_world"][rows][:, :, :3],
        "cop": run["cop"][rows],
        "zmp": run["zmp"][rows],
        "pressure": run["pressure"][rows],
        "node_force": run.frames["node_force"][snapshot],
        "node_displacement": run.frames["node_displacement"][snapshot],
        "plot/time": run.time,
        "plot/tilt": run["waist_tilt"],
        "plot/force": run["wrench_world"][:, :, 2],
    }
    steps = {told["name"]: told["step"] for told in header["arrays"]}
    for name, values in expected.items():
        step = steps[f"0/{name}"]
        assert step <= 1.0
        np.testing.assert_allclose(
            found[f"0/{name}"], values, rtol=1e-12, atol=0.5 * step, err_msg=name
        )
    assert np.isnan(found["0/cop"][0]).all()  # it begins in the air
    for b, tread in enumerate(run.treads):
        np.testing.assert_array_equal(found[f"0/tread/{b}/faces"], tread.faces)
        np.testing.assert_allclose(found[f"0/tread/{b}/areas"], tread.areas, atol=5e-10)
    assert header["sides"][0]["feet"] == list(run.feet)
    assert header["sides"][0]["linear"] == STRAIN_LIMIT
    thick = [tread["thickness"] for tread in header["sides"][0]["treads"]]
    assert thick == [tread.thickness for tread in run.treads] and max(thick) > 0
    assert header["scale"]["label"] == "pressure at nodes (peaks depend on the mesh) [kPa]"


def test_frames_are_the_snapshots_and_the_last_row(run):
    rows = frame_rows(run)
    times = run.frames["frame_time"]
    np.testing.assert_allclose(run.time[rows[: len(times)]], times, atol=1e-9)
    assert frame_rows(run, 3).tolist() == [*rows[: len(times)][::3], len(run) - 1]
    bare = replace(run, frames={})
    np.testing.assert_allclose(np.diff(bare.time[frame_rows(bare)])[:-1], 0.01, atol=1e-9)
    told, found = unpack(packed_data(run_page([bare], ["bare"]).text))
    assert "0/node_force" not in found and told["sides"][0]["snapshots"] is False


def test_a_long_run_on_fine_soles_stays_below_three_megabytes(run):
    """8 s on soles of 300 nodes whose forces are noise: they compress badly, and are thinned."""
    random, count, nodes = np.random.default_rng(1), 800, 300
    long = {name: a[np.minimum(np.arange(8000), len(run) - 1)] for name, a in run.series.items()}
    long["time"] = 1e-3 * np.arange(1.0, 8001.0)
    treads = []
    for tread in run.treads:
        points = np.repeat(tread.points, nodes // len(tread.points), axis=0)
        areas = np.full(len(points), 1e-4)
        treads.append(replace(tread, points=points, areas=areas))
    loud = random.normal(scale=10.0, size=(count, sum(len(t.points) for t in treads), 3))
    frames = {
        "frame_time": long["time"][np.arange(count) * 10],
        "node_force": loud,
        "node_displacement": 1e-5 * loud,
    }
    page = run_page([replace(run, series=long, treads=tuple(treads), frames=frames)], ["long"])
    assert len(page.text.encode()) <= 3 * MEGABYTE
    assert 9.9 <= page.rate < 99 and page.frames[0] >= 80


def test_a_short_limit_thins_to_ten_frames_a_second_at_most(run):
    page = run_page([run], ["drop"], limit=1)
    assert 0.05 < 1 / page.rate <= 0.1 + 1e-9
    assert page.frames[0] < len(frame_rows(run))


def test_thinned_plots_keep_the_extremes(run):
    often = 100
    series = {name: np.concatenate([a] * often) for name, a in run.series.items()}
    series["time"] = 1e-5 * np.arange(1.0, 1.0 + len(series["time"]))
    force = plot_columns(replace(run, series=series))["plot/force"].values
    assert len(force) <= MOST_ROWS < len(series["time"])
    vertical = run["wrench_world"][:, :, 2]
    np.testing.assert_array_equal(force.max(axis=0), vertical.max(axis=0))
    np.testing.assert_array_equal(force.min(axis=0), vertical.min(axis=0))


def test_solids_are_shared_and_large_meshes_decimated(run, tmp_path):
    import pyvista

    fine = pyvista.Sphere(theta_resolution=200, phi_resolution=200)
    fine.save(tmp_path / "ball.stl")
    assert fine.n_cells > MOST_TRIANGLES

    def shape(kind, size, path=None):
        return LinkShape(
            kind=kind, link="left_leg", joint=1, placement=np.eye(4), size=np.array(size), path=path
        )

    shapes = (
        shape("box", (0.1, 0.2, 0.3)),
        shape("capsule", (0.05, 0.2, 0.0)),
        shape("box", (0.1, 0.2, 0.3)),
        shape("mesh", (2.0, 2.0, 2.0), tmp_path / "ball.stl"),
        shape("mesh", (1.0, 1.0, 1.0), tmp_path / "none.stl"),
    )
    told, found = solids_of(replace(run, skeleton=replace(run.skeleton, shapes=shapes)))
    assert [solid["mesh"] for solid in told] == [0, 1, 0, 2]
    box = found["solid/0/points"].values
    np.testing.assert_allclose(np.ptp(box, axis=0), (0.1, 0.2, 0.3), rtol=1e-6)
    assert len(box) == 24  # corners are split: faces are flat
    ball = found["solid/2/faces"].values
    assert MOST_TRIANGLES / 4 < len(ball) <= MOST_TRIANGLES / 2
    radii = np.linalg.norm(found["solid/2/points"].values, axis=1)
    np.testing.assert_allclose(radii, 1.0, atol=0.01)


def test_the_page_asks_nobody_and_runs_its_own_scripts_alone(page):
    assert set(re.findall(r"https?://[^\s\"'`<)]*", page.text)) == {"http://www.w3.org/1999/xhtml"}
    assert not re.findall(r"<(?:link|img|iframe|script[^>]*\ssrc)", page.text)
    policy = re.search(r'Policy" content="([^"]*)"', page.text)[1].replace("&#x27;", "'")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    assert len(scripts) == 1 + len(run_html.SCRIPTS)
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "SPDX-License-Identifier: MIT" in page.text


def test_foreign_names_are_no_markup(run):
    text = run_page([run, run], ["</title><script>alert(1)</script>", "{{data}}"]).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert len(re.findall('id="data"', text)) == 1


@pytest.mark.parametrize("trouble", ["absent", "no versions", "other text"])
def test_without_three_js_it_says_what_to_install(run, monkeypatch, tmp_path, trouble):
    (tmp_path / "static").mkdir()
    if trouble == "other text":
        (tmp_path / "static" / "r130").mkdir()
        (tmp_path / "static" / "r130" / "three.min.js").write_text("alert(1)")

    def files(package):
        if package != "jupyter_threejs_sage":
            return real(package)
        if trouble == "absent":
            raise ModuleNotFoundError(package)
        return tmp_path

    real = page_text.files
    monkeypatch.setattr(page_text, "files", files)
    with pytest.raises(SoleError, match=r"jupyter-threejs-sage.*pip install"):
        run_page([run], ["drop"])


def test_view_writes_the_page_of_one_run_or_two(run, tmp_path, monkeypatch, capsys):
    view = in_this_process(monkeypatch, capsys, "view")
    file, other = tmp_path / "run.nc", tmp_path / "other.nc"
    save_run(file, run)
    save_run(other, run)
    page = tmp_path / "page.html"
    assert view(file, "--film", page, "-q")[0] == 0
    assert page.read_text(encoding="utf-8") == run_page([run], ["run"]).text
    assert view(file, "--beside", other, "--film", page, "-q")[0] == 0
    header, _ = unpack(packed_data(page.read_text(encoding="utf-8")))
    assert len(header["sides"]) == 2
    code, _, said = view(file, "--film", page, "--pixels", 800, 600)
    assert code == 2 and "leave out --pixels" in said
    code, _, said = view(file, "--film", tmp_path / "none" / "page.html")
    assert code == 2 and "does not exist" in said


def test_more_runs_than_a_page_shows_are_refused(run):
    with pytest.raises(SoleError, match="one to 4 runs, got 5"):
        run_page([run] * 5, list("abcde"))


def test_our_scripts_are_in_the_package():
    folder = Path(run_html.__file__).parent / "assets"
    names = {file.name for file in folder.iterdir()}
    assert names == {
        *(file.name for file in run_html.SCRIPTS),
        "page.html",
        "play_bar.html",
        "page.css",
    }
