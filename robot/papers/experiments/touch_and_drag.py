"""Interaction of the deformable-soles paper: touching, dragging, carrying together; scripted."""

from __future__ import annotations

from math import degrees
from typing import Any

import numpy as np

from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

__all__ = [
    "carry_together",
    "drag_waist",
    "move_whole_block",
    "standing_pull",
    "table_scenario",
    "touch_block",
]

TABLE, HALF, HIGH = 6.0, 0.31, 0.10  # kg; m from the middle to an edge; m that it is lifted
HANDS = (0.0563, 0.0, 0.5998)  # m: middle between the palms of hrp2-like
SOFT, HARD = 3e5, 1e7  # Pa
FAR = 50  # rows that a mean is taken over
ASIDE = 0.053  # m: way of the hand that moves the waist by 5 cm, over the edge of the left foot
AHEAD = (0.05, 0.0, 0.0)  # m: way of the hand that pulls a palm
STIFFEST = 5000.0  # N/m


def touch_block(effort: Effort) -> Findings:
    """Press a deformable block with one and with two points, squeeze and stretch it."""
    from robot.haptics import SoleProxy
    from sole.condense import condense
    from sole.material import Material
    from sole.mesh import mesh_shape
    from sole.shape import box

    size = 0.02 if effort.quick else 0.012
    foam = Material(young_modulus=1e5, poisson_ratio=0.4)
    block = condense(mesh_shape(box(0.12, 0.1, 0.04), size, size), foam, "p1")
    depth, bottom, K = 1e-3, -block.thickness, 2000.0
    found: dict[str, float] = {}
    for name, places in (
        ("one", [[0.0, 0.0]]),
        ("two", [[0.012, 0.0], [-0.012, 0.0]]),
    ):
        proxy = SoleProxy(block, coupling=K)
        for sunk in np.linspace(-1e-4, depth, 60):
            tips = np.array([[*place, bottom + sunk] for place in places])
            done = proxy.touch(tips)
        U = move_whole_block(block, foam, np.array(places), done.forces)
        stretched = done.forces[:, 2] / K  # the coupling takes the rest of the way
        found[f"{name}_force"] = float(done.forces[:, 2].mean())
        found[f"{name}_error"] = float(np.abs((U[:, 2] + stretched) / depth - 1).max())
    for name, sign in (("squeeze", -1.0), ("stretch", 1.0)):
        proxy = SoleProxy(block, coupling=K)
        tips = np.array([[0.02, 0.0, bottom], [-0.02, 0.0, bottom]])
        proxy.touch(tips, held=True)
        done = proxy.touch(tips + sign * np.array([[1e-3, 0, 0], [-1e-3, 0, 0]]), held=True)
        found[f"{name}_force"] = float(done.forces[0, 0])
    found["sum"] = float(abs(found["squeeze_force"] + found["stretch_force"]))
    return Findings(numbers=found)


def move_whole_block(block: Any, foam: Any, places: Any, forces: Any) -> Any:
    """Return how far tips at places (k, 2) [m] sink into the whole block, (k, 3) [m].

    The block is assembled and solved by scikit-fem and SciPy under forces (k, 3) [N]; a tip's force
    goes to the corners of its triangle by its barycentric shares.
    """
    import skfem
    from scipy.sparse.linalg import spsolve
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    mesh = block.mesh
    tets = skfem.MeshTet(mesh.points.T.copy(), mesh.tets.T.copy())
    basis = skfem.Basis(tets, skfem.ElementVector(skfem.ElementTetP1()))
    form: Any = linear_elasticity(*lame_parameters(foam.young_modulus, foam.poisson_ratio))
    K = form.assemble(basis)
    shares = np.zeros((len(places), len(mesh.points)))
    for row, place in zip(shares, places, strict=True):
        for corners in mesh.tread:
            A = np.vstack([mesh.points[corners, :2].T, np.ones(3)])
            weights = np.linalg.solve(A, [*place, 1.0])
            if weights.min() > -1e-9:
                row[corners] = weights
                break
    F, dofs = np.zeros(K.shape[0]), basis.nodal_dofs.T  # (nodes, 3)
    F[dofs] = shares.T @ forces
    free = np.setdiff1d(np.arange(K.shape[0]), dofs[np.unique(mesh.bond)].ravel())
    U = np.zeros(K.shape[0])
    U[free] = spsolve(K[free][:, free].tocsc(), F[free])
    return shares @ U[dofs]


def drag_waist(effort: Effort) -> Findings:
    """Drag the waist of the standing robot by 5 cm and let go; pull its hand.

    `waist_unfelt`, `hand_unfelt` : what the device feels, as impulse, against what the ground has
    to hold meanwhile, from rest to rest; horizontal, over the device's. `stiffer` : how far the
    waist moves by the spring over how far by one of half its stiffness.
    """
    from robot.walk import assemble_walk

    found: dict[str, float] = {}
    for name, link, way, stiffness in (
        ("waist", "waist", (0.0, ASIDE, 0.0), STIFFEST),
        ("hand", "left_palm", AHEAD, 2000.0),
        ("soft", "waist", (0.0, ASIDE, 0.0), STIFFEST / 2),
    ):
        scenario = standing_pull(link, way, stiffness=stiffness)
        walk = assemble_walk(scenario)
        pull, steps = scenario.pull[0], list(walk.steps())
        start = walk.start.q[:3]
        places = np.array([step.state.q[:3] for step, _ in steps])
        force, held = [], np.zeros(2)
        for step, _ in steps:
            state = step.state
            held += step.wrenches[:, :2].sum(axis=0)
            if pull.acts(state.time):
                x, v, _ = walk.points.motion(link, pull.point, state.q, state.v)
                force.append(pull.force(state.time, x, v))
        felt = -np.array(force)
        apart = np.linalg.norm(felt[:, :2].sum(axis=0) - held)
        found[f"{name}_unfelt"] = float(apart / np.linalg.norm(felt, axis=1).sum())
        found[f"{name}_force"] = float(np.linalg.norm(felt, axis=1).max())
        found[f"{name}_moved"] = float(np.linalg.norm(places - start, axis=1).max())
        found[f"{name}_left"] = float(np.linalg.norm(places[-FAR:].mean(axis=0) - start))
        found[f"{name}_fell"] = float(any(walk.fallen(step) for step, _ in steps[::50]))
    found["stiffer"] = found["waist_moved"] / found["soft_moved"]
    return Findings(numbers=found)


def standing_pull(link: str, way: tuple[float, float, float], *, stiffness: float) -> Any:
    """Return a scenario: stand, drag a link by `way` [m] in 0.5 s, hold 0.3 s, let go."""
    from dataclasses import replace

    from robot.gait import Standing
    from robot.walk import PullPlan, Scenario, SoleChoice, assemble_walk

    bare = Scenario(
        robot="hrp2-like",
        gait=Standing(initial=0.5, final=3.0),
        sole=SoleChoice(size=0.05, young=1e6),
        duration=2.4,
    )
    walk = assemble_walk(bare)
    place, _, _ = walk.points.motion(link, (0.0, 0.0, 0.0), walk.start.q, walk.start.v)
    end = place + np.array(way)
    path = ((0.1, *place.tolist()), (0.6, *end.tolist()), (0.9, *end.tolist()))
    pull = PullPlan(path=path, link=link, stiffness=stiffness, damping=60.0, end=0.9, smooth=True)
    return replace(bare, pull=(pull,))


def carry_together(effort: Effort) -> Findings:
    """Let the robot hold a table with a scripted hand at the other end, which lifts and lowers."""
    found: dict[str, float] = {}
    for name, young in (("soft", SOFT), ("hard", HARD)):
        tilt, hands, user = lift_table(young)
        found[f"{name}_tilt"] = degrees(float(np.ptp(tilt)))
        found[f"{name}_hands"] = float(hands[-FAR:].mean())
        found[f"{name}_hands_most"] = float(hands.max())
        found[f"{name}_user"] = float(user[-FAR:].mean())
    found["half_weight"] = TABLE * GRAVITY / 2
    found["tilt_ratio"] = found["soft_tilt"] / found["hard_tilt"]
    found["share"] = found["hard_hands"] / found["half_weight"]
    return Findings(numbers=found)


def lift_table(young: float) -> tuple[Any, Any, Any]:
    """Return tilt of the waist [rad] (T,), vertical force at the hands and of the user [N] (T,)."""
    from robot.walk import assemble_walk

    scenario = table_scenario(young)
    walk, pull = assemble_walk(scenario), scenario.pull[0]
    tilt, hands, user = [], [], []
    for step, _ in walk.steps():
        q = step.state.q
        tilt.append(np.arccos(1 - 2 * (q[3] ** 2 + q[4] ** 2)))
        hands.append(np.linalg.norm(step.couplings[:, :3].sum(axis=0)))
        x, v, _ = walk.points.motion(pull.link, pull.point, q, step.state.v)
        user.append(pull.force(step.state.time, x, v)[2])
    return np.array(tilt), np.array(hands), np.array(user)


def table_scenario(young: float) -> Any:
    """Return hrp2-like at one end of a table, its palms gripping, a scripted hand at the other."""
    from robot.gait import Standing
    from robot.scenery import FreeBox, Grip
    from robot.walk import PullPlan, Scenario, SoleChoice

    x, y, z = HANDS
    times = ((0.0, 0.0), (0.3, 0.0), (1.0, HIGH), (1.3, HIGH), (2.0, 0.0))
    path = tuple((t, x + 2 * HALF, y, z + up) for t, up in times)
    return Scenario(
        robot="hrp2-like",
        gait=Standing(initial=0.5, final=3.0),
        sole=SoleChoice(size=0.05, young=young),
        box=(FreeBox(name="table", size=(0.66, 0.75, 0.03), mass=TABLE, place=(x + HALF, y, z)),),
        grip=tuple(Grip(frame=f"{side}_palm", box="table") for side in ("left", "right")),
        pull=(
            PullPlan(
                path=path, link="table", point=(HALF, 0.0, 0.0), stiffness=3000.0, damping=80.0,
                smooth=True,
            ),
        ),
        duration=2.4,
    )  # fmt: skip
