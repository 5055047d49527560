"""A sole of hyperelastic laws at finite strain: energy, residual and tangent."""

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
    from sole.hyperelastic.principal_tangent import (
        PrincipalAxes,
        piola_stress,
        piola_tangent,
        principal_axes,
    )
else:
    # Later: an error's type needs nothing of what a mesh needs.
    __getattr__ = load_later(globals())

__all__ = [
    "CondensedTangent",
    "FiniteSole",
    "FiniteState",
    "InvertedElementError",
    "PrincipalAxes",
    "StrainField",
    "piola_stress",
    "piola_tangent",
    "principal_axes",
]
