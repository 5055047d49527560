"""Hyperelastic laws, and a sole of them at finite strain: energy, residual and tangent."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.hyperelastic.evaluation import InvertedElementError
    from sole.hyperelastic.finite_sole import (
        CondensedTangent,
        FiniteSole,
        FiniteState,
        StrainField,
    )
    from sole.hyperelastic.laws import HyperelasticLaw, Hyperfoam, NeoHooke, Ogden
    from sole.hyperelastic.principal_tangent import (
        PrincipalAxes,
        principal_axes,
        stress_and_tangent,
    )
    from sole.hyperelastic.stability import check_stability, uniaxial
else:
    # Later: laws alone need nothing of what a mesh needs.
    __getattr__ = load_later(globals())

__all__ = [
    "CondensedTangent",
    "FiniteSole",
    "FiniteState",
    "HyperelasticLaw",
    "Hyperfoam",
    "InvertedElementError",
    "NeoHooke",
    "Ogden",
    "PrincipalAxes",
    "StrainField",
    "check_stability",
    "principal_axes",
    "stress_and_tangent",
    "uniaxial",
]
