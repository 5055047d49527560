"""A hyperelastic sole pressed on a ground at finite strain, with exact friction."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.finite_press.finite_press_file import (
        FinitePressRecord,
        load_finite_press,
        save_finite_press,
    )
    from contact.finite_press.pressed_mesh import press_into, sole_of_mesh
    from contact.finite_press.pressing import press_finite
    from contact.finite_press.result import FinitePressCertificate, FinitePressResult
else:
    # Later: types of results need nothing of the solver.
    __getattr__ = load_later(globals())

__all__ = [
    "FinitePressCertificate",
    "FinitePressRecord",
    "FinitePressResult",
    "load_finite_press",
    "press_finite",
    "press_into",
    "save_finite_press",
    "sole_of_mesh",
]
