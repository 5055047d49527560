"""Random contact problems, every answer checked apart from the solvers.

    python benchmarks/torture/contact_problems.py [number] [seed]

5000 problems of seed 1 if not given: 1 to 60 contacts, friction 0 to 10, W definite, singular,
badly scaled, with condition numbers up to 1e12, redundant contacts, problems without a solution
(`contact_families`). Counted per family:

    false success   called solved, but the residual computed here is above the tolerance, or the
                    problem is known to have no solution;
    false proof     called infeasible, but the direction fails the check here, W is definite, or
                    the problem is known to have a solution of the kind that was excluded;
    NaN             not finite; exception: anything raised.

The residual is that of `contact.problem.certify`, written anew and in extended precision. Forces of
1e9 rho |q| leave round-off of u = W r + q above 1e-8 in double precision: its bound is allowed.
The exit code is 1 if there was any of these, 0 otherwise. Not solved is none of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the folder `torture` is

from contact.problem import Outcome, Problem, Solution
from contact.solvers import solve
from sole.base.numba_settings import set_up_numba
from torture.contact_families import FAMILIES, TorturedProblem

TOLERANCE = 1e-8
WORK = 3e9  # of one problem: some seconds
EPS = float(np.finfo(float).eps)
HEAD = ("family", "problems", "solved", "infeasible", "not solved", "worst residual",
        "false successes", "false proofs", "NaN", "exceptions", "slowest")  # fmt: skip


@dataclass
class FamilyCount:
    """The answers to the problems of one family."""

    family: str
    problems: int = 0
    solved: int = 0
    infeasible: int = 0
    stalled: int = 0
    worst: float = 0.0
    false_successes: int = 0
    false_proofs: int = 0
    not_finite: int = 0
    exceptions: int = 0
    slowest: float = 0.0

    @property
    def faults(self) -> int:
        """Answers that are wrong."""
        return self.false_successes + self.false_proofs + self.not_finite + self.exceptions

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table under `HEAD`."""
        counts = self.problems, self.solved, self.infeasible, self.stalled
        faults = self.false_successes, self.false_proofs, self.not_finite, self.exceptions
        return (self.family, *map(str, counts), f"{self.worst:.1e}", *map(str, faults),
                f"{self.slowest:.1f} s")  # fmt: skip


def residual(problem: TorturedProblem, r: NDArray[np.float64]) -> tuple[float, float]:
    """Return (the residual of r, the bound of its round-off in double precision)."""
    W = problem.W.toarray() if sparse.issparse(problem.W) else problem.W
    n, mu = len(W), problem.mu.astype(np.longdouble)
    q, r = problem.q.astype(np.longdouble), r.astype(np.longdouble)
    u = (W.astype(np.longdouble) @ r.ravel()).reshape(-1, 3) + q
    size = (np.abs(W) @ np.abs(r.ravel()).astype(float)).reshape(-1, 3) + np.abs(problem.q)
    mean = np.trace(W) / n
    rho = 1 / np.longdouble(mean) if mean > 0 else np.longdouble(1)
    scale = rho * np.sqrt(np.sum(q * q))
    slip = np.hypot(u[:, 0], u[:, 1])
    x = r - rho * np.column_stack([u[:, :2], u[:, 2] + mu * slip])
    s, normal = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
    side = np.maximum(normal + mu * s, 0) / (1 + mu * mu)
    along = np.divide(mu * side, s, out=np.zeros_like(s), where=s > 0)
    nearest = np.column_stack([along * x[:, 0], along * x[:, 1], side])
    nearest[mu * s <= -normal] = 0
    inside = (s <= mu * normal) & (normal >= 0)
    nearest[inside] = x[inside]
    beyond = np.maximum(np.hypot(r[:, 0], r[:, 1]) - mu * r[:, 2], np.maximum(-r[:, 2], 0))
    errors = [np.sqrt(np.sum((r - nearest) ** 2)), np.sqrt(np.sum(beyond**2 / (1 + mu * mu))),
              np.sqrt(np.sum(np.minimum(r[:, 2], rho * u[:, 2]) ** 2))]  # fmt: skip
    noise = EPS * (n + 2) * float(rho) * np.linalg.norm((2 + problem.mu[:, None]) * size)
    noise += 4 * EPS * float(np.linalg.norm(r.astype(float)))
    return float(max(errors) / scale), float(noise / float(scale))


def proof_is_false(problem: TorturedProblem, z: NDArray[np.float64]) -> bool:
    """Whether `z` (K, 3) proves nothing: it is checked in rows scaled to a unit diagonal of W.

    W is definite there if its smallest eigenvalue is above the round-off of its rows.
    """
    W = problem.W.toarray() if sparse.issparse(problem.W) else problem.W
    n = len(W)
    if not np.isfinite(z).all() or problem.known == "open":
        return True
    if problem.known == "solvable" and np.linalg.norm(z[:, :2]) <= TOLERANCE * np.linalg.norm(z):
        return True
    flat, D = z.ravel().astype(np.longdouble), np.sqrt(np.maximum(np.diag(W), 0.0))
    moved, force = W.astype(np.longdouble) @ flat, D * np.asarray(flat, dtype=float)
    scaled = np.divide(moved.astype(float), D, out=np.zeros(n), where=D > 0)
    held = D[:, None] * D > 0
    unit = np.divide(W, D[:, None] * D, out=np.eye(n), where=held)
    noise = 40 * EPS * n
    pushed = np.linalg.norm(scaled) > noise * np.linalg.norm(force)
    regular = np.linalg.eigvalsh(unit)[0] > noise and bool((D > 0).all())
    terms = problem.q.ravel() * flat
    climbs = -terms.sum() <= 100 * EPS * n * np.abs(terms).sum()
    t, normal = np.hypot(z[:, 0], z[:, 1]), z[:, 2]
    outside = np.maximum(t - problem.mu * normal, -normal).max() > TOLERANCE * np.abs(z).max() * (
        1 + problem.mu.max()
    )
    return bool(pushed or regular or climbs or outside)


def judge(problem: TorturedProblem, solution: Solution, count: FamilyCount) -> None:
    """Count one answer."""
    finite = np.isfinite(solution.reactions).all() and solution.certificate.finite
    count.not_finite += not finite
    if solution.outcome is Outcome.SOLVED:
        error, noise = residual(problem, solution.reactions)
        count.solved += 1
        count.worst = max(count.worst, error if noise < TOLERANCE else 0.0)
        count.false_successes += not error <= TOLERANCE + noise or problem.known == "impossible"
    elif solution.outcome is Outcome.INFEASIBLE:
        count.infeasible += 1
        z = solution.direction
        count.false_proofs += z is None or proof_is_false(problem, z)
    else:
        count.stalled += 1


def torture(number: int, seed: int) -> list[FamilyCount]:
    """Solve `number` problems, the families in turn."""
    counts = {name: FamilyCount(name) for name in FAMILIES}
    for i in range(number):
        name = list(FAMILIES)[i % len(FAMILIES)]
        count, problem = counts[name], FAMILIES[name](np.random.default_rng([seed, i]))
        make = Problem.sparse if sparse.issparse(problem.W) else Problem.dense
        count.problems += 1
        begun = time.perf_counter()
        try:
            solution = solve(
                make(problem.W, problem.q, problem.mu), tolerance=TOLERANCE, max_work=WORK
            )
        except Exception as error:  # what is counted
            count.exceptions += 1
            print(f"{name}, seed [{seed}, {i}]: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        count.slowest = max(count.slowest, time.perf_counter() - begun)
        before = count.faults
        judge(problem, solution, count)
        if count.faults > before:
            print(f"{name}, seed [{seed}, {i}]: {solution.outcome.name}", file=sys.stderr)
    return list(counts.values())


def main(number: int = 5000, seed: int = 1) -> list[dict[str, Any]]:
    """Return one row per family for the table of all parts; a fault has no size."""
    return [
        {"kind": c.family, "tried": c.problems, "failed": c.faults, "worst": float(bool(c.faults))}
        for c in torture(number, seed)
    ]


def table(rows: list[tuple[str, ...]]) -> str:
    """Return `rows` as a Markdown table."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


if __name__ == "__main__":
    set_up_numba()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=5000, help="of problems (5000)")
    parser.add_argument("seed", type=int, nargs="?", default=1, help="of the random numbers (1)")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        counted = torture(arguments.number, arguments.seed)
    print(table([HEAD, *(count.row for count in counted)]))
    sys.exit(any(count.faults for count in counted))
