"""`sole identify`: E, nu and eta of the layers of a sole from readings of a bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.elasticity import DEFAULT_ELEMENT

SUFFIXES = (".png", ".pdf", ".svg", ".html")


def identify(
    mesh: Annotated[Path, typer.Argument(help="The mesh of the pad, as it was pressed.")],
    bench: Annotated[
        Path, typer.Argument(help="The readings: a CSV with units (docs/identify.md).")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the sole condensed with what was found, .npz.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Draw the residuals: .png, .pdf, .svg or .html.", rich_help_panel=OUTPUT
        ),
    ] = None,
    sd: Annotated[
        float | None,
        typer.Option(
            "--sd",
            help="Standard deviation of a reading [% of it].",
            show_default="from the scatter",
            rich_help_panel="Model",
        ),
    ] = None,
    thickness_sd: Annotated[
        float,
        typer.Option(
            "--thickness-sd",
            help="Standard deviation of the pad's thickness [%].",
            rich_help_panel="Model",
        ),
    ] = 0.0,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            "--fix",
            help="LAYER.nu=0.45 or LAYER.E=2MPa: known, not looked for.",
            rich_help_panel="Model",
        ),
    ] = None,
    element: Annotated[
        str,
        typer.Option(
            "--element",
            help="ccr, which any nu up to 0.4995 may have, p2 or p1.",
            rich_help_panel="Model",
        ),
    ] = DEFAULT_ELEMENT,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find E, nu and eta of every layer with 95 % intervals, and say which test to do next.

    Examples
    --------
    sole identify pad.msh bench.csv
    sole identify pad.msh bench.csv --fix tread.nu=0.45 --plot fit.png -o pad.npz
    """
    import warnings

    from sole.base.archive import require_output
    from sole.base.files import require_file

    require_file(mesh, bench)
    require_output(output, ".npz", inputs=[mesh, bench])
    require_output(plot, *SUFFIXES, option="--plot", inputs=[mesh, bench])
    fixed = dict(_fixed(text) for text in fix or ())

    from contact.identify import (
        IdentifyOptions,
        advise_tests,
        check_readings,
        family_of,
        read_bench,
        refuse_doubtful,
    )
    from contact.identify import identify as identify_materials
    from contact.summaries.identify_summary import describe_identification
    from sole.base.compiled import prepare
    from sole.base.progress import progress_bar
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.condense import condense, save_condensed
    from sole.mesh import read_mesh

    doing(f"reading {bench}")
    data = read_bench(bench)
    options = IdentifyOptions(sd=(sd or 0.0) / 100, thickness_sd=thickness_sd / 100, fixed=fixed)
    pad = read_mesh(mesh)
    prepare(["condense"])
    with progress_bar("condensing", None, shown=not (quiet or as_json)) as tell:
        family = family_of(pad, element, tell)
    doing(f"identifying the layers of {mesh}")
    remarks = check_readings(family, data)
    found = identify_materials(family, data, options)
    if plot is not None:
        from contact.pictures import draw_identification

        draw_identification(found).write(plot)
    remarks += refuse_doubtful(family, found, options)
    if output is not None:
        density = [m.density if m is not None else 1100.0 for m in pad.materials]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            sole = condense(pad, found.materials(density), element)
        remarks += tuple(str(w.message) for w in caught if issubclass(w.category, UserWarning))
        save_condensed(output, sole)
    files = {"plot": plot, "output": output}
    report = describe_identification(found, advise_tests(family, found), remarks, files)
    emit(report, as_json=as_json, quiet=quiet)


def _fixed(text: str) -> tuple[str, float]:
    from sole.base.errors import ConfigError
    from sole.base.units import read_quantity

    name, _, value = text.partition("=")
    try:
        unit = "Pa" if name.strip().endswith(".E") else ""
        number = read_quantity(value, unit)
    except ConfigError:
        raise ConfigError(f"--fix {text}: expected LAYER.nu=NUMBER or LAYER.E=NUMBER") from None
    return name.strip(), number
