"""The result of a press of a linear sole: u = C f."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from contact.press.certificate import PressCertificate, certify_press
from contact.press.load import Wrench
from contact.press.press_state import PressSetting, PressState, PressView
from contact.press.pressed_sole import PressedSole
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole
from sole.material import Material
from sole.mesh import SoleMesh


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PressResult(PressedSole):
    """A pressed sole; arrays are read-only, in the sole frame unless said otherwise.

    Parameters
    ----------
    sole : the condensed sole.
    ground, friction : of the press.
    path : the load at the end of every increment.
    contact_forces : (faces, m, 3) ground on sole [N], per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the start of the last increment, world [m].
    outer, sweeps, newton : numbers of iterations.
    seed, tolerance : of the solver.
    """

    sole: CondensedSole
    outer: int = 0
    sweeps: int = 0
    newton: int = 0
    seed: int = 1
    tolerance: float = 1e-10
    certificate: PressCertificate = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        last = self.path[-1]
        certificate = certify_press(
            sole=self.sole,
            ground=self.ground,
            friction=self.friction,
            wrench=last.vector if isinstance(last, Wrench) else None,
            contact_forces=self.contact_forces,
            pose=self.pose,
            start=self.start,
        )
        object.__setattr__(self, "certificate", certificate)

    def __repr__(self) -> str:
        """Return one line: load, area and certificate."""
        w = ", ".join(f"{v:.4g}" for v in self.wrench)
        area = f"{1e4 * self.contact_area:.4g} cm^2"
        return f"<PressResult wrench ({w}), contact {area}, {self.certificate}>"

    @cached_property
    def view(self) -> PressView:
        """The state evaluated anew from forces and pose."""
        R = self.pose[:3, :3]
        place = self.pose[:3, 3] + R @ self.sole.origin
        setting = PressSetting(sole=self.sole, ground=self.ground, friction=self.friction)
        forces = self.contact_forces.reshape(-1, 3)
        return PressView(
            setting, PressState(forces=forces, rotation=R, place=place, start=self.start)
        )

    @property
    def mesh(self) -> SoleMesh:
        """The mesh of the sole."""
        return self.sole.mesh

    @property
    def materials(self) -> tuple[Material, ...]:
        """One a layer."""
        return self.sole.materials

    @property
    def areas(self) -> FloatArray:
        """(m,) lumped area of the undeformed tread [m^2]."""
        return self.sole.areas

    @property
    def scale(self) -> float:
        """1 / mean C_ii of the sole [N/m]."""
        return self.view.setting.rho

    @property
    def energy(self) -> float:
        """Elastic energy f' C f / 2 [J]."""
        return float(np.vdot(self.forces, self.displacements)) / 2
