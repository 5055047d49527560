"""The tread of a foot from above, coloured by the load of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot.pictures.bodies import TreadSurface
from robot.pictures.nodal import ABOVE, SoleField
from sole.base.arrays import FloatArray
from sole.pictures import INK, MARK, look

if TYPE_CHECKING:
    from pyvista import Plotter

UNLOADED = "#909090"
WORDS = 0.37  # of a small panel's width


class PressureMap:
    """The tread of a foot, seen from above through the foot, in the active panel of a plotter.

    `brief`: a small panel beside others, with less text and no colour bar.
    """

    def __init__(
        self, plotter: Plotter, field: SoleField, foot: int, font: int, *, brief: bool = False
    ) -> None:
        import pyvista

        self.plotter, self.field, self.foot, self.font = plotter, field, foot, font
        self.brief = brief
        self.said: dict[str, Any] = {}
        run = field.run
        self.bodies = run.bodies_of(foot)
        self.meshes: list[Any] = []
        for n, b in enumerate(self.bodies):
            mesh = TreadSurface(run.treads[b]).surface()
            mesh.point_data[field.name] = np.zeros(mesh.n_points)
            # PyVista tells colour bars apart by their titles.
            title = f"{field.name} [{field.unit}]" + " " * foot
            colors: Any = field.field.colors
            plotter.add_mesh(
                mesh, scalars=field.name, cmap=colors, clim=(0.0, field.most), lighting=False,
                show_edges=True, edge_color="#909090", line_width=0.5, point_size=14,
                show_scalar_bar=n == 0 and not brief, above_color=ABOVE if field.above else None,
                scalar_bar_args={
                    "title": f"{title}\n", "vertical": True, "position_x": 0.86,
                    "position_y": 0.28, "width": 0.07, "height": 0.55, "n_labels": 5,
                    "title_font_size": font + 3, "label_font_size": font + 2,
                    "fmt": "{:.3g}", "color": INK, "above_label": "",
                },
            )  # fmt: skip
            self.meshes.append(mesh)
        points = np.concatenate([run.treads[b].points for b in self.bodies])
        low, high = points.min(axis=0), points.max(axis=0)
        long, wide = (round(float(n), 1) for n in 1e3 * (high - low)[:2])
        self.top = float(high[2])
        told = f"{run.feet[foot]} sole from above, toes right, {long:g} x {wide:g} mm"
        plotter.add_text(
            f"{run.feet[foot]} sole\n{long:g} x {wide:g} mm" if brief else told,
            position=(0.03, 0.6 if brief else 0.92), viewport=True, font_size=font, color=INK,
        )  # fmt: skip
        size = 0.04 * float(high[0] - low[0])
        cross = pyvista.line_segments_from_points(
            size * np.array([[-1.0, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]])
        )
        self.marker: Any = plotter.add_mesh(cross, color=MARK, line_width=3)
        x0, y0, x1, y1 = plotter.renderer.GetViewport()
        a, b = plotter.window_size
        aspect = (x1 - x0) * a / ((y1 - y0) * b)
        if brief:
            self._look_past_words(low, high, aspect)
        else:  # leave room for the colour bar
            look(plotter, "above", min(0.95, 0.58 / min(0.8, 0.6 * (long / wide) / aspect)))

    def _look_past_words(self, low: FloatArray, high: FloatArray, aspect: float) -> None:
        """Let the tread fill the panel right of the text, in its true proportions."""
        look(self.plotter, "above")
        size, room = high - low, 1 - WORDS
        tall = max(size[1] / 0.84, size[0] / (0.95 * room * aspect))
        middle = (low + high) / 2
        middle[0] -= (WORDS + room / 2 - 0.5) * tall * aspect
        camera = self.plotter.camera
        camera.focal_point = tuple(middle)
        camera.position = (middle[0], middle[1], camera.position[2])
        camera.parallel_scale = tall / 2

    def show(self, row: int) -> None:
        """Show a recorded row; the panel must be active."""
        run, field = self.field.run, self.field
        snapshot, deformed, above = field.snapshot(row), "", False
        if snapshot is not None:
            largest = 0.0
            for b, mesh in zip(self.bodies, self.meshes, strict=True):
                U = field.displacement(snapshot, b)
                mesh.points = run.treads[b].points + U
                values = field.values(snapshot, b)
                mesh.point_data[field.name] = values
                above |= bool((values > field.most * (1 + 1e-9)).any())
                largest = max(largest, float(np.linalg.norm(U, axis=1).max(initial=0.0)))
            if not all(run.treads[b].rigid for b in self.bodies):
                thick = 1e3 * float(np.abs(run.treads[self.bodies[0]].origin[2]))
                deformed = f"deformed {1e3 * largest:.2f} of {thick:g} mm"
        cop = run["cop"][row, self.foot]
        loaded = bool(np.isfinite(cop).all())
        self.marker.SetVisibility(loaded)
        if loaded:
            self.marker.SetPosition(float(cop[0]), float(cop[1]), self.top + 0.01)
        if self.brief:
            told = deformed.replace(" ", "\n", 1) if loaded else "not loaded"
            self._say("deformed", told, 0.03, 0.16, INK if loaded else UNLOADED)
            return
        self._say("deformed", deformed, 0.03, 0.85, INK)
        remark = f"{field.field.label}: {field.remark}" if field.remark else ""
        self._say("remark", remark, 0.03, 0.02, INK)
        self._say("above", field.above if above else "", 0.97, 0.12, ABOVE)
        if loaded:
            x, y = np.round(1e3 * cop, 1) + 0.0
            self._say("cop", f"+ CoP ({x:.1f}, {y:.1f}) mm", 0.97, 0.85, MARK)
        else:
            self._say("cop", "not loaded", 0.97, 0.85, UNLOADED)

    def _say(self, what: str, text: str, x: float, y: float, color: str) -> None:
        """Create the text once, then change it: new text for every frame would not be freed."""
        if what not in self.said:
            self.said[what] = self.plotter.add_text(
                " ", position=(x, y), viewport=True, font_size=self.font, render=False
            )
            if x > 0.5:
                self.said[what].prop.justification_horizontal = "right"
        self.said[what].input = text or " "
        self.said[what].prop.color = color
