"""MJCF against MuJoCo itself: masses, poses, shapes, limits; what cannot be read, in one line."""

from __future__ import annotations

import json
import struct

import numpy as np
import pinocchio as pin
import pytest
from command_line import in_this_process

from robot.model import export_posture, export_urdf, load_robot
from robot.model.urdf_source import RobotError
from sole.base.errors import SoleError
from sole.shape import foot_of_urdf, read_urdf

mujoco = pytest.importorskip("mujoco")

CORNERS = np.array([[x, y, z] for x in (-0.05, 0.15) for y in (-0.05, 0.05) for z in (0, 0.04)])
FACES = [(0, 1, 2), (1, 3, 2), (4, 6, 5), (5, 6, 7), (0, 2, 4), (2, 6, 4)]
FACES += [(1, 5, 3), (3, 5, 7), (0, 4, 1), (1, 4, 5), (2, 3, 6), (3, 7, 6)]
DEFAULTS = """<mujocoinclude><default>
  <joint armature="0.02" range="-90 90" limited="true"/>
  <geom density="800" condim="3"/>
  <default class="shank"><geom type="capsule" size="0.04" fromto="0 0 0 0.02 0 -0.35"/></default>
</default></mujocoinclude>"""
LEG = """
<body name="{side}_thigh" pos="0 {y} -0.1" euler="0 0 {turn}">
  <joint name="{side}_hip_yaw" axis="0 0 1" pos="0.01 0 0.02"/>
  <joint name="{side}_hip_roll" axis="1 0 0" pos="0.01 0 0.02"/>
  <joint name="{side}_hip_pitch" axis="0 1 0.1" ref="10"/>
  <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.35" mass="3"/>
  <body name="{side}_shank" pos="0 0 -0.4">
    <joint name="{side}_knee" axis="0 1 0" range="-5 130" pos="0 0 0.01"/>
    <geom class="shank"/>
    <body name="{side}_ankle" pos="0.02 0 -0.4">
      <joint name="{side}_ankle_pitch" axis="0 1 0"/>
      <joint name="{side}_ankle_roll" axis="1 0 0"/>
      <body name="{side}_foot" pos="0 0 -0.03">
        <geom type="mesh" mesh="foot" quat="0.5 0.5 0.5 0.5" pos="0 0 -0.05"/>
        <geom type="box" size="0.02 0.02 0.02" contype="0" conaffinity="0"/>
      </body>
    </body>
  </body>
</body>"""
BALL, ANGLES = "0 0 0 1 0 0 0", "0 " * 13
LYING = f"{BALL} 0 0 0.2 0.7 0.7 0 0 {ANGLES}"
BIPED = f"""<mujoco model="biped">
<compiler angle="degree" meshdir="parts"/>
<include file="defaults.xml"/>
<asset><mesh name="foot" file="foot.stl" scale="0.001 0.001 0.001" refpos="10 5 0"
  refquat="1 1 0 0"/></asset>
<worldbody><geom type="plane" size="5 5 0.1"/>
  <body name="ball" pos="3 0 1"><freejoint/><geom size="0.1"/></body>
  <body name="pelvis" pos="0 0 1" quat="0.5 0.5 0.5 0.5"><freejoint/>
    <geom type="box" size="0.1 0.15 0.1" quat="0.5 -0.5 -0.5 -0.5"/>
    <body quat="0.5 -0.5 -0.5 -0.5" name="trunk">
      <joint name="waist" type="slide" axis="0 0 1" ref="0.1" range="-0.1 0.2"/>
      <geom type="ellipsoid" size="0.1 0.1 0.2" pos="0 0 0.2"/>
    </body>
    <body quat="0.5 -0.5 -0.5 -0.5" name="hips"><geom size="0.05"/>
      {LEG.format(side="left", y=0.1, turn=3)}{LEG.format(side="right", y=-0.1, turn=-3)}
    </body></body></worldbody>
<actuator><motor joint="left_knee" gear="50" ctrlrange="-2 2" ctrllimited="true"/>
  <position joint="right_knee" kp="40" forcerange="-70 60"/></actuator>
<keyframe><key name="lying" qpos="{LYING}"/></keyframe></mujoco>"""


def biped(folder, text=BIPED):
    """Write the MJCF with its include and its mesh, in mm."""
    triangles = b"".join(
        struct.pack("<12fH", *[0] * 3, *1e3 * CORNERS[list(f)].ravel(), 0) for f in FACES
    )
    (folder / "parts").mkdir(exist_ok=True)
    stl = bytes(80) + struct.pack("<I", len(FACES)) + triangles
    (folder / "parts" / "foot.stl").write_bytes(stl)
    (folder / "defaults.xml").write_text(DEFAULTS)
    path = folder / "biped.xml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return biped(tmp_path_factory.mktemp("mjcf"))


@pytest.fixture(scope="module")
def robot(file):
    return load_robot(file)


def pose(rotation, position):
    return pin.SE3(np.array(rotation).reshape(3, 3), np.array(position)).homogeneous


def test_masses_and_poses_are_those_of_mujoco(file, robot):
    model = mujoco.MjModel.from_xml_path(str(file))
    data, ours = mujoco.MjData(model), robot.model.createData()
    own = [b for b in range(1, model.nbody) if model.body(b).name != "ball"]
    assert len(robot.joints) == 13 and robot.name == "biped"
    assert robot.mass == pytest.approx(model.body_mass[own].sum(), abs=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(10):
        q = np.array(robot.q0)
        for name in robot.joints:
            value = rng.uniform(-1, 1)
            data.qpos[model.joint(name).qposadr[0]] = value
            q[robot.model.joints[robot.model.getJointId(name)].idx_q] = value
        mujoco.mj_forward(model, data)
        pin.framesForwardKinematics(robot.model, ours, q)
        pairs = []
        for b in own:  # a link's frame is at its body's last joint
            last = model.body_jntadr[b] + model.body_jntnum[b] - 1
            hinged = model.body_jntnum[b] and b != own[0]
            there = pose(data.xmat[b], data.xpos[b])
            there[:3, 3] += there[:3, :3] @ (model.jnt_pos[last] if hinged else np.zeros(3))
            link = ours.oMf[robot.model.getBodyId(model.body(b).name)]
            pairs.append((link.homogeneous, there))
        moved = pairs[0][0] @ np.linalg.inv(pairs[0][1])
        for here, there in pairs:
            np.testing.assert_allclose(here, moved @ there, rtol=0, atol=1e-9)
        # the centre of mass holds the parts of each inertia together
        com = moved @ [*data.subtree_com[own[0]], 1.0]
        np.testing.assert_allclose(pin.centerOfMass(robot.model, ours, q), com[:3], atol=1e-9)


def test_the_mass_matrix_is_that_of_mujoco(file, robot):
    """M(q) of the joints, armature included, with the base held."""
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    whole = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, whole)
    q = np.array(robot.q0)
    for name in robot.joints:
        joint = robot.model.joints[robot.model.getJointId(name)]
        q[joint.idx_q] = model.qpos0[model.joint(name).qposadr[0]]
    M = pin.crba(robot.model, robot.model.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    here = [robot.model.joints[robot.model.getJointId(n)].idx_v for n in robot.joints]
    there = [model.joint(n).dofadr[0] for n in robot.joints]
    np.testing.assert_allclose(M[np.ix_(here, here)], whole[np.ix_(there, there)], atol=1e-9)


def test_limits_drives_feet_and_notes(robot):
    knee = robot.joint("left_knee")
    assert np.degrees([robot.lower[knee], robot.upper[knee]]) == pytest.approx([-5, 130])
    assert robot.torque[[knee, robot.joint("right_knee")]].tolist() == [100, 70]
    assert np.isinf(robot.torque[robot.joint("waist")])
    assert robot.armature.tolist() == [0.02] * 13
    # the mesh is turned: x, y, z of the file are y, x, -z of the foot
    np.testing.assert_allclose(2 * robot.left.half_size, [0.1, 0.2], atol=1e-6)
    told = " ".join(robot.warnings)
    assert "bodies apart from the robot are left out: ball" in told
    assert "a geom of kind ellipsoid on 'trunk' is left out" in told
    assert "bent knees that were found" in told  # the keyframe lies, and is no posture to stand in


def test_a_mesh_lies_where_mujoco_puts_it(file):
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = next(g for g in range(model.ngeom) if model.geom_dataid[g] >= 0)
    vertices = model.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    body = model.geom_bodyid[geom]
    vertices = (vertices - data.xpos[body]) @ data.xmat[body].reshape(3, 3)
    tree = read_urdf(file)
    shape = tree.find(f"./link[@name='{model.body(body).name}']/collision")
    xyz, rpy = ([float(v) for v in shape.find("origin").get(key).split()] for key in ("xyz", "rpy"))
    corners = CORNERS @ pin.rpy.rpyToMatrix(*rpy).T + xyz
    order = [np.lexsort(np.round(points, 6).T) for points in (vertices, corners)]
    np.testing.assert_allclose(vertices[order[0]], corners[order[1]], atol=1e-7)  # float32
    shank = tree.find("./link[@name='left_shank']/collision/origin").get("xyz").split()
    knee, geom = model.joint("left_knee"), model.body("left_shank").geomadr[0]
    middle = model.geom_pos[geom] - model.jnt_pos[knee.id]  # the link's frame is at the knee
    np.testing.assert_allclose([float(v) for v in shank], middle, atol=1e-12)
    foot = foot_of_urdf(file, "left_foot")
    assert -foot.link_to_sole[2, 3] == pytest.approx(-vertices[:, 2].min(), abs=1e-6)


def test_a_coupled_joint_is_a_mimic_joint(tmp_path):
    """q1 - r1 = a0 + a1 (q2 - r2), with r1 = 0.1 and r2 = 10 degrees; another form is told."""
    coupling = 'joint joint1="waist" joint2="left_hip_pitch" polycoef="0.1 0.2 {} 0 0"'
    text = BIPED.replace("<actuator>", f"<equality><{coupling}/></equality><actuator>")
    mimic = read_urdf(biped(tmp_path, text.format(0))).find("./joint[@name='waist']/mimic")
    assert (mimic.get("joint"), mimic.get("multiplier")) == ("left_hip_pitch", "0.2")
    assert float(mimic.get("offset")) == pytest.approx(0.1 + 0.1 - 0.2 * np.radians(10), abs=1e-12)
    tree = read_urdf(biped(tmp_path, text.format(1)))
    assert tree.find("./joint[@name='waist']/mimic") is None
    assert any("<equality> of joint 'waist'" in note.get("text") for note in tree.findall("note"))


def test_a_named_keyframe_is_the_posture(file, tmp_path):
    angles = "0.1 " + "0 0 0.1 0.6 -0.5 0 " * 2
    home = f"{BALL} 0 0 1 0.5 0.5 0.5 0.5 {angles}"
    bent = BIPED.replace(LYING, home).replace("lying", "home")
    robot = load_robot(biped(tmp_path, bent))
    knee = robot.model.joints[robot.model.getJointId("left_knee")].idx_q
    assert robot.q0[knee] == 0.6
    np.testing.assert_allclose(robot.q0[3:7], [0, 0, 0, 1], atol=1e-12)
    with pytest.raises(SoleError, match="no posture 'squat'; there are lying"):
        load_robot(file, posture="squat")


def test_a_posture_beside_it_keeps_its_rotors_and_an_export_is_the_same_robot(tmp_path, robot):
    path = biped(tmp_path)
    export_posture(robot, tmp_path / "biped.srdf")
    again = load_robot(path)
    np.testing.assert_allclose(again.q0, robot.q0, atol=1e-12)
    assert again.armature.tolist() == [0.02] * 13
    urdf, _ = export_urdf(robot, tmp_path / "copy.urdf")
    copy = load_robot(urdf)
    assert copy.mass == pytest.approx(robot.mass, abs=1e-12)
    data = [r.model.createData() for r in (robot, copy)]
    for one, held in zip((robot, copy), data, strict=True):
        pin.framesForwardKinematics(one.model, held, one.q0)
    here, there = (
        held.oMf[r.left.frame].homogeneous for r, held in zip((robot, copy), data, strict=True)
    )
    np.testing.assert_allclose(here, there, atol=1e-9)


STAND = """schema = "robot.scenario/1"
robot = "biped.xml"
duration = 0.02
settle = 0.02
sole = { size = 0.06, element = "p1" }
gait = { kind = "stand" }
"""


@pytest.mark.slow
def test_a_scenario_and_a_mesh_take_it(tmp_path, robot, monkeypatch, capsys):
    path, sole = biped(tmp_path), in_this_process(monkeypatch, capsys)
    (tmp_path / "stand.toml").write_text(STAND)
    code, out, err = sole("walk", str(tmp_path / "stand.toml"), "--json")
    assert code == 0, err
    assert json.loads(out)["robot"] == "biped"
    mesh = [str(path), "--link", "left_foot", "--size-tread", "0.03"]
    code, _, err = sole("mesh", "--urdf", *mesh, "-o", str(tmp_path / "foot.msh"))
    assert code == 0, err


def without(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without("parts/foot.stl"), "mesh 'foot': .*foot.stl: no such file"),
        (without("defaults.xml"), "MuJoCo cannot read it .*defaults.xml"),
        (("<freejoint/>\n", "<freejoint/><oops/>"), "MuJoCo cannot read it .*oops"),
        (("</actuator>", "</actuator><equality><connect body1='left_foot' body2='right_foot' "
          "anchor='0 0 0'/></equality>"), "'left_foot' and 'right_foot' to a loop"),
        (("<freejoint/>\n", "<freejoint/><body><joint name='neck' type='ball' range='0 9'/>"
          "<geom size='.1'/></body>"), "'neck' is a ball joint"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(tmp_path, monkeypatch, capsys, change, reason):
    if callable(change):
        path = biped(tmp_path)
        change(tmp_path)
    else:
        text = BIPED.replace(*change)
        path = biped(tmp_path, text)
    with pytest.raises(RobotError, match=reason):
        load_robot(path)
    code, _, err = in_this_process(monkeypatch, capsys)("robot", "info", str(path))
    assert code == 2 and len(err.strip().splitlines()) == 1 and err.startswith("error: ")


def test_without_the_extra_the_message_names_it(file, monkeypatch):
    monkeypatch.setattr("sole.base.extras.find_spec", lambda name: None)
    with pytest.raises(SoleError, match=r"compliant-sole\[mujoco\]"):
        load_robot(file)
