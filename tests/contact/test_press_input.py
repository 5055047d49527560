"""What a press refuses before, or instead of, a number without meaning."""

import pytest
from press_cases import pad

from contact.ground import Bump
from contact.press import RigidMotion, Wrench, press
from sole.base.errors import ConfigError, EquilibriumError


def test_a_pose_that_buries_the_foot_is_refused() -> None:
    """Deeper than the sole is thick, the rigid foot itself would be in the ground."""
    sole = pad()
    assert press(sole, RigidMotion(sink=0.9 * sole.thickness)).wrench[2] > 0
    with pytest.raises(ConfigError, match=r"22 mm into the ground.*only 20 mm thick"):
        press(sole, RigidMotion(sink=1.1 * sole.thickness))


def test_friction_without_meaning() -> None:
    sole, load = pad(), Wrench.standing(600.0)
    assert press(sole, load, friction=1e-300).friction == 0.0
    for friction in (1e300, -0.1, float("nan")):
        with pytest.raises(ConfigError, match="friction must be finite and not negative"):
            press(sole, load, friction=friction)


def test_a_force_too_small_to_press() -> None:
    with pytest.raises(EquilibriumError, match="1e-300 N does not press"):
        press(pad(), Wrench.standing(1e-300))


@pytest.mark.parametrize("value", [1e300, float("inf"), float("nan")])
def test_loads_and_grounds_beyond_reason_are_named(value: float) -> None:
    with pytest.raises(ConfigError, match="wrench: fx"):
        Wrench(fx=value, fz=1.0)
    with pytest.raises(ConfigError, match="pose: sink"):
        RigidMotion(sink=value)
    with pytest.raises(ConfigError, match="ground 'bump': radius"):
        Bump(rise=0.01, radius=value)
    if value != 1e300:
        with pytest.raises(ConfigError, match="the CoP must be finite"):
            Wrench.standing(600.0, cop=(value, 0.0))
