"""The search: SciPy's differential evolution over the unit cube, one generation at a time.

Differential evolution [StornPrice1997]_ needs no gradients, which simulations lack, and requests a
whole generation at once, which keeps all workers busy. SciPy compares constraints by the rules of
Lampinen [Lampinen2002]_: a feasible design beats an infeasible one; of two feasible ones the lower
objective wins; of two infeasible ones the one that is worse in no constraint. Trial designs whose
tied axes leave their ranges are never computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.mesh import SoleMesh
from sole.studies.design.campaign import Campaign, SearchResult
from sole.studies.design.design_study import Design, Values, place_of
from sole.studies.design.verdict import Verdict, rank

FAR = 1e30  # a finite stand-in for infinity, because SciPy sums violations


def run_design(design: Design, mesh: SoleMesh | None, output: Path, **how: Any) -> SearchResult:
    """Search for the best design; write the table of all computed designs.

    `output` (.nc, schema "sole.sweep/1", sampling "list") gets a .csv beside it. `how`: folder,
    restart, workforce and listener as in `sole.studies.run_study`. The same call resumes a killed
    search and gives the identical table.

    Raises
    ------
    SoleError
        As in `run_study`; finished rows are kept.
    """
    start = time.perf_counter()
    with Campaign(design, mesh, output, **how) as campaign:
        _evolve(design, campaign.judge)
        told = campaign.write()
    told.summary.seconds = time.perf_counter() - start
    return told


def best_of(told: SearchResult) -> tuple[Values, Verdict]:
    """Return the best design by Deb's rules; the first of equals."""
    return min(told.verdicts.items(), key=lambda item: rank(item[1]))


def _evolve(design: Design, judge: Callable[[list[Values]], list[Verdict]]) -> None:
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    search = design.design

    def ask(u: FloatArray) -> list[Verdict]:
        """Return the verdicts of points (axes, designs)."""
        return judge([design.values(column) for column in u.T])

    def objective(u: FloatArray, /) -> Any:
        return np.array([min(v.objective, FAR) for v in ask(u)])

    def violations(u: FloatArray, /) -> FloatArray:
        """Return the violations (constraints and ties, designs), 0 where they hold."""
        if u.ndim == 1:  # SciPy evaluates one point to count constraints: not worth a row
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
        atol=-1.0,  # never converge: the budget decides
        polish=False,
        updating="deferred",
        vectorized=True,
        constraints=NonlinearConstraint(violations, -np.inf, 0.0),
        rng=search.seed,
    )


def first_generation(design: Design) -> FloatArray:
    """Return points (population, axes) in the unit cube: the start, then a Latin hypercube.

    Points whose tied axes leave their ranges are redrawn.
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
