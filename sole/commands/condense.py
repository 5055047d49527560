"""`sole condense`: reduce a mesh and its materials to the stiffness matrix of its tread."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit
from sole.elasticity import DEFAULT_ELEMENT


def condense(
    mesh: Annotated[Path, typer.Argument(help="A mesh with the groups `bond` and `tread`.")],
    young: Annotated[
        float | None,
        typer.Option(
            "--young",
            parser=in_unit("Pa"),
            help="Young's modulus of all layers [Pa].",
            rich_help_panel="Material",
        ),
    ] = None,
    poisson: Annotated[
        float | None,
        typer.Option(
            "--poisson", help="Poisson's ratio of all layers.", rich_help_panel="Material"
        ),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            "--density",
            parser=in_unit("kg/m^3"),
            help="Density of all layers [kg/m^3].",
            rich_help_panel="Material",
        ),
    ] = None,
    material: Annotated[
        list[str] | None,
        typer.Option(
            "--material",
            help="LAYER=E,nu[,rho] for one layer; may be repeated.",
            rich_help_panel="Material",
        ),
    ] = None,
    element: Annotated[
        str,
        typer.Option(
            "--element",
            help="ccr, or p2 or p1, which lock at the nu of rubber.",
            rich_help_panel="Mesh",
        ),
    ] = DEFAULT_ELEMENT,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", help="mm, m or in: unit of a mesh that states none.", rich_help_panel="Mesh"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The condensed sole .npz to write.",
            show_default="MESH.npz, next to the mesh",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Condense a meshed sole to its tread and write it as one file for all later commands.

    Examples
    --------
    sole condense pad.msh --young 3MPa --poisson 0.45
    sole condense layers.msh --material tread=1MPa,0.45 -o soft.npz
    """
    import time
    import warnings
    from dataclasses import replace

    from sole.base.archive import require_output
    from sole.base.compiled import prepare
    from sole.base.report import Quantity, emit
    from sole.base.waiting import doing
    from sole.condense import (
        Condenser,
        choose_materials,
        doubtful_moduli,
        recover_quickly,
        save_condensed,
        unit_load_forces,
    )
    from sole.laws import linear_materials
    from sole.mesh import read_mesh
    from sole.summaries import describe_condensed

    target = mesh.with_suffix(".npz") if output is None else output
    require_output(target, ".npz", inputs=[mesh])
    doing(f"condensing {mesh}")
    sole_mesh = read_mesh(mesh, unit=unit)
    chosen = choose_materials(sole_mesh, young, poisson, density, material or ())
    materials = linear_materials(sole_mesh.layers, chosen)
    prepare(["condense"])
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        condenser = Condenser(sole_mesh, element)
        sole = condenser.condense(materials)
    seconds = time.perf_counter() - start
    if fields := recover_quickly(sole, unit_load_forces(sole), condenser):
        sole = replace(sole, unit_displacement=fields.displacement)
    save_condensed(target, sole)
    report = describe_condensed(sole)
    rows = {
        **report.quantities,
        "time": Quantity(seconds, "s", "assembly and condensation"),
        "output": Quantity(str(target)),
    }
    notes = (*report.warnings, *doubtful_moduli(sole_mesh.layers, materials))
    notes += tuple(str(w.message) for w in caught if issubclass(w.category, UserWarning))
    emit(replace(report, quantities=rows, warnings=notes), as_json=as_json, quiet=quiet)
