"""The demonstration: one real foot's sole from outline to pictures, in six steps.

HRP-2Kai's sole in two layers, the upper one three times as stiff as the tread, with the same
Poisson's ratio: meshed, condensed, pressed with 570 N off centre on flat ground and on a step
edge, and swept over E and nu, which both layers then have alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

from contact.constants import FRICTION
from sole.base.archive import require_output_folder
from sole.base.waiting import doing

if TYPE_CHECKING:
    from contact.ground import Ground
    from contact.press import PressResult
    from sole.condense import CondensedSole
    from sole.studies import StudySummary

__all__ = ["COP", "FORCE", "Demo", "run_demo"]


FORCE = 570.0  # [N]: a robot of 58 kg on this foot
COP = (0.03, 0.01)  # [m]: ahead of the sole's origin and to the left
STEP = 0.005  # [m]: height of the step edge, across the middle of the foot
MASS, COM_HEIGHT = 58.0, 0.8  # [kg], [m]: the robot that has to stand, for the critical E
YOUNG, POISSON = (1e5, 1e8, 31), (0.0, 0.49, 25)  # from, to, number; of the tread [Pa], of all
STEPS = 6

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Demo:
    """The results of the demonstration.

    Parameters
    ----------
    sole : the condensed sole.
    flat, step : the presses on flat ground and on the step edge.
    sweep : outcome of the sweep.
    files : every file written, by a short name; the pictures' names end in "picture".
    seconds : time by step.
    """

    sole: CondensedSole
    flat: PressResult
    step: PressResult
    sweep: StudySummary
    files: dict[str, Path]
    seconds: dict[str, float] = field(default_factory=dict)


def run_demo(
    folder: Path,
    say: Say = lambda line: None,
    *,
    size_tread: float | None = None,
    young: tuple[float, float, int] = YOUNG,
    poisson: tuple[float, float, int] = POISSON,
) -> Demo:
    """Run the demonstration: write four pictures, one table and their data.

    Parameters
    ----------
    folder : where the files go; made if it does not exist.
    say : called with every line of output.
    size_tread : mesh size at the tread [m]; by default about 200 contact points.
    young, poisson : lowest and highest value and number of the sweep's axes.
    """
    folder = Path(folder)
    require_output_folder(folder)
    job = _Job(folder, say)
    job.mesh(size_tread)
    sole = job.condense()
    flat = job.press(sole, "flat")
    step = job.press(sole, "step")
    sweep = job.sweep(young, poisson)
    job.pictures(sole, flat, step)
    return Demo(sole=sole, flat=flat, step=step, sweep=sweep, files=job.files, seconds=job.seconds)


class _Job:
    """The steps in order, with the files and the time of each."""

    def __init__(self, folder: Path, say: Say) -> None:
        self.folder, self.say = folder, say
        self.files: dict[str, Path] = {}
        self.seconds: dict[str, float] = {}

    def _begin(self, what: str) -> None:
        self._step, self._start = what, time.perf_counter()
        self.say(f"{len(self.seconds) + 1}/{STEPS} {what}")
        doing(what)

    def _end(self, *lines: str) -> None:
        seconds = time.perf_counter() - self._start
        self.seconds[self._step] = seconds
        for line in (*lines, f"{seconds:.1f} s"):
            self.say(f"    {line}")

    def _file(self, name: str, file: str) -> Path:
        self.files[name] = self.folder / file
        return self.files[name]

    def mesh(self, size_tread: float | None) -> None:
        from sole.mesh import mesh_quality, mesh_shape, write_mesh
        from sole.pictures import describe_layers
        from sole.shape import preset

        self._begin("mesh: HRP-2Kai's sole, 216 x 140 x 20 mm, two layers")
        mesh = mesh_shape(preset("hrp2kai"), size_tread, size_tread)
        write_mesh(self._file("mesh", "sole.msh"), mesh)
        self._mesh, q = mesh, mesh_quality(mesh)
        self._end(
            *describe_layers(mesh.layers, mesh.materials),
            f"{q.vertices} vertices, {q.tetrahedra} tetrahedra, {q.tread_vertices} on the tread; "
            f"smallest dihedral angle {degrees(q.min_dihedral):.0f} deg",
        )

    def condense(self) -> CondensedSole:
        from sole.condense import condense, save_condensed

        self._begin("condense: the elastic sole becomes a matrix of its tread nodes")
        sole = condense(self._mesh)
        save_condensed(self._file("sole", "sole.npz"), sole)
        K = sole.foot_stiffness
        self._end(
            f"{sole.stiffness.shape[0]} x {sole.stiffness.shape[0]} matrix; the foot feels "
            f"{K[2, 2] / 1e3:.0f} kN/m down, {K[3, 3]:.0f} N m/rad in roll, "
            f"{K[4, 4]:.0f} N m/rad in pitch"
        )
        return sole

    def press(self, sole: CondensedSole, where: str) -> PressResult:
        from contact.ground import Plane, Step
        from contact.press import Wrench, peak_pressure, press, save_press

        grounds: dict[str, tuple[Ground, str]] = {
            "flat": (Plane(), "flat ground"),
            "step": (Step(rise=STEP), f"a step edge of {1e3 * STEP:g} mm"),
        }
        ground, name = grounds[where]
        self._begin(
            f"press on {name}: {FORCE:g} N, CoP {1e3 * COP[0]:g} mm ahead and "
            f"{1e3 * COP[1]:g} mm to the left"
        )
        result = press(sole, Wrench.standing(FORCE, cop=COP), ground, FRICTION)
        save_press(self._file(where, f"{where}.npz"), result)
        peak = peak_pressure(sole.mesh, result.pressure)
        roll, pitch = result.motion[3:5]
        self._end(
            f"contact area {1e4 * result.contact_area:.0f} of {1e4 * sole.areas.sum():.0f} cm2, "
            f"pressure up to {peak.value / 1e3:.0f} kPa (mean over 1 cm^2)",
            f"sinks {-1e3 * result.motion[2]:.2f} mm, rolls {_degrees(roll)}, "
            f"pitches {_degrees(pitch)}; residual {result.certificate.natural_map:.0e}",
        )
        return result

    def sweep(
        self, young: tuple[float, float, int], poisson: tuple[float, float, int]
    ) -> StudySummary:
        from sole.studies import Axis, Study, run_study

        self._begin(
            f"sweep: E from {young[0] / 1e6:g} to {young[1] / 1e6:g} MPa x nu from "
            f"{poisson[0]:g} to {poisson[1]:g}, of both layers"
        )
        study = Study(
            axis=(
                Axis(quantity="young", range=young[:2], number=young[2], spacing="log"),
                Axis(quantity="poisson", range=poisson[:2], number=poisson[2]),
            ),
            rows=("stiffness",),
            options={"stiffness": {"mass": MASS, "com_height": COM_HEIGHT}},
        )
        summary = run_study(study, self._mesh, self._file("sweep", "sweep.nc"), restart=True)
        self.files["table"] = summary.table
        self._end(
            f"{summary.rows} rows from {summary.condensations} condensations, "
            f"error of C at most {summary.compliance_error:.0e}",
            self._standing(),
            *(f"warning: {text}" for text in summary.warnings),
        )
        return summary

    def _standing(self) -> str:
        from sole.studies import read_table

        critical = read_table(self.files["sweep"])["critical_young"]
        ends = [float(critical.isel(young=0, poisson=k)) / 1e6 for k in (0, -1)]
        return (
            f"{MASS:g} kg at {COM_HEIGHT:g} m stand on one foot from E = {ends[0]:.3g} MPa "
            f"(nu = {float(critical['poisson'][0]):g}) or {ends[1]:.3g} MPa "
            f"(nu = {float(critical['poisson'][-1]):g})"
        )

    def pictures(self, sole: CondensedSole, flat: PressResult, step: PressResult) -> None:
        from contact.pictures import press_scene
        from sole.pictures import ViewOptions, condensed_scene, view_sweep

        self._begin("pictures")
        options = ViewOptions()
        condensed_scene(sole, options).write(self._file("sole_picture", "sole.png"))
        press_scene(flat, options).write(self._file("flat_picture", "flat.png"))
        press_scene(step, options).write(self._file("step_picture", "step.png"))
        view_sweep(self.files["sweep"], options).write(self._file("sweep_picture", "sweep.png"))
        self._end()


def _degrees(angle: float) -> str:
    return f"{degrees(angle):+.2f} deg"
