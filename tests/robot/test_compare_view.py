"""`sole view --beside`: runs side by side, in step, on one scale of lengths and colours."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from command_line import Call, in_this_process
from pictures import colours
from small_robot import drop, simulator

from robot.pictures.browser import run_page
from robot.pictures.caption import caption, say_controller
from robot.pictures.differences import differences, legend_of, sheet_of_differences
from robot.pictures.nodal import CLOSE, QUANTILE, SNAPSHOTS, SoleField, end_of_colours
from robot.pictures.page import Page, bands_of
from robot.pictures.together import Side, sides_of, span_of
from robot.run import Run, save_run
from robot.walk import ControlChoice, PushPlan, Scenario, SoleChoice
from robot.walk.scenario_tables import ContactChoice
from sole.pictures import off_screen_rendering

SMALL = (480, 320)


def told(run: Run, **scenario) -> Run:
    header = {**run.header, "scenario": asdict(Scenario(**scenario))}
    return replace(run, header=header)


def cut(run: Run, rows: slice, **header) -> Run:
    """Return some rows of a run."""
    series = {name: values[rows] for name, values in run.series.items()}
    return replace(run, series=series, header={**run.header, **header})


@pytest.fixture(scope="module")
def soft() -> Run:
    """Half as long: 60 ms, and it "fell" in the last row."""
    run = drop(simulator(young=3e5), 60, nodes=5).recorder.run()
    tilt = run["waist_tilt"].copy()
    tilt[-1] = 1.0
    run = replace(run, series={**run.series, "waist_tilt": tilt})
    return told(run, sole=SoleChoice(young=3e5), control=ControlChoice(kind="pd"))


@pytest.fixture(scope="module")
def hard() -> Run:
    run = drop(simulator(young=3e6), 120, nodes=5).recorder.run()
    return told(run, sole=SoleChoice(young=3e6, poisson=0.3, thickness=0.015))


@pytest.fixture(scope="module")
def sides(soft, hard) -> tuple[Side, ...]:
    return sides_of([soft, hard], ["soft", "hard"])


@pytest.fixture(scope="module")
def page(sides):
    with off_screen_rendering():
        made = Page(sides, SMALL)
        made.frame(0.03)
        yield made
        made.close()


@pytest.fixture(scope="module")
def files(soft, hard, tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    paths = folder / "soft.nc", folder / "hard.nc"
    for path, run in zip(paths, (soft, hard), strict=True):
        save_run(path, run)
    return paths


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys, "view")


def test_captions_say_what_the_soles_are_and_who_steers(sides, soft, hard):
    assert [s.title for s in sides] == ["E = 300 kPa, ν = 0.4, 20 mm", "E = 3 MPa, ν = 0.3, 15 mm"]
    assert [s.subtitle.partition(", ")[2] for s in sides] == ["plain PD", "stabiliser"]
    rigid = told(hard, sole=SoleChoice(rigid=True))
    penalty = told(hard, contact=ContactChoice(kind="penalty"))
    file = told(hard, sole=SoleChoice(file="some/lattice.npz"))
    unknown = replace(hard, header={**hard.header, "scenario": {}})
    titles = [s.title for s in sides_of([rigid, penalty, file, unknown], list("abcd"))]
    assert titles == ["rigid feet", "rigid feet, penalty contact", "soles of lattice.npz", "d"]
    alike = sides_of([hard, soft, hard], ["one", "two", "three"])
    assert [s.title.partition(":")[0] for s in alike][::2] == ["one", "three"]
    assert alike[1].title == sides[0].title
    pd = told(hard, control=ControlChoice(kind="pd"))
    labels = [s.label for s in sides_of([told(hard), pd], list("ab"))]
    assert [label.rpartition(", ")[2] for label in labels] == ["stabiliser", "plain PD"]


def test_all_show_the_same_instant_whatever_their_steps(hard):
    """Rows every 1 and 7 ms, one that starts late: each shows its row nearest to the clock."""
    coarse = cut(hard, slice(6, None, 7), every=7)
    late = cut(hard, slice(30, None))
    sides = sides_of([hard, coarse, late], list("abc"))
    assert span_of(sides) == (hard.time[0], hard.time[-1])
    for time in (0.0, 0.0314, 0.0451, 0.0999):
        for side in sides:
            nearest = np.abs(side.run.time - time).argmin()
            assert side.row(time) == nearest
    assert sides[1].run.time[sides[1].row(0.0314)] == pytest.approx(0.0279 + 7e-4, abs=4e-3)
    assert sides[2].row(0.0) == 0


def test_a_run_that_is_over_holds_its_last_row_and_says_why(sides, soft, hard):
    fallen, other = sides
    assert fallen.fell_at == soft.time[-1]
    assert [fallen.row(t) for t in (0.0599, 0.08, 9.0)] == [59, 59, 59]
    assert [fallen.held(t) for t in (0.05, 0.0605, 0.08)] == [False, False, True]
    assert fallen.state(0.05) == ""
    assert fallen.state(float(soft.time[-1])) == "fell at 0.1 s"
    assert fallen.state(0.1) == "fell at 0.1 s, held at 0.1 s"
    assert other.state(0.12) == ""
    short = cut(hard, slice(50))
    (side, _) = sides_of([short, hard], list("ab"))
    assert side.state(0.1) == "ended at 0.1 s"
    (side, _) = sides_of([cut(hard, slice(50), ended="interrupted"), hard], list("ab"))
    assert side.state(0.1) == "ended at 0.1 s: interrupted"


def test_one_scale_of_colours_for_all(page, soft, hard):
    fields = page.fields
    assert len({(f.most, f.unit) for f in fields}) == 1
    ends = [end_of_colours([run]) for run in (soft, hard)]
    assert end_of_colours([soft, hard]) == max(ends) > min(ends) > 0
    p = hard.frames["node_force"][:, :30, 2] / np.concatenate([t.areas for t in hard.treads[:2]])
    peaks = p.reshape(len(p), -1).max(axis=1)
    often = np.quantile(peaks[peaks > 0], SNAPSHOTS)
    usual, largest = max(np.quantile(p[p > 0], QUANTILE), often), p.max()
    assert ends[1] == pytest.approx(largest if largest <= CLOSE * usual else usual)
    assert page.bar.norm.vmax == fields[0].most
    for stage, field in zip(page.stages, fields, strict=True):
        drawn = [a.mapper for r in stage.plotter.renderers for a in r.actors.values()
                 if getattr(a, "mapper", None) is not None]  # fmt: skip
        for mesh in (*stage.soles[0], stage.maps[0][1].meshes[0]):
            (mapper,) = [m for m in drawn if m.dataset is mesh]
            assert mapper.scalar_range == (0.0, field.most)


@pytest.mark.parametrize(("snapshots", "end"), [(50, 100.0), (4, 10.0)])
def test_a_stone_that_stays_is_on_the_scale(snapshots, end, soft, monkeypatch):
    """One node of 100 at ten times the others: below 2 % of them, but in most snapshots or few."""
    values = np.full((50, 100), 10.0)
    values[:snapshots, 3] = 100.0
    monkeypatch.setattr("robot.pictures.nodal._all_values", lambda run, name: values)
    assert end_of_colours([soft]) == end


def test_a_page_is_titled_by_robot_controller_and_soles(soft, hard):
    name = soft.header["robot"]
    assert run_page([soft], ["a"]).title == f"{name}, plain PD: E = 300 kPa, ν = 0.4, 20 mm"
    same = run_page([soft, soft], ["a", "b"]).title
    assert same.count(name) == 1 and ": a: E = " in same and " | b: E = " in same
    two = run_page([soft, hard], ["a", "b"]).title.split(" | ")
    assert [t.partition(": ")[0] for t in two] == [f"{name}, plain PD", f"{name}, stabiliser"]


def test_a_controller_of_ones_own_is_named_in_captions(soft):
    own = replace(soft, header={**soft.header, "own_controller": "MyLaw"})
    assert say_controller(own) == "MyLaw" and say_controller(soft) == "plain PD"
    assert caption(own, 0).splitlines()[1].endswith("; MyLaw")


def test_what_is_above_the_bar_is_told(sides, monkeypatch):
    monkeypatch.setattr("robot.pictures.page.end_of_colours", lambda runs, name: 1e3)
    with off_screen_rendering():
        page = Page(sides, SMALL)
        page.close()
    largest = max(SoleField(side.run, end=1e3).largest for side in sides)
    assert page.above.get_text() == f"magenta: above 1, up to {largest:.3g} kPa"
    assert page.bar.extend == "max"


def test_one_camera_and_one_scale_of_lengths(page, hard):
    """Also where a run has no snapshots, whose stage is lower, and another robot is shorter."""
    bare = replace(hard, frames={})
    with off_screen_rendering():
        mixed = Page(sides_of([hard, bare], list("ab")), SMALL)
        mixed.frame(0.05)
        for drawn in (page, mixed):
            cameras = [s.plotter.renderers[s.place].camera for s in drawn.stages]
            views = [s.plotter.renderers[s.place].viewport for s in drawn.stages]
            heights = [
                s.plotter.window_size[1] * (view[3] - view[1])
                for s, view in zip(drawn.stages, views, strict=True)
            ]
            a, b = (2 * c.parallel_scale / h for c, h in zip(cameras, heights, strict=True))
            assert a == pytest.approx(b, rel=0.01)
            offsets = []
            for camera, stage, side in zip(cameras, drawn.stages, drawn.sides, strict=True):
                row = side.row(0.03 if drawn is page else 0.05)
                assert camera.parallel_projection
                offsets.append(np.subtract(camera.position, camera.focal_point))
                waist = side.run["waist_position"][row]
                assert camera.focal_point[0] == pytest.approx(waist[0], abs=1e-6)
                assert stage.tall == drawn.stages[0].tall
            np.testing.assert_allclose(*offsets, atol=1e-9)
        mixed.close()
    assert mixed.stages[1].maps == []
    said = [t.get_text() for t in mixed.figure.texts]
    assert any("no nodal snapshots" in text for text in said)


def test_bands_fill_the_page_with_and_without_treads():
    for treads in (True, False):
        bands = bands_of(860, treads=treads)
        assert sum(bands) == 860
        assert (bands.treads > 0) == (bands.bar > 0) == treads


def test_nothing_that_is_written_overlaps(sides, soft, hard):
    push = PushPlan(force=(0.0, 40.0, 0.0), start=0.03, duration=0.005)
    many = [told(hard, sole=SoleChoice(young=y, poisson=0.456), push=(push,)) for y in (1.2e6, 3e6)]
    four = sides_of([soft, *many, hard], ["a", "b", "c", "d"])
    for shown, size in ((sides, None), (sides, (640, 430)), (four, None), (four, (960, 480))):
        with off_screen_rendering():
            page = Page(shown, size)
            page.frame(0.1)
            page.close()
        texts = [*page.figure.texts, *page.figure.legends[0].get_texts()]
        for axes in (page.bar.ax, *(line.axes for line in page.lines)):
            texts += [*axes.get_xticklabels(), axes.xaxis.label, axes.yaxis.label]
        boxes = [t.get_window_extent() for t in texts if t.get_text()]
        for k, box in enumerate(boxes):
            assert 0 <= box.x0 <= box.x1 <= page.width
            assert 0 <= box.y0 <= box.y1 <= page.height
            assert not any(box.overlaps(other) for other in boxes[:k])


def test_plots_show_what_differs_with_units_and_a_moving_line(page, soft, hard):
    page.frame(0.02)
    assert [line.get_xdata() for line in page.lines] == [[0.02, 0.02]] * 2
    acceleration, tilt = (line.axes for line in page.lines)
    assert acceleration.get_ylabel() == "foot acceleration\nbelow 100 Hz [m/s²]"
    assert tilt.get_ylabel() == "waist tilt [deg]"
    assert tilt.get_xlabel() == "time [s]"
    lines = [line for line in tilt.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == [s.label for s in page.sides]
    for line, run in zip(lines, (soft, hard), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), run.time)
        np.testing.assert_allclose(line.get_ydata(), np.degrees(run["waist_tilt"]))
    thin = cut(hard, slice(None, None, 2), every=2)
    assert "raw" in differences([hard, thin])[0].label
    raw = differences([hard, thin])[0].values(hard)
    np.testing.assert_allclose(raw, np.linalg.norm(hard["foot_acceleration"], axis=2).max(axis=1))


def test_the_sheet_shades_pushes_and_marks_the_fall(soft, hard):
    push = PushPlan(force=(0.0, 40.0, 0.0), start=0.03, duration=0.005)
    sides = sides_of([soft, told(hard, push=(push,))], list("ab"))
    figure = sheet_of_differences(sides)
    assert len(figure.axes) == 4
    for axes in figure.axes:
        (span,) = axes.patches
        assert (span.get_x(), span.get_width()) == pytest.approx((0.03, 0.005))
        crosses = [line for line in axes.lines if line.get_label() == "_fell"]
        assert [line.get_xdata()[0] for line in crosses] == [soft.time[-1]]
    assert [text for text, _, _ in legend_of(sides)][2:] == ["fell", "push"]


def test_a_film_shows_two_panels_that_differ_and_holds_the_one_that_is_over(page):
    """The one test of pixels."""
    before, after, later = (page.frame(t) for t in (0.055, 0.08, 0.1))
    assert before.shape == (SMALL[1], SMALL[0], 3)
    robots = slice(page.bands.top("robots"), page.bands.top("bar"))
    middle = SMALL[0] // 2
    left, right = (f[robots, 1:middle] for f in (before, after)), before[robots, middle + 1 :]
    alive, held = left
    assert (alive[:, : right.shape[1]] != right[:, : alive.shape[1]]).mean() > 0.01
    assert held.mean() > alive.mean()  # paler
    np.testing.assert_array_equal(held, later[robots, 1:middle])
    assert (after[robots, middle:] != later[robots, middle:]).any()


@pytest.mark.nightly
def test_a_picture_and_a_film_by_the_command(view, files, tmp_path):
    from PIL import Image

    out = tmp_path / "a.png"
    code, said, err = view(files[0], "--beside", files[1], "--time", "0.05", "-o", out,
                           "--pixels", *SMALL, "--field", "displacement", "--json")  # fmt: skip
    assert (code, err) == (0, "")
    told = json.loads(said)
    assert (told["schema"], told["beside"]) == ("robot.run/1", [str(files[1])])
    assert colours(out) > 50
    film = tmp_path / "a.gif"
    code, _, err = view(files[0], "--beside", files[1], "--film", film, "--pixels", *SMALL,
                        "--fps", 50, "-q")  # fmt: skip
    assert (code, err) == (0, "")
    with Image.open(film) as picture:
        assert (picture.size, picture.n_frames) == (SMALL, round(50 * 0.119))
        assert picture.info["duration"] == 20
    sheet = tmp_path / "a.svg"
    assert view(files[0], "--beside", files[1], "-o", sheet, "--quiet")[0] == 0
    assert "E = 300 kPa" in sheet.read_text()


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["--time", "9", "-o", "x.png"], "the runs go from 0.001 to 0.12 s, got 9 s"),
        (["--time", "0.1", "-o", "x.pvd"], "a picture of a run at a time is .png"),
        (["--field", "q", "--film", "x.gif"], "they have pressure, shear, displacement"),
        (["--field", "pressure", "-o", "x.png"], "add --time or --film"),
        (["--beside", "PAD", "--film", "x.gif"], "expected 'robot.run/1'"),
        (["--beside", "gone.nc", "--film", "x.gif"], "gone.nc"),
        (["--film", "x.gif", "--fps", "0"], "1 to 100 frames per second, got 0"),
        (["--beside", "HARD"] * 3 + ["--film", "x.gif"], "two to 4 runs"),
    ],
)
def test_wrong_wishes_are_one_line_and_leave_no_file(
    view, files, pad_file, tmp_path, monkeypatch, arguments, mention
):
    monkeypatch.chdir(tmp_path)
    known = {"PAD": pad_file, "HARD": files[1]}
    code, out, err = view(files[0], "--beside", files[1], *(known.get(a, a) for a in arguments))
    assert (code, out) == (2, "")
    assert mention in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_inputs_are_not_overwritten_and_meshes_have_no_company(view, files, pad_file, tmp_path):
    code, _, err = view(files[0], "--beside", files[1], "-o", files[1])
    assert (code, "is the input itself" in err) == (2, True)
    code, _, err = view(pad_file, "--beside", files[1], "-o", tmp_path / "x.png")
    assert (code, "--beside are for runs" in err) == (2, True)
