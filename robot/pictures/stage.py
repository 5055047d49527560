"""The robot of a run on its ground, with the pressure under both soles beside it.

The stage is built once; `show(row)` moves its contents, so a film costs one rendering per frame.
Everything is to scale. The camera follows the robot without turning. With a `StagePanel` the stage
is one of several on a page: the treads are below the robot, and the page draws text and colour
bars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robot.pictures.bodies import TILES, TreadSurface, bones, color_of, ground_surface, solid
from robot.pictures.caption import PUSH, caption, pushes_of
from robot.pictures.nodal import ABOVE, SoleField
from robot.pictures.pressures import PressureMap
from robot.run import Run
from sole.base.arrays import FloatArray
from sole.pictures import INK, MARK, VIEWS

if TYPE_CHECKING:
    from pyvista import Plotter

SIZE = (1280, 720)
VIEW = "oblique"  # from the front right
CRATE = "#b58a56"  # colour of free boxes
FORCE = 0.5  # m of line per weight of the robot
ALONE, ON_A_PAGE = (0.68, 0.47), (0.56, 0.44)  # half the view and its centre, in robot heights
PUSHED = (0.7, 0.3)  # m from the waist: start and end of the arrow of a push
HIGHEST = 3  # meshes that are read to see how tall a robot is: those of the highest links
AFTER, FAINT = 0.3, 0.3  # s that the arrow stays, as a push may be shorter than a frame; opacity


class StagePanel(NamedTuple):
    """Settings that a stage shares with the others on its page.

    field : field on the common colour scale. tall : height [m] of the tallest robot, see
    `robot_height`. share : share of the stage's height for the treads. font : size [points].
    """

    field: SoleField
    tall: float
    share: float
    font: int


class Stage:
    """A plotter with the robot on the left and the treads of its feet on the right."""

    def __init__(
        self,
        run: Run,
        *,
        size: tuple[int, int] | None = None,
        off_screen: bool = True,
        panel: StagePanel | None = None,
    ) -> None:
        import pyvista

        self.run, self.panel = run, panel
        self.font = max(4, round(10 * (size or SIZE)[0] / SIZE[0]))
        self.tall = robot_height(run) if panel is None else panel.tall
        self.pads = [TreadSurface(t) for t in run.treads]
        self.field = SoleField(run) if panel is None else panel.field
        self.feet = list(range(min(2, len(run.feet))))
        self.others = [b for b, tread in enumerate(run.treads) if tread.foot < 0]
        maps = len(self.feet) if run.frames else 0
        shape = {0: (1, 1), 1: "1|1", 2: "1|2"}[maps]
        split = 0.56
        if panel is not None:
            shape, split = {0: (1, 1), 1: "1/1", 2: "1/2"}[maps], panel.share
            self.font = panel.font
        self.plotter: Plotter = pyvista.Plotter(
            shape=shape,
            off_screen=off_screen,
            window_size=list(size or SIZE),
            border=False,
            splitting_position=None if maps == 0 else split,
            title=f"{run.header['robot']}: run",
        )
        self.plotter.background_color = pyvista.Color("white")
        below = panel is not None  # PyVista numbers the lower panel first
        self.place = maps if below else 0
        self._enter(self.place)
        self._scene()
        self.maps: list[tuple[int, PressureMap]] = []
        for k in range(maps):
            place = k if below else 1 + k
            self._enter(place)
            drawn = PressureMap(self.plotter, self.field, k, self.font, brief=below)
            self.maps.append((place, drawn))

    def _enter(self, place: int) -> None:
        """Activate a panel, if there are several."""
        if len(self.plotter.renderers) > 1:
            self.plotter.subplot(place)

    def show(self, row: int) -> None:
        """Show a recorded row."""
        run = self.run
        q = run["q"][row]
        links = run.skeleton.poses(q)
        for actor, joint, placement in self.solids:
            actor.user_matrix = links[joint] @ placement
        bodies = run.skeleton.frame_poses(q)
        if self.bones is not None:
            self.bones.points = np.vstack([links[:, :3, 3], bodies[:, :3, 3]])
        self._forces(row, bodies)
        snapshot, name = self.field.snapshot(row), self.field.name
        for b, (tread, walls) in enumerate(self.soles):
            U = None if snapshot is None else self.field.displacement(snapshot, b)
            pose = bodies[b]
            for mesh, part in ((tread, self.pads[b].surface(U)), (walls, self.pads[b].walls(U))):
                if mesh is not None and part is not None:
                    mesh.points = np.asarray(part.points) @ pose[:3, :3].T + pose[:3, 3]
            if snapshot is not None:
                p = self.field.values(snapshot, b)
                tread.point_data[name] = p
                if walls is not None:
                    walls.point_data[name] = np.concatenate([p, p])
        self._enter(self.place)
        self._pushes(row)
        if self.panel is None:
            self._texts(row)
        self._follow(row)
        for place, drawn in self.maps:
            self._enter(place)
            drawn.show(row)

    def _forces(self, row: int, bodies: FloatArray) -> None:
        """Draw the ground force on each foot at its CoP, and on a hand at its origin."""
        run = self.run
        for f, line in zip(self.feet, self.arrows, strict=False):
            b, cop = run.bodies_of(f)[0], run["cop"][row, f]
            at = np.array([*np.nan_to_num(cop), run.treads[b].origin[2]])
            place = bodies[b, :3, :3] @ at + bodies[b, :3, 3]
            force = run["wrench_world"][row, f, :3] * (FORCE / run.weight)
            line.points = np.array([place, place + force])
        for b, line in zip(self.others, self.arrows[len(self.feet) :], strict=True):
            place, force = bodies[b, :3, 3], bodies[b, :3, :3] @ run["body_wrench"][row, b, :3]
            line.points = np.array([place, place + force * (FORCE / run.weight)])

    def _scene(self) -> None:
        import pyvista

        plotter, run, name = self.plotter, self.run, self.field.name
        colours: dict[str, Any] = {
            "cmap": self.field.field.colors, "clim": (0.0, self.field.most), "above_color": ABOVE,
            "show_scalar_bar": False,
        }  # fmt: skip
        ground = ground_surface(run)
        if ground is not None:
            plotter.add_mesh(
                ground, scalars="tile", cmap=list(TILES), clim=(0.0, len(TILES) - 1.0),
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
        for _ in (*self.feet, *self.others):
            line = pyvista.line_segments_from_points(np.zeros((2, 3)))
            drawn: Any = plotter.add_mesh(line, color=MARK, line_width=5, lighting=False)
            drawn.mapper.SetResolveCoincidentTopologyToPolygonOffset()  # in front of the legs
            drawn.mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0, -66000)
            self.arrows.append(line)
        self.soles: list[tuple[Any, Any]] = []
        for b, pad in enumerate(self.pads):
            tread, walls = pad.surface(), pad.walls()
            tread.point_data[name] = np.zeros(tread.n_points)
            if pad.solid:
                plotter.add_mesh(tread, color=CRATE, ambient=0.4)
            elif run.treads[b].foot < 0 and not len(run.treads[b].faces):
                plotter.add_mesh(
                    tread, color="#303030", point_size=8, render_points_as_spheres=True
                )
            else:
                plotter.add_mesh(tread, scalars=name, ambient=0.5, **colours)
            if walls is not None and run.frames:
                walls.point_data[name] = np.zeros(walls.n_points)
                plotter.add_mesh(walls, scalars=name, ambient=0.4, **colours)
            elif walls is not None:
                plotter.add_mesh(walls, color="#4a4f57", ambient=0.4)
            self.soles.append((tread, walls))
        self.pushed = []
        for push in pushes_of(run):
            force = np.array(push["force"])
            along = force / max(float(np.linalg.norm(force)), 1e-12)
            length = PUSHED[0] - PUSHED[1]
            arrow = pyvista.Arrow(start=-PUSHED[0] * along, direction=along, scale=length)
            self.pushed.append((push, plotter.add_mesh(arrow, color=PUSH, ambient=0.5)))

    def _pushes(self, row: int) -> None:
        """Show pushes as arrows to the waist while they act, and faintly for a short time after."""
        t = float(self.run.time[row])
        for push, arrow in self.pushed:
            ends = push["start"] + push["duration"]
            arrow.SetVisibility(push["start"] <= t <= ends + AFTER)
            arrow.prop.opacity = 1.0 if t <= ends else FAINT
            arrow.SetPosition(*self.run["waist_position"][row])

    def _texts(self, row: int) -> None:
        said = caption(self.run, row, f"blue: {FORCE:g} m = weight")
        self.plotter.add_text(
            said, position=(0.03, 0.98 - 0.027 * len(said.splitlines())), viewport=True,
            font_size=self.font, color=INK, name="said", render=False,
        )  # fmt: skip

    def _follow(self, row: int) -> None:
        """Aim a parallel camera at the robot: its greatest height fills the panel."""
        run, tall = self.run, self.tall
        place = run["waist_position"][row]
        feet = run["foot_position"][row].mean(axis=0) if run.feet else place
        half, middle = ALONE if self.panel is None else ON_A_PAGE
        focal = np.array([place[0], (place[1] + feet[1]) / 2, feet[2] + middle * tall])
        towards, up = (np.asarray(v) / np.linalg.norm(v) for v in VIEWS[VIEW])
        camera = self.plotter.camera
        camera.focal_point = tuple(focal)
        camera.position = tuple(focal - 20.0 * towards)
        camera.up = tuple(up)
        camera.parallel_projection = True
        camera.parallel_scale = half * tall
        self.plotter.renderer.reset_camera_clipping_range()


def robot_height(run: Run) -> float:
    """Return the initial height [m] from the soles to the top of the robot."""
    heights = [float(run["q"][0, 2])]
    links = run.skeleton.poses(run["q"][0])
    heights += links[:, 2, 3].tolist()
    meshes = []
    for shape in run.skeleton.shapes:
        top = links[shape.joint] @ shape.placement
        if shape.kind == "mesh":
            meshes.append((float(links[shape.joint][2, 3]), shape, top))
            continue
        reach = float(np.abs(top[2, :3]) @ np.abs(np.asarray(shape.size))) / 2
        heights.append(float(top[2, 3]) + reach)
    for _, shape, top in sorted(meshes, key=lambda m: -m[0])[:HIGHEST]:
        if (drawn := solid(shape)) is not None:
            heights.append(float((np.asarray(drawn.points) @ top[2, :3]).max() + top[2, 3]))
    return max(heights) - float(run["foot_position"][0, :, 2].min(initial=0.0)) + 0.03
