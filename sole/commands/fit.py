"""`sole fit`: a hyperelastic law from measured stress and strain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.units import in_unit


def fit(
    data: Annotated[Path, typer.Argument(help="A CSV with units: test, strain [%], stress [kPa].")],
    law: Annotated[
        str, typer.Option("--law", help="neo-hooke, ogden or hyperfoam.", rich_help_panel="Law")
    ],
    terms: Annotated[
        int, typer.Option("--terms", help="1 to 3, each with mu and alpha.", rich_help_panel="Law")
    ] = 1,
    poisson: Annotated[
        float | None,
        typer.Option(
            "--poisson",
            help="Poisson's ratio at rest.",
            show_default="0.49, of foams 0",
            rich_help_panel="Law",
        ),
    ] = None,
    density: Annotated[
        float,
        typer.Option(
            "--density",
            parser=in_unit("kg/m^3"),
            help="Density, for the text of the material [kg/m^3].",
            rich_help_panel="Law",
        ),
    ] = 1100.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit the law of a rubber or foam and print it as --material takes it.

    Examples
    --------
    sole fit foam.csv --law hyperfoam
    sole fit rubber.csv --law ogden --terms 2 --poisson 0.495
    """
    from sole.base.files import require_file

    require_file(data)

    from sole.base.progress import progress_bar
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.laws import HyperelasticMaterial, fit_law, read_stress_strain
    from sole.summaries import describe_fit

    doing(f"fitting {data}")
    points = read_stress_strain(data)
    with progress_bar("fitting", None, shown=not (quiet or as_json)) as tell:
        found = fit_law(points, law, terms, poisson, tell)
    material = HyperelasticMaterial(law=found.law, density=density)
    emit(describe_fit(points, found, material), as_json=as_json, quiet=quiet)
