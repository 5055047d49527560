"""Pressures under the soles of a run: one scale of colours for all of it, a map of each foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot.pictures.bodies import SoleMesh
from robot.run import Run
from sole.arrays import FloatArray
from sole.pictures.camera import look
from sole.pictures.drawing import INK, MARK, display_unit

if TYPE_CHECKING:
    from pyvista import Plotter

COLORS = "YlOrRd"
QUANTILE = 0.98  # of all nodal pressures that are not zero: where the colours end
ROUND = (1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0)  # quarters of these read well
UNLOADED = "#909090"


class Pressures:
    """Nodal snapshots of a run, and pressures from them.

    `unit` is that of all pressures here, `most` the end of their colours, a round number.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.first = np.cumsum([0, *[len(t.points) for t in run.treads]])
        self.factor, self.unit, self.most = 1.0, "Pa", 1.0
        if not run.frames:
            return
        areas = np.concatenate([t.areas for t in run.treads])
        force = run.frames["node_force"][:, :, 2]
        p = np.divide(force, areas, out=np.zeros_like(force), where=areas > 0)
        loaded = p[p > 0]
        most = float(np.quantile(loaded, QUANTILE)) if loaded.size else 1.0
        self.factor, self.unit = display_unit(most, "Pa")
        self.most = rounded_up(most * self.factor)

    def snapshot(self, row: int) -> int | None:
        """Return the place of the nodal snapshot nearest to a row; None if there are none."""
        if not self.run.frames:
            return None
        return int(np.abs(self.run.frames["frame_time"] - self.run.time[row]).argmin())

    def pressure(self, snapshot: int, body: int) -> FloatArray:
        """Return the pressures (m,) of a body's nodes, in `unit`."""
        areas = self.run.treads[body].areas
        force = self._of("node_force", snapshot, body)[:, 2]
        return np.divide(force, areas, out=np.zeros(len(areas)), where=areas > 0) * self.factor

    def displacement(self, snapshot: int, body: int) -> FloatArray:
        """Return the displacements (m, 3) of a body's nodes, in its axes [m]."""
        return self._of("node_displacement", snapshot, body)

    def _of(self, name: str, snapshot: int, body: int) -> FloatArray:
        nodes = slice(self.first[body], self.first[body + 1])
        return np.asarray(self.run.frames[name][snapshot, nodes])


def rounded_up(value: float) -> float:
    """Return the next number above `value` > 0 whose quarters are short to write."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * next(r for r in (*ROUND, np.inf) if r >= value / power * (1 - 1e-9)))


class PressureMap:
    """The tread of a foot as seen from above through the foot, in the active panel of a plotter."""

    def __init__(self, plotter: Plotter, pressures: Pressures, foot: int, font: int) -> None:
        import pyvista

        self.plotter, self.pressures, self.foot, self.font = plotter, pressures, foot, font
        run = pressures.run
        self.bodies = run.bodies_of(foot)
        self.meshes: list[Any] = []
        for n, b in enumerate(self.bodies):
            mesh = SoleMesh(run.treads[b]).surface()
            mesh.point_data["pressure"] = np.zeros(mesh.n_points)
            title = f"pressure [{pressures.unit}]" + " " * foot  # bars are told apart by titles
            plotter.add_mesh(
                mesh, scalars="pressure", cmap=COLORS, clim=(0.0, pressures.most), lighting=False,
                show_edges=True, edge_color="#909090", line_width=0.5, point_size=14,
                show_scalar_bar=n == 0,
                scalar_bar_args={
                    "title": f"{title}\n", "vertical": True, "position_x": 0.86,
                    "position_y": 0.28, "width": 0.07, "height": 0.55, "n_labels": 5,
                    "title_font_size": font + 3, "label_font_size": font + 2,
                    "fmt": "{:.3g}", "color": INK,
                },
            )  # fmt: skip
            self.meshes.append(mesh)
        points = np.concatenate([run.treads[b].points for b in self.bodies])
        low, high = points.min(axis=0), points.max(axis=0)
        long, wide = (round(float(n), 1) for n in 1e3 * (high - low)[:2])
        self.top = float(high[2])
        plotter.add_text(
            f"{run.feet[foot]} sole from above, toes right, {long:g} x {wide:g} mm",
            position=(0.03, 0.92), viewport=True, font_size=font, color=INK,
        )  # fmt: skip
        size = 0.04 * float(high[0] - low[0])
        cross = pyvista.line_segments_from_points(
            size * np.array([[-1.0, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]])
        )
        self.marker: Any = plotter.add_mesh(cross, color=MARK, line_width=3)
        x0, y0, x1, y1 = plotter.renderer.GetViewport()
        a, b = plotter.window_size
        across = 0.6 * (long / wide) * (y1 - y0) * b / ((x1 - x0) * a)  # of the panel, by height
        look(plotter, "above", min(0.95, 0.62 / min(0.8, across)))  # leave room for the bar

    def show(self, row: int) -> None:
        """Show a recorded row; the panel must be active."""
        run, p = self.pressures.run, self.pressures
        snapshot, deformed = p.snapshot(row), ""
        if snapshot is not None:
            largest = 0.0
            for b, mesh in zip(self.bodies, self.meshes, strict=True):
                U = p.displacement(snapshot, b)
                mesh.points = run.treads[b].points + U
                mesh.point_data["pressure"] = p.pressure(snapshot, b)
                largest = max(largest, float(np.linalg.norm(U, axis=1).max(initial=0.0)))
            if not all(run.treads[b].rigid for b in self.bodies):
                thick = 1e3 * float(np.abs(run.treads[self.bodies[0]].origin[2]))
                deformed = f"deformed {1e3 * largest:.2f} of {thick:g} mm"
        self._say("deformed", deformed, 0.03, INK)
        cop = run["cop"][row, self.foot]
        loaded = bool(np.isfinite(cop).all())
        self.marker.SetVisibility(loaded)
        if loaded:
            self.marker.SetPosition(float(cop[0]), float(cop[1]), self.top + 0.01)
            x, y = np.round(1e3 * cop, 1) + 0.0
            self._say("cop", f"+ CoP ({x:.1f}, {y:.1f}) mm", 0.97, MARK)
        else:
            self._say("cop", "not loaded", 0.97, UNLOADED)

    def _say(self, what: str, text: str, x: float, color: str) -> None:
        said = self.plotter.add_text(
            text or " ", position=(x, 0.85), viewport=True, font_size=self.font, color=color,
            name=f"{what}{self.foot}", render=False,
        )  # fmt: skip
        if x > 0.5:
            said.prop.justification_horizontal = "right"
