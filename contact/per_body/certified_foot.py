"""A foot on the ground in six numbers while it slips, in three per node where these are not enough.

The nodal solution is fallback and certificate. It is taken where `SlippingFoot` is not usable: the
foot sticks, tips or hangs. It is also taken every few steps of a slide, and then judges the six
numbers of the same step:

    |f_6 - f_nodes| <= tolerance mu f_z,      |t_6 - t_nodes| <= tolerance mu f_z r

with the radius r of the yaw torque that friction holds. As long as they disagree every step is
nodal. Between two certificates the nodes carry what the six numbers say,

    r_i = f_z a_i (n - mu B_i d/|B_i d|),

so the next nodal step goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.per_body.nodal_step import nodal_problem
from contact.per_body.slipping_foot import LEAST, FootStep, SlippingFoot
from contact.per_body.slipping_foot_kernels import tilt_shares
from contact.problem import Compliances
from contact.solvers import GaussSeidel
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.checks import check_count, check_positive
from sole.condense import CondensedSole

MOST = 1000  # steps between two certificates
SOLVED = 1e-6  # tolerance of the nodal solution


@dataclass(frozen=True, eq=False, kw_only=True)
class CertifiedStep:
    """The end of a step.

    Parameters
    ----------
    forces : (m, 3) of the nodes [N]. wrench, twist : (6,) as in `FootStep`.
    trust : steps that may go without a certificate from here.
    error : of the six numbers in this step, over mu f_z (and r); None: not judged.
    nodal : whether the nodal solution was taken.
    solved : whether the nodal solution met its tolerance; True where it was not needed.
    """

    forces: FloatArray
    wrench: FloatArray
    twist: FloatArray
    trust: int
    error: float | None
    nodal: bool
    solved: bool


class CertifiedFoot:
    """A flat sole on flat ground.

    Parameters
    ----------
    sole : its K6, nodes and flat pressure. friction : Coulomb's mu > 0.
    every : steps of a slide from one certificate to the next, 1 to 1000. tolerance : of the six
        numbers, > 0.

    Raises
    ------
    ConfigError, SoleError
        A number is out of range; or the flat sole does not press with all nodes.
    """

    def __init__(
        self, sole: CondensedSole, friction: float, every: int = 20, tolerance: float = 0.05
    ) -> None:
        check_count("a certified foot: every", every, MOST)
        check_positive("a certified foot", {"tolerance": tolerance})
        self.six, self.every, self.tolerance = SlippingFoot(sole, friction), every, tolerance
        self.compliances = Compliances.of([sole.compliance])
        self.sole, self.geometry = sole, np.asarray(sole.geometry)
        apart = self.six.points - self.six.shares @ self.six.points
        self.radius = float(self.six.shares @ np.linalg.norm(apart, axis=1))
        self.solver = GaussSeidel(tolerance=SOLVED)

    def step(
        self,
        forces: ArrayLike,
        free_twist: ArrayLike,
        inverse_inertia: ArrayLike,
        dt: float,
        trust: int = 0,
    ) -> CertifiedStep:
        """Step from the forces (m, 3) of the nodes; `trust` is that of the step before.

        free_twist, inverse_inertia, dt : as in `SlippingFoot.step`.
        """
        m = len(self.six.shares)
        f, v = shaped("forces", forces, (m, 3)), shaped("free_twist", free_twist, (6,))
        S = shaped("inverse_inertia", inverse_inertia, (6, 6))
        w = self.geometry.T @ f.ravel()
        six = self.six.step(w, v, S, dt) if w[2] > LEAST else None
        usable = six is not None and six.usable
        if six is not None and usable and trust > 0:
            return CertifiedStep(
                forces=self.spread(six), wrench=six.wrench, twist=six.twist, trust=trust - 1,
                error=None, nodal=False, solved=True,
            )  # fmt: skip
        problem = nodal_problem(self.sole, self.compliances, self.six.mu, f, v, S, dt)
        found = self.solver.solve(problem, f)
        ends = frozen(found.reactions)
        wrench = self.geometry.T @ ends.ravel()
        error = self.distance(six, wrench) if six is not None and usable else None
        agrees = found.solved and error is not None and error <= self.tolerance
        return CertifiedStep(
            forces=ends, wrench=wrench, twist=v + dt * S @ wrench,
            trust=self.every - 1 if agrees else 0, error=error, nodal=True, solved=found.solved,
        )  # fmt: skip

    def distance(self, six: FootStep, wrench: FloatArray) -> float:
        """Return the error of six numbers against a wrench (6,) of the nodes."""
        held = self.six.mu * max(float(wrench[2]), LEAST)
        off = six.wrench - wrench
        moment = float(np.abs(off[3:]).max()) / self.radius
        return max(float(np.linalg.norm(off[:3])), moment) / held

    def spread(self, six: FootStep) -> FloatArray:
        """Return the forces (m, 3) of the nodes whose wrench the six numbers are."""
        foot, w = self.six, six.wrench
        pressed = np.empty(len(foot.shares))
        tilt_shares(foot.points, foot.shares, -w[4] / w[2], w[3] / w[2], pressed)
        x, y = foot.points.T
        slip = np.stack([six.slip[0] - six.slip[2] * y, six.slip[1] + six.slip[2] * x], axis=1)
        slip /= np.linalg.norm(slip, axis=1, keepdims=True)
        load = w[2] * pressed[:, None]
        return np.hstack([-foot.mu * load * slip, load])
