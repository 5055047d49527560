"""The condensed stiffness K_c: every node of the tread feels every other one."""

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.018, 0.018), rubber)
along = np.argsort(sole.points[:, 0])  # nodes from heel to toe
normal = np.abs(sole.stiffness[2::3, 2::3][np.ix_(along, along)])

figure = Figure(figsize=(6.4, 5.2), layout="constrained")
axes = figure.add_subplot()
image = axes.imshow(normal, norm=LogNorm(vmin=normal.max() * 1e-6), cmap="magma")
axes.set(xlabel="node, heel to toe", ylabel="node, heel to toe")
axes.set_title(f"normal part of K_c, {len(normal)} nodes on the tread")
figure.colorbar(image, label="|K_c| [N/m]")
figure.savefig("stiffness_matrix.png", dpi=100)
