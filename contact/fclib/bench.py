"""Solvers side by side on a folder of problems, and their performance profile.

    profile_s(tau) = share of problems that solver s solves within tau times the fastest solver

of that problem [DolanMore2002]_. A problem that no solver solves is missed by all; a file that
cannot be read is excluded and counted apart. All start from zero. Solved means for every solver:
the natural map over rho |q|, recomputed by `contact.problem.certify`, is at most the tolerance.

A solver is a function of a problem's file that returns its row: `our_solvers` names ours, anybody
may add others (`benchmarks/fclib_solvers.py` adds Pinocchio's and Siconos').
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contact.fclib.fclib_file import FclibFile, read_fclib
from contact.fclib.solve_fclib import compile_kernels, solve_problem
from contact.problem import Outcome
from contact.solvers import SolveProgress
from sole.base.errors import SoleError
from sole.base.files import require_folder

SUFFIXES = (".hdf5", ".h5")
TAUS = (1.0, 2.0, 5.0, 10.0, 100.0, np.inf)
SHORT = 0.2  # [s]; a shorter solve is repeated, the fastest counts
REPEATS = 3


@dataclass(frozen=True, kw_only=True)
class SolverRow:
    """One solver on one problem.

    Parameters
    ----------
    outcome : "solved", "not solved", "infeasible" (proved), "refused" (by the solver), "failed"
        (an unexpected error) or "unreadable" (the file; no solver then).
    residual : natural map, NaN without forces.
    seconds : [s], of the solve alone; NaN likewise.
    remark : reason of a refusal or failure, the method that solved it, its settings.
    """

    problem: str
    contacts: int
    solver: str
    iterations: int
    seconds: float
    residual: float
    outcome: str
    remark: str = ""

    @property
    def settled(self) -> bool:
        """Whether the solver answered the problem: forces, or a proof that there are none."""
        return self.outcome in ("solved", "infeasible")


@dataclass(frozen=True, eq=False, kw_only=True)
class SolverComparison:
    """Rows of all problems and solvers."""

    rows: tuple[SolverRow, ...]
    solvers: tuple[str, ...]
    tolerance: float

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of the problems that could be read."""
        return tuple(dict.fromkeys(row.problem for row in self.rows if row.solver))

    @property
    def unreadable(self) -> int:
        """Files that could not be read: not in the profile."""
        return sum(row.outcome == "unreadable" for row in self.rows)

    def ratios(self, solver: str) -> list[float]:
        """Per problem: time over that of the fastest solver; infinite where it was missed."""
        fastest: dict[str, float] = {}
        own: dict[str, float] = {}
        for row in self.rows:
            if row.settled:
                fastest[row.problem] = min(row.seconds, fastest.get(row.problem, np.inf))
                if row.solver == solver:
                    own[row.problem] = row.seconds
        return [own[name] / fastest[name] if name in own else np.inf for name in self.problems]

    def profile(self, solver: str, taus: Iterable[float] = TAUS) -> list[float]:
        """Share of problems within every tau of the fastest; tau infinite: solved at all."""
        ratios = np.array(self.ratios(solver))
        if not len(ratios):
            return [np.nan for _ in taus]
        return [float(np.mean(ratios < np.inf if tau == np.inf else ratios <= tau)) for tau in taus]


Runner = Callable[[FclibFile], SolverRow]


def find_problems(folder: Path) -> list[Path]:
    """Return the problems of a folder by name.

    Raises
    ------
    SoleError
        No such folder, or no problem in it.
    """
    require_folder(folder)
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not files:
        raise SoleError(f"{folder}: no file *{' or *'.join(SUFFIXES)}")
    return files


def run_bench(
    files: Sequence[Path],
    solvers: Mapping[str, Runner],
    *,
    tolerance: float = 1e-8,
    progress: SolveProgress = lambda done, total, residual: None,
    keep: Callable[[SolverComparison], None] = lambda part: None,
) -> SolverComparison:
    """Run every solver on every file; a file or solver that fails is a row, not an error.

    Parameters
    ----------
    solvers : by name, see `our_solvers`.
    tolerance : asked of the solvers, for the tables.
    keep : called with the rows so far after each; an output it cannot write does not end the run.
    """
    rows: list[SolverRow] = []

    def so_far() -> SolverComparison:
        return SolverComparison(rows=tuple(rows), solvers=tuple(solvers), tolerance=tolerance)

    def kept() -> None:
        with contextlib.suppress(SoleError):
            keep(so_far())

    for i, file in enumerate(files):
        try:
            source = read_fclib(file)
        except Exception as error:  # whatever a file holds: the others are compared
            rows.append(_failed(file, 0, "", "unreadable", error))
            kept()
            continue
        for j, (solver, run) in enumerate(solvers.items()):
            last = rows[-1].residual if rows else np.nan
            progress(i * len(solvers) + j + 1, len(files) * len(solvers), last)
            try:
                rows.append(run(source))
            except SoleError as error:
                rows.append(_failed(file, source.contacts, solver, "refused", error))
            except Exception as error:  # hours of other rows must not be lost for this one
                rows.append(_failed(file, source.contacts, solver, "failed", error))
            kept()
    return so_far()


def our_solvers(
    methods: Sequence[str], tolerance: float = 1e-8, seed: int = 1
) -> dict[str, Runner]:
    """Return our methods by name; kernels are compiled first, so no time includes it."""
    for method in methods:
        compile_kernels(method)
    return {
        name: functools.partial(_method, method=name, tolerance=tolerance, seed=seed)
        for name in methods
    }


def _method(source: FclibFile, method: str, tolerance: float, seed: int) -> SolverRow:
    seconds = np.inf
    for _ in range(REPEATS):
        solution, taken = solve_problem(
            source.problem, method=method, tolerance=tolerance, seed=seed
        )
        seconds = min(seconds, taken)
        if seconds > SHORT:
            break
    residual = solution.certificate.natural_map
    proved = solution.outcome is Outcome.INFEASIBLE
    return SolverRow(
        problem=source.path.name,
        contacts=source.contacts,
        solver=method,
        iterations=solution.iterations,
        seconds=seconds,
        residual=residual,
        outcome="infeasible" if proved else judge_outcome(residual, tolerance),
        remark=solution.method if solution.method != method else "",
    )


def judge_outcome(residual: float, tolerance: float) -> str:
    """Return the outcome of forces with this natural map."""
    return "solved" if residual <= tolerance else "not solved"


def _failed(file: Path, contacts: int, solver: str, outcome: str, error: Exception) -> SolverRow:
    known = isinstance(error, SoleError)
    return SolverRow(
        problem=file.name,
        contacts=contacts,
        solver=solver,
        iterations=0,
        seconds=np.nan,
        residual=np.nan,
        outcome=outcome,
        remark=str(error) if known else f"{type(error).__name__}: {error}",
    )
