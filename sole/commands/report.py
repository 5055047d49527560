"""`sole report`: which sole to take, from the table of a study, as one page with reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet


def report(
    study: Annotated[Path, typer.Argument(help="The .nc that `sole study` or `sole sweep` wrote.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The .html to write; beside the study by default."),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            help="Two or three metrics to trade, A,B[,C] or the option repeated; max:A for one "
            "that should be large, min:A for one that should be small.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint", help="Such as 'strain_p99 <= 0.1', on a metric or axis; repeatable."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="AXIS=VALUE: keep these rows only; repeatable, of one axis several values.",
        ),
    ] = None,
    mean_over: Annotated[
        list[str] | None,
        typer.Option(
            "--mean-over",
            help="An axis to take the mean over first, as over the study's own ensembles; "
            "repeatable.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose a sole from a study: Pareto front, knee, sensitivities, materials, one HTML page.

    Rows that failed are never chosen. Where the columns exist and no --constraint names them,
    these hold: fell == 0, strain_p99 <= 0.1, stance_margin > 0, margin > 0, standing_margin > 1.
    Over an ensemble (seeds) metrics are means, and constraints hold in every repeat.
    """
    import json

    from sole.archive import refuse_same_file, replacing
    from sole.choice.answers import as_json as plain_data
    from sole.choice.answers import describe
    from sole.choice.cases import cases_of, only
    from sole.choice.decision import choose
    from sole.choice.page import report_page
    from sole.choice.repeats import averaged
    from sole.errors import ConfigError
    from sole.report import emit
    from sole.studies.table import read_sweep

    target = study.with_suffix(".html") if output is None else output
    if target.suffix not in (".html", ".htm"):
        raise ConfigError(f"a report is written to an .html file, got -o {target}")
    cases = only(cases_of(read_sweep(study)), where or ())
    cases = averaged(cases, list(dict.fromkeys([*cases.ensemble, *(mean_over or ())])))
    choice = choose(cases, metrics or (), constraint or ())
    refuse_same_file(study, target)
    with replacing(target) as temporary:
        temporary.write_text(report_page(choice, study.name), encoding="utf-8")
    if as_json:
        print(json.dumps(plain_data(choice, str(target)), allow_nan=False))
        return
    emit(describe(choice, str(target)), as_json=False, quiet=quiet)
