"""A sole pressed on a ground, at rest: loads, increments, the result and its file."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.press.certificate import PressCertificate, certify_contact
    from contact.press.first_touch import place_foot
    from contact.press.increment import (
        Increment,
        IncrementControl,
        PressOptions,
        solve_increment,
    )
    from contact.press.limit_load import refuse_beyond_limit
    from contact.press.linear_sole import LinearSole
    from contact.press.load import (
        PressLoad,
        RigidMotion,
        Wrench,
        divide_load,
        load_path,
        parse_motion,
    )
    from contact.press.preparation import PressPlan, prepare_press
    from contact.press.press_file import (
        PressedRecord,
        PressRecord,
        arrays_of_press,
        fields_of_press,
        header_of_press,
        load_press,
        save_press,
        stored_array,
    )
    from contact.press.press_rows import PressRows, press_metrics
    from contact.press.press_state import PressSetting, PressState, PressView
    from contact.press.pressed_sole import PressedSole
    from contact.press.pressure_peak import PEAK_AREA, PressurePeak, peak_pressure
    from contact.press.quasi_static import (
        SLACK,
        allowed,
        is_accepted,
        press,
        solve_load,
    )
    from contact.press.result import PressResult
else:
    # Later: at once, `sole view PRESS -o FILE.vtu` would import 274 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "PEAK_AREA",
    "SLACK",
    "Increment",
    "IncrementControl",
    "LinearSole",
    "PressCertificate",
    "PressLoad",
    "PressOptions",
    "PressPlan",
    "PressRecord",
    "PressResult",
    "PressRows",
    "PressSetting",
    "PressState",
    "PressView",
    "PressedRecord",
    "PressedSole",
    "PressurePeak",
    "RigidMotion",
    "Wrench",
    "allowed",
    "arrays_of_press",
    "certify_contact",
    "divide_load",
    "fields_of_press",
    "header_of_press",
    "is_accepted",
    "load_path",
    "load_press",
    "parse_motion",
    "peak_pressure",
    "place_foot",
    "prepare_press",
    "press",
    "press_metrics",
    "refuse_beyond_limit",
    "save_press",
    "solve_increment",
    "solve_load",
    "stored_array",
]
