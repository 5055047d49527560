"""Solvers side by side on a folder of problems, and their performance profile.

    profile_s(tau) = share of problems that solver s solves within tau times the fastest solver

of that problem [DolanMore2002]_. A problem that nobody solves is missed by all; a file that cannot
be read is left out and counted apart. All start from zero. Solved, for peers and ours alike: the
natural map over rho |q|, recomputed by `contact.solution.certify`, is at most the tolerance.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contact.exchange.solve_file import compile_kernels, solve_problem
from contact.fclib import FclibFile, read_fclib
from contact.peers.run import BUDGET, missing, run_peer
from contact.solution import Outcome, certify
from contact.solvers.waiting import Progress
from sole.errors import SoleError
from sole.memory import require_memory

SUFFIXES = (".hdf5", ".h5")
TAUS = (1.0, 2.0, 5.0, 10.0, 100.0, np.inf)
SHORT = 0.2  # [s]: what takes less is repeated, the fastest counts
REPEATS = 3
LARGEST = 1e9  # [bytes] of a full W that is handed to a peer
COPIES = 6  # of a full W: ours, scaled, read by the peer, its order, its factors


@dataclass(frozen=True, kw_only=True)
class Row:
    """One solver on one problem.

    Parameters
    ----------
    outcome : "solved", "not solved", "infeasible" (proved), "refused" (by the solver), "failed"
        (an error that nobody foresaw) or "unreadable" (the file; no solver then).
    residual : natural map, NaN where there is nothing to judge.
    seconds : [s], of the solve alone; NaN likewise.
    remark : reason of a refusal or failure, settings of a peer.
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
class Bench:
    """Rows of all problems and solvers; `absent` are peers that are not installed, and why."""

    rows: tuple[Row, ...]
    solvers: tuple[str, ...]
    absent: tuple[tuple[str, str], ...]
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


def problems_in(folder: Path) -> list[Path]:
    """Return the problems of a folder by name.

    Raises
    ------
    SoleError
        No folder, or none in it.
    """
    if not folder.is_dir():
        raise SoleError(
            f"{folder}: {'a file, not a folder' if folder.exists() else 'no such folder'}"
        )
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not files:
        raise SoleError(f"{folder}: no file *{' or *'.join(SUFFIXES)}")
    return files


def run_bench(
    files: Sequence[Path],
    methods: Sequence[str],
    peers: Sequence[str] = (),
    *,
    tolerance: float = 1e-8,
    seed: int = 1,
    budget: float = BUDGET,
    progress: Progress = lambda done, total, residual: None,
    keep: Callable[[Bench], None] = lambda part: None,
) -> Bench:
    """Run every method and peer on every file; a file or solver that fails is a row, no error.

    `keep` gets the rows so far after each one; what it cannot write then does not end the run.
    """
    reasons = {name: missing(name) for name in peers}
    present = [name for name in peers if reasons[name] is None]
    for method in methods:
        compile_kernels(method)
    rows: list[Row] = []
    each = len(methods) + len(present)

    def so_far() -> Bench:
        return Bench(
            rows=tuple(rows),
            solvers=(*methods, *present),
            absent=tuple((name, reason) for name, reason in reasons.items() if reason),
            tolerance=tolerance,
        )

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
        for j, solver in enumerate((*methods, *present)):
            last = rows[-1].residual if rows else np.nan
            progress(i * each + j + 1, len(files) * each, last)
            try:
                if solver in methods:
                    rows.append(_method(source, solver, tolerance, seed))
                else:
                    rows.append(_peer(source, solver, tolerance, budget))
            except SoleError as error:
                rows.append(_failed(file, source.contacts, solver, "refused", error))
            except Exception as error:  # hours of other rows must not be lost for this one
                rows.append(_failed(file, source.contacts, solver, "failed", error))
            kept()
    return so_far()


def _method(source: FclibFile, method: str, tolerance: float, seed: int) -> Row:
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
    return Row(
        problem=source.path.name,
        contacts=source.contacts,
        solver=method,
        iterations=solution.iterations,
        seconds=seconds,
        residual=residual,
        outcome="infeasible" if proved else _judged(residual, tolerance),
        remark=solution.method if solution.method != method else "",
    )


def _peer(source: FclibFile, peer: str, tolerance: float, budget: float) -> Row:
    P = source.problem
    size = 8.0 * (3.0 * P.contacts) ** 2
    require_memory(COPIES * size, f"a full W of {P.contacts} contacts for {peer}", "fewer contacts")
    if size > LARGEST:
        raise SoleError(f"a full W of {P.contacts} contacts takes {size / 1e9:.2g} GB: left out")
    W = P.operator.dense()
    found = run_peer(peer, W, P.offset, P.friction, None, tolerance, budget=budget)
    residual = certify(P, found.reactions).natural_map
    return Row(
        problem=source.path.name,
        contacts=source.contacts,
        solver=peer,
        iterations=found.iterations,
        seconds=found.seconds,
        residual=residual,
        outcome=_judged(residual, tolerance),
        remark=found.settings,
    )


def _judged(residual: float, tolerance: float) -> str:
    return "solved" if residual <= tolerance else "not solved"


def _failed(file: Path, contacts: int, solver: str, outcome: str, error: Exception) -> Row:
    known = isinstance(error, SoleError)
    return Row(
        problem=file.name,
        contacts=contacts,
        solver=solver,
        iterations=0,
        seconds=np.nan,
        residual=np.nan,
        outcome=outcome,
        remark=str(error) if known else f"{type(error).__name__}: {error}",
    )
