"""Scenes: formats, atomic writing, cameras, and clear errors where nothing can be drawn."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pictures import colours

from sole.base.errors import SoleError
from sole.base.system_libraries import LIBRARIES
from sole.pictures import VIEWS, FigureScene, Panel, PyVistaScene, ViewOptions, display
from sole.pictures.drawing import draw_note, lettering, round_scale
from sole.pictures.panels import place_texts

SIZE = (0.216, 0.140, 0.020)


@pytest.fixture(scope="module")
def box() -> PyVistaScene:
    import pyvista

    cube = pyvista.Cube(x_length=SIZE[0], y_length=SIZE[1], z_length=SIZE[2])
    grid = cube.triangulate().cast_to_unstructured_grid()
    grid.point_data["height"] = np.asarray(grid.points)[:, 2].copy()
    panels = tuple(
        Panel(view, lambda p: p.add_mesh(grid, scalars="height"), view) for view in VIEWS
    )
    return PyVistaScene(panels, grid, "box & co", columns=len(VIEWS), size=(200 * len(VIEWS), 200))


def test_a_picture_is_drawn_off_screen_and_the_same_each_time(
    box: PyVistaScene, tmp_path: Path
) -> None:
    for name in ("a.png", "b.png"):
        box.write(tmp_path / name)
    assert colours(tmp_path / "a.png") > 100
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_every_camera_shows_the_whole_object_in_true_proportion(box: PyVistaScene) -> None:
    with display.off_screen_rendering():
        plotter = box.plotter()
    corners = np.array(np.meshgrid(*[(-s / 2, s / 2) for s in SIZE])).reshape(3, -1)
    try:
        for renderer, (towards, up) in zip(plotter.renderers, VIEWS.values(), strict=True):
            aspect = 200 / 200
            matrix = renderer.camera.GetCompositeProjectionTransformMatrix(aspect, -1, 1)
            M = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
            seen = M @ np.vstack([corners, np.ones(8)])
            assert np.abs(seen[3] - 1).max() == 0.0  # parallel: no perspective
            assert np.abs(seen[:2]).max() < 0.97  # in the panel
            assert np.ptp(seen[:2], axis=1).max() > 1.4  # and filling 70 % of it, from -1 to 1
            # One metre is as long to the right as it is upwards.
            right = np.cross(towards, up) / np.linalg.norm(np.cross(towards, up))
            above = np.cross(right, towards) / np.linalg.norm(towards)
            scale = M[:2, :3] @ np.array([right, above]).T
            assert scale == pytest.approx(scale[0, 0] * np.eye(2), rel=1e-9, abs=1e-9)
    finally:
        plotter.close()


def test_from_below_x_runs_right_and_y_runs_down() -> None:
    towards, up = (np.array(v) for v in VIEWS["below"])
    assert np.cross(towards, up) == pytest.approx([1, 0, 0])
    assert up == pytest.approx([0, -1, 0])


def test_a_grid_is_read_back_equal(box: PyVistaScene, tmp_path: Path) -> None:
    import pyvista

    for name in ("box.vtu", "box.vtp"):
        box.write(tmp_path / name)
        read = pyvista.read(tmp_path / name)
        assert np.array_equal(read.points, box.dataset.points)
        assert np.array_equal(read["height"], box.dataset["height"])
    assert pyvista.read(tmp_path / "box.vtu") == box.dataset


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')")
@pytest.mark.parametrize("name", ["big.vtu", "big.vtp"])
def test_a_disk_that_is_full_is_one_error_and_leaves_no_file(tmp_path: Path, name: str) -> None:
    """In a process of its own, which may not write more than 20 kB: VTK's writer would end it."""
    program = f"""
import resource
import pyvista
from sole.base.errors import SoleError
from sole.pictures import PyVistaScene
scene = PyVistaScene((), pyvista.Sphere(theta_resolution=90).cast_to_unstructured_grid())
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    scene.write({str(tmp_path / name)!r})
except SoleError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"cannot write {tmp_path / name}: ")
    assert not list(tmp_path.iterdir())


def test_a_pdf_is_whole_compressed_and_says_no_date(box: PyVistaScene, tmp_path: Path) -> None:
    """Every object is where the table says, every stream unpacks, no letter asks for a font."""
    box.write(tmp_path / "a.pdf")
    box.write(tmp_path / "b.pdf")
    text = (tmp_path / "a.pdf").read_bytes()
    assert text == (tmp_path / "b.pdf").read_bytes()  # no date either
    table = int(text[text.rindex(b"startxref") + 10 :].split()[0])
    places = [int(n) for n in re.findall(rb"(\d{10}) \d{5} n", text[table:])]
    streams = []
    for number, place in enumerate(places, start=1):
        item = text[place:]
        assert item.startswith(b"%d 0 obj" % number)
        head, begin, rest = item[: item.index(b"endobj")].partition(b"stream\n")
        if begin:
            length = int(re.findall(rb"/Length (\d+) /Filter", head)[0])
            streams.append(zlib.decompress(rest[:length]))
    letters, raster = sorted(streams, key=len)
    assert len(raster) == 3 * 1400 * 200
    assert re.search(rb"(?m) [lc]$", letters)
    assert not re.search(rb"(?m)^(/GS\d+ gs|[\d.]+ ca)$", letters)
    assert b"Tj" not in letters
    assert letters.startswith(b"0.48 0 0 0.48 0 0 cm\n")  # 150 pixels on an inch of 72 points
    assert b"/MediaBox [0 0 672 96]" in text


def test_an_svg_is_drawn(box: PyVistaScene, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    box.write(tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert (root.get("width"), root.get("height")) == ("672pt", "96pt")
    assert root.get("viewBox") == "0 0 1400 200"
    assert {child.tag.rpartition("}")[2] for child in root.iter()} >= {"path", "image"}


def test_letters_and_pixels_grow_with_the_dots_per_inch(box: PyVistaScene) -> None:
    from sole.pictures import off_screen_rendering

    sizes, letters = [], []
    for dpi in (75, 150, 300):
        with off_screen_rendering():
            plotter = replace(box, size=None, columns=1, panels=box.panels[:1], dpi=dpi).plotter()
            sizes.append(tuple(plotter.window_size))
            letters.append(lettering(plotter, 20))
            plotter.close()
    assert sizes == [(550, 380), (1100, 760), (2200, 1520)]
    assert letters == [14, 28, 55]  # 20 in a panel of 800 x 530


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 175.7, (0, 200, 4)), (0, 760.1, (0, 800, 4)), (0, 143.7, (0, 150, 6)),
     (0, 1, (0, 1, 4)), (3.1, 9.7, (3, 10, 7)), (-2, 2, (-2, 2, 4)), (5, 5, (5, 6, 4))],
)  # fmt: skip
def test_a_scale_has_round_ticks(low: float, high: float, expected: tuple[float, ...]) -> None:
    assert round_scale(low, high) == pytest.approx(expected)


@given(low=st.floats(-1e9, 1e9), span=st.floats(1e-6, 1e9), power=st.integers(-9, 9))
def test_every_scale_holds_its_values(low: float, span: float, power: int) -> None:
    """Four to seven intervals of 1, 2, 2.5 or 5 times a power of ten, at most half empty."""
    low, high = low * 10.0**power, (low + span) * 10.0**power
    assume(high - low > 1e-9 * abs(low))
    start, end, intervals = round_scale(low, high)
    small = 1e-6 * (high - low)
    assert start <= low + small
    assert end >= high - small
    assert 4 <= intervals <= 7
    step = (end - start) / intervals
    assert min(abs(step / 10.0 ** round(np.log10(step / m)) / m - 1) for m in (1, 2, 2.5, 5)) < 1e-6
    assert end - start <= 2 * (high - low) + small


def test_options_refuse_what_no_picture_has() -> None:
    with pytest.raises(SoleError, match="30 to 1200 dots"):
        ViewOptions(dpi=2000)
    with pytest.raises(SoleError, match="not both"):
        ViewOptions(dpi=300, size=(800, 600))
    assert ViewOptions(dpi=300).pixels((100, 50)) == (200, 100)


def test_html_is_one_page_that_loads_nothing(
    box: PyVistaScene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket", None)  # no server and no network is needed to write it
    box.write(tmp_path / "box.html")
    text = (tmp_path / "box.html").read_text(encoding="utf-8")
    assert "<title>box &amp; co</title>" in text
    assert re.search(r"<body>.*<div style=.color:#[0-9a-f]{6}.>below</div>", text)
    assert len(text) > 500_000  # the viewer and the data are inside
    assert not re.search(r"<script[^>]+src=|<link[^>]+href=[\"']http", text)


def test_html_leaves_no_observers_of_deletion_behind(box: PyVistaScene) -> None:
    """Python crashes if one is called while VTK takes its object apart."""
    from sole.pictures import off_screen_rendering
    from sole.pictures.webpage import standalone_page

    with off_screen_rendering():
        plotter = box.plotter(only=box.panels[0])
        page = standalone_page(plotter, "twice")
        actors = list(plotter.renderer.actors.values())
        seen = [plotter.render_window, plotter.camera, *actors]
        mappers = [found for a in actors if (found := getattr(a, "mapper", None)) is not None]
        seen += [*plotter.renderer.lights, *mappers, *(m.GetLookupTable() for m in mappers)]
        seen += [a.GetProperty() for a in actors if hasattr(a, "GetProperty")]
        observed = [thing for thing in seen if thing.HasObserver("DeleteEvent")]
        assert len(standalone_page(plotter, "twice")) == len(page)  # nothing was kept, either
        plotter.close()
    assert observed == []


@pytest.mark.parametrize("name", ["x.gif", "x", "x.eps"])
def test_an_unknown_suffix_is_refused(box: PyVistaScene, tmp_path: Path, name: str) -> None:
    with pytest.raises(SoleError, match=r"one of \.png, \.pdf, \.svg, \.html, \.vtu, \.vtp"):
        box.write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named_and_nothing_is_written(
    box: PyVistaScene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    egl = next(library for library in LIBRARIES if "EGL" in library.soname)
    monkeypatch.setattr(display, "missing", lambda wanted: tuple(x for x in wanted if x == egl))
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(SoleError, match=r"libEGL\.so\.1.*apt-get install.*libegl1"):
        box.write(tmp_path / "box.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')")
def test_a_window_without_a_display_is_refused(
    box: PyVistaScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(SoleError, match=r"no display.*give -o"):
        box.show()
    from matplotlib.figure import Figure

    with pytest.raises(SoleError, match=r"no display.*give -o"):
        FigureScene(Figure()).show()


@pytest.mark.skipif("not __import__('sys').platform.startswith('linux')")
def test_a_display_that_does_not_answer_is_refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A server that takes the connection and says nothing, and one that is not there."""
    monkeypatch.setattr(display, "ANSWER", 1.0)
    with socket.socket(socket.AF_UNIX) as server:
        number = 7000 + os.getpid() % 1000
        server.bind(f"\0/tmp/.X11-unix/X{number}")
        server.listen()
        for shown in (f":{number}", f":{number + 1000}"):
            monkeypatch.setenv("DISPLAY", shown)
            with pytest.raises(SoleError, match=r"no display.*give -o"):
                display.require_display()
    assert capfd.readouterr() == ("", "")


def test_a_display_without_opengl_shows_figures_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """VTK would print warnings and show nothing."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(display, "_TRIAL", f"import sys; sys.exit({display.NO_GLX})")
    display.require_display()
    with pytest.raises(SoleError, match=r"the display has no OpenGL \(GLX\)"):
        display.require_display(opengl=True)


def test_a_figure_is_written_in_each_format_and_the_same_each_time(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 2))
    figure.subplots().plot([0, 1], [0, 2])
    drawing = FigureScene(figure, "E & nu", dpi=60)
    for suffix in (".png", ".svg", ".pdf", ".html"):
        first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
        drawing.write(first)
        drawing.write(second)
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 1000
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>E &amp; nu</title>" in page
    assert "<svg" in page
    with pytest.raises(SoleError, match=r"\.vtu"):
        drawing.write(tmp_path / "a.vtu")


@pytest.mark.parametrize(
    "options", [{"exaggeration": 0.0}, {"exaggeration": float("inf")}, {"size": (10, 100)}]
)
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SoleError):
        ViewOptions(**options)  # type: ignore[arg-type]


def test_a_note_wider_than_its_panel_wraps():
    import pyvista

    text = "on bump (rise 3 mm, radius 50 mm, x 0 mm, y 0 mm); cut at y = 0 mm; true to scale"
    for width, lines in ((1600, 1), (300, 2)):
        plotter = pyvista.Plotter(off_screen=True, window_size=[width, width])
        draw_note(plotter, text)
        place_texts(plotter)
        (note,) = (a for a in plotter.renderer.actors.values() if isinstance(a, pyvista.Text))
        assert len(note.input.split("\n")) >= lines and note.input.replace("\n", " ") == text
        assert (len(note.input.split("\n")) == 1) == (lines == 1)
        plotter.close()
