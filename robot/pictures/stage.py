"""The robot of a run on its ground, and beside it the pressure under both soles.

The stage is built once; `show(row)` moves what is on it, so that a film costs a picture a frame.
Nothing is exaggerated. The camera goes along with the robot and does not turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot.pictures.bodies import SoleMesh, bones, color_of, ground_surface, solid
from robot.run import Run
from sole.arrays import FloatArray
from sole.pictures.camera import VIEWS, look
from sole.pictures.drawing import INK, MARK, display_unit

if TYPE_CHECKING:
    from pyvista import Plotter

SIZE = (1280, 720)
VIEW = "oblique"  # from ahead and the right
PRESSURE = "YlOrRd"
FORCE = 0.5  # m of line for a force as large as the weight
QUANTILE = 0.999  # of all nodal pressures that are not zero: the end of the colours


class Stage:
    """A plotter with the robot on the left and the treads of its feet on the right."""

    def __init__(
        self,
        run: Run,
        *,
        size: tuple[int, int] | None = None,
        off_screen: bool = True,
    ) -> None:
        import pyvista

        self.run = run
        self.font = max(4, round(10 * min(1.0, (size or SIZE)[0] / SIZE[0])))
        self.pads = [SoleMesh(t) for t in run.treads]
        self.first = np.cumsum([0, *[len(t.points) for t in run.treads]])
        self.feet = list(range(min(2, len(run.feet))))
        self.maps = len(self.feet) if run.frames else 0
        shape = {0: (1, 1), 1: "1|1", 2: "1|2"}[self.maps]
        self.plotter: Plotter = pyvista.Plotter(
            shape=shape,
            off_screen=off_screen,
            window_size=list(size or SIZE),
            border=False,
            splitting_position=None if self.maps == 0 else 0.56,
            title=f"{run.header['robot']}: run",
        )
        self.plotter.background_color = pyvista.Color("white")
        self._limit()
        self._scene()
        for k in range(self.maps):
            self._map(k)

    def show(self, row: int) -> None:
        """Move everything to a recorded row."""
        run = self.run
        q = run["q"][row]
        links = run.skeleton.poses(q)
        for actor, joint, placement in self.solids:
            actor.user_matrix = links[joint] @ placement
        bodies = run.skeleton.frame_poses(q)
        if self.bones is not None:
            self.bones.points = np.vstack([links[:, :3, 3], bodies[:, :3, 3]])
        self._forces(row, bodies)
        force, displacement = self._nodes(row)
        for b, (tread, walls) in enumerate(self.soles):
            nodes = slice(self.first[b], self.first[b + 1])
            U = None if displacement is None else displacement[nodes]
            pose = bodies[b]
            for mesh, part in ((tread, self.pads[b].surface(U)), (walls, self.pads[b].walls(U))):
                if mesh is not None and part is not None:
                    mesh.points = np.asarray(part.points) @ pose[:3, :3].T + pose[:3, 3]
            if force is not None:
                tread.point_data["pressure"] = self._pressure(b, force[nodes])
        self.plotter.subplot(0)
        self._texts(row)
        self._follow(row)
        for k in range(self.maps):
            self.plotter.subplot(1 + k)
            self._update_map(k, row, force, displacement)

    def _forces(self, row: int, bodies: FloatArray) -> None:
        """Draw the ground's force on each foot from its centre of pressure upwards."""
        run = self.run
        for f, line in zip(self.feet, self.arrows, strict=True):
            b, cop = run.bodies_of(f)[0], run["cop"][row, f]
            at = np.array([*np.nan_to_num(cop), run.treads[b].origin[2]])
            place = bodies[b, :3, :3] @ at + bodies[b, :3, 3]
            force = run["wrench_world"][row, f, :3] * (FORCE / run.weight)
            line.points = np.array([place, place + force])

    def _nodes(self, row: int) -> tuple[FloatArray | None, FloatArray | None]:
        """Return the nodal snapshot nearest to a row."""
        frames = self.run.frames
        if not frames:
            return None, None
        i = int(np.abs(frames["frame_time"] - self.run.time[row]).argmin())
        return frames["node_force"][i], frames["node_displacement"][i]

    def _pressure(self, b: int, force: FloatArray) -> FloatArray:
        areas = self.run.treads[b].areas
        p = np.divide(force[:, 2], areas, out=np.zeros(len(areas)), where=areas > 0)
        return np.asarray(p * self.factor)

    def _limit(self) -> None:
        """Choose one range of pressures for the whole run, and its unit."""
        run = self.run
        self.factor, self.unit, self.most = 1.0, "Pa", 1.0
        if not run.frames:
            return
        areas = np.concatenate([t.areas for t in run.treads])
        force = run.frames["node_force"][:, :, 2]
        p = np.divide(force, areas, out=np.zeros_like(force), where=areas > 0)
        loaded = p[p > 0]
        most = float(np.quantile(loaded, QUANTILE)) if loaded.size else 1.0
        self.factor, self.unit = display_unit(most, "Pa")
        self.most = most * self.factor

    def _scene(self) -> None:
        import pyvista

        plotter, run = self.plotter, self.run
        plotter.subplot(0)
        ground = ground_surface(run)
        if ground is not None:
            plotter.add_mesh(
                ground, scalars="tile", cmap=["#e6e0d4", "#d8d0c0", "#978a74"], clim=(0.0, 2.0),
                show_scalar_bar=False, ambient=0.6, diffuse=0.4, specular=0.0,
            )  # fmt: skip
        self.solids: list[tuple[Any, int, FloatArray]] = []
        for shape in run.skeleton.shapes:
            mesh = solid(shape)
            if mesh is not None:
                actor = plotter.add_mesh(
                    mesh, color=color_of(shape.link), ambient=0.35, diffuse=0.7,
                    smooth_shading=shape.kind != "box", split_sharp_edges=shape.kind == "cylinder",
                )  # fmt: skip
                self.solids.append((actor, shape.joint, np.asarray(shape.placement)))
        self.bones: Any = None
        if not self.solids:
            parents = np.concatenate([run.skeleton.parents, run.skeleton.frames])
            self.bones = bones(parents)
            plotter.add_mesh(self.bones, color="#606870", line_width=6, render_lines_as_tubes=True)
            plotter.add_mesh(
                self.bones, style="points", color="#303840", point_size=12,
                render_points_as_spheres=True,
            )  # fmt: skip
        self.arrows = []
        for _ in self.feet:
            line = pyvista.line_segments_from_points(np.zeros((2, 3)))
            drawn: Any = plotter.add_mesh(line, color=MARK, line_width=5, lighting=False)
            drawn.mapper.SetResolveCoincidentTopologyToPolygonOffset()  # in front of the legs
            drawn.mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0, -66000)
            self.arrows.append(line)
        self.soles: list[tuple[Any, Any]] = []
        for b, pad in enumerate(self.pads):
            tread, walls = pad.surface(), pad.walls()
            tread.point_data["pressure"] = np.zeros(tread.n_points)
            if run.treads[b].foot < 0 and not len(run.treads[b].faces):
                plotter.add_mesh(
                    tread, color="#303030", point_size=8, render_points_as_spheres=True
                )
            else:
                plotter.add_mesh(
                    tread, scalars="pressure", cmap=PRESSURE, clim=(0.0, self.most),
                    show_scalar_bar=False, ambient=0.5,
                )  # fmt: skip
            if walls is not None:
                plotter.add_mesh(walls, color="#4a4f57", ambient=0.4)
            self.soles.append((tread, walls))

    def _texts(self, row: int) -> None:
        run = self.run
        lines = [f"{run.header['robot']}    t = {run.time[row]:.3f} s"]
        loads = run["wrench_world"][row, :, 2]
        lines.append("   ".join(f"{n} {f:.0f} N" for n, f in zip(run.feet, loads, strict=True)))
        lines[-1] += f"   (blue: {FORCE:g} m for the weight)"
        lines.append(f"waist tilt {np.degrees(run['waist_tilt'][row]):.1f} deg")
        self.plotter.add_text(
            "\n".join(lines), position=(0.03, 0.86), viewport=True, font_size=self.font, color=INK,
            name="said", render=False,
        )  # fmt: skip

    def _follow(self, row: int) -> None:
        """Aim a parallel camera at the robot: its highest height fills the panel."""
        run = self.run
        heights = [float(run["q"][0, 2])]
        links = run.skeleton.poses(run["q"][0])
        heights += links[:, 2, 3].tolist()
        for shape in run.skeleton.shapes:
            top = links[shape.joint] @ shape.placement
            reach = float(np.abs(top[2, :3]) @ np.abs(np.asarray(shape.size))) / 2
            heights.append(float(top[2, 3]) + (reach if shape.kind != "mesh" else 0.0))
        low = float(run["foot_position"][0, :, 2].min(initial=0.0)) - 0.03
        tall = max(heights) - low
        place = run["waist_position"][row]
        feet = run["foot_position"][row].mean(axis=0) if run.feet else place
        focal = np.array([place[0], (place[1] + feet[1]) / 2, feet[2] + 0.47 * tall])
        towards, up = (np.asarray(v) / np.linalg.norm(v) for v in VIEWS[VIEW])
        camera = self.plotter.camera
        camera.focal_point = tuple(focal)
        camera.position = tuple(focal - 20.0 * towards)
        camera.up = tuple(up)
        camera.parallel_projection = True
        camera.parallel_scale = 0.68 * tall
        self.plotter.renderer.reset_camera_clipping_range()

    def _map(self, k: int) -> None:
        """Draw the tread of a foot as seen from above through the foot."""
        plotter, run = self.plotter, self.run
        plotter.subplot(1 + k)
        bodies = run.bodies_of(self.feet[k])
        meshes = []
        for n, b in enumerate(bodies):
            mesh = self.pads[b].surface()
            mesh.point_data["pressure"] = np.zeros(mesh.n_points)
            title = f"pressure [{self.unit}]" + " " * k
            plotter.add_mesh(
                mesh, scalars="pressure", cmap=PRESSURE, clim=(0.0, self.most), lighting=False,
                show_edges=True, edge_color="#909090", line_width=0.5, point_size=14,
                show_scalar_bar=n == 0,
                scalar_bar_args={
                    "title": f"{title}\n", "vertical": True, "position_x": 0.86,
                    "position_y": 0.28, "width": 0.07, "height": 0.55, "n_labels": 5,
                    "title_font_size": self.font + 3, "label_font_size": self.font + 2,
                    "fmt": "{:.3g}", "color": INK,
                },
            )  # fmt: skip
            meshes.append(mesh)
        points = np.concatenate([run.treads[b].points for b in bodies])
        low, high = points.min(axis=0), points.max(axis=0)
        long, wide = (round(float(n), 1) for n in 1e3 * (high - low)[:2])
        plotter.add_text(
            f"{run.feet[k]} sole from above, {long:g} x {wide:g} mm",
            position=(0.03, 0.92), viewport=True, font_size=self.font, color=INK,
        )  # fmt: skip
        import pyvista

        size = 0.04 * float(high[0] - low[0])
        cross = pyvista.line_segments_from_points(
            size * np.array([[-1.0, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]])
        )
        marker = plotter.add_mesh(cross, color=MARK, line_width=3)
        self.treads = [*getattr(self, "treads", []), (bodies, meshes, marker, float(high[2]))]
        x0, y0, x1, y1 = plotter.renderer.GetViewport()
        a, b = plotter.window_size
        across = 0.6 * (long / wide) * (y1 - y0) * b / ((x1 - x0) * a)  # of the panel, by height
        look(plotter, "above", min(0.95, 0.62 / min(0.8, across)))  # leave room for the bar

    def _update_map(
        self, k: int, row: int, force: FloatArray | None, displacement: FloatArray | None
    ) -> None:
        bodies, meshes, marker, top = self.treads[k]
        for b, mesh in zip(bodies, meshes, strict=True):
            nodes = slice(self.first[b], self.first[b + 1])
            if force is not None and displacement is not None:
                mesh.points = self.run.treads[b].points + displacement[nodes]
                mesh.point_data["pressure"] = self._pressure(b, force[nodes])
        cop = self.run["cop"][row, k]
        marker.SetVisibility(bool(np.isfinite(cop).all()))
        if np.isfinite(cop).all():
            marker.SetPosition(float(cop[0]), float(cop[1]), top + 0.01)
        x, y = np.round(1e3 * cop, 1) + 0.0
        said = f"+ CoP ({x:.1f}, {y:.1f}) mm" if np.isfinite(cop).all() else ""
        text = self.plotter.add_text(
            said or "not loaded", position=(0.97, 0.85), viewport=True, font_size=self.font,
            color=MARK if said else "#909090", name=f"cop{k}", render=False,
        )  # fmt: skip
        text.prop.justification_horizontal = "right"
