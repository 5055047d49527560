"""A page for a browser that shows one run, or several on one clock.

The page is one HTML text: packed data, three.js and our own scripts, styles. It opens from disk and
asks nothing of a network: a content security policy admits its own scripts alone, by their
digests, and no connection but to the server that sent it. three.js comes from the package
jupyter-threejs-sage, which holds nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from robot.pictures.browser.page_text import page_text
from robot.pictures.browser.quantised import Quantised, pack
from robot.pictures.browser.run_columns import frame_columns, frame_rows, plot_columns
from robot.pictures.browser.stage_data import (
    GROUND_COLORS,
    ground_of,
    side_header,
    solids_of,
    treads_of,
)
from robot.pictures.caption import PUSH
from robot.pictures.nodal import ABOVE, CLOSE, FIELDS, QUANTILE, ROUND, SoleField, end_of_colours
from robot.pictures.stage import AFTER, CRATE, FORCE
from robot.pictures.together import Side, describe_sides
from robot.run import Run
from sole.base.archive import replacing
from sole.pictures import MARK

LIMIT = 2_100_000  # characters of packed data: with the code, a page stays below 3 MB
SHADES = 64  # of the colour scale
STYLE = {
    "mark": MARK,
    "push": PUSH,
    "crate": CRATE,
    "tiles": GROUND_COLORS,
    "force": FORCE,
    "after": AFTER,
}
WIDEST = 0.1  # s between frames: runs are not thinned beyond, whatever the size
OWN = files("robot.pictures.browser") / "assets"
NAMES = "unpack kinematics shapes run_view plots legend camera keys picture player"
VIEW = tuple(OWN / f"{name}.js" for name in NAMES.split())  # what shows a run
SCRIPTS = (*VIEW, OWN / "play_run.js", OWN / "begin.js")


@dataclass(frozen=True, eq=False)
class RunPage:
    """A page as text; `frames` per run and their rate [1/s] tell how finely it moves."""

    text: str
    title: str
    frames: tuple[int, ...]
    rate: float

    def write(self, output: Path) -> None:
        """Write the page, atomically."""
        with replacing(Path(output)) as temporary:
            temporary.write_text(self.text, encoding="utf-8")


def run_page(runs: Sequence[Run], names: Sequence[str], limit: int = LIMIT) -> RunPage:
    """Return the page of one to four runs; `names` tell those with equal soles apart.

    The frames are all snapshots, or every second, third, ... if the packed data would be longer
    than `limit` characters; the gap between frames stays below 0.1 s.

    Raises
    ------
    SoleError
        There are more runs, one has no rows, or the package with three.js is missing.
    """
    sides = describe_sides(runs, names)
    end = end_of_colours(runs)
    fields = [SoleField(side.run, "pressure", end) for side in sides]
    header, still = _what_stays(sides, fields)
    stride, most = 1, max(1, int(WIDEST / _gap(sides, 1) + 1e-6))
    while True:
        rows = [frame_rows(side.run, stride) for side in sides]
        moving = {
            f"{k}/{name}": column
            for k, side in enumerate(sides)
            for name, column in frame_columns(side.run, fields[k], rows[k]).items()
        }
        packed = pack(header, still | moving)
        if len(packed) <= limit or stride >= most:
            break
        stride = min(max(stride + 1, stride * len(packed) // limit), most)
    title = _title(sides)
    counts = tuple(len(r) for r in rows)
    text = page_text(title, packed, OWN / "play_bar.html", (OWN / "page.css",), SCRIPTS)
    return RunPage(text, title, counts, 1.0 / _gap(sides, stride))


def _title(sides: Sequence[Side]) -> str:
    """Return what a window's list of pages tells a run by: robot, controller, soles."""
    shared = {side.subtitle for side in sides}
    first = f"{shared.pop()}: " if len(shared) == 1 else ""
    told = (side.label if first or side.subtitle in side.label else f"{side.subtitle}: {side.label}"
            for side in sides)  # fmt: skip
    return first + " | ".join(told)


def _gap(sides: Sequence[Side], stride: int) -> float:
    """Return the largest time [s] between frames; a whole second for single frames."""
    gaps = [np.diff(side.run.time[frame_rows(side.run, stride)]) for side in sides]
    return max((float(g.max()) for g in gaps if len(g)), default=1.0)


def _what_stays(
    sides: Sequence[Side], fields: Sequence[SoleField]
) -> tuple[dict[str, Any], dict[str, Quantised]]:
    told: list[dict[str, Any]] = []
    arrays: dict[str, Quantised] = {}
    for k, side in enumerate(sides):
        solids, shapes = solids_of(side.run)
        treads, nodes = treads_of(side.run)
        own = shapes | nodes | ground_of(side.run) | plot_columns(side.run)
        arrays |= {f"{k}/{name}": values for name, values in own.items()}
        told.append(side_header(side) | {"solids": solids, "treads": treads})
    first = fields[0]
    largest = max(fields, key=lambda f: f.largest).above
    header = {
        "sides": told,
        "scale": scale_header(first.full_label, first.factor, first.unit, first.most, largest),
        "style": STYLE,
    }
    return header, arrays


def scale_header(label: str, factor: float, unit: str, most: float, beyond: str) -> dict[str, Any]:
    """Return the colour scale of pressures for a page: `most` its end in `unit`."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colors = colormaps[FIELDS["pressure"].colors]
    return {
        "label": label,
        "factor": factor,
        "unit": unit,
        "most": most,
        "colors": [to_hex(colors(i / (SHADES - 1))) for i in range(SHADES)],
        "above": ABOVE,
        "beyond": beyond,
        "fit": {"quantile": QUANTILE, "close": CLOSE, "round": ROUND},
    }
