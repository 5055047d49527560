"""Hyperelastic laws of rubbers and foams: energies, stability, materials of a mesh."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.laws.fitting import FittedLaw, fit_law
    from sole.laws.laws import HyperelasticLaw, Hyperfoam, NeoHooke, Ogden
    from sole.laws.layer_material import (
        AnyMaterial,
        HyperelasticMaterial,
        hyperelastic_material,
        linear_materials,
        material_from,
        material_header,
    )
    from sole.laws.option_text import material_text, parse_material
    from sole.laws.stability import check_stability, simple_shear, uniaxial
    from sole.laws.stress_strain import StressStrain, read_stress_strain
else:
    # Later: a mesh of linear materials needs none of them.
    __getattr__ = load_later(globals())

__all__ = [
    "AnyMaterial",
    "FittedLaw",
    "HyperelasticLaw",
    "HyperelasticMaterial",
    "Hyperfoam",
    "NeoHooke",
    "Ogden",
    "StressStrain",
    "check_stability",
    "fit_law",
    "hyperelastic_material",
    "linear_materials",
    "material_from",
    "material_header",
    "material_text",
    "parse_material",
    "read_stress_strain",
    "simple_shear",
    "uniaxial",
]
