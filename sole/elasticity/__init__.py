"""Linear elasticity on a mesh: elements, weak forms and the stiffness K(lambda, mu)."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.elasticity.element_choice import (
        DEFAULT_ELEMENT,
        ELEMENTS,
        LOCKING_LIMIT,
        POISSON_LIMIT,
        check_element,
    )
    from sole.elasticity.elements import KINDS, bases, number_dofs
    from sole.elasticity.reference_element import divergence, inverse_mass
    from sole.elasticity.stiffness_assembly import StiffnessParts, assemble_stiffness
else:
    # Later: at once, `sole info MESH` would import 16 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "DEFAULT_ELEMENT",
    "ELEMENTS",
    "KINDS",
    "LOCKING_LIMIT",
    "POISSON_LIMIT",
    "StiffnessParts",
    "assemble_stiffness",
    "bases",
    "check_element",
    "divergence",
    "inverse_mass",
    "number_dofs",
]
