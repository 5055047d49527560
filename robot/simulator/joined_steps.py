"""Several short steps of the simulator as one, so that the rows of a run keep their time.

Means of forces F over n steps of h, and the acceleration of all of them:

    F = sum F_k / n,        dv/dt = (v_n - v_0)/(n h) = sum (dv/dt)_k / n.

A wrench w_k = (f, m) in the axes R_k and about the point p_k of its own step becomes one in those
of the first step, R and p:

    f = R'R_k f_k,          m = R'(R_k m_k + (p_k - p) x R_k f_k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from contact.step import ExactStepResult, StepResult
from robot.simulator.robot_step import SimStep, Work
from sole.base.arrays import FloatArray, sealed


def join_steps(parts: Sequence[SimStep]) -> SimStep:
    """Return one step over `parts`, which follow each other and last equally long.

    Its state is the last one, its dynamics those of the start; it keeps the `parts`. One step is
    returned as it is.
    """
    if len(parts) == 1:
        return parts[0]
    first, last = parts[0], parts[-1]

    def mean(name: str) -> FloatArray:
        return np.asarray(np.mean([getattr(part, name) for part in parts], axis=0))

    return replace(
        last,
        start=first.start,
        contact=_join_contacts(parts),
        torques=mean("torques"),
        saturated=np.any([part.saturated for part in parts], axis=0),
        stops=mean("stops"),
        couplings=mean("couplings"),
        acceleration=mean("acceleration"),
        work=Work(*np.sum([part.work for part in parts], axis=0).tolist()),
        parts=tuple(parts),
    )


def _join_contacts(parts: Sequence[SimStep]) -> StepResult:
    """Return one contact step: mean wrench, sums of energies, gaps of the start, all solutions."""
    R, p = parts[0].start.rotations, parts[0].start.places
    wrenches = np.zeros((len(p), 6))
    for part in parts:
        w, R_k = part.contact.wrenches.reshape(-1, 2, 3), part.start.rotations
        f, m = (np.einsum("bij,bj->bi", R_k, w[:, k]) for k in range(2))
        m = m + np.cross(part.start.places - p, f)
        wrenches += np.hstack([np.einsum("bij,bi->bj", R, x) for x in (f, m)]) / len(parts)
    results = [part.contact for part in parts]
    joined = replace(
        results[-1],
        wrenches=sealed(wrenches),
        mean_twists=sealed(np.mean([r.mean_twists for r in results], axis=0)),
        energy=reduce(add, (r.energy for r in results)),
        gaps=results[0].gaps,
    )
    if not isinstance(joined, ExactStepResult):
        return joined
    exact = [r for r in results if isinstance(r, ExactStepResult)]
    return replace(joined, solutions=tuple(s for r in exact for s in r.solutions))
