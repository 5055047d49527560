"""`sole report`: choose a sole from the table of a study; one HTML page gives the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT


def report(
    study: Annotated[Path, typer.Argument(help="The .nc that `sole study` or `sole sweep` wrote.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The .html to write.",
            show_default="STUDY.html, next to the study",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            help="Two or three metrics to trade off, A,B[,C] or the option repeated; max:A "
            "maximises a metric, min:A minimises it.",
            rich_help_panel="Choice",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            help="Such as 'strain_p99 <= 0.1', 'pressure_peak <= 400 kPa' or 'turn_deg <= 2', on a "
            "metric or axis; repeatable.",
            rich_help_panel="Choice",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="AXIS=VALUE: keep these rows only; repeatable, also with one axis.",
            rich_help_panel="Choice",
        ),
    ] = None,
    mean_over: Annotated[
        list[str] | None,
        typer.Option(
            "--mean-over",
            help="An axis to average over first, as over the study's own ensembles; repeatable.",
            rich_help_panel="Choice",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose a sole from a study: Pareto front, knee, sensitivities, materials, one HTML page.

    Failed rows are never chosen. A column without --constraint keeps the default bound of its
    kind of rows, such as strain_p99 <= 0.1; the page marks it as a default. The mesh is
    "checked" where the table has the recommended row on a mesh of half the size. Over an ensemble
    (seeds) metrics are means, and constraints must hold in every repeat.

    Examples
    --------
    sole report sweep.nc
    sole report sweep.nc --metrics strain_p99,max:k_z_z -o choice.html
    sole report sweep.nc --constraint 'strain_p99 <= 0.1' --where poisson=0.45
    """
    import json

    from sole.base.files import require_file

    require_file(study)

    from sole.base.archive import replacing, require_output
    from sole.base.damage import refuse_damage
    from sole.base.extras import require_extra
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.studies import read_check, read_table
    from sole.studies.choice import as_json as plain_data
    from sole.studies.choice import (
        average_over,
        choose,
        collect_cases,
        constraint_hint,
        describe_choice,
        keep_rows,
        report_page,
    )

    require_extra("studies", "a report")
    target = study.with_suffix(".html") if output is None else output
    require_output(target, ".html", ".htm", inputs=[study])
    doing(f"reporting on {study}")
    with refuse_damage(study):
        cases = keep_rows(collect_cases(read_table(study), read_check(study)), where or ())
        cases = average_over(cases, list(dict.fromkeys([*cases.ensemble, *(mean_over or ())])))
        choice = choose(cases, metrics or (), constraint or ())
        page = report_page(choice, study.name)
    with replacing(target) as temporary:
        temporary.write_text(page, encoding="utf-8")
    if as_json:
        print(json.dumps(plain_data(choice, str(target)), allow_nan=False))
        return
    emit(describe_choice(choice, str(target)), as_json=False, quiet=quiet)
    if not quiet and (hint := constraint_hint(choice)):
        typer.echo(f"hint: {hint}")
