"""Windows on a virtual screen: their size is the picture's, and they fit the screen."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

SCREEN = (1280, 800)
XVFB = shutil.which("Xvfb")

pytestmark = pytest.mark.skipif(
    XVFB is None, reason="Xvfb is not installed (Debian: apt install xvfb)"
)

FIGURE = """
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sole.pictures import FigureScene

def told():
    manager = plt.get_current_fig_manager()
    manager.canvas.draw()
    manager.window.update()
    print(*manager.canvas.get_width_height(), manager.window.title(), sep=",")

plt.show = told
FigureScene(Figure(figsize=({inches})), "a title", dpi=150).show()
"""
SHEET = """
import pyvista
from sole.pictures import Panel, PyVistaScene

pyvista.Plotter.show = lambda self: print(*self.window_size, sep=",")
panel = Panel("a sphere", lambda plotter: plotter.add_mesh(pyvista.Sphere()))
PyVistaScene((panel,) * {panels}, pyvista.Sphere().cast_to_unstructured_grid(), size={size}).show()
"""


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A virtual screen; yields the name of its display."""
    assert XVFB is not None
    read, write = os.pipe()
    size = f"{SCREEN[0]}x{SCREEN[1]}x24"
    command = [XVFB, "-displayfd", str(write), "-screen", "0", size, "-noreset", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
        server.terminate()


def shown(script: str, display: str) -> list[str]:
    """Run a script on the display and return what it prints, split at commas."""
    environment = {**os.environ, "DISPLAY": display}
    environment.pop("MPLBACKEND", None)
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, text=True, capture_output=True, check=False
    )
    if "no window system" in run.stderr:
        pytest.skip("this Python has neither Tk nor Qt")
    assert run.returncode == 0, run.stderr
    return run.stdout.strip().split(",")


def test_a_figure_opens_in_its_own_size(screen: str) -> None:
    """Not in matplotlib's 640 x 480, where the ten panels of a run collapse to lines."""
    across, down, title = shown(FIGURE.format(inches="6, 4"), screen)
    # The toolkit may enlarge everything by the ratio of the screen's dpi to 96.
    assert 900 <= int(across) <= 1.1 * 900
    assert int(across) / int(down) == pytest.approx(1.5, rel=0.01)
    assert title == "a title"


@pytest.mark.parametrize("inches", ["13, 15", "40, 4"])
def test_a_figure_larger_than_the_screen_is_shrunk_to_it(screen: str, inches: str) -> None:
    """The sheet of a run has 1950 x 2250 pixels; nothing of it is cut, proportions stay."""
    across, down, _ = shown(FIGURE.format(inches=inches), screen)
    assert int(across) <= SCREEN[0]
    assert int(down) <= SCREEN[1] - 60  # title and tools
    width, height = map(float, inches.split(","))
    assert int(across) / int(down) == pytest.approx(width / height, rel=0.03)


@pytest.mark.parametrize(
    ("panels", "size", "expected"),
    [(1, None, (983, 680)), (1, (700, 300), (700, 300)), (6, None, (684, 680))],
)
def test_a_sheet_of_drawings_fits_the_screen(
    screen: str, panels: int, size: tuple[int, int] | None, expected: tuple[int, int]
) -> None:
    """1100 x 760 and 1600 x 1590 are shrunk to 85 % of 800; a size asked for counts."""
    across, down = shown(SHEET.format(panels=panels, size=size), screen)
    assert int(across) == pytest.approx(expected[0], abs=1)
    assert int(down) == pytest.approx(expected[1], abs=1)
