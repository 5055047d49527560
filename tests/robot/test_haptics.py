"""Force return: when the virtual coupling is stable, touching a sole, devices and their faults."""

from __future__ import annotations

import ctypes
import importlib.machinery
import sys
import types

import numpy as np
import pytest
from scipy.linalg import expm

from robot.haptics import (
    EnergyWatch,
    GuardedDevice,
    RecordedDevice,
    SampledSpring,
    SoleProxy,
    VirtualCoupling,
    open_device,
    passive_stiffness,
    stable_stiffness,
)
from sole.base.errors import ConfigError, SoleError
from sole.condense import load_condensed


@pytest.fixture(scope="module")
def sole(pad_file):
    return load_condensed(pad_file)


def simulated_peak(m, b, T, K, delay, B=0.0, seconds=4.0):
    """The largest |x| in the last of four parts of a motion, over that of the first."""
    A = expm(np.array([[0, 1, 0], [0, -b / m, 1 / m], [0, 0, 0]]) * T)
    x, v, waiting, places = 1e-3, 0.0, [0.0] * delay, []
    for _ in range(int(seconds / T)):
        waiting.append(-K * x - B * v)
        x, v, _ = A @ [x, v, waiting.pop(0)]
        places.append(abs(x))
    quarter = len(places) // 4
    return max(places[-quarter:]) / max(places[:quarter])


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_the_largest_stable_stiffness_of_a_simulated_device(delay):
    m, b, T = 0.1, 5.0, 1e-3
    K = stable_stiffness(m, b, T, delay=delay)
    assert simulated_peak(m, b, T, 0.98 * K, delay) < 1
    assert simulated_peak(m, b, T, 1.02 * K, delay) > 1


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_the_passive_bound_is_below_and_is_the_limit_of_heavy_devices(delay):
    b, T = 4.0, 1e-3
    bound = passive_stiffness(b, T, delay=delay)
    assert bound == pytest.approx(b / (T * (0.5 + delay)))  # b > K T (1/2 + d)
    found = [stable_stiffness(m, b, T, delay=delay) for m in (0.05, 0.5, 5.0, 50.0)]
    assert all(K > bound for K in found) and found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(bound, rel=1e-3)
    assert passive_stiffness(b, T, B=1.0, delay=delay) == pytest.approx(0.75 * bound)
    assert passive_stiffness(b, T, B=5.0) == 0.0
    assert not SampledSpring(0.5, b, T, 3 * found[1], 0.0, delay).stable


def test_a_coupling_is_a_spring_with_a_limit():
    coupling = VirtualCoupling(K=1000.0, B=10.0, limit=5.0)
    f = coupling.force(np.array([1e-3, 0, 0]), np.zeros(3), np.array([0.1, 0, 0]))
    assert f == pytest.approx([2.0, 0, 0])
    assert np.linalg.norm(coupling.force(np.ones(3), np.zeros(3), np.zeros(3))) == pytest.approx(5)
    with pytest.raises(ConfigError):
        VirtualCoupling(K=0.0)


def lowered(proxy, place, depth, steps=50):
    bottom = -proxy.sole.thickness
    for sunk in np.linspace(-1e-5, depth, steps):
        done = proxy.touch(np.array([[*place, bottom + sunk]]))
    return done


def test_one_point_feels_the_condensed_compliance_and_the_coupling_in_series(sole):
    proxy, depth = SoleProxy(sole, coupling=2000.0), 5e-4
    node = int(np.argmin(np.linalg.norm(sole.points[:, :2], axis=1)))
    place = sole.points[node, :2]
    done = lowered(proxy, place, depth)
    C = sole.compliance[3 * node : 3 * node + 3, 3 * node : 3 * node + 3]
    stuck = np.linalg.solve(C + np.eye(3) / 2000.0, [0, 0, depth])
    np.testing.assert_allclose(done.forces[0], stuck, rtol=1e-6, atol=1e-9)
    felt = done.forces[0, 2] / depth
    assert felt < 2000.0  # never stiffer than the coupling
    np.testing.assert_allclose(done.displacement[node], C @ done.forces[0], rtol=1e-9, atol=1e-15)
    assert (lowered(proxy, place, -1e-4).forces == 0).all()  # and lets go


def test_a_tip_slips_at_its_friction_and_never_pulls(sole):
    proxy = SoleProxy(sole, coupling=5000.0, friction=0.3)
    done = lowered(proxy, (0.0, 0.0), 5e-4)
    bottom, ratios = -sole.thickness, []
    for x in np.linspace(0, 5e-3, 100):
        done = proxy.touch(np.array([[x, 0.0, bottom + 5e-4]]))
        f = done.forces[0]
        ratios.append(np.hypot(f[0], f[1]) / f[2])
        assert f[2] >= 0
    assert max(ratios) == pytest.approx(0.3, rel=1e-5) and ratios[-1] > 0.299
    assert done.forces[0, 0] > 0  # the sole is pushed along


def test_several_points_know_of_each_other(sole):
    near, far = (0.01, 0.0), (-0.01, 0.0)
    alone = lowered(SoleProxy(sole, coupling=1e5), near, 2e-4).forces[0, 2]
    proxy, bottom = SoleProxy(sole, coupling=1e5), -sole.thickness
    for sunk in np.linspace(-1e-5, 2e-4, 50):
        done = proxy.touch(np.array([[*near, bottom + sunk], [*far, bottom + sunk]]))
    assert 0 < done.forces[0, 2] < alone  # each finds the sole already pressed in
    with pytest.raises(ConfigError, match="release first"):
        proxy.touch(np.zeros((3, 3)))


def test_held_points_stretch_and_squeeze(sole):
    bottom = -sole.thickness
    tips = np.array([[0.02, 0.0, bottom], [-0.02, 0.0, bottom]])
    apart = np.array([[5e-4, 0, 0], [-5e-4, 0, 0]])
    forces = []
    for sign in (1.0, -1.0):
        proxy = SoleProxy(sole, coupling=1e4)
        assert (proxy.touch(tips, held=True).forces == 0).all()
        done = proxy.touch(tips + sign * apart, held=True)
        forces.append(done.forces)
        for tip, way, force in zip(tips, sign * apart, done.forces, strict=True):
            moved = proxy.weights(tip) @ done.displacement  # the tread, then the coupling
            np.testing.assert_allclose(moved + force / 1e4, way, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(forces[0], -forces[1], rtol=1e-9, atol=1e-12)  # linear
    assert forces[0][0, 0] > 0 > forces[0][1, 0]


def test_a_tip_beside_the_tread_touches_nothing_and_the_scene_moves_the_tread(sole):
    proxy = SoleProxy(sole)
    assert proxy.weights(np.array([1.0, 0.0])) is None
    assert (proxy.touch(np.array([[1.0, 0.0, 1.0]])).forces == 0).all()
    proxy.release()
    lifted = np.zeros_like(sole.points)
    lifted[:, 2] = 1e-3  # the ground has pressed the tread in
    proxy.move(lifted)
    assert (lowered(proxy, (0.0, 0.0), 9e-4).forces == 0).all()
    assert lowered(proxy, (0.0, 0.0), 1.2e-3).forces[0, 2] > 0
    with pytest.raises(ConfigError, match="finite"):
        proxy.touch(np.array([[np.nan, 0, 0]]))


def test_the_watch_sees_what_a_sampled_spring_gives():
    """Closed form: a held force gives K dx^2/2 more than it took, in every period."""
    K, watch, x = 1000.0, EnergyWatch(), 0.02 * np.sin(np.linspace(0, 2 * np.pi, 101))
    for place in np.stack([x, 0 * x, 0 * x], axis=1):
        watch.note(place, -K * place)
    assert watch.energy == pytest.approx(-K / 2 * (np.diff(x) ** 2).sum(), rel=1e-9)


def test_touching_and_letting_go_gives_no_energy(sole):
    proxy, watch, bottom = SoleProxy(sole, coupling=2000.0), EnergyWatch(), -sole.thickness
    phase = np.linspace(0, 6 * np.pi, 600)
    path = np.stack([2e-3 * np.sin(phase), 0 * phase, bottom - 4e-4 * np.cos(phase)], axis=1)
    for place in path:
        felt = -proxy.touch(place[None]).forces[0]
        watch.note(place, felt)
    slack = 2000.0 / 2 * float((np.diff(path, axis=0) ** 2).sum())  # of held forces
    assert watch.least > -slack and watch.energy > 0  # friction has eaten some


def test_a_device_that_takes_no_force_is_closed_all_the_same():
    class Gone(RecordedDevice):
        def write(self, force, torque):
            raise SoleError("the device takes no force")

    gone = Gone(np.zeros((1, 3)))
    with pytest.raises(SoleError, match="takes no force"):
        GuardedDevice(gone).close()
    assert gone.closed


def test_a_guard_follows_slowly_repeats_and_limits():
    said = []
    places = np.array([[0, 0, 0], [np.nan, 0, 0], [1.0, 0, 0], [1.0, 0, 0]])
    inner = RecordedDevice(places, pressed=[True])
    with GuardedDevice(inner, fastest=5.0, strongest=3.0, tell=said.append) as device:
        read = [device.read().place[0] for _ in range(4)]
        device.write(np.array([30.0, 0, 0]), np.zeros(3))
        device.write(np.array([np.nan, 0, 0]), np.zeros(3))
    assert read == pytest.approx([0, 0, 5e-3, 1e-2])
    np.testing.assert_allclose(inner.forces, [[3, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert inner.closed and len(said) == 4
    assert "no finite pose" in said[0] and "jumped by 1 m" in said[1] and "limited" in said[2]


def test_drivers_are_loaded_when_asked_and_what_is_missing_is_named(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match="known are 3d-systems, force-dimension, or a motion"):
        open_device("mouse")
    for name, package in (
        ("3d-systems", "pyOpenHaptics"),
        ("force-dimension", "forcedimension_core"),
    ):
        monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
        with pytest.raises(SoleError, match=rf"pip install 'compliant-sole\[{name}\]'"):
            open_device(name)
    for package, error in (("pyOpenHaptics", OSError), ("forcedimension_core", ImportError)):
        (tmp_path / package).mkdir(
            exist_ok=True
        )  # the packages load the makers' libraries when imported
        (tmp_path / package / "__init__.py").write_text("")
        text = f"raise {error.__name__}('libX.so: no such file')\n"
        for part in ("hd", "hd_callback", "dhd"):
            (tmp_path / package / f"{part}.py").write_text(text)
        monkeypatch.delitem(sys.modules, package)
    (tmp_path / "forcedimension_core" / "__init__.py").write_text("from . import dhd\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("3d-systems", "force-dimension"):
        with pytest.raises(SoleError, match=r"install its drivers .*libX\.so"):
            open_device(name)


def package_of(monkeypatch, name, **modules):
    """Put a package of stand-ins in place of one that is not installed."""
    top = types.ModuleType(name)
    top.__spec__ = importlib.machinery.ModuleSpec(name, None)
    monkeypatch.setitem(sys.modules, name, top)
    for part, content in modules.items():
        made = types.SimpleNamespace(**content)
        setattr(top, part, made)
        monkeypatch.setitem(sys.modules, f"{name}.{part}", made)


class FakeDhd:
    """The calls of forcedimension-core 1.0 that are used, with its names of arguments."""

    def __init__(self, opened=0):
        self.told, self.opened = [], opened

    def open(self):
        return self.opened

    def errorGetLastStr(self):
        return "no device found"

    def enableForce(self, enable, ID=-1):
        self.told.append(enable)
        return 0

    def getPosition(self, out, ID=-1):
        out[0], out[1], out[2] = 0.1, 0.2, 0.3
        return 0

    def getOrientationFrame(self, out, ID=-1):
        return -1  # three freedoms

    def getButton(self, index, ID=-1):
        return 1

    def setForceAndTorque(self, f, t, ID=-1):
        self.told.append((list(f), list(t)))
        return 0 if f[0] < 1 else -1

    def close(self, ID=-1):
        self.told.append("closed")
        return 0


def test_a_device_of_force_dimension(monkeypatch):
    dhd = FakeDhd()
    package_of(monkeypatch, "forcedimension_core", dhd=vars(FakeDhd))
    sys.modules["forcedimension_core"].dhd = dhd
    with GuardedDevice(open_device("force-dimension")) as device:
        reading = device.read()
        device.write(np.array([0, 0, 1.0]), np.zeros(3))
        with pytest.raises(SoleError, match="takes no force: no device found"):
            device.write(np.array([1.0, 0, 0]), np.zeros(3))
    assert reading.place.tolist() == [0.1, 0.2, 0.3] and reading.buttons == (True,)
    nothing = [0, 0, 0]
    assert dhd.told[:2] == [True, ([0, 0, 1], nothing)]
    assert dhd.told[-3:] == [(nothing, nothing), False, "closed"]
    sys.modules["forcedimension_core"].dhd = FakeDhd(opened=-1)
    with pytest.raises(SoleError, match="no device of Force Dimension answers: no device found"):
        open_device("force-dimension")


@pytest.mark.parametrize("handle", [7, None, 0xFFFFFFFF])
def test_a_device_of_3d_systems(monkeypatch, capsys, handle):
    matrix = (ctypes.c_double * 4 * 4)()
    for row, values in enumerate(([0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [10, 20, 30, 1])):
        matrix[row][:] = values  # rows are columns, mm: x, y and z go to z, x and y
    made, called = [], []

    class HapticDevice:
        def __init__(self, callback, device_name="Default Device", scheduler_type="async"):
            print("Initializing haptic device")
            self.id, self.callback = handle, callback
            made.append(self)

        def close(self):
            self.callback()  # the scheduler calls on until it is stopped
            made.append("closed")

    hd = {
        "get_transform": lambda: matrix,
        "get_buttons": lambda: 2,
        "set_force": lambda feedback: called.append(list(feedback)),
    }
    package_of(
        monkeypatch,
        "pyOpenHaptics",
        hd=hd,
        hd_callback={"hd_callback": lambda input_function: input_function},
        hd_device={"HapticDevice": HapticDevice},
    )
    if handle != 7:
        with pytest.raises(SoleError, match="no device of 3D Systems answers"):
            open_device("3d-systems")
        return
    device = open_device("3d-systems")
    made[0].callback()
    reading = device.read()
    np.testing.assert_allclose(reading.place, [-0.03, -0.01, 0.02])  # x ahead, y left, z up
    turned = reading.rotation
    assert np.linalg.det(turned) == pytest.approx(1) and not np.array_equal(turned, np.eye(3))
    # their y goes to x: up goes to the right, which is -y here
    np.testing.assert_allclose(turned @ [0, 0, 1], [0, -1, 0], atol=1e-15)
    assert reading.buttons == (True,)
    device.write(np.array([1.0, 2.0, 3.0]), np.zeros(3))  # ahead, left, up
    made[0].callback()
    assert called[-1] == [-2.0, 3.0, -1.0]  # to the right, up, to the user
    device.close()
    assert called[-1] == [0, 0, 0] and made[-1] == "closed"
    assert capsys.readouterr().out == ""  # what the package prints is no output of ours


def test_a_recorded_motion_is_read(tmp_path):
    file = tmp_path / "motion.csv"
    file.write_text("x,y,z,button\n0,0,0.1,0\n0.01,0,0.1,1\n")
    device = open_device(str(file))
    first, second = device.read(), device.read()
    assert first.buttons == (False,) and second.buttons == (True,)
    assert second.place.tolist() == [0.01, 0.0, 0.1]
    with pytest.raises(SoleError, match="no such file"):
        open_device(str(tmp_path / "none.csv"))
    for text in ("x,y\n1,2\n", "x,y,z,button\n1,2,three,0\n"):
        file.write_text(text)
        with pytest.raises(SoleError, match="recorded motion"):
            open_device(str(file))
