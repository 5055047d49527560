"""The work of `sole study` and `sole sweep`: read the request, run it, show progress."""

from __future__ import annotations

import contextlib
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from sole.base.archive import schema_of
from sole.base.errors import ConfigError, SoleError
from sole.base.report import Quantity, Report, emit
from sole.base.stopping import describe_end, exit_code, raise_if_stopped
from sole.base.waiting import doing
from sole.laws import linear_materials, parse_material
from sole.mesh import SoleMesh
from sole.studies.axis import parse_axes
from sole.studies.engine import ALONE, TableCheck, check_study, run_study
from sole.studies.rows import collect_columns, make_rows
from sole.studies.shared_soles import Family
from sole.studies.sole_store import sole_bytes
from sole.studies.studied_soles import find_soles, read_sole
from sole.studies.study import LayerMaterial, Study, load_study
from sole.studies.study_plan import Plan
from sole.studies.study_progress import ProgressBar
from sole.studies.summary import describe_summary
from sole.studies.table_description import commonest_reason
from sole.studies.workforce import Workforce


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of `sole sweep` as typed; None means "not given".

    Parameters
    ----------
    source : mesh, shape or study file.
    axes : texts by quantity.
    materials : ``LAYER=E,nu[,rho]``.
    rows : requested kinds of rows.
    stiffness, press : options of these rows that have their own command-line option.
    finite : whether those of presses are for rows `finite_press`.
    extra : ``ROWS.NAME=VALUE``.
    study : density, element, tolerance, unit.
    """

    source: Path
    axes: Mapping[str, Sequence[str]]
    materials: Sequence[str] = ()
    rows: Sequence[str] = ()
    stiffness: Mapping[str, Any] = field(default_factory=dict)
    press: Mapping[str, Any] = field(default_factory=dict)
    finite: bool = False
    extra: Sequence[str] = ()
    study: Mapping[str, Any] = field(default_factory=dict)


def resolve_request(request: Request) -> tuple[Study, SoleMesh | None, Path]:
    """Return the study, the mesh if the source is one, and the folder of its files.

    Raises
    ------
    ConfigError
        Options beside a study file, or options that do not parse.
    """
    axes = parse_axes(request.axes)
    options = _options(request)
    rows = tuple(request.rows) or _rows_implied(options)
    given = {k: v for k, v in request.study.items() if v is not None}
    if schema_of(request.source) == "sole.study/2":
        if axes or options or request.rows or request.materials or given:
            raise ConfigError(
                f"{request.source} is a study: its file sets axes, rows and options; give only -o, "
                "--restart and --keep-journal"
            )
        study = load_study(request.source)
        mesh = read_sole(Path(study.mesh), study.unit) if study.mesh else None
        return study, mesh, request.source.parent
    layers = {}
    for text in request.materials:
        layer, any_law = parse_material(text)
        (m,) = linear_materials([layer], [any_law])
        layers[layer] = LayerMaterial(
            young_modulus=m.young_modulus, poisson_ratio=m.poisson_ratio, density=m.density
        )
    study = Study(
        axis=axes, rows=rows, layers=layers, options=options, mesh=str(request.source), **given
    )
    return study, read_sole(request.source, study.unit), Path()


def _rows_implied(options: Mapping[str, Any]) -> tuple[str, ...]:
    return ("stiffness", *(kind for kind in options if kind != "stiffness"))


def _options(request: Request) -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = {}
    pressed = "finite_press" if request.finite else "press"
    for kind, values in (("stiffness", request.stiffness), (pressed, request.press)):
        given = {
            k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None
        }
        if given:
            options[kind] = given
    for text in request.extra:
        name, equals, value = text.partition("=")
        kind, dot, key = name.strip().partition(".")
        if not (equals and dot and kind and key):
            raise ConfigError(f"--set {text}: expected ROWS.NAME=VALUE")
        options.setdefault(kind, {})[key] = _toml_value(value.strip())
    return options


def _toml_value(text: str) -> Any:
    """Parse a TOML value; anything else, such as a bare word, is a string."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except RecursionError as error:
        raise ConfigError(f"--set: {text[:20]}... is nested too deeply") from error
    except ValueError:  # TOMLDecodeError, or a number of too many digits
        return text


@contextlib.contextmanager
def show_progress(
    output: Path, rows: str, *, shown: bool, begin: str = ""
) -> Iterator[ProgressBar]:
    """Yield a progress bar; after a signal say how many ("of 12 rows") are kept, and exit.

    `begin` : a line at the start where no terminal shows a bar.
    """
    bar = ProgressBar(shown=shown, begin=begin)
    try:
        with bar:
            try:
                yield bar
            except Exception:
                raise_if_stopped()
                raise
    except KeyboardInterrupt as error:
        with contextlib.suppress(OSError):  # the terminal may have gone
            kept = f"{bar.rows} {rows} are kept in {output}.journal.sqlite"
            if bar.checking:
                kept = f"{output} is complete, but not checked on a finer mesh"
            again = "run the same command again to continue"
            print(f"{describe_end(error)}: {kept}; {again}", file=sys.stderr)
        raise typer.Exit(exit_code(error)) from None


def run_command(
    study: Study,
    mesh: SoleMesh | None,
    output: Path,
    *,
    check: TableCheck | None = None,
    check_row: Sequence[int] | None = None,
    as_json: bool,
    quiet: bool,
    **how: Any,
) -> None:
    """Run a study by `sole.studies.run_study` with the options `how`, and print its summary.

    With `check_row` compute these rows of its complete table on a finer mesh instead.

    Raises
    ------
    SoleError
        As `run_study`; also if every row failed, with the most frequent reason.
    Exit
        Code 130 after Ctrl-C, 143 after SIGTERM or the end of the terminal.
    """
    doing(f"computing {output}")
    crew: Workforce = how.get("workforce", ALONE)
    begin = f"computing {output}: {study.size} rows ({', '.join(study.rows)}) by {crew.told}"
    shown = not (quiet or as_json)
    if check_row and check is not None:
        begin = f"checking {output}: row {', '.join(map(str, check_row))}"
        with show_progress(output, f"of {study.size} rows", shown=shown, begin=begin) as bar:
            said = check_study(
                study, mesh, output, check_row, check, folder=how["folder"], listener=bar
            )
        report = Report("study", {"mesh check": Quantity(said), "output": Quantity(str(output))})
        emit(report, as_json=as_json, quiet=quiet)
        return
    with show_progress(output, f"of {study.size} rows", shown=shown, begin=begin) as bar:
        summary = run_study(study, mesh, output, listener=bar, check=check, **how)
    emit(describe_summary(summary), as_json=as_json, quiet=quiet)
    if summary.failed == summary.rows:
        raise SoleError(
            f"every row failed, most often: {commonest_reason(output)}; all reasons are kept in "
            f"{output}"
        )


def describe_plan(study: Study, folder: Path) -> Report:
    """Return what a study would compute: cases, soles, condensations.

    Raises
    ------
    SoleError
        The study could not start.
    """
    kinds = make_rows(study, folder)
    plan = Plan(study, find_soles(study, kinds, folder), kinds)
    groups = plan.groups
    counts = {key: Family(plan, key).expected_condensations for key in groups}
    rows = {
        "cases": Quantity(study.size, "", study.sampling.scheme),
        "rows": Quantity(list(study.rows), "", f"{len(collect_columns(kinds))} columns"),
        "soles": Quantity([s.mesh.name for s in plan.soles.values()]),
        "shared soles": Quantity(sum(map(len, groups.values())), "", "up to a factor on E"),
        "condensations": Quantity(sum(counts.values()), "", "at least; with verification points"),
    }
    if any(kind.needs_sole for kind in kinds.values()):
        disk = sum(n * sole_bytes(plan.meshes[key.sole]) for key, n in counts.items())
        remark = "at least; until the table is done"
        rows["disk"] = Quantity(round(disk / 1e6, 1), "MB", remark)
    for axis in study.axis:
        what, (low, high) = plan.quantities[axis.name], axis.ends
        values = [low, high] if axis.numeric else list(map(str, axis.values))
        several = "repeats" if axis.ensemble else "values"
        many = f"{len(axis.values)} {several}" if axis.values else "a range to sample"
        rows[f"axis {axis.name}"] = Quantity(
            values, what.unit, f"{what.title}, {many}", ends=axis.numeric
        )
    return Report("plan of the study", rows, plan.warnings)
