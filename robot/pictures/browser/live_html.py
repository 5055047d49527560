"""A page that shows what runs now: the scene of a run of one row, which a socket moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from robot.pictures.browser.page_text import page_text
from robot.pictures.browser.quantised import pack
from robot.pictures.browser.run_columns import frame_columns, frame_rows
from robot.pictures.browser.run_html import OWN, STYLE, VIEW, scale_header
from robot.pictures.browser.stage_data import ground_of, side_header, solids_of, treads_of
from robot.pictures.nodal import SoleField
from robot.pictures.together import COLORS, Side
from robot.run import Run


@dataclass(frozen=True)
class LivePage:
    """A page as text."""

    text: str
    title: str


def live_page(
    run: Run,
    title: str,
    end: float,
    header: Mapping[str, Any],
    assets: Traversable,
    scripts: Sequence[str],
    style: str = "live.css",
) -> LivePage:
    """Return the page of a scene that runs.

    Parameters
    ----------
    run : one row and one nodal snapshot: what stands still, and the first frame.
    end : end of the colour scale [Pa]. header : what our own `scripts` need besides, JSON.
    assets : folder of `scripts`, `live_bar.html` and the `style`.
    """
    side = Side(run, title, "", title, COLORS[0], None)
    field = SoleField(run, "pressure", end)
    solids, shapes = solids_of(run)
    treads, nodes = treads_of(run)
    arrays = shapes | nodes | ground_of(run) | frame_columns(run, field, frame_rows(run)[-1:])
    most = field.most
    told = {
        **header,
        "sides": [side_header(side) | {"solids": solids, "treads": treads, "pushes": []}],
        "scale": scale_header(
            field.full_label, field.factor, field.unit, most, f"magenta: above {most:g}"
        ),
        "style": STYLE | dict(header.get("style", {})),
    }
    packed = pack(told, {f"0/{name}": array for name, array in arrays.items()})
    own = [*VIEW, *(assets / name for name in scripts), OWN / "begin.js"]
    styles = (OWN / "page.css", *(assets / name for name in dict.fromkeys(("live.css", style))))
    return LivePage(page_text(title, packed, assets / "live_bar.html", styles, own), title)
