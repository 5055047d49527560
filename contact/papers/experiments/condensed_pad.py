"""HRP-2's pad of linear tetrahedra: condensation against the whole sole, and a time step on it.

The whole stiffness is assembled and solved by scikit-fem and SciPy, without our code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["reproduce_condensation", "solve_whole_sole"]

SIZE = (0.24, 0.14, 0.02)  # m: HRP-2's foot as we know it
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)


def reproduce_condensation(effort: Effort) -> Findings:
    """Compare displacements under random forces; drop a foot of 29 kg on the pad."""
    edge = 0.02 if effort.quick else 0.01
    pad = condense(mesh_shape(box(*SIZE), edge, edge), RUBBER, "p1")
    rng = np.random.default_rng(4)
    forces = rng.standard_normal((len(pad.points), 3))
    ours = (pad.compliance @ forces.ravel()).reshape(-1, 3)
    whole = solve_whole_sole(pad, forces)
    stiff = pad.stiffness @ ours.ravel() - forces.ravel()
    mesh = pad.mesh
    a, b, c, d = (mesh.points[mesh.tets[:, k]] for k in range(4))
    volume = np.abs(np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a)).sum() / 6
    effort.tell(0.5)
    residual, balance, apart = _drop(pad, 50 if effort.quick else 300)
    return Findings(
        numbers={
            "tets": float(len(mesh.tets)),
            "nodes": float(len(mesh.points)),
            "tread": float(len(pad.points)),
            "volume_error": abs(float(volume) / float(np.prod(SIZE)) - 1),
            "condensed_error": float(np.abs(ours - whole).max() / np.abs(whole).max()),
            "inverse_error": float(np.abs(stiff).max()),
            "step_residual": residual,
            "balance": balance,
            "sole_error": apart,
        },
        pictures={"fig3": lambda: _figure(pad)},
    )


def solve_whole_sole(pad: CondensedSole, forces: FloatArray) -> FloatArray:
    """Return the displacements (m, 3) [m] of the tread under forces (m, 3) [N], K U = F in full."""
    import skfem
    from scipy.sparse.linalg import spsolve
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    mesh = pad.mesh
    tets = skfem.MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    basis = skfem.Basis(tets, skfem.ElementVector(skfem.ElementTetP1()))
    form: Any = linear_elasticity(*lame_parameters(RUBBER.young_modulus, RUBBER.poisson_ratio))
    K = form.assemble(basis)
    bond = basis.nodal_dofs[:, np.unique(mesh.bond)].ravel()
    F = np.zeros(K.shape[0])
    tread = basis.nodal_dofs[:, mesh.tread_vertices].T
    F[tread] = forces
    free = np.setdiff1d(np.arange(K.shape[0]), bond)
    U = np.zeros(K.shape[0])
    U[free] = spsolve(K[free][:, free].tocsc(), F[free])
    return np.asarray(U[tread])


def _drop(pad: CondensedSole, steps: int) -> tuple[float, float, float]:
    """Drop a foot on the pad.

    Return the worst certificate of the steps, the imbalance of momentum over m g T, and how far the
    tread's displacement at the end is from the whole sole's under the same forces, relative.
    """
    foot = RigidBody(contact=Body.of(pad), mass=29.0, inertia=np.array([0.25, 0.35, 0.3]))
    world = RigidBodies([foot], Plane())
    state = world.at([0, 0, pad.thickness + 1e-3])
    worst, impulse, dt = 0.0, 0.0, 1e-3
    start = float(state.twists[2])
    for _ in range(steps):
        step = world.step(state, dt)
        state = step.state
        worst = max([worst, *(s.certificate.worst for s in step.contact.solutions)])
        impulse += dt * (float(step.forces[0, 2]) - 29.0 * GRAVITY)
    rise = float(state.rotations[0, 2] @ state.twists[:3])
    lost = abs(impulse - 29.0 * (rise - start)) / (29.0 * GRAVITY * steps * dt)
    whole = solve_whole_sole(pad, state.soles.forces.sum(axis=1))
    apart = np.abs(state.soles.displacement - whole).max() / np.abs(whole).max()
    return worst, lost, float(apart)


def _figure(pad: CondensedSole) -> Figure:
    """Draw the surface of the mesh."""
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    mesh = pad.mesh
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d")
    faces = np.concatenate([mesh.tets[:, k] for k in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])])
    _, first, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    outer = 1e3 * mesh.points[faces[first[count == 1]]]
    axes.add_collection3d(Poly3DCollection(outer, facecolor="#d8d8e8", edgecolor="k", lw=0.3))
    low, high = 1e3 * mesh.points.min(axis=0), 1e3 * mesh.points.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set(ylabel="y [mm]", zlabel="z [mm]", zticks=[low[2], high[2]])
    axes.set_xlabel("x [mm]", labelpad=14)
    axes.set_box_aspect(high - low)
    axes.set_title(f"{len(mesh.tets)} linear tetrahedra", fontsize="medium")
    return figure
