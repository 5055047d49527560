"""A soft tread encloses a bump, a stiff one stands on its top."""

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Bump
from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
sole = condense(mesh_shape(box(0.24, 0.14, 0.02), 0.012, 0.03), rubber, element="p1")
moduli = np.geomspace(3e5, 1e8, 12)

figure = Figure(figsize=(6.4, 4.4), layout="constrained")
axes = figure.add_subplot()
for rise in (0.001, 0.002, 0.004):
    ground = Bump(rise=rise, radius=0.06)
    areas = [press(sole.scaled(E / 1e6), Wrench.standing(570), ground).contact_area for E in moduli]
    axes.semilogx(moduli / 1e6, 1e4 * np.array(areas), "o-", label=f"bump of {1e3 * rise:g} mm")
axes.axhline(1e4 * sole.areas.sum(), color="0.6", ls=":", label="the whole tread")
axes.set(xlabel="E [MPa]", ylabel="contact area [cm$^2$]", title="570 N on a pad of 20 mm", ylim=0)
axes.legend()
figure.savefig("contact_area.png", dpi=100)
