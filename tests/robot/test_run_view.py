"""`sole view` of a run: time series, the robot on its soles, films."""

from __future__ import annotations

import base64
import io
import json
import re
import stat
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from command_line import Call, in_this_process
from pictures import colours
from small_robot import drop, simulator

from robot.measures import stances_of
from robot.pictures import RunScene, together
from robot.pictures.bodies import TreadSurface, color_of, ground_surface, solid
from robot.pictures.caption import caption
from robot.pictures.film import ffmpeg, write_film
from robot.pictures.nodal import ABOVE, SoleField, end_of_colours, round_up
from robot.pictures.pressures import PressureMap
from robot.pictures.sheet import LIMBS, _looks, sheet, single
from robot.pictures.stage import Stage, robot_height
from robot.run import LinkShape, Run, save_run
from robot.walk import ControlChoice, PushPlan, Scenario, SoleChoice
from robot.walk.scenario_tables import Sensing
from sole.base.errors import SoleError
from sole.pictures import off_screen_rendering

SMALL = (320, 180)


@pytest.fixture(scope="module")
def run() -> Run:
    return drop(simulator(), 120, nodes=5).recorder.run()


@pytest.fixture(scope="module")
def run_file(run, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.nc"
    save_run(path, run)
    return path


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys, "view")


@pytest.fixture(scope="module")
def stage(run):
    with off_screen_rendering():
        made = Stage(run, size=SMALL)
        made.show(100)
        yield made
        made.plotter.close()


def test_the_sheet_has_units_and_shows_the_recorded_forces(run):
    figure = sheet(run)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert all("[" in label for label in labels)
    force = figure.axes[labels.index("vertical force [N]")]
    np.testing.assert_array_equal(force.lines[1].get_ydata(), run["wrench_world"][:, 1, 2])
    assert force.get_legend() is not None
    assert {axes.get_xlabel() for axes in figure.axes[-2:]} == {"time [s]"}
    spans = [p for p in force.patches if p.get_height() == 0.5]
    assert len(spans) == sum(len(stances_of(run, f)) for f in range(2)) == 2


def test_small_sheets_have_small_letters(run):
    for size, letters in ((None, 10), ((975, 1125), 5), ((3900, 4500), 10)):
        assert sheet(run, size).axes[0].yaxis.label.get_fontsize() == pytest.approx(letters)


def test_one_series_alone_in_a_readable_unit(run):
    (axes,) = single(run, "pressure").axes
    assert axes.get_ylabel() == "pressure [kPa]"
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 1e-3 * run["pressure"][:, 0])
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["left", "right", "hand"]
    (axes,) = single(run, "q").axes
    assert len(axes.lines) == 8
    assert axes.get_ylabel() == "q [m or rad]"
    with pytest.raises(SoleError, match="no series 'nonsense' to draw; it has q, v"):
        single(run, "nonsense")


def test_what_is_on_the_stage_is_where_the_run_says(run, stage):
    """The soles sit at the poses of their frames, deformed as the nodes were, true to scale."""
    i = int(np.abs(run.frames["frame_time"] - run.time[100]).argmin())
    pose = run.skeleton.frame_poses(run["q"][100])
    first = 0
    for b, tread in enumerate(run.treads):
        nodes = slice(first, first + len(tread.points))
        first = nodes.stop
        local = tread.points + run.frames["node_displacement"][i, nodes]
        world = local @ pose[b, :3, :3].T + pose[b, :3, 3]
        np.testing.assert_allclose(stage.soles[b][0].points, world, atol=1e-6)
    np.testing.assert_allclose(stage.bones.points[0], run["waist_position"][100], atol=1e-6)
    p = run.frames["node_force"][i, :15, 2] / run.treads[0].areas
    assert stage.field.unit == "kPa"
    tread, walls = stage.soles[0]
    for mesh in (stage.maps[0][1].meshes[0], tread):
        np.testing.assert_allclose(mesh.point_data["pressure"], 1e-3 * p, rtol=1e-6)
    np.testing.assert_allclose(walls.point_data["pressure"], 1e-3 * np.tile(p, 2), rtol=1e-6)
    line = np.asarray(stage.arrows[0].points)
    length = 0.5 * np.linalg.norm(run["wrench_world"][100, 0, :3]) / run.weight
    assert np.linalg.norm(line[1] - line[0]) == pytest.approx(length, rel=1e-5)
    assert [run.treads[b].name for b in stage.others] == ["hand"]
    np.testing.assert_allclose(stage.arrows[2].points[0], pose[2, :3, 3], atol=1e-6)


def test_the_ground_is_drawn_below_hands_too(run):
    for axis, name in enumerate("xy"):
        place = run.skeleton.frame_poses(run["q"][100])[2, axis, 3]
        assert run.ground[name][0] <= place - 0.35
        assert run.ground[name][-1] >= place + 0.35


@pytest.mark.parametrize(
    ("value", "end"), [(1.0, 1.0), (1.01, 1.2), (31.0, 32.0), (32.1, 40.0), (97.0, 100.0)]
)
def test_colours_end_at_a_number_that_reads_well(value, end):
    assert round_up(value) == pytest.approx(end)


def run_of(run: Run, **scenario) -> Run:
    header = {**run.header, "scenario": asdict(Scenario(**scenario))}
    return replace(run, header=header)


def test_the_caption_says_what_it_is_a_picture_of(run):
    said = caption(run_of(run, sole=SoleChoice(young=3e5), control=ControlChoice(kind="pd")), 100)
    assert "t = 0.10 s" in said
    assert "soles of 300 kPa, 20 mm; plain PD\n" in said
    push = PushPlan(force=(0.0, -50.0, 0.0), start=0.05)
    said = caption(
        run_of(run, sole=SoleChoice(rigid=True), sensing=Sensing(kind="noisy"), push=(push,)), 100
    )
    assert "rigid feet; stabiliser, noisy sensors\n" in said
    assert "push of 5 N s at 0.05 s" in said
    assert "soles" not in caption(run, 100)


def test_a_push_is_seen_while_it_acts_and_faintly_after(run, monkeypatch):
    monkeypatch.setattr("robot.pictures.stage.AFTER", 0.02)
    push = PushPlan(force=(0.0, -50.0, 0.0), start=0.05, duration=0.02)
    with off_screen_rendering():
        stage = Stage(run_of(run, push=(push,)), size=SMALL)
        ((_, arrow),) = stage.pushed
        for row, seen, opacity in ((30, 0, None), (60, 1, 1.0), (80, 1, 0.3), (100, 0, None)):
            stage.show(row)
            assert arrow.GetVisibility() == seen
            assert opacity is None or arrow.prop.opacity == opacity
        stage.show(60)
        y = run["waist_position"][60, 1]
        assert arrow.bounds[2:4] == pytest.approx((y + 0.3, y + 0.7), abs=1e-5)  # from the left
        stage.plotter.close()


def test_a_push_is_shaded_on_sheets(run):
    push = PushPlan(force=(0.0, -50.0, 0.0), start=0.05, duration=0.02)
    pushed = run_of(run, push=(push,))
    for figure in (sheet(pushed), single(pushed, "cop")):
        for axes in figure.axes:
            (span,) = [p for p in axes.patches if p.get_height() == 1.0]
            left = span.get_x()
            assert (left, left + span.get_width()) == pytest.approx((0.05, 0.07))
    assert "violet: push" in sheet(pushed).get_suptitle()
    assert "push" not in sheet(run).get_suptitle()


def test_what_is_above_the_colours_has_its_own_and_is_told(run, stage):
    field = SoleField(run, end=5e3)
    p = run.frames["node_force"][:, :30, 2] / np.concatenate([t.areas for t in run.treads[:2]])
    assert field.largest == pytest.approx(1e-3 * p.max())
    assert field.above == f"magenta: above 6, up to {field.largest:.3g} kPa"
    assert SoleField(run, end=1e3 * field.largest).above == ""
    drawn = [a.mapper for r in stage.plotter.renderers for a in r.actors.values()
             if getattr(a, "mapper", None) is not None]  # fmt: skip
    assert stage.field.above == ""  # so that the bar of the map has no magenta end, either
    for mesh, color in ((stage.maps[0][1].meshes[0], None), (stage.soles[0][0], ABOVE)):
        (table,) = [m.lookup_table for m in drawn if m.dataset is mesh]
        assert table.above_range_color == color


def test_the_colours_end_at_the_largest_value_unless_it_is_far_above_most(run):
    """A node 9 % above the scale is no reason for another colour; an edge at five times is."""
    areas = np.concatenate([t.areas for t in run.treads])
    for factor, expected in ((1.4, 1.4), (5.0, 1.0)):
        force = np.zeros_like(run.frames["node_force"])
        force[..., 2] = areas  # 1 Pa
        force[3, 7, 2] *= factor
        changed = replace(run, frames={**run.frames, "node_force": force})
        assert end_of_colours([changed]) == pytest.approx(expected)


def test_other_fields_of_the_soles(run):
    f = run.frames["node_force"][-1, :15]
    shear = SoleField(run, "shear")
    expected = np.hypot(f[:, 0], f[:, 1]) / run.treads[0].areas * shear.factor
    last = len(run.frames["frame_time"]) - 1
    np.testing.assert_allclose(shear.values(last, 0), expected)
    moved = SoleField(run, "displacement")
    assert moved.label == "displacement [µm]"
    u = run.frames["node_displacement"][-1, :15]
    np.testing.assert_allclose(moved.values(last, 0), 1e6 * np.linalg.norm(u, axis=1))


def test_the_camera_sees_true_proportions_and_the_whole_robot(run, stage):
    camera = stage.plotter.renderers[0].camera
    assert camera.parallel_projection
    low, high = run["foot_position"][100, :, 2].min(), 0.62  # m, sole and head
    tall = 2 * camera.parallel_scale
    assert 1.2 * (high - low) < tall < 2.5 * (high - low)
    assert abs(camera.focal_point[0] - run["waist_position"][100, 0]) < 1e-6


def test_a_run_without_snapshots_is_the_robot_alone(run):
    with off_screen_rendering():
        stage = Stage(replace(run, frames={}), size=SMALL)
        stage.show(100)
        assert stage.maps == []
        assert len(stage.plotter.renderers) == 1
        stage.plotter.close()


def test_walls_join_the_tread_to_the_foot(run):
    mesh = TreadSurface(run.treads[0])
    walls = mesh.walls()
    assert len(mesh.rim) == 12  # of 4 x 2 cells
    assert walls.bounds[4:] == pytest.approx((-0.02, 0.0))
    closed = mesh.surface().merge(walls).clean().extract_surface(algorithm=None)
    assert closed.n_open_edges == 0
    closed = closed.triangulate().compute_normals(auto_orient_normals=True)
    assert closed.volume == pytest.approx(0.16 * 0.08 * 0.02, rel=1e-5)


def test_treads_are_shaded_from_one_side(run):
    """The meshes of these soles have facets of both orientations."""
    for tread in run.treads[:2]:
        a, b, c = tread.points[tread.faces].transpose(1, 0, 2)
        assert (np.cross(b - a, c - a)[:, 2] < 0).all()


def test_a_free_box_is_drawn_as_a_solid(run):
    corners = np.array(np.meshgrid([-0.1, 0.1], [-0.2, 0.2], [-0.05, 0.05])).reshape(3, -1).T
    mesh = TreadSurface(
        replace(run.treads[2], points=corners, faces=np.zeros((0, 3)), areas=np.ones(8))
    )
    closed = mesh.surface().compute_normals(auto_orient_normals=True)
    assert mesh.solid
    assert mesh.walls() is None
    assert closed.volume == pytest.approx(0.2 * 0.4 * 0.1, rel=1e-5)
    assert not TreadSurface(run.treads[0]).solid


@pytest.mark.parametrize(
    ("kind", "size", "bounds"),
    [
        ("box", (0.2, 0.1, 0.4), (0.1, 0.05, 0.2)),
        ("sphere", (0.1, 0, 0), (0.1, 0.1, 0.1)),
        ("cylinder", (0.1, 0.5, 0), (0.1, 0.1, 0.25)),
        ("capsule", (0.1, 0.5, 0), (0.1, 0.1, 0.35)),
    ],
)
def test_solids_have_their_size(kind, size, bounds):
    shape = LinkShape(kind=kind, link="a", joint=0, placement=np.eye(4), size=np.array(size))
    made = np.array(solid(shape).bounds)
    np.testing.assert_allclose(made[1::2], bounds, rtol=0.01)
    np.testing.assert_allclose(made[0::2], -np.array(bounds), rtol=0.01)


def test_a_mesh_file_that_is_gone_is_left_out(tmp_path):
    gone = tmp_path / "a.stl"
    shape = LinkShape(
        kind="mesh", link="a", joint=0, placement=np.eye(4), size=np.ones(3), path=gone
    )  # fmt: skip
    assert solid(shape) is None


def test_sides_have_their_colours_and_the_ground_its_tiles(run):
    assert color_of("left_hip") != color_of("right_hip") != color_of("torso")
    ground = ground_surface(run)
    assert set(np.unique(ground.cell_data["tile"])) == {0.0, 1.0}
    assert ground.bounds[4:] == (0.0, 0.0)


def test_a_step_of_the_ground_is_drawn_with_its_riser(run):
    x, y = np.linspace(-0.4, 0.4, 81), np.linspace(-0.2, 0.2, 41)
    height = np.where(x > 0.005, 0.02, 0.0)[:, None] + np.zeros(41)
    ground = ground_surface(replace(run, ground={"x": x, "y": y, "height": height}))
    tile, middle = ground.cell_data["tile"], np.asarray(ground.cell_centers().points)
    np.testing.assert_allclose(middle[tile == 2.0, 0], 0.005)
    assert (tile == 2.0).sum() == 40
    assert set(np.unique(tile[middle[:, 0] > 0.01])) == {3.0, 4.0}
    assert set(np.unique(tile[middle[:, 0] < 0.0])) == {0.0, 1.0}
    assert ground.bounds[4:] == (0.0, 0.02)


def test_a_picture_at_a_time(view, run_file, tmp_path):
    out = tmp_path / "a.png"
    code, told, err = view(run_file, "--time", "0.1", "-o", out, "--pixels", 320, 180, "--json")
    assert (code, err) == (0, "")
    assert json.loads(told)["schema"] == "robot.run/1"
    assert colours(out) > 50


def test_a_sheet_without_a_time(view, run_file, tmp_path):
    out = tmp_path / "a.png"
    assert view(run_file, "-o", out, "--field", "waist_rpy", "--quiet")[0] == 0
    assert out.read_bytes()[:4] == b"\x89PNG"


def test_a_film_is_as_long_as_the_run(run, tmp_path):
    from PIL import Image

    scene = RunScene(run, 0.1, SMALL, slow=0.4)
    assert scene.times()[[0, -1]] == pytest.approx([run.time[0], run.time[-1]])
    out = tmp_path / "a.gif"
    RunScene(run, 0.1, SMALL, fps=25, slow=2.0).write(out)
    with Image.open(out) as picture:
        assert picture.n_frames == round(25 * 2 * 0.119)
        assert picture.info["duration"] == 40
        assert picture.size == SMALL
        first = np.asarray(picture.convert("RGB")).copy()
        picture.seek(picture.n_frames - 1)
        assert (np.asarray(picture.convert("RGB")) != first).any()


def test_a_gif_is_read_back_as_it_was_drawn(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(1)
    first = rng.choice(np.array([[255, 0, 0], [0, 160, 0], [9, 9, 99]], np.uint8), (20, 30))
    frames = [first.copy() for _ in range(4)]
    frames[1][3:5, 7:20] = (9, 9, 99)
    frames[3][10, 11] = (255, 0, 0)
    out = tmp_path / "a.gif"
    write_film(out, iter(frames))
    with Image.open(out) as picture:
        for k, frame in enumerate(frames):
            picture.seek(k)
            np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), frame)
        assert picture.n_frames == 4
        assert picture.info["loop"] == 0


FAKE = """#!{python}
import sys
data = sys.stdin.buffer.read()
open(sys.argv[-1], "wb").write(str(len(data)).encode() + b" " + " ".join(sys.argv).encode())
if {code}:
    sys.exit("no space left")
"""


def fake_ffmpeg(folder: Path, code: int = 0) -> None:
    """Put a program called ffmpeg into `folder` that counts what it gets."""
    program = folder / "ffmpeg"
    program.write_text(FAKE.format(python=sys.executable, code=code))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_an_mp4_gets_every_frame(tmp_path, monkeypatch):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "ffmpeg"))
    fake_ffmpeg(tmp_path)
    frames = [np.full((9, 13, 3), k, np.uint8) for k in range(4)]
    write_film(tmp_path / "a.mp4", frames)
    told = (tmp_path / "a.mp4").read_text()
    assert told.split()[0] == str(4 * 8 * 12 * 3)  # odd rows and columns are cut
    assert "12x8" in told
    fake_ffmpeg(tmp_path, code=1)
    for suffix in (".mp4", ".gif"):
        with pytest.raises(SoleError, match="ffmpeg could not write the film: no space left"):
            write_film(tmp_path / f"a{suffix}", frames)


def test_an_mp4_needs_no_program_of_the_system(tmp_path, monkeypatch):
    """It is read back: every frame, the even size, and the brightness that grows."""
    from imageio_ffmpeg import count_frames_and_secs

    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "a.mp4"
    levels = range(40, 240, 20)
    write_film(out, (np.full((33, 47, 3), k, np.uint8) for k in levels), fps=10)
    assert count_frames_and_secs(str(out)) == (10, 1.0)
    raw = ["-loglevel", "error", "-i", str(out), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    read = subprocess.run([ffmpeg(), *raw], check=True, capture_output=True).stdout
    means = np.frombuffer(read, np.uint8).reshape(10, 32 * 46 * 3).mean(axis=1)
    np.testing.assert_allclose(means, levels, atol=3)  # of 8 bit, in limited range


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_without_ffmpeg_says_what_to_do(view, run_file, tmp_path, monkeypatch, suffix):
    import imageio_ffmpeg

    def gone():
        raise RuntimeError

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", gone)
    code, _, err = view(run_file, "--film", tmp_path / f"a{suffix}")
    assert (code, err.count("\n")) == (2, 1)
    assert "films need ffmpeg" in err
    assert not list(tmp_path.iterdir())


def test_the_colours_of_a_gif_come_from_all_frames(tmp_path):
    """What comes late has its own colour, not that of the first frame nearest to it."""
    from PIL import Image

    late = np.zeros((20, 30, 3), np.uint8)
    late[5:8, 5:8] = (255, 0, 255)
    write_film(tmp_path / "a.gif", [np.zeros_like(late), late])
    with Image.open(tmp_path / "a.gif") as picture:
        picture.seek(1)
        np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), late)


def test_a_window_shows_the_robot_at_the_time(view, run_file, monkeypatch):
    """No window in tests: what would be shown is drawn off screen."""
    import pyvista

    seen = []

    def shown(plotter):
        seen.append(plotter)

    for place in ("sole.pictures", "robot.pictures.view_run"):
        monkeypatch.setattr(f"{place}.require_display", lambda **_: None)
    monkeypatch.setattr(pyvista.Plotter, "show", shown)
    with off_screen_rendering():
        assert view(run_file, "--time", "0.1", "--pixels", 320, 180) == (0, "", "")
    (plotter,) = seen
    assert plotter.window_size == [320, 180]
    assert len(plotter.renderers) == 3
    plotter.close()


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["--time", "9", "-o", "x.png"], "0.12 s, got 9 s"),
        (["--time", "0.1", "-o", "x.pvd"], ".png, .svg, .pdf or .html"),
        (["--film", "x.avi"], ".mp4"),
        (["--film", "x.png"], "--film must end in one of .mp4, .gif, .html"),
        (["--time", "0.1", "-o", "x.gif"], "a picture of a run at a time is .png"),
        (["--time", "0.1", "-o", "x.png", "--exaggeration", "5"], "to scale"),
        (["--film", "x.gif", "-o", "y.png"], "leave out -o"),
        (["--time", "0.1", "--field", "q", "-o", "x.png"], "--field draws a time series"),
        (["--field", "nonsense", "-o", "x.png"], "waist_rpy"),
    ],
)
def test_wrong_wishes_are_one_line_and_leave_no_file(
    view, run_file, tmp_path, monkeypatch, arguments, mention
):
    monkeypatch.chdir(tmp_path)
    code, out, err = view(run_file, *arguments)
    assert (code, out) == (2, "")
    assert mention in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_has_no_time_refuses_one(view, pad_file, tmp_path):
    code, _, err = view(pad_file, "--time", "1", "-o", tmp_path / "x.png")
    assert code == 2
    assert "does not change in time" in err
    with pytest.raises(SoleError, match="at least one frame"):
        write_film(tmp_path / "x.gif", [])


def test_a_run_is_a_series_for_paraview(run_file, run, view, tmp_path):
    import pyvista

    code, _, _ = view(run_file, "-o", tmp_path / "run.pvd", "--fps", "50", "--quiet")
    assert code == 0
    reader = pyvista.PVDReader(str(tmp_path / "run.pvd"))
    reader.set_active_time_value(reader.time_values[-1])
    soles, _, ground = reader.read()
    row = run.row(reader.time_values[-1])
    tread = soles["tread"] == 1
    first = run.treads[0].points
    pose = run.skeleton.frame_poses(run["q"][row])[0]
    field = SoleField(run)
    U = field.displacement(field.snapshot(row), 0)
    np.testing.assert_allclose(
        soles.points[tread][: len(first)], (first + U) @ pose[:3, :3].T + pose[:3, 3], atol=1e-6
    )
    total = soles["force [N]"][tread].sum(axis=0)
    shot = field.snapshot(row)
    assert total[2] == pytest.approx(run.frames["node_force"][shot][:, 2].sum(), rel=0.02)
    assert soles["pressure [Pa]"][tread].max() > 0
    assert ground.n_cells > 0


def test_a_sheet_too_small_for_all_panels_shows_the_first_and_says_so(run):
    figure = sheet(run, (600, 400))
    assert [axes.get_ylabel() for axes in figure.axes][:2] == [
        "vertical force [N]",
        "largest pressure at a node\n(depends on the mesh) [kPa]",
    ]
    assert len(figure.axes) == 4 and "4 of 10 panels" in figure.get_suptitle()
    assert figure.axes[0].yaxis.label.get_fontsize() >= 4.2
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "time [s]", "time [s]"]
    wide = sheet(run, (1300, 600))
    assert len(wide.axes) == 10 and "of 10" not in wide.get_suptitle()


def test_a_mesh_above_all_joints_counts_for_the_height_of_a_robot(run, tmp_path):
    import pyvista

    pyvista.Cube(center=(0, 0, 0.4), x_length=0.2, y_length=0.2, z_length=0.2).save(
        tmp_path / "head.stl"
    )
    placement = np.eye(4)
    placement[2, 3] = 1.5
    head = LinkShape(
        kind="mesh", link="head", joint=1, placement=placement, size=np.ones(3),
        path=tmp_path / "head.stl",
    )  # fmt: skip
    tall = replace(run, skeleton=replace(run.skeleton, shapes=(*run.skeleton.shapes, head)))
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.3, 0.5)])
    pose = run.skeleton.poses(run["q"][0])[1] @ placement
    top = float((corners @ pose[2, :3]).max() + pose[2, 3])
    low = float(run["foot_position"][0, :, 2].min(initial=0.0))
    assert robot_height(tall) == pytest.approx(top - low + 0.03, abs=1e-3)
    assert robot_height(tall) > robot_height(run) + 0.5


def test_magenta_is_explained_only_where_it_is_drawn(run):
    import pyvista

    field = SoleField(run, end=0.5 * SoleField(run).largest * 1e3)  # kPa to Pa
    foot = next(k for k in range(2) if field.above)
    times = run.frames["frame_time"]
    most = [max(field.values(s, b).max() for b in run.bodies_of(foot)) for s in range(len(times))]
    loaded, free = (int(np.abs(run.time - times[s]).argmin()) for s in np.argsort(most)[[-1, 0]])
    with off_screen_rendering():
        plotter = pyvista.Plotter(off_screen=True, window_size=SMALL)
        drawn = PressureMap(plotter, field, foot, 8)
        drawn.show(loaded)
        assert drawn.said["above"].input == field.above != ""
        drawn.show(free)
        assert drawn.said["above"].input == " "
        plotter.close()


def test_the_refusal_of_a_suffix_names_the_series(view, run_file, tmp_path) -> None:
    code, _, err = view(run_file, "-o", tmp_path / "run.vtu")
    assert code == 2
    assert "got the suffix '.vtu', expected one of .html, .pvd, .png, .svg, .pdf" in err


@pytest.mark.parametrize(
    "suffixes", [("svg",), pytest.param(("svg", "pdf", "html"), marks=pytest.mark.nightly)]
)
def test_every_suffix_shows_the_same(suffixes, view, run, run_file, tmp_path):
    """Without a time the series, with one the robot: the file's kind changes nothing."""
    labels = {axes.get_ylabel() for axes in sheet(run).axes}
    pixels = {}
    for suffix in ("png", *suffixes):
        for kind, wish in (("series", ()), ("moment", ("--time", "0.1"))):
            assert view(run_file, *wish, "-o", tmp_path / f"{kind}.{suffix}", "-q")[0] == 0
    for kind in {"svg", "html"}.intersection(suffixes):
        drawn = (tmp_path / f"series.{kind}").read_text(encoding="utf-8")
        assert "vertical force [N]" in labels and "<!-- vertical force [N] -->" in drawn
        moment = (tmp_path / f"moment.{kind}").read_text(encoding="utf-8")
        (picture,) = re.findall(r'data:image/png;base64,([A-Za-z0-9+/=\s]+)"', moment)
        with PIL.Image.open(io.BytesIO(base64.b64decode(picture))) as image:
            pixels[kind] = np.asarray(image.convert("RGB"))
    with PIL.Image.open(tmp_path / "moment.png") as image:
        png = np.asarray(image.convert("RGB"))
    for kind, shown in pixels.items():
        assert shown.shape == png.shape, kind
        assert np.abs(shown.astype(int) - png).max() <= 1


@pytest.mark.nightly
def test_a_run_says_that_a_time_draws_the_robot(view, run_file, tmp_path):
    told = json.loads(view(run_file, "-o", tmp_path / "a.png", "--json")[1])
    assert told["shows"] == "time series"
    assert "shows" not in json.loads(
        view(run_file, "--time", "0.1", "-o", tmp_path / "a.png", "--json")[1]
    )


def test_colours_are_of_limbs_and_of_nothing_else():
    labels = ["left knee", "right knee", "roll", "left hip", "right hip", "pitch"]
    looks = _looks(labels)
    colors = {label: look["color"] for label, look in zip(labels, looks, strict=True)}
    assert colors["left knee"] == colors["left hip"] == LIMBS["left"]
    assert colors["right knee"] == colors["right hip"] == LIMBS["right"]
    assert not {colors["roll"], colors["pitch"]} & set(LIMBS.values())
    assert len({tuple(look.values()) for look in looks}) == len(labels)  # all differ
    assert not set(together.COLORS) & set(LIMBS.values())  # nor have runs the colours of limbs
    assert len(set(together.DASHES)) == len(together.COLORS)
