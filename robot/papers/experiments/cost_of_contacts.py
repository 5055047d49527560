"""What contact forces cost over the bodies n of a robot and the contacts m of a foot.

The paper says O(n m + m^2). Here

    points   W = J M^-1 J' of all 3 m rows, the paper's form, once a call (Pinocchio, LAPACK),
    bodies   S6 = J6 M^-1 J6' of one foot instead: six columns whatever m is,
    sweep    one Gauss-Seidel sweep over all m contacts of a slipping pad,

and least squares fit a + b n m + c m^2, relative, to `points` + `sweep`. Processor time counts:
the least of several repeats. benchmarks/contact_cost.py prints more of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from contact.problem import Compliances, Problem, SoleDelassus
from contact.solvers import GaussSeidel
from robot.model import load_robot
from sole.base.arrays import FloatArray
from sole.claims import Effort, Findings
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "DT",
    "FAST",
    "LOAD",
    "MU",
    "RUBBER",
    "SIZE",
    "BodyChain",
    "fit_cost",
    "growth",
    "hang_rods",
    "inverse_inertia",
    "least_time",
    "reproduce_complexity",
    "slipping_pad",
    "sweep_time",
    "take_robot",
]

MASS, LOAD, DT, MU = 58.0, 300.0, 1e-3, 0.7  # kg, N, s
SIZE = (0.24, 0.14, 0.02)  # m
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
FAST = 0.2  # m/s: of the slipping pad
FEW, MANY = 5, 45  # sweeps whose times are subtracted
LARGEST = 3  # values of n, or of m, over which times are judged


class BodyChain(NamedTuple):
    """Its name, n moving bodies, Pinocchio's model, a posture, the frame of a foot."""

    name: str
    n: int
    model: Any
    q: FloatArray
    frame: int


def hang_rods(n: int) -> BodyChain:
    """Return n equal rods that hang together, the first one free and with the foot."""
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "foot")
    for k in range(n):
        if k:
            kind = (pin.JointModelRX, pin.JointModelRY)[k % 2]()
            joint = model.addJoint(joint, kind, pin.SE3(np.eye(3), np.array([0, 0, 0.1])), f"j{k}")
        rod = pin.Inertia.FromBox(MASS / n, 0.1, 0.1, 0.1)
        model.appendBodyToJoint(joint, rod, pin.SE3.Identity())
    foot = pin.Frame("tread", 1, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
    frame = model.addFrame(foot)
    return BodyChain(f"chain of {n}", n, model, pin.neutral(model), frame)


def take_robot(name: str) -> BodyChain:
    """Return a humanoid in its half-sitting posture."""
    robot = load_robot(name)
    model = robot.model
    return BodyChain(name, model.njoints - 1, model, np.array(robot.q0), robot.left.frame)


def least_time(call: Callable[[], Any], repeats: int, calls: int = 1) -> float:
    """Return the least processor time of a call [us], of `repeats` loops of `calls`."""
    call()
    found = []
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(calls):
            call()
        found.append(1e6 * (time.thread_time() - start) / calls)
    return min(found)


def inverse_inertia(chain: BodyChain, data: Any, rows: FloatArray | None = None) -> FloatArray:
    """Return S6 (6, 6) of the foot; with rows G (3m, 6) of points G S6 G' by all their rows."""
    import pinocchio as pin

    pin.crba(chain.model, data, chain.q)
    pin.computeJointJacobians(chain.model, data, chain.q)
    pin.updateFramePlacement(chain.model, data, chain.frame)
    J = pin.getFrameJacobian(chain.model, data, chain.frame, pin.LOCAL)
    J = J if rows is None else rows @ J
    M = np.triu(data.M)
    return np.asarray(J @ cho_solve(cho_factor(M, check_finite=False), J.T, check_finite=False))


def slipping_pad(sole: CondensedSole, S6: FloatArray) -> tuple[Problem, FloatArray]:
    """Return the problem of a slipping pad whose load grows by 5 %, and its forces before."""
    m = len(sole.points)
    G, C = np.asarray(sole.geometry), np.asarray(sole.compliance)
    before = np.zeros((m, 3))
    before[:, 2] = LOAD / m
    before[:, 0] = -MU * before[:, 2]
    S = DT * S6
    operator = SoleDelassus(
        compliances=Compliances.of([C]), scale=np.array([1 / DT]), node=np.arange(m),
        frames=np.stack([np.eye(3)] * m), geometry=G, support=S,
    )  # fmt: skip
    wrench = G.T @ before.ravel()
    slide = np.array([FAST, 0, 0, 0, 0, 0.3])
    grown = wrench * np.array([1, 1, 1.05, 1, 1, 1])
    q = G @ (slide - S @ grown) - C @ before.ravel() / DT
    return Problem(operator=operator, offset=q.reshape(m, 3), friction=np.full(m, MU)), before


def sweep_time(problem: Problem, start: FloatArray, repeats: int) -> float:
    """Return the time of a sweep that visits every contact [us]."""
    solvers = [GaussSeidel(tolerance=0.0, max_sweeps=k, wait=0.0) for k in (FEW, MANY)]
    short, long = (least_time(partial(s.solve, problem, start), repeats) for s in solvers)
    return (long - short) / (MANY - FEW)


def fit_cost(
    n: FloatArray, m: FloatArray, t: FloatArray, more: bool = False
) -> tuple[FloatArray, float]:
    """Return (a, b, c) of t = a + b n m + c m^2 by least relative squares, and R^2 of log t.

    `more` : (a, b, c, d, e) of a + b n m + c m^2 + d n + e n m^2 instead.
    """
    from scipy.optimize import nnls

    terms = [np.ones_like(t), n * m, m * m]
    if more:
        terms += [n, n * m * m]
    A = np.stack(terms, axis=1)
    x = nnls(A / t[:, None], np.ones_like(t))[0]
    logs, model = np.log(t), np.log(np.maximum(A @ x, 1e-3))
    return x, 1 - float(((logs - model) ** 2).sum() / ((logs - logs.mean()) ** 2).sum())


def reproduce_complexity(effort: Effort) -> Findings:
    """Measure times over n and m; fit them; find how steeply they grow."""
    chains = [hang_rods(n) for n in ((4, 16, 64) if effort.quick else (1, 2, 4, 8, 16, 32, 64))]
    if not effort.quick:
        chains += [take_robot(name) for name in ("rengifo14", "hrp2-like", "lola-like")]
    edges = (0.04, 0.02, 0.013) if effort.quick else (0.04, 0.02, 0.013, 0.0085, 0.0065)
    repeats, calls = (3, 5) if effort.quick else (7, 10)
    S6 = inverse_inertia(chains[-1], chains[-1].model.createData())
    sizes, points, sweeps = [], [], []
    for k, edge in enumerate(edges):
        sole = condense(mesh_shape(box(*SIZE), edge, edge), RUBBER, "p1")
        G = np.asarray(sole.geometry)
        sizes.append(len(sole.points))
        sweeps.append(sweep_time(*slipping_pad(sole, S6), repeats))
        points.append([_points_time(chain, G, repeats, calls) for chain in chains])
        effort.tell((k + 1) / len(edges))
    n, m = np.array([c.n for c in chains], float), np.array(sizes, float)
    T = np.array(points) + np.array(sweeps)[:, None]  # (sizes, chains)
    bodies = [_points_time(chain, None, repeats, 10 * calls) for chain in (chains[0], chains[-1])]
    at = np.meshgrid(n, m)
    fitted, R2 = fit_cost(at[0].ravel(), at[1].ravel(), T.ravel())
    rods = [k for k, c in enumerate(chains) if c.name.startswith("chain")]
    over_n, n_error = growth(n[rods], T[-1, rods])
    over_m, m_error = growth(m, T[:, rods[-1]])
    numbers = {
        "over_n": over_n,
        "over_n_error": n_error,
        "over_m": over_m,
        "over_m_error": m_error,
        "fit": R2,
        "least_n": float(n.min()),
        "most_n": float(n.max()),
        "least_m": float(m.min()),
        "most_m": float(m.max()),
        "a": fitted[0],
        "b": fitted[1],
        "c": fitted[2],
        "six": bodies[-1],
        "all_points": points[-1][-1],
    }
    return Findings(
        numbers=numbers, pictures={"complexity": lambda: _draw(chains, sizes, T, fitted)}
    )


def _points_time(chain: BodyChain, G: FloatArray | None, repeats: int, calls: int) -> float:
    data = chain.model.createData()
    return least_time(partial(inverse_inertia, chain, data, G), repeats, calls)


def growth(x: FloatArray, t: FloatArray) -> tuple[float, float]:
    """Return p of t ~ x^p by least squares over the `LARGEST` values of x, and its standard error.

    Smaller values are left out: what a call costs anyway makes their times level.
    """
    from scipy.stats import linregress

    found = linregress(np.log(x[-LARGEST:]), np.log(t[-LARGEST:]))
    return float(found.slope), float(found.stderr)


def _draw(chains: list[BodyChain], sizes: list[int], T: FloatArray, fitted: FloatArray) -> Figure:
    """Draw times over n for every m, and the fit."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    axes = figure.subplots()
    n = np.geomspace(min(c.n for c in chains), max(c.n for c in chains), 30)
    for k, m in enumerate(sizes):
        a, b, c = fitted
        axes.loglog(n, a + b * n * m + c * m * m, "--", color=f"C{k}", lw=0.9)
        for rods, style in ((True, "o"), (False, "s")):
            own = [i for i, chain in enumerate(chains) if chain.name.startswith("chain") == rods]
            label = f"m = {m} contacts" if rods else None
            axes.loglog([chains[i].n for i in own], T[k, own], style, color=f"C{k}", label=label)
    counts = sorted({chain.n for chain in chains if chain.name.startswith("chain")})
    axes.set_xticks(counts, labels=[str(count) for count in counts])
    axes.xaxis.set_minor_formatter(NullFormatter())
    humanoids = "; squares: humanoids" if len(counts) < len(chains) else ""
    axes.set(
        xlabel=f"bodies n of a chain{humanoids}",
        ylabel="W of all points and one sweep [us]",
        title="dashed: a + b n m + c m^2",
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure
