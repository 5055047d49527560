"""A rigid body on an elastic pad, all nodes of the pad kept: nothing condensed, no sweeps.

The reference for `contact.rigid_bodies` with a condensed sole. Same law and same theta scheme,
written anew about the centre of mass c and in world axes. Unknown at once, per step of dt:

    V+, omega+   body: m (V+ - V) = dt (m g + sum f),  I (omega+ - omega) = dt R' sum r x f,
    U+           ALL free nodes of the pad, axes of the body: K U_bar = forces on the tread,
    f            tread vertices: f - proj(f - rho u) = 0,

a_bar = theta a+ + (1 - theta) a. The last is Signorini's and Coulomb's law as a natural map [normal
part: r_n = max(0, r_n - rho u_n), tangential: projection on the disc of that normal force], solved
by Newton's method on the whole sparse system. Spherical inertia only, so that no gyroscopic moment
is there to be integrated in one way or another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, coo_array, csc_array
from scipy.sparse.linalg import splu
from scipy.spatial.transform import Rotation

from sole.elasticity import assemble_stiffness
from sole.material import Material
from sole.mesh import SoleMesh

G = 9.81
RHO = (0.1, 0.01, 1.0, 10.0)  # tried in turn
RETRIES, NEWTON = len(RHO), 40


@dataclass(eq=False)
class UnreducedPad:
    """The body and its pad; the ground is z = 0.

    Parameters
    ----------
    mass, inertia : m [kg], I of every axis about the centre of mass [kg m^2].
    com : centre of mass from the bond plane's origin (3,), axes of the body [m].
    """

    mesh: SoleMesh
    material: Material
    element: str
    mass: float
    inertia: float
    com: np.ndarray
    friction: float = 0.7
    theta: float = 1.0

    def __post_init__(self) -> None:
        parts = assemble_stiffness(self.mesh, self.element)
        self.K = csc_array(parts.stiffness([self.material]).to_csr())
        self.x = self.mesh.points[self.mesh.tread_vertices]
        m, n = len(self.x), self.K.shape[0]
        self.rows = (3 * parts.contact[:, None] + np.arange(3)).ravel()
        one = np.ones(3 * m)
        self.S = csc_array(coo_array((one, (np.arange(3 * m), self.rows)), shape=(3 * m, n)))
        self.scale = float(np.median(self.K.diagonal()))
        self.centre, self.R = np.array([0.0, 0.0, -self.x[0, 2]]) + self.com, np.eye(3)
        self.V, self.omega = np.zeros(3), np.zeros(3)
        self.U, self.f = np.zeros(n), np.zeros((m, 3))
        self.iterations = 0

    @property
    def place(self) -> np.ndarray:
        """(3,) of the bond plane's origin."""
        return self.centre - self.R @ self.com

    def step(self, dt: float, tolerance: float = 1e-12) -> None:
        """Step by `dt`; `f` (m, 3) are then the mean forces on the treads, world [N]."""
        th, R, m = self.theta, self.R, len(self.x)
        arm = self.x + (self.S @ self.U).reshape(-1, 3) - self.com  # axes of the body
        gap = self.centre[2] + (arm @ R.T)[:, 2]
        # u = A v_bar + B (U+ - U)/dt + n gap/dt, world axes, v = (V, omega in axes of the body)
        A = np.zeros((m, 3, 6))
        A[:, :, :3] = np.eye(3)
        for j in range(3):
            A[:, :, 3 + j] = np.cross(np.eye(3)[j], arm) @ R.T
        A = A.reshape(3 * m, 6)
        B = csc_array(_blocks(np.broadcast_to(R, (m, 3, 3))) @ self.S)
        M = np.diag([self.mass] * 3 + [self.inertia] * 3)
        v = np.r_[self.V, self.omega]
        weight = np.r_[0, 0, -self.mass * G, 0, 0, 0]
        push = np.zeros(3 * m)
        push[2::3] = gap / dt
        start, unit = v + dt * weight / M.diagonal(), self.mass * G
        # One node's own stiffness in the step: rho changes the way to the solution, not it.
        own = 1.0 / (th * dt / self.mass + 1.0 / (self.scale * th * dt))
        for k in range(RETRIES * NEWTON):
            if k % NEWTON == 0:
                new, U, f, rho = start, self.U, self.f, own * RHO[k // NEWTON]
            u = (A @ (th * new + (1 - th) * v) + B @ (U - self.U) / dt + push).reshape(-1, 3)
            natural, Df, Du = _law(f, u, rho, self.friction)
            r1 = M @ (new - v) - dt * (weight + A.T @ f.ravel())
            r2 = self.K @ (th * U + (1 - th) * self.U) - B.T @ f.ravel()
            worst = max(np.abs(r1).max() / dt, np.abs(r2).max(), np.abs(natural).max()) / unit
            if worst <= tolerance:
                break
            J = block_array(
                [
                    [csc_array(M), None, csc_array(-dt * A.T)],
                    [None, th * self.K, -B.T],
                    [_blocks(Du) @ csc_array(th * A), _blocks(Du) @ B / dt, _blocks(Df)],
                ],
                format="csc",
            )
            d = splu(J, permc_spec="MMD_AT_PLUS_A").solve(-np.r_[r1, r2, natural.ravel()])
            new, U, f = new + d[:6], U + d[6 : -3 * m], f + d[-3 * m :].reshape(-1, 3)
        else:
            raise RuntimeError(f"Newton's method stopped at {worst:.2g} of the weight")
        self.iterations = k
        mean = th * new + (1 - th) * v
        self.centre = self.centre + dt * mean[:3]
        self.R = R @ Rotation.from_rotvec(dt * mean[3:]).as_matrix()
        self.V, self.omega, self.U, self.f = new[:3], new[3:], U, f


def _law(f, u, rho, mu):
    """Natural map (m, 3) of Signorini-Coulomb, its derivatives (m, 3, 3) by f and by u."""
    a = f - rho * u
    n, t = a[:, 2], a[:, :2]
    closed = n > 0
    radius, length = mu * np.where(closed, n, 0.0), np.linalg.norm(t, axis=1)
    slips = closed & (length > radius)
    D = np.zeros((len(f), 3, 3))  # of the projection, by a
    D[closed, 2, 2] = 1.0
    sticks = closed & ~slips
    D[sticks, 0, 0] = D[sticks, 1, 1] = 1.0
    e = t[slips] / length[slips, None]
    share = (radius[slips] / length[slips])[:, None, None]
    D[slips, :2, :2] = share * (np.eye(2) - e[:, :, None] * e[:, None, :])
    D[slips, :2, 2] = mu * e
    projected = np.zeros_like(f)
    projected[closed, 2] = n[closed]
    projected[sticks, :2] = t[sticks]
    projected[slips, :2] = radius[slips, None] * e
    return f - projected, np.eye(3) - D, rho * D


def _blocks(D):
    m = len(D)
    i = np.arange(3 * m).reshape(m, 3)
    rows, columns = np.broadcast_arrays(i[:, :, None], i[:, None, :])
    return csc_array(
        coo_array((np.ravel(D), (rows.ravel(), columns.ravel())), shape=(3 * m, 3 * m))
    )
