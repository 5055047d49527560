"""The check of a finished table: its recommended row again, on a mesh of half the size.

The row is the one that `sole report` recommends with its defaults; of a mean over repeats it is all
the rows behind it. A check never fails a study: what goes wrong is its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sole.base.compiled import prepare
from sole.base.errors import SoleError
from sole.base.stopping import raise_if_stopped
from sole.condense import no_range_warnings
from sole.mesh import halved
from sole.studies.checked_rows import CheckedRow, MeshCheck, add_check, read_check
from sole.studies.choice.cases import collect_cases
from sole.studies.choice.mesh_words import judge_mesh
from sole.studies.choice.recommended_row import Choice, choose
from sole.studies.choice.repeats import average_over
from sole.studies.family_record import NoteStore
from sole.studies.job import fail_rows, one_line, work_out
from sole.studies.journal import FinishedRow
from sole.studies.sampling import Sampling
from sole.studies.shared_soles import Family
from sole.studies.study import Study
from sole.studies.study_plan import Plan
from sole.studies.study_progress import CHECKING, Listener, Progress
from sole.studies.table import read_table


def check_table(
    output: Path,
    plan: Plan,
    say: Listener,
    *,
    places: Sequence[int] = (),
    notes: NoteStore | None = None,
) -> str:
    """Compute rows of a complete table on a finer mesh, add them to it and return the verdict.

    Parameters
    ----------
    places : of the rows; by default those of the recommended row. Earlier checks stay.
    notes : storage of finished rows, None to keep none.
    """
    try:
        before = read_check(output) or MeshCheck()
        choice = None if places else _choose(output)
        wanted = tuple(places)
        if choice is not None and choice.row is not None:
            wanted = choice.cases.table_rows(choice.row)
        check = check_rows(plan, wanted, say, notes) if wanted else MeshCheck()
        kept = [row for row in before.rows if row.place not in wanted]
        rows = sorted((*kept, *check.rows), key=lambda row: row.place)
        add_check(output, check := MeshCheck(tuple(rows), check.not_checked))
        if choice is None:
            return _list_words(check, wanted)
        verdict = judge_mesh(replace(choice, cases=replace(choice.cases, check=check)))
    except SoleError as error:
        raise_if_stopped()
        return f"not checked: {one_line(error)}"
    return str(verdict) if verdict is not None else "not checked: the report recommends no row"


def _choose(output: Path) -> Choice:
    """Return the choice of `sole report` with its defaults."""
    cases = collect_cases(read_table(output), read_check(output))
    return choose(average_over(cases, cases.ensemble), explain=False)


def _list_words(check: MeshCheck, places: Sequence[int]) -> str:
    if check.not_checked:
        return f"not checked: {check.not_checked}"
    said = [f"row {r.place}: {r.reason}" for r in check.of(places) or () if r.reason]
    if said:
        return f"check failed: {'; '.join(said)}"
    return f"checked: row {', '.join(map(str, places))}; `sole report` shows what changes"


@no_range_warnings()  # deformations are columns
def check_rows(
    plan: Plan,
    places: Sequence[int],
    say: Listener,
    notes: NoteStore | None = None,
) -> MeshCheck:
    """Return the rows at some places of the table, on meshes of half the size."""
    say(Progress(CHECKING, 0, len(places)))
    labels = dict.fromkeys(plan.label(plan.study.settings(p)) for p in places)
    try:
        meshes = {label: halved(plan.meshes[label]) for label in labels}
    except SoleError as error:
        return MeshCheck(not_checked=one_line(error))
    finer = Plan(_listed(plan.study, places), meshes, plan.kinds, interpolate=False)
    prepare(["condense", *plan.study.rows], bar=False)
    found: list[CheckedRow] = []
    for row in _finer_rows(finer, notes):
        label = finer.label(finer.study.settings(row.place))
        found.append(
            CheckedRow(
                place=places[row.place],
                tread_nodes=len(plan.meshes[label].tread_vertices),
                finer_tread_nodes=len(meshes[label].tread_vertices),
                numbers=row.numbers,
                reason=row.reason,
            )
        )
        say(Progress(CHECKING, len(found), len(places)))
    return MeshCheck(tuple(found))


def _listed(study: Study, places: Sequence[int]) -> Study:
    """Return the study of some cases only, one after the other."""
    rows = [study.named(p) for p in places]
    axes = tuple(
        replace(
            axis,
            values=tuple(row[axis.name] for row in rows),
            range=None,
            number=None,
            spacing="",
            ensemble=False,
        )
        for axis in study.axis
    )
    return replace(study, axis=axes, sampling=Sampling(scheme="list"))


def _finer_rows(plan: Plan, notes: NoteStore | None) -> list[FinishedRow]:
    """Return the rows of a small plan, in order; those among the notes are not computed again."""
    rows = []
    matrices = any(kind.needs_sole for kind in plan.kinds.values())
    for key, groups in plan.groups.items():
        family = Family(plan, key, matrices=matrices)
        for shared_key, indices in groups.items():
            shared = None
            for index in indices:
                case = plan.case(index)
                own = plan.row_key(case)
                kept = notes and notes.get_shared(f"check {own}")
                if not kept:
                    try:
                        shared = shared or family.shared(shared_key)
                    except Exception as error:
                        raise_if_stopped()
                        (row,) = fail_rows([(own, case)], error)
                    else:
                        (row,) = work_out(shared, [(own, case)], plan.kinds)
                    kept = [dict(row.numbers), row.status, row.reason]
                    if notes:
                        notes.put_shared(f"check {own}", kept)
                rows.append(FinishedRow(index, own, *kept))
    return sorted(rows, key=lambda row: row.place)
