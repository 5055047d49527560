"""A solution in a file: `r.npz`, schema contact.solution/1.

`reactions` (K, 3) in the order (t1, t2, n) beside the digest of the problem's file: with
the problem every residual can be recomputed from these two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from contact.fclib.fclib_file import FclibFile
from contact.problem import Certificate, Outcome, Solution
from contact.solvers import DirectionCertificate, check_direction
from sole.base.archive import read_archive, write_archive
from sole.base.arrays import FloatArray, IntArray
from sole.base.damage import refuse_damage
from sole.base.errors import SchemaError
from sole.base.report import plain

SCHEMA = "contact.solution/1"


@dataclass(frozen=True, eq=False, kw_only=True)
class SolutionRecord:
    """A solution read from its file; arrays as in `contact.problem.Solution`.

    Parameters
    ----------
    problem : file, digest, title, kind, contacts, asymmetry, semidefinite.
    reactions : with outcome INFEASIBLE the last ones tried, no solution.
    proof : residuals of `direction`, None without one.
    outcome : how the solver ended.
    iterations : sweeps, newton, interior, pivots.
    seconds : of the solver alone [s].
    """

    path: Path
    problem: Mapping[str, Any]
    reactions: FloatArray
    velocity: FloatArray
    status: IntArray
    direction: FloatArray | None
    proof: DirectionCertificate | None
    outcome: Outcome
    method: str
    iterations: Mapping[str, int]
    tolerance: float
    seed: int
    seconds: float
    certificate: Certificate


def record_of(
    source: FclibFile, solution: Solution, *, tolerance: float, seed: int, seconds: float
) -> SolutionRecord:
    """Return the record of a solution of `source`."""
    return SolutionRecord(
        path=source.path,
        problem={
            "file": source.path.name,
            "digest": source.digest,
            "title": source.title,
            "kind": source.kind,
            "contacts": source.contacts,
            "asymmetry": source.problem.operator.asymmetry,
            "semidefinite": source.semidefinite,
        },
        reactions=solution.reactions,
        velocity=solution.velocity,
        status=solution.status,
        direction=solution.direction,
        proof=None
        if solution.direction is None
        else check_direction(solution.problem, solution.direction),
        outcome=solution.outcome,
        method=solution.method,
        iterations={
            "sweeps": solution.sweeps,
            "newton": solution.newton,
            "interior": solution.interior,
            "pivots": solution.pivots,
        },
        tolerance=tolerance,
        seed=seed,
        seconds=seconds,
        certificate=solution.certificate,
    )


def save_solution(path: Path, record: SolutionRecord) -> None:
    """Write a solution, solved or not, atomically."""
    header: dict[str, Any] = {
        "problem": plain(record.problem),
        "outcome": record.outcome.name.lower(),
        "solved": record.outcome is Outcome.SOLVED,
        "method": record.method,
        "iterations": dict(record.iterations),
        "tolerance": record.tolerance,
        "seed": record.seed,
        "seconds": record.seconds,
        "certificate": {k: plain(v) for k, v in asdict(record.certificate).items()},
        "order": "t1, t2, n",
    }
    # JSON has no infinity: the key `finite` says that a certificate is not.
    for name, value in header["certificate"].items():
        if isinstance(value, float) and not abs(value) < float("inf"):
            header["certificate"][name] = None
    arrays: dict[str, Any] = {
        "reactions": record.reactions,
        "velocity": record.velocity,
        "status": record.status,
    }
    if record.direction is not None and record.proof is not None:
        arrays["direction"] = record.direction
        header["proof"] = asdict(record.proof)
    write_archive(path, SCHEMA, header, arrays)


def load_solution(path: Path) -> SolutionRecord:
    """Read a solution from the file that `save_solution` wrote.

    Raises
    ------
    SchemaError
        The file is truncated, incomplete or not a solution.
    """
    with refuse_damage(path):
        return _solution_in(path)


def _solution_in(path: Path) -> SolutionRecord:
    file = read_archive(path, SCHEMA)
    h = file.header
    try:
        K = int(h["problem"]["contacts"])
        figures: dict[str, Any] = {
            k: float("inf") if v is None else v for k, v in h["certificate"].items()
        }
        return SolutionRecord(
            path=Path(path),
            problem=h["problem"],
            reactions=file.array("reactions", (K, 3)),
            velocity=file.array("velocity", (K, 3)),
            status=file.integers("status", (K,)),
            direction=file.array("direction", (K, 3)) if "direction" in file.arrays else None,
            proof=DirectionCertificate(**h["proof"]) if "proof" in h else None,
            outcome=Outcome[h["outcome"].upper()],
            method=str(h["method"]),
            iterations=h["iterations"],
            tolerance=float(h["tolerance"]),
            seed=int(h["seed"]),
            seconds=float(h["seconds"]),
            certificate=Certificate(**figures),
        )
    except SchemaError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SchemaError(f"{path}: incomplete header: {error}") from error
