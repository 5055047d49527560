"""The search itself: SciPy's differential evolution over the unit cube, a generation at a time.

Differential evolution [StornPrice1997]_ needs no gradients, which walks do not have, and asks for a
whole generation at once, which keeps all workers busy. Constraints are compared by SciPy itself,
by the rules of Lampinen [Lampinen2002]_: a design that holds all constraints wins over one that
does not; of two that do the one of the lesser objective; of two that do not the one that is no
worse in any constraint. Trial designs whose tied axes leave their ranges are never worked out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sole.arrays import FloatArray
from sole.design.campaign import Campaign, Told
from sole.design.problem import Design, Values, place_of
from sole.design.verdict import Verdict, rank
from sole.mesh import SoleMesh

FAR = 1e30  # what stands for infinite: SciPy adds violations up


def run_design(design: Design, mesh: SoleMesh | None, output: Path, **how: Any) -> Told:
    """Search for the best design; write the table of all that were worked out.

    `output` (.nc, schema "sole.sweep/1", sampling "list") and a .csv beside it. `how`: folder,
    restart, workforce and listener as of `sole.sweep.run_sweep`. A search that was killed is taken
    up again by the same call, and gives the identical table.

    Raises
    ------
    SoleError
        As of `run_sweep`; nothing is lost then.
    """
    start = time.perf_counter()
    with Campaign(design, mesh, output, **how) as campaign:
        _evolve(design, campaign.judge)
        told = campaign.write()
    told.summary.seconds = time.perf_counter() - start
    return told


def best_of(told: Told) -> tuple[Values, Verdict]:
    """Return the best design by Deb's rules; the first one of equals."""
    return min(told.verdicts.items(), key=lambda item: rank(item[1]))


def _evolve(design: Design, judge: Callable[[list[Values]], list[Verdict]]) -> None:
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    search = design.design

    def ask(u: FloatArray) -> list[Verdict]:
        """Points (axes, designs)."""
        return judge([design.values(column) for column in u.T])

    def objective(u: FloatArray, /) -> Any:
        return np.array([min(v.objective, FAR) for v in ask(u)])

    def violations(u: FloatArray, /) -> FloatArray:
        """Return (constraints and ties, designs), 0 where they hold."""
        if u.ndim == 1:  # SciPy asks once for one point, to count them: not worth a walk
            return np.zeros(len(search.constraints) + 1)
        outside = [design.outside(design.values(column)) for column in u.T]
        rows = [[*v.violations, o] for v, o in zip(ask(u), outside, strict=True)]
        found: FloatArray = np.minimum(np.array(rows).T, FAR)
        return found

    differential_evolution(
        objective,
        Bounds(np.zeros(len(design.searched)), np.ones(len(design.searched))),
        init=first_generation(design),
        maxiter=search.evaluations // search.population - 1,
        tol=0.0,
        atol=-1.0,  # never converged: the budget decides
        polish=False,
        updating="deferred",
        vectorized=True,
        constraints=NonlinearConstraint(violations, -np.inf, 0.0),
        rng=search.seed,
    )


def first_generation(design: Design) -> FloatArray:
    """Return (population, axes) in the unit cube: the start, then a Latin hypercube.

    Points of it whose tied axes leave their ranges are drawn anew.
    """
    from scipy.stats import qmc

    search = design.design
    given = [[place_of(a, start[a.name]) for a in design.searched] for start in search.start]
    left = search.population - len(given)
    cube = qmc.LatinHypercube(len(design.searched), rng=search.seed)
    points = cube.random(left) if left else np.empty((0, len(design.searched)))
    for _ in range(100):
        bad = [k for k, u in enumerate(points) if design.outside(design.values(u)) > 0]
        if not bad:
            break
        points[bad] = cube.random(len(bad))
    return np.vstack([np.array(given).reshape(-1, len(design.searched)), points])
