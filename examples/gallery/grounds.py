"""Grounds that come along: gravel, stairs, a stone and a field of heights."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Bump, Gravel, HeightField, Stairs, triangulate_surface

waves = np.fromfunction(lambda i, j: 0.01 * np.sin(i / 5) * np.cos(j / 4), (41, 41))
grounds = {
    "Gravel(count=150, rise=0.01, radius=0.02)": Gravel(
        count=150, rise=0.01, radius=0.02, length=0.4, width=0.4
    ),
    "Stairs(run=0.12, rise=0.05, x=-0.1)": Stairs(run=0.12, rise=0.05, x=-0.1),
    "Bump(rise=0.02, radius=0.06)": Bump(rise=0.02, radius=0.06),
    "HeightField(heights, scale=0.01)": HeightField(heights=waves, scale=0.01),
}
figure = Figure(figsize=(8, 6.4), layout="constrained")
for k, (name, ground) in enumerate(grounds.items(), start=1):
    points, triangles = triangulate_surface(ground.pieces, (-0.2, 0.2, -0.2, 0.2), 0.005)
    axes = figure.add_subplot(2, 2, k, projection="3d")
    axes.plot_trisurf(*points.T, triangles=triangles, cmap="cividis", lw=0)
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.set_box_aspect((4, 4, 1.5), zoom=0.85)
    axes.set_title(name, fontsize=9)
    axes.locator_params(nbins=3)
figure.savefig("grounds.png", dpi=90)
