"""xacro: includes, arguments and packages; what leaves the folder or finds no end is refused."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import in_this_process

from robot.model import export_urdf, load_robot
from robot.model.urdf_source import RobotError
from sole.base.errors import ShapeError, SoleError
from sole.shape import foot_of_urdf, read_urdf

pytest.importorskip("xacrodoc")

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
KNOWN = "rengifo14"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a xacro of one link into a package, and returns its path."""

    def made(body, head="", name="bot.urdf.xacro"):
        folder = tmp_path / "bot_description" / "urdf"
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / "package.xml").write_text("<package><name>bot</name></package>")
        path = folder / name
        path.write_text(f'{head}<robot name="bot" {XACRO}>{body}<link name="base"/></robot>')
        return path

    return made


@pytest.fixture
def whole(write):
    """Return the xacro of a known robot: all but the trunk's mass in an included macro."""
    path = write("")
    urdf, _ = export_urdf(load_robot(KNOWN), path.with_name("known.urdf"))
    tree = ET.parse(urdf).getroot()
    parts = "".join(ET.tostring(part, encoding="unicode") for part in tree)
    mass = tree.find("link[@name='trunk']/inertial/mass").get("value")
    assert parts.count(f'value="{mass}"') == 1
    parts = parts.replace(f'value="{mass}"', 'value="${mass}"')
    macro = f'<xacro:macro name="bot" params="mass">{parts}</xacro:macro>'
    path.with_name("parts.xacro").write_text(f"<robot {XACRO}>{macro}</robot>")
    path.write_text(
        f'<robot name="bot" {XACRO}><xacro:include filename="$(find bot)/urdf/parts.xacro"/>'
        '<xacro:property name="half" value="$(arg half)"/><xacro:bot mass="${2 * half}"/></robot>'
    )
    urdf.unlink()
    urdf.with_suffix(".srdf").rename(path.with_name("bot.srdf"))
    return path, str(float(mass) / 2)


def test_a_xacro_is_its_urdf(whole):
    path, half = whole
    robot, known = load_robot(path, xacro_args=[f"half={half}"]), load_robot(KNOWN)
    assert robot.mass == pytest.approx(known.mass, abs=1e-9)
    assert robot.joints == known.joints
    assert (robot.q0 == known.q0).all()  # from the SRDF beside it
    foot = foot_of_urdf(path, "left_foot", arguments=[f"half={half}"])
    assert foot.shape.name == "left_foot"


def test_commands_take_its_arguments(whole, monkeypatch, capsys, tmp_path):
    path, half = whole
    sole = in_this_process(monkeypatch, capsys)
    code, out, _ = sole("robot", "info", str(path), "--json", "--xacro-arg", f"half={half}")
    assert code == 0 and '"mass": 43.0' in out
    out = str(tmp_path / "foot.msh")
    words = ["mesh", "--urdf", str(path), "--link", "left_foot", "--size-tread", "0.05", "-o", out]
    assert sole(*words, "--xacro-arg", f"half={half}")[0] == 0
    for command in (["robot", "info", str(path)], ["walk", "--robot", str(path)], words):
        code, _, err = sole(*command)
        assert code == 2
        assert (
            err.strip()
            .splitlines()[-1]
            .endswith("bot.urdf.xacro: argument 'half' has no value: --xacro-arg half=VALUE")
        )


def test_wrong_arguments_are_named(whole, tmp_path):
    path, half = whole
    with pytest.raises(RobotError, match="no argument 'hlaf'; there are half"):
        load_robot(path, xacro_args=[f"half={half}", "hlaf=1"])
    with pytest.raises(RobotError, match="expected NAME=VALUE"):
        load_robot(path, xacro_args=["half"])
    urdf, _ = export_urdf(load_robot(KNOWN), tmp_path / "known.urdf")
    with pytest.raises(RobotError, match=r"--xacro-arg is for a \.xacro only"):
        load_robot(urdf, xacro_args=["half=1"])


def test_packages_are_found_and_named(write, tmp_path):
    path = write('<xacro:include filename="$(find arms)/arm.xacro"/>')
    with pytest.raises(ShapeError, match="no package 'arms': --package arms=FOLDER"):
        read_urdf(path)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "arm.xacro").write_text(f'<robot {XACRO}><link name="arm${{1 + 1}}"/></robot>')
    names = [link.get("name") for link in read_urdf(path, [f"arms={folder}"]).findall("link")]
    assert names == ["arm2", "base"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path, write):
    urdf, _ = export_urdf(load_robot(KNOWN), tmp_path / "known.urdf")  # names no package
    with pytest.raises(RobotError, match="--package a=/nowhere: no such folder '/nowhere'"):
        load_robot(urdf, packages=["a=/nowhere"])
    with pytest.raises(ShapeError, match="--package /nowhere: no such folder"):
        foot_of_urdf(urdf, "left_foot", packages=["/nowhere"])


@pytest.mark.parametrize(
    "body",
    [
        '<xacro:include filename="../../secret.xacro"/>',
        '<xacro:include filename="{folder}/secret.xacro"/>',
        '<xacro:include filename="link.xacro"/>',
        '<xacro:property name="p" value="${{xacro.load_yaml(\'../../secret.xacro\')}}"/>${{p}}',
    ],
)
def test_files_outside_the_package_are_refused(write, tmp_path, body):
    secret = tmp_path / "secret.xacro"
    secret.write_text(f"<robot {XACRO}><link name='secret'/></robot>")
    path = write(body.format(folder=tmp_path))
    path.with_name("link.xacro").symlink_to(secret)
    with pytest.raises(ShapeError, match=r"xacro asks for .*secret\.xacro, outside the robot's"):
        read_urdf(path)


def bomb(depth):
    rows = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, depth))
    return f'<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY e0 "{"x" * 100}">{rows}]>'


@pytest.mark.parametrize(
    ("body", "head", "reason"),
    [
        ("<a>&e8;</a>", bomb(9), "amplification"),
        ('<a b="${10 ** 10 ** 9}"/>', "", "crashes on it, or takes over"),
        ("<a b=\"${'x' * 10 ** 10}\"/>", "", "not a readable xacro|crashes"),
        ('<a b="${().__class__}"/>', "", "not a readable xacro"),
        ('<a b="${open(1)}"/>', "", "not a readable xacro.*open"),
        ("<a", "", r"xacro:1: not a readable URDF"),
        ('<xacro:include filename="no.xacro"/>', "", "not a readable xacro.*no.xacro"),
    ],
)
def test_bombs_and_faults_end_soon_in_one_line(write, monkeypatch, body, head, reason):
    monkeypatch.setattr("sole.shape.xacro_file.SECONDS", 1)
    begun = time.process_time()
    with pytest.raises(ShapeError, match=reason) as caught:
        read_urdf(write(body, head))
    assert "\n" not in str(caught.value)
    assert time.process_time() - begun < 1.0  # the work is the child's


def test_a_pipe_is_not_waited_for(write, monkeypatch):
    import os

    monkeypatch.setattr("sole.shape.xacro_file.PATIENCE", 1)
    path = write('<xacro:include filename="pipe.xacro"/>')
    os.mkfifo(path.with_name("pipe.xacro"))
    with pytest.raises(ShapeError, match="crashes on it, or takes over"):
        read_urdf(path)


def test_a_module_beside_the_file_is_not_imported(write, monkeypatch):
    path = write('<a b="${1 + 1}"/>')
    Path(path.parent, "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(path.parent)
    assert read_urdf(path).find("a").get("b") == "2"


def test_without_the_extra_the_message_names_it(write, monkeypatch):
    monkeypatch.setattr("sole.base.extras.find_spec", lambda name: None)
    with pytest.raises(SoleError, match=r"compliant-sole\[xacro\]"):
        read_urdf(write(""))
