"""A 58 kg block dropped by 5 mm on one pad: ours, MuJoCo's flex, unreduced finite elements.

The pad: 0.23 x 0.13 x 0.02 m, nu = 0.4, E = 1 and 10 MPa, 50, 104 and 300 tread nodes; one thread.
Ours is the robot simulator with a robot that is one block. MuJoCo at its best documented setting:
all nodes free, top pinned to the block, integrator `discrete`, Newton, elliptic cones, solref 2 dt,
solimp 0.9999; its pad has the same nodes. The two take turns; CPU seconds per simulated second
count, since a shared machine stretches wall seconds.

python benchmarks/block_on_pad.py [times] [accuracy] [--young 1e6] [--nodes 50 104] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh
from quick_mode import marked
from unreduced_pad import UnreducedPad

from contact.ground import Plane
from contact.step import Body, StepOptions
from robot.fused import fast_simulator
from robot.simulator import Command, Servo, Simulator, Touching
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import SoleMesh

G, MASS, INERTIA = 9.81, 58.0, (0.8, 0.9, 0.5)
SIZE = (0.23, 0.13, 0.02)
CELLS = {50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}
DROP, DT, SPAN = 0.005, 1e-3, 1.0  # m, s, s
BONDED = 1.838  # k h/(E A) of the continuum, bonded above and below
BALL = 1e-4  # m: radius of the nodes in MuJoCo


@dataclass(frozen=True)
class Fall:
    """CPU and wall seconds per simulated second, final deflection [m], force over weight."""

    cpu: float
    wall: float
    deflection: float
    force: float


def exact(young: float) -> float:
    """Return the deflection of the bonded continuum [m]."""
    return MASS * G * SIZE[2] / (BONDED * young * SIZE[0] * SIZE[1])


def mesh_of(nodes: int) -> SoleMesh:
    """Return a mesh of two layers of bricks, each split into six tetrahedra."""
    return box_mesh(*SIZE, CELLS[nodes])


def block(mesh: SoleMesh, young: float, tolerance: float = 1e-6) -> Simulator:
    """Return the robot simulator of a block on a condensed P2 pad."""
    import pinocchio as pin

    sole = condense(mesh, [Material(young_modulus=young, poisson_ratio=0.4)], "p2")
    model, here = pin.Model(), pin.SE3.Identity()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), here, "block")
    model.appendBodyToJoint(joint, pin.Inertia(MASS, np.zeros(3), np.diag(INERTIA)), here)
    frame = model.addFrame(pin.Frame("pad", joint, 0, here, pin.FrameType.OP_FRAME))
    none = np.zeros(0)
    pad = Touching(name="pad", frame=frame, body=Body.of(sole))
    servo = Servo(kp=none, kd=none, limits=none)
    return fast_simulator(model, [pad], Plane(), servo, StepOptions(tolerance=tolerance))


def fall(simulator: Simulator, span: float = SPAN, dt: float = DT) -> tuple[Fall, np.ndarray]:
    """Drop the block; also return its heights (N,) after every step."""
    command = Command(positions=np.zeros(0), velocities=np.zeros(0))
    state = simulator.at(np.array([0.0, 0.0, SIZE[2] + DROP, 0.0, 0.0, 0.0, 1.0]))
    z = np.empty(round(span / dt))
    cpu, wall = time.process_time(), time.perf_counter()
    for k in range(len(z)):
        step = simulator.step(state, command, dt)
        state = step.state
        z[k] = state.q[2]
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    force = float(step.wrenches[0, 2]) / (MASS * G)
    return Fall(cpu / span, wall / span, SIZE[2] - z[-1], force), z


def unreduced(mesh: SoleMesh, young: float, span: float, dt: float = DT) -> np.ndarray:
    """Return the heights (N,) of the same fall without condensation of the pad."""
    pad = UnreducedPad(
        mesh, Material(young_modulus=young, poisson_ratio=0.4), "p2", MASS, 0.8, np.zeros(3)
    )
    pad.centre = np.array([0.0, 0.0, SIZE[2] + DROP])
    z = np.empty(round(span / dt))
    for k in range(len(z)):
        pad.step(dt, tolerance=1e-8)
        z[k] = pad.centre[2]
    return z


def flex_scene(mesh: SoleMesh, young: float, dt: float) -> str:
    """Return MJCF of the block on a flex with the nodes of `mesh`."""
    pinned = np.flatnonzero(np.isclose(mesh.points[:, 2], 0.0))
    hard = f'friction="0.7" condim="3" solref="{2 * dt} 1" solimp=".9999 .9999 1e-4"'
    return f"""<mujoco>
<option timestep="{dt}" integrator="discrete" solver="Newton" cone="elliptic" gravity="0 0 -{G}"/>
<size memory="1G"/>
<worldbody><geom type="plane" size="2 2 .1" {hard}/>
<body name="block" pos="0 0 {SIZE[2] + DROP}"><freejoint/>
<inertial pos="0 0 0" mass="{MASS}" diaginertia="{_text(INERTIA)}"/>
<flexcomp name="pad" type="direct" dim="3" mass="0.66" radius="{BALL}"
 point="{_text(mesh.points)}" element="{" ".join(map(str, mesh.tets.ravel()))}">
<pin id="{" ".join(map(str, pinned))}"/>
<elasticity young="{young}" poisson="0.4" damping="0"/>
<contact selfcollide="none" {hard}/>
</flexcomp></body></worldbody></mujoco>"""


def flex_fall(mesh: SoleMesh, young: float, span: float = SPAN, dt: float = DT) -> Fall:
    """Drop the block in MuJoCo."""
    import mujoco

    mujoco.set_mju_user_warning(lambda _: None)  # of a flex without damping; no log file
    model = mujoco.MjModel.from_xml_string(flex_scene(mesh, young, dt))
    data = mujoco.MjData(model)
    steps, body = round(span / dt), model.body("block").id
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    force, one = 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, one)
        force += float(data.contact[k].frame[2::3] @ one[:3])
    weight = model.body_subtreemass[0] * G
    deflection = SIZE[2] + BALL - float(data.xpos[body, 2])
    return Fall(cpu / span, wall / span, deflection, abs(force) / weight)


def _text(values: object) -> str:
    return " ".join(f"{v:.9g}" for v in np.ravel(values))


def compare(young: float, nodes: int, rounds: int, span: float = SPAN) -> None:
    """Print the rows of one pad."""
    mesh, due = mesh_of(nodes), exact(young)
    simulator = block(mesh, young)
    fall(simulator, 0.05)  # compiled, cached
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(fall(simulator, span)[0])
        if mujoco_there():
            theirs.append(flex_fall(mesh, young, span))
    own = min(ours, key=lambda f: f.cpu)
    row = f"| {young / 1e6:g} | {nodes} |"
    print(f"{row} ours | {_numbers(own, due)} | 1 |", flush=True)
    if theirs:
        other = min(theirs, key=lambda f: f.cpu)
        print(
            f"{row} MuJoCo flex | {_numbers(other, due)} | {other.cpu / own.cpu:.1f} |", flush=True
        )
        if nodes == 50 and span == SPAN:
            fine = flex_fall(mesh, young, span, 2e-4)
            ratio = fine.cpu / own.cpu
            print(f"{row} same, dt 0.2 ms | {_numbers(fine, due)} | {ratio:.1f} |", flush=True)


def _numbers(f: Fall, due: float) -> str:
    return (
        f"{f.cpu:.3f} | {f.wall:.3f} | {1e6 * f.deflection:.2f} | "
        f"{100 * (f.deflection / due - 1):+.1f} | {f.force:.7f}"
    )


def mujoco_there() -> bool:
    """Return whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


def accuracy(youngs: list[float], counts: list[int], quick: bool = False) -> None:
    """Compare heights with those of the unreduced pad, and measure creep from 1 s to 8 s."""
    creep, longest = (1.1, 0.04) if quick else (8.0, 0.3)
    print(
        "| E [MPa] | nodes | span [s] | deflection / unreduced - 1 | largest difference of heights "
        "over the settled deflection | creep [m] |"
    )
    print("|---|---|---|---|---|---|")
    for young in youngs:
        for nodes in counts:
            mesh, span = mesh_of(nodes), 0.1 if nodes == 300 else longest
            z = fall(block(mesh, young, 1e-9), span)[1]
            whole = unreduced(mesh, young, span)
            own = fall(block(mesh, young, 1e-9), creep)[1]
            settled = (SIZE[2] - z[-1]) / (SIZE[2] - whole[-1]) - 1
            worst = np.abs(z - whole).max() / exact(young)
            print(
                f"| {young / 1e6:g} | {nodes} | {span:g} | {settled:.1e} | {worst:.1e} | "
                f"{np.ptp(own[round(1.0 / DT) :]):.1e} |",
                flush=True,
            )


def main(words: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--young", nargs="+", type=float, default=[1e6, 1e7], metavar="E")
    parser.add_argument("--nodes", nargs="+", type=int, default=[50, 104, 300], choices=CELLS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="of times, accuracy")
    parser.add_argument("--quick", action="store_true", help="50 nodes, 1 MPa, short falls")
    chosen = parser.parse_args(words)
    if chosen.quick:
        chosen.young, chosen.nodes, chosen.rounds = [1e6], [50], 1
    with marked(chosen.quick):
        show(chosen)


def show(chosen: argparse.Namespace) -> None:
    """Print the chosen tables."""
    print(
        f"load {os.getloadavg()[0]:.1f}" + ("" if mujoco_there() else "; MuJoCo is not installed")
    )
    tables = chosen.tables or ["times", "accuracy"]
    if "times" in tables:
        print(
            "| E [MPa] | nodes | engine | CPU s/s | wall s/s | deflection [um] | error [%] | F/mg "
            "| CPU / ours |"
        )
        print("|" + "---|" * 9)
        for young in chosen.young:
            for nodes in chosen.nodes:
                compare(young, nodes, chosen.rounds, 0.05 if chosen.quick else SPAN)
        print()
    if "accuracy" in tables:
        accuracy(chosen.young, chosen.nodes, chosen.quick)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
