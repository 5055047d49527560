"""A sole pressed on a ground, at rest: loads, increments, the result and its file."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.press.first_touch import place_foot
    from contact.press.increment import PressOptions
    from contact.press.load import (
        PressLoad,
        RigidMotion,
        Wrench,
        divide_load,
        load_path,
        parse_motion,
    )
    from contact.press.press_file import (
        PressRecord,
        load_press,
        save_press,
    )
    from contact.press.pressure_peak import PEAK_AREA, PressurePeak, peak_pressure
    from contact.press.quasi_static import SLACK, press
    from contact.press.result import PressResult
else:
    # Later: at once, `sole view PRESS -o FILE.vtu` would import 274 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "PEAK_AREA",
    "SLACK",
    "PressLoad",
    "PressOptions",
    "PressRecord",
    "PressResult",
    "PressurePeak",
    "RigidMotion",
    "Wrench",
    "divide_load",
    "load_path",
    "load_press",
    "parse_motion",
    "peak_pressure",
    "place_foot",
    "press",
    "save_press",
]
