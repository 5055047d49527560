"""A sole pressed on a ground, at rest: loads, increments, the result and its file."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.press.certificate import PressCertificate, certify_contact
    from contact.press.first_touch import find_first_touch, motion_vector, place_foot
    from contact.press.increment import (
        Increment,
        IncrementControl,
        PressOptions,
        solve_increment,
    )
    from contact.press.limit_load import check_load, refuse_beyond_limit
    from contact.press.linear_sole import LinearSole
    from contact.press.load import (
        PressLoad,
        RigidMotion,
        Wrench,
        divide_load,
        grows_evenly,
        load_path,
        parse_motion,
    )
    from contact.press.press_file import (
        PressRecord,
        load_press,
        save_press,
    )
    from contact.press.press_state import PressSetting, PressState
    from contact.press.pressure_peak import PEAK_AREA, PressurePeak, peak_pressure
    from contact.press.quasi_static import (
        BALANCE,
        SLACK,
        advice_for,
        check_pose,
        check_relief,
        is_accepted,
        path_of,
        press,
        solve_load,
        usable_friction,
    )
    from contact.press.result import PressResult
else:
    # Later: at once, `sole view PRESS -o FILE.vtu` would import 274 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "BALANCE",
    "PEAK_AREA",
    "SLACK",
    "Increment",
    "IncrementControl",
    "LinearSole",
    "PressCertificate",
    "PressLoad",
    "PressOptions",
    "PressRecord",
    "PressResult",
    "PressSetting",
    "PressState",
    "PressurePeak",
    "RigidMotion",
    "Wrench",
    "advice_for",
    "certify_contact",
    "check_load",
    "check_pose",
    "check_relief",
    "divide_load",
    "find_first_touch",
    "grows_evenly",
    "is_accepted",
    "load_path",
    "load_press",
    "motion_vector",
    "parse_motion",
    "path_of",
    "peak_pressure",
    "place_foot",
    "press",
    "refuse_beyond_limit",
    "save_press",
    "solve_increment",
    "solve_load",
    "usable_friction",
]
