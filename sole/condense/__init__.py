"""Static condensation to the tread: K_c and C, their file, and recovery of the inner fields."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.condense.condensed_sole import (
        CondensedSole,
        digest_sole,
        load_condensed,
        save_condensed,
    )
    from sole.condense.condenser import Condenser, condense
    from sole.condense.inertia import Inertia, inertia_of
    from sole.condense.linear_range import (
        FOAM,
        NOTED_ERROR,
        STRAIN_LIMIT,
        WARNED_ERROR,
        RangeWatch,
        deformation_of,
        describe_error,
        describe_excess,
        describe_strain,
        no_range_warnings,
        warn_beyond,
    )
    from sole.condense.material_derivatives import MaterialDerivatives, differentiate_condensation
    from sole.condense.material_options import (
        choose_materials,
        doubtful_moduli,
        override_materials,
    )
    from sole.condense.recovery import (
        UNIT_LOAD,
        Deformation,
        Recovery,
        recover,
        recover_quickly,
        recovers_quickly,
        unit_load_forces,
    )
    from sole.condense.shape_derivatives import (
        ShapeDerivatives,
        differentiate_shape,
        thickness_motion,
    )
else:
    # Later: at once, `sole view RUN` would import 34 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "FOAM",
    "NOTED_ERROR",
    "STRAIN_LIMIT",
    "UNIT_LOAD",
    "WARNED_ERROR",
    "CondensedSole",
    "Condenser",
    "Deformation",
    "Inertia",
    "MaterialDerivatives",
    "RangeWatch",
    "Recovery",
    "ShapeDerivatives",
    "choose_materials",
    "condense",
    "deformation_of",
    "describe_error",
    "describe_excess",
    "describe_strain",
    "differentiate_condensation",
    "differentiate_shape",
    "digest_sole",
    "doubtful_moduli",
    "inertia_of",
    "load_condensed",
    "no_range_warnings",
    "override_materials",
    "recover",
    "recover_quickly",
    "recovers_quickly",
    "save_condensed",
    "thickness_motion",
    "unit_load_forces",
    "warn_beyond",
]
