"""Hyperelastic laws of rubbers and foams: energies, stability, materials of a mesh."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.laws.laws import HyperelasticLaw, Hyperfoam, NeoHooke, Ogden
    from sole.laws.layer_material import (
        AnyMaterial,
        HyperelasticMaterial,
        hyperelastic_material,
        linear_materials,
        material_from,
        material_header,
    )
    from sole.laws.material_text import parse_material
    from sole.laws.stability import check_stability, uniaxial
else:
    # Later: a mesh of linear materials needs none of them.
    __getattr__ = load_later(globals())

__all__ = [
    "AnyMaterial",
    "HyperelasticLaw",
    "HyperelasticMaterial",
    "Hyperfoam",
    "NeoHooke",
    "Ogden",
    "check_stability",
    "hyperelastic_material",
    "linear_materials",
    "material_from",
    "material_header",
    "parse_material",
    "uniaxial",
]
