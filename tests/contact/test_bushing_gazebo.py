"""URDF and SDF of a bushing by what can be checked without Gazebo: structure and numbers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np
import pytest

from contact.bushing import fit_bushing, write_bushing
from contact.constants import FRICTION

ETA = 2e-3
# Children that SDFormat 1.9 knows of the elements that we use, with the least and most of each.
ONE, MAYBE, ANY = (1, 1), (0, 1), (0, 99)
SDF = {
    "sdf": {"model": MAYBE},
    "model": {"link": ANY, "joint": ANY, "pose": MAYBE},
    "link": {"pose": MAYBE, "inertial": MAYBE, "collision": ANY, "visual": ANY},
    "inertial": {"mass": MAYBE, "pose": MAYBE, "inertia": MAYBE},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), ONE),
    "visual": {"pose": MAYBE, "geometry": ONE},
    "collision": {"pose": MAYBE, "geometry": ONE, "surface": MAYBE},
    "geometry": {"box": MAYBE},
    "box": {"size": ONE},
    "surface": {"friction": MAYBE},
    "surface/friction": {"ode": MAYBE},
    "friction/ode": {"mu": MAYBE, "mu2": MAYBE},
    "joint": {"parent": ONE, "child": ONE, "axis": MAYBE, "physics": MAYBE},
    "axis": {"xyz": ONE, "dynamics": MAYBE, "limit": ONE},
    "dynamics": {"spring_reference": ONE, "spring_stiffness": ONE, "damping": MAYBE},
    "limit": {"lower": ONE, "upper": ONE},
    "physics": {"ode": MAYBE},
    "physics/ode": {"implicit_spring_damper": MAYBE},
}
NUMBERS = {"pose": 6, "xyz": 3, "size": 3}  # how many a leaf holds, else 1
WORDS = {"parent", "child", "implicit_spring_damper"}


@dataclass(frozen=True)
class Joint:
    """A joint of a file: kind, axis and point in the sole frame, spring and damper."""

    name: str
    kind: str
    axis: np.ndarray
    point: np.ndarray
    stiffness: float
    damping: float


@pytest.fixture(scope="module", params=["urdf", "sdf"])
def exported(request, pad, tmp_path_factory):
    """Engine, path and bushing of a file."""
    b = fit_bushing(pad, eta=ETA)
    path = tmp_path_factory.mktemp("files") / f"pad.{request.param}"
    write_bushing(b, path, request.param)
    return request.param, path, b


def joints_of(engine, root) -> list[Joint]:
    """Return the joints in the order of the chain from `sole` to `tread`."""
    read = _urdf_joint if engine == "urdf" else _sdf_joint
    found, link, point = [], "sole", np.zeros(3)
    while link != "tread":
        (joint,) = (j for j in root.iter("joint") if _ends(engine, j)[0] == link)
        found.append(read(root, joint, point))
        link, point = _ends(engine, joint)[1], found[-1].point
    return found


def _ends(engine, joint):
    if engine == "sdf":
        return joint.findtext("parent"), joint.findtext("child")
    return joint.find("parent").get("link"), joint.find("child").get("link")


def _urdf_joint(root, joint, before) -> Joint:
    name = joint.get("name")
    (extra,) = (g for g in root.iter("gazebo") if g.get("reference") == name)
    assert extra.findtext("implicitSpringDamper") == "true"
    assert float(extra.findtext("springReference")) == 0.0
    return Joint(
        name,
        joint.get("type"),
        _row(joint.find("axis").get("xyz")),
        before + _row(joint.find("origin").get("xyz")),
        float(extra.findtext("springStiffness")),
        float(joint.find("dynamics").get("damping")),
    )


def _sdf_joint(root, joint, before) -> Joint:
    assert joint.findtext("physics/ode/implicit_spring_damper") == "true"
    dynamics = joint.find("axis/dynamics")
    assert float(dynamics.findtext("spring_reference")) == 0.0
    (child,) = (k for k in root.iter("link") if k.get("name") == joint.findtext("child"))
    return Joint(  # its frame is that of the child
        joint.get("name"),
        joint.get("type"),
        _row(joint.findtext("axis/xyz")),
        _row(child.findtext("pose"))[:3],
        float(dynamics.findtext("spring_stiffness")),
        float(dynamics.findtext("damping")),
    )


def _row(text) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def test_the_joints_of_a_file_give_like_the_sole(exported, pad):
    engine, path, b = exported
    joints = joints_of(engine, ET.parse(path).getroot())
    assert [j.kind for j in joints] == ["prismatic"] * 3 + ["revolute"] * 3
    give = np.zeros((6, 6))  # of the foot at the sole's origin, the tread held
    for joint in joints:
        turn = joint.kind == "revolute"
        move = np.cross(joint.axis, pad.origin - joint.point) if turn else joint.axis
        motion = np.array([*move, *(joint.axis if turn else np.zeros(3))])
        give += np.outer(motion, motion) / joint.stiffness
        assert joint.damping == pytest.approx(ETA * joint.stiffness)
    exact = np.linalg.inv(pad.foot_stiffness).diagonal()
    error = np.abs(give.diagonal() / exact - 1).max()
    assert error == pytest.approx(b.stuck_error, rel=1e-4)  # nine digits of stiffness


def test_the_links_weigh_what_the_sole_weighs(exported, pad):
    engine, path, _ = exported
    root = ET.parse(path).getroot()
    if engine == "urdf":
        masses = [float(m.get("value")) for m in root.iter("mass")]
        inertias = [{k: float(v) for k, v in i.items()} for i in root.iter("inertia")]
    else:
        masses = [float(m.text) for m in root.iter("mass")]
        inertias = [{c.tag: float(c.text) for c in i} for i in root.iter("inertia")]
    assert len(masses) == 7 and sum(masses) == pytest.approx(pad.inertia.mass, rel=1e-8)
    for inertia in inertias:  # that of a body: positive, and no axis above the two others
        diagonal = np.array([inertia[k] for k in ("ixx", "iyy", "izz")])
        assert (diagonal > 0).all() and diagonal.sum() >= 2 * diagonal.max()


def test_the_hard_tread_ends_where_the_sole_ends(exported, pad):
    engine, path, b = exported
    root = ET.parse(path).getroot()
    (link,) = (k for k in root.iter("link") if k.get("name") == "tread")
    part, point = link.find("collision"), joints_of(engine, root)[-1].point
    if engine == "urdf":
        size, at = _row(part.find("geometry/box").get("size")), _row(part.find("origin").get("xyz"))
    else:
        size, at = _row(part.findtext("geometry/box/size")), _row(part.findtext("pose"))[:3]
    low = point + at - size / 2
    np.testing.assert_allclose(low, [*b.low, pad.origin[2]], atol=1e-9)
    np.testing.assert_allclose(size[:2], b.high - b.low, rtol=1e-8)


def test_the_friction_is_that_of_a_press(exported):
    engine, path, _ = exported
    root = ET.parse(path).getroot()
    if engine == "urdf":
        (tread,) = (g for g in root.iter("gazebo") if g.get("reference") == "tread")
        found = [float(tread.findtext(key)) for key in ("mu1", "mu2")]
    else:
        ode = root.find(".//collision/surface/friction/ode")
        found = [float(ode.findtext(key)) for key in ("mu", "mu2")]
    assert found == [FRICTION, FRICTION]


def test_every_element_is_one_of_sdformat(pad, tmp_path):
    write_bushing(fit_bushing(pad), tmp_path / "pad.sdf", "sdf")
    root = ET.parse(tmp_path / "pad.sdf").getroot()
    assert root.get("version") == "1.9"
    assert check(root) > 150
    names = [e.get("name") for tag in ("link", "joint") for e in root.iter(tag)]
    assert len(names) == len(set(names)) == 13


def check(element, above="") -> int:
    """Compare an element and all below with `SDF`; return how many there are."""
    children = [child for child in element if isinstance(child.tag, str)]  # no comments
    known = SDF.get(f"{above}/{element.tag}", SDF.get(element.tag))
    if known is None:
        assert not children, f"<{element.tag}> is not in the table"
        if element.tag not in WORDS:
            assert len(_row(element.text)) == NUMBERS.get(element.tag, 1), element.tag
        return 1
    tags = [child.tag for child in children]
    assert set(tags) <= set(known), f"<{element.tag}> has {set(tags) - set(known)}"
    for tag, (least, most) in known.items():
        assert least <= tags.count(tag) <= most, f"<{element.tag}> has {tags.count(tag)} <{tag}>"
    return 1 + sum(check(child, element.tag) for child in children)


def test_pinocchio_reads_the_urdf(pad, tmp_path):
    import pinocchio as pin

    write_bushing(fit_bushing(pad), tmp_path / "pad.urdf", "urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "pad.urdf"), pin.JointModelFreeFlyer())
    data = model.createData()
    assert model.nv == 12
    assert pin.computeTotalMass(model) == pytest.approx(pad.inertia.mass, rel=1e-8)
    q = pin.neutral(model)
    q[7:] = 1e-3, 2e-3, 3e-3, 0.0, 0.0, 0.1  # slides along x, y, z, then a turn about z
    pin.framesForwardKinematics(model, data, q)
    place = data.oMf[model.getFrameId("tread")]
    np.testing.assert_allclose(place.translation, fit_bushing(pad).center + q[7:10], atol=1e-9)
    np.testing.assert_allclose(pin.log3(place.rotation), [0, 0, 0.1], atol=1e-12)


def test_drake_reads_springs_and_dampers_of_the_sdf(pad, tmp_path):
    drake = pytest.importorskip("pydrake.all", reason="pip install 'compliant-sole[drake]'")
    b = fit_bushing(pad, eta=ETA)
    write_bushing(b, tmp_path / "pad.sdf", "sdf")
    plant = drake.MultibodyPlant(1e-3)
    drake.Parser(plant).AddModels(str(tmp_path / "pad.sdf"))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("sole"))
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    total = plant.CalcTotalMass(context)
    assert total == pytest.approx(pad.inertia.mass, rel=1e-8)
    names = [f"sole_{axis}" for axis in ("x", "y", "z", "rx", "ry", "rz")]
    places = [plant.GetJointByName(name).position_start() for name in names]
    found = []
    for place in places:
        q = np.zeros(6)
        q[place] = 1e-4
        plant.SetPositions(context, q)
        forces = drake.MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        found.append(-forces.generalized_forces()[place] / 1e-4)
    assert found == pytest.approx(b.stiffness, rel=1e-8)
    dampings = [plant.GetJointByName(name).default_damping() for name in names]
    assert dampings == pytest.approx(b.damping, rel=1e-8)
