"""A press of a mesh's file, with its materials, into a file of the result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contact.finite_press.finite_press_file import save_finite_press
from contact.finite_press.pressing import press_finite
from contact.finite_press.result import FinitePressResult
from contact.ground import Ground
from contact.press import PressLoad, PressOptions
from contact.solvers import SolveProgress
from sole.base.errors import ConvergenceError, MaterialError
from sole.base.waiting import doing
from sole.condense import override_materials
from sole.hyperelastic import FiniteSole
from sole.laws import HyperelasticMaterial
from sole.mesh import read_mesh


def sole_of_mesh(
    path: Path, finite: bool, material: Sequence[str], element: str | None, unit: str | None
) -> FiniteSole:
    """Return the sole of a mesh file; `unit` of one that states none.

    Raises
    ------
    MaterialError
        A layer has no material, or all are linear and `finite` is not asked for.
    """
    doing(f"reading {path}")
    mesh = override_materials(read_mesh(path, unit=unit), material)
    if not (finite or any(isinstance(m, HyperelasticMaterial) for m in mesh.materials)):
        raise MaterialError(
            f"{path} is a mesh without hyperelastic layers: condense it for the linear press, "
            "`sole condense`, or press it at finite strain with --finite"
        )
    doing("assembling")
    return FiniteSole(mesh, element=element)


def press_into(
    target: Path,
    sole: FiniteSole,
    loads: tuple[PressLoad, ...],
    ground: Ground,
    friction: float,
    options: PressOptions,
    progress: SolveProgress,
) -> FinitePressResult:
    """Press at finite strain, write the result and return it.

    Raises
    ------
    ConvergenceError
        An increment failed; the file holds the last one that converged, if any.
    """
    try:
        result = press_finite(sole, loads, ground, friction, options=options, progress=progress)
    except ConvergenceError as error:
        if not isinstance(error.best, FinitePressResult):
            raise
        save_finite_press(target, error.best, len(loads))
        told = str(error).replace("kept as `best`", f"kept in {target}")
        raise ConvergenceError(told, best=error.best) from error
    doing(f"writing {target}")
    save_finite_press(target, result)
    return result
