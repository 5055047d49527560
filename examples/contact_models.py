"""What penalty contact gets wrong: a ball, a box and a sliding box against exact contact."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from measuring.drop_table import DropRow, exact_drop, penalty_drop, table

from contact.papers.penalty import PenaltyLaw, VertexState
from contact.rigid_bodies import RigidBody
from contact.step import Body, StepOptions
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

T, SLIDE = 0.02, "sliding box"  # pad [m]
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
LAWS = ((500.0, 250.0), (5.0, 5000.0), (1e4, 100.0))  # kp [1/s^2], kv [1/s]
# mass, inertia, height of the centre of mass over the tread, half sides of the tread, friction
BALL, BOX = (1.0, (1e-3, 1e-3, 1e-3), 0.02), (40.0, (1 / 3, 0.433, 1 / 6), 0.15)
STORIES = {
    "ball": (*BALL, 0.0, 0.0, 0.7, VertexState.at((0, 0, T + 0.05))),
    "tilted box": (*BOX, 0.1, 0.05, 0.7, VertexState.at((0, 0, 2 * T), (0.03, 0.06, 0))),
    SLIDE: (*BOX, 0.1, 0.05, 0.3, VertexState.at((0, 0, T), velocity=(0.5, 0, 0))),
}


def main(laws=LAWS, end: float = 0.5, dt: float = 1e-3, size=0.03) -> dict[str, list[DropRow]]:
    """Run every model for `end` [s]: time step dt on rigid points, dt/4 on pads of mesh `size`."""
    results: dict[str, list[DropRow]] = {}
    for name, (mass, inertia, height, a, b, mu, start) in STORIES.items():
        corners = [[x, y, -T] for x in (a, -a) for y in (b, -b)] if a else [[0, 0, -T]]
        pad = condense(mesh_shape(box(2 * a or 0.05, 2 * b or 0.05, T), size, size), RUBBER)
        rigid, soft = (
            RigidBody(contact=contact, mass=mass, inertia=inertia, com=[0, 0, height - T])
            for contact in (
                Body(points=corners, friction=mu),
                Body.of(pad, eta=2e-3, friction=mu),
            )
        )
        held = name == SLIDE  # it chatters, so event-driven integration is not possible
        times = np.linspace(0, end, round(end / (1e-4 if held else dt)) + 1)
        rows = results[name] = []
        for kp, kv in laws[: 1 if held else None]:
            law = PenaltyLaw(kp=kp, kv=kv, friction=mu, epsilon=-1e-6)
            rows += [penalty_drop(f"penalty {kp:g}, {kv:g}", rigid, law, start, times, held=held)]
        rows += [exact_drop("exact, rigid", rigid, start, dt, round(end / dt))]
        quick = StepOptions(theta=0.55)
        rows += [exact_drop("exact, pad", soft, start, dt / 4, round(4 * end / dt), quick)]
    return results


if __name__ == "__main__":
    figure = Figure(figsize=(13, 4), layout="constrained")
    for axes, (name, rows) in zip(figure.subplots(1, 3), main().items(), strict=True):
        print(f"\n{name}\n\n{table(rows)}")
        for r in rows:
            style = "--" if "penalty" in r.model else "-"
            axes.plot(r.times, 1e3 * r.heights, style, label=r.model)
        axes.set(title=name, xlabel="time [s]", ylabel="lowest point [mm]")
        axes.legend(fontsize="small")
    figure.savefig("contact_models.png", dpi=120)
