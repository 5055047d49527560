"""Penalty forces (17)-(20) of a trajectory: all states in one call, one by one, by batched eigh.

States are random: a free box on four vertices (W of 12 rows, rank 6), all or half of them in the
ground, and a mechanism of 30 coordinates on eight contacts (24 rows, rank 24). All methods must
agree. They take turns; the least of the rounds counts, so that a busy machine spares the ratios.

python benchmarks/penalty.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from contact.papers.penalty import (
    ContactSpace,
    PenaltyLaw,
    VertexBody,
    VertexState,
    desired_accelerations,
    law_forces,
    penalty_forces,
    penalty_history,
    saturate_forces,
)
from sole.base.numba_settings import set_up_numba

STATES, SOME, ROUNDS = 100_000, 1000, 3
LAW = PenaltyLaw(kp=500.0, kv=250.0, friction=0.7, epsilon=-1e-6)
Case = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # W, b, p, v


def boxes(depth: float, states: int = STATES) -> Case:
    """Turn a thousand boxes, and repeat them; the middle of the face `depth` [m] in the ground."""
    r, body, rows = np.random.default_rng(0), VertexBody.box(40.0, (0.2, 0.1, 0.3)), []
    for _ in range(min(SOME, states)):
        tilt = 0.02 * np.array([r.normal(), 1 + r.uniform(), r.normal()])
        state = VertexState.at((0, 0, -depth), tilt, r.normal(size=3), r.normal(size=3))
        now = body.dynamics(state)
        rows.append((now.space.operator, now.space.drift, now.heights, now.velocities))
    return _tiled(rows, states)


def _tiled(rows: list[tuple[np.ndarray, ...]], states: int) -> Case:
    W, b, p, v = (np.stack(a) for a in zip(*rows, strict=True))
    n = states // len(rows)
    return np.tile(W, (n, 1, 1)), np.tile(b, (n, 1)), np.tile(p, (n, 1)), np.tile(v, (n, 1, 1))


def mechanisms(states: int = STATES) -> Case:
    """Random inertia and Jacobians."""
    r, rows = np.random.default_rng(1), []
    for _ in range(min(SOME, states)):
        J = r.normal(size=(30, 24))
        rows.append((J.T @ J, r.normal(size=24), -1e-3 * r.uniform(size=8), r.normal(size=(8, 3))))
    return _tiled(rows, states)


def at_once(case: Case) -> np.ndarray:
    """`penalty_history`, checks of its input included."""
    return penalty_history(LAW, *case).forces


def kernel(case: Case) -> np.ndarray:
    """Its compiled loop alone."""
    W, b, p, v = case
    law = np.array([LAW.kp, LAW.kv, LAW.friction, LAW.epsilon, LAW.rcond])
    return law_forces(law, W, b, p, v, p <= 0, v[:, :, 2] < 0)[0]


def one_by_one(case: Case) -> np.ndarray:
    """`penalty_forces` in a loop, as a simulator calls it."""
    states = zip(*case, strict=True)
    return np.array([penalty_forces(LAW, ContactSpace(W, b), p, v).forces for W, b, p, v in states])


def by_eigh(case: Case) -> np.ndarray:
    """Group by active set, NumPy's stacked eigh for each."""
    W, b, p, v = case
    required, desired = np.zeros_like(v), desired_accelerations(LAW, p, v)
    codes = (p <= 0) @ (1 << np.arange(p.shape[1]))
    for code in np.unique(codes[codes > 0]):
        of = np.flatnonzero(codes == code)
        on = np.flatnonzero(p[of[0]] <= 0)
        rows = (3 * on[:, None] + np.arange(3)).ravel()
        w, V = np.linalg.eigh(W[np.ix_(of, rows, rows)])
        y = desired[of].reshape(len(of), -1)[:, rows] - b[of][:, rows]
        c = np.einsum("sji,sj->si", V, y)
        kept = w > LAW.rcond * w[:, -1:]
        c = np.where(kept, c / np.where(kept, w, 1.0), 0.0)
        F = np.einsum("sij,sj->si", V, c)
        required[np.ix_(of, on)] = F.reshape(len(of), -1, 3)
    return saturate_forces(required, LAW.friction)


METHODS: dict[str, tuple[Callable[[Case], np.ndarray], int]] = {
    "`penalty_history`": (at_once, STATES),
    "its compiled loop alone": (kernel, STATES),
    "stacked eigh by active set": (by_eigh, 10_000),
    "`penalty_forces` one by one": (one_by_one, SOME),
}


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few states: no times to quote")
    quick = parser.parse_args(words).quick
    states, rounds = (100, 1) if quick else (STATES, ROUNDS)
    print("| states | method | us per state | 100 000 take [ms] | x `penalty_history` |")
    print("|---|---|---|---|---|")
    cases = {
        "4 vertices touch": boxes(0.05, states),
        "2 of 4 vertices": boxes(0.0, states),
        "8 contacts": mechanisms(states),
    }
    for name, case in cases.items():
        best, answers = dict.fromkeys(METHODS, np.inf), {}
        for k in range(rounds + 1):  # the first compiles
            for method, (run, count) in METHODS.items():
                count = min(count, states)
                part = tuple(a[:count] for a in case)
                begin = time.process_time()
                answers[method] = run(part)[:SOME]  # type: ignore[arg-type]
                if k:
                    best[method] = min(best[method], (time.process_time() - begin) / count)
        first, *others = answers.values()
        for other in others:
            np.testing.assert_allclose(other, first, rtol=0, atol=1e-8 * np.abs(first).max())
        for method, cost in best.items():
            ratio = cost / best["`penalty_history`"]
            print(f"| {name} | {method} | {1e6 * cost:.3g} | {1e8 * cost:.4g} | {ratio:.3g} |")


if __name__ == "__main__":
    set_up_numba()
    main()
