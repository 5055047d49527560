"""Ground files, arrays and images of heights, surfaces for pictures, and what is refused."""

from __future__ import annotations

import json
from math import radians

import numpy as np
import pytest
from PIL import Image
from press_cases import pad
from typer.testing import CliRunner

from contact.ground import (
    Box,
    Bump,
    CompositeGround,
    Gravel,
    HeightField,
    Plane,
    Slope,
    Stairs,
    Step,
    ground_from_header,
    load_ground,
    parse_ground,
    triangulate_surface,
)
from contact.ground.ground_file import INLINE, save_ground
from contact.ground.height_field import read_heights
from contact.ground.simple_grounds import Bar, known_kinds
from contact.press import Wrench, load_press, press, save_press
from sole.base.cli import app
from sole.base.errors import ConfigError
from sole.condense import save_condensed

rng = np.random.default_rng(2)
SMALL = HeightField(heights=rng.random((3, 5)), scale=0.1 / 3, x=1e-7, yaw=radians(30))
LARGE = HeightField(heights=rng.random((70, 80)), scale=0.01)
BOX = Box(length=0.05, width=0.05, rise=0.003, x=0.02, yaw=radians(30))
GROUNDS = [
    Plane(),
    Slope(angle=radians(1 / 3), heading=radians(1e-9)),
    Step(rise=0.1 + 0.2, x=-1e-17),
    Bump(rise=0.01, radius=2.0),
    Bar(rise=0.01, radius=0.02),
    Stairs(count=7, run=1 / 7),
    Gravel(count=11, seed=123456789),
    BOX,
    SMALL,
    LARGE,
    CompositeGround(parts=(Slope(angle=radians(3)), BOX, BOX, SMALL, LARGE, Gravel(count=3))),
]


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda g: g.kind)
def test_file_round_trip_is_exact(ground, tmp_path):
    assert LARGE.heights.size > INLINE > SMALL.heights.size
    save_ground(tmp_path / "ground.toml", ground)
    found = load_ground(tmp_path / "ground.toml")
    assert found == ground
    p = rng.uniform(-0.1, 0.1, (50, 3))
    np.testing.assert_array_equal(found.query(p).frames, ground.query(p).frames)
    assert parse_ground(str(tmp_path / "ground.toml")) == ground
    assert ground_from_header(json.loads(json.dumps(ground.header()))) == ground


def test_every_kind_is_in_the_round_trip():
    assert {g.kind for g in GROUNDS} == set(known_kinds())


def test_info_describes_a_ground(tmp_path):
    save_ground(tmp_path / "g.toml", CompositeGround(parts=(BOX, Stairs(count=2, rise=0.1))))
    done = CliRunner().invoke(app, ["info", str(tmp_path / "g.toml"), "--json"])
    report = json.loads(done.stdout)
    assert report["solids"] == 2 and report["highest"] == 0.2
    assert report["solid_1"].startswith("stairs:")


def write(folder, body):
    path = folder / "bad.toml"
    path.write_text('schema = "contact.ground/1"\n' + body)
    return path


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "solid"),
        ("solid = []", "at least one"),
        ("shape = 3\nsolid = []", "shape"),
        ('[[solid]]\nkind = "boks"', "solid.0: kind: 'boks'.*stairs"),
        ("[[solid]]\nrise = 0.1", "solid.0: kind: None"),
        ('[[solid]]\nkind = "scene"', "'scene'"),
        ('[[solid]]\nkind = "plane"\n[[solid]]\nkind = "box"\ncolour = 1', "solid.1: box: colour"),
        ('[[solid]]\nkind = "box"\nlength = 1\nwidth = 1', "solid.0: box: rise"),
        ('[[solid]]\nkind = "box"\nlength = 1\nwidth = -1\nrise = 1', "width.*got -1"),
        ('[[solid]]\nkind = "box"\nlength = "1"\nwidth = 1\nrise = 1', "box: length"),
        ('[[solid]]\nkind = "box"\nlength = nan\nwidth = 1\nrise = 1', "box: length"),
        ('[[solid]]\nkind = "stairs"\ncount = 2.5', "count"),
        ('[[solid]]\nkind = "stairs"\ncount = 0', "count must be 1 to"),
        ('[[solid]]\nkind = "gravel"\nseed = -1', "seed"),
        ('[[solid]]\nkind = "heightfield"\nscale = 0.1', "either 'file' or 'heights'"),
        ('[[solid]]\nkind = "heightfield"\nscale = 0.1\nfile = "no.png"', "no.png: no such file"),
        ('[[solid]]\nkind = "heightfield"\nscale = 0.1\nheights = []', "2 x 2"),
        ('[[solid]]\nkind = "heightfield"\nscale = 0.1\nheights = [[0, 1], [2]]', "equally long"),
        ('[[solid]]\nkind = "heightfield"\nscale = 0\nheights = [[0, 1], [2, 3]]', "scale.*got 0"),
        ('[[solid]]\nkind = "heightfield"\nscale = 1\nheights = [[0, 1], [2, nan]]', "heights"),
    ],
)
def test_bad_files_are_refused_with_their_key(body, words, tmp_path):
    with pytest.raises(ConfigError, match=words) as caught:
        load_ground(write(tmp_path, body))
    assert "bad.toml" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HeightField(heights=np.zeros((0, 3)), scale=1.0), "2 x 2"),
        (lambda: HeightField(heights=np.zeros(3), scale=1.0), "2 x 2"),
        (lambda: HeightField(heights=[[0, 1], [np.nan, 2]], scale=1.0), r"height \[1, 0\] is nan"),
        (lambda: HeightField(heights=[[0, 1], [2, 3e9]], scale=1.0), "at most"),
        (lambda: HeightField(heights=np.zeros((2, 2)), scale=-1.0), "scale"),
        (lambda: CompositeGround(parts=()), "at least one"),
        (lambda: CompositeGround(parts=(CompositeGround(parts=(BOX,)),)), "not other scenes"),
        (lambda: Stairs(count=2.0), "whole number"),
        (lambda: Stairs(width=-1.0), "width"),
        (lambda: Box(length=np.inf, width=1.0, rise=1.0), "length"),
        (lambda: Box(length=1.0, width=1.0, rise=1.0, yaw=np.nan), "yaw"),
        (lambda: parse_ground("scene"), ".toml"),
        (lambda: parse_ground("stairs:0.3,0.1,2.5"), "whole number"),
        (lambda: parse_ground("box:1,2"), "rise"),
        (lambda: parse_ground("heightfield:no.png,0.1"), "no.png: no such file"),
        (lambda: parse_ground("no.toml"), "no.toml: no such file"),
        (lambda: save_ground("ground.txt", BOX), ".toml"),
        (lambda: triangulate_surface(BOX.pieces, (0, 0, 0, 1), 0.1), "x0 < x1"),
        (lambda: triangulate_surface(BOX.pieces, (0, 1, 0, 1), 1e-6), "more than"),
    ],
)
def test_bad_grounds_are_refused(make, words):
    with pytest.raises(ConfigError, match=words):
        make()


def test_heights_from_arrays_and_images(tmp_path):
    grey = rng.integers(0, 256, (6, 9)).astype(np.uint8)
    deep = rng.integers(0, 65536, (6, 9)).astype(np.uint16)
    Image.fromarray(grey).save(tmp_path / "a.png")
    Image.fromarray(grey).save(tmp_path / "a.pgm")
    Image.fromarray(np.repeat(grey[..., None], 3, axis=2)).save(tmp_path / "rgb.png")
    Image.fromarray(deep).save(tmp_path / "deep.png")
    Image.fromarray(deep).save(tmp_path / "deep.pgm")
    np.save(tmp_path / "a.npy", grey)
    np.savetxt(tmp_path / "a.csv", grey, delimiter=",")
    for name in ("a.png", "a.pgm", "rgb.png"):
        np.testing.assert_allclose(read_heights(tmp_path / name, 0.1), grey / 255 * 0.1, atol=1e-16)
    for name in ("deep.png", "deep.pgm"):
        np.testing.assert_allclose(read_heights(tmp_path / name, 2), deep / 65535 * 2, atol=1e-15)
    for name in ("a.npy", "a.csv"):
        np.testing.assert_array_equal(read_heights(tmp_path / name), grey.astype(float))
    text = f"heightfield:{tmp_path / 'a.png'},0.01,0.1,yaw_deg=90"
    assert parse_ground(text) == HeightField(heights=grey / 255 * 0.1, scale=0.01, yaw=radians(90))
    body = '[[solid]]\nkind = "heightfield"\nfile = "a.png"\nscale = 0.01\nheight = 0.1'
    assert load_ground(write(tmp_path, body)) == HeightField(heights=grey / 255 * 0.1, scale=0.01)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.png", b"not a picture", "not a readable image"),
        ("a.pgm", b"P5 3", "not a readable image"),
        ("a.csv", b"1,2\n3,x\n", "not a readable array"),
        ("a.csv", b"1,2\n3\n", "not a readable array"),
        ("a.npy", b"\x93NUMPY", "not a readable array"),
        ("a.npy", b"", "is empty"),
        ("a.stl", b"solid", "an image"),
    ],
)
def test_files_that_are_not_heights(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=words) as caught:
        read_heights(tmp_path / name)
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_an_empty_table_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("\n")
    body = '[[solid]]\nkind = "heightfield"\nfile = "a.csv"\nscale = 0.01'
    with pytest.raises(ConfigError, match=r"solid.0: heightfield: .*2 x 2"):
        load_ground(write(tmp_path, body))


def test_the_picture_lies_as_seen_from_above(tmp_path):
    # Bright in the first row and last column: the ground is high at large x and large y.
    values = np.zeros((3, 4))
    values[0, 3] = 1.0
    field = HeightField(heights=values, scale=0.1)
    assert field.height(np.array([0.15]), np.array([0.1]))[0] == 1.0
    assert field.height(np.array([-0.15, 0.15]), np.array([0.1, -0.1])).max() == 0.0


def test_surface_lies_on_the_ground():
    scene = CompositeGround(
        parts=(Slope(angle=radians(5)), BOX, Bump(rise=0.01, radius=0.03, x=-0.05))
    )
    vertices, faces = triangulate_surface(scene.pieces, (-0.1, 0.1, -0.05, 0.05), 0.005)
    assert len(vertices) == 41 * 21 and len(faces) == 2 * 40 * 20
    np.testing.assert_allclose(scene.query(vertices).gap[:, 0], 0, atol=1e-14)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals[:, 2] > 0).all()
    assert normals[:, 2].sum() / 2 == pytest.approx(0.2 * 0.1, rel=1e-12)  # seen from above
    vertices, faces = triangulate_surface(
        SMALL.pieces, (-1, 1, -1, 1), 0.01
    )  # nothing beside a field
    assert 0 < len(vertices) < 300 and faces.max() < len(vertices)


PRESSED = {
    "box": BOX,
    "stairs": Stairs(run=0.05, rise=0.002, count=3, x=-0.05),
    "gravel": Gravel(count=12, rise=0.003, radius=0.01, length=0.2, width=0.12, seed=1),
    "scene": CompositeGround(parts=(BOX, Bump(rise=0.003, radius=0.02, x=-0.05))),
    "tilted": CompositeGround(
        parts=(Slope(angle=radians(2)), Box(length=0.05, width=0.05, rise=0.004))
    ),
    "flat field": HeightField(heights=np.zeros((4, 5)), scale=0.1),
}


@pytest.mark.parametrize("name", PRESSED)
def test_the_press_takes_them(name, tmp_path):
    result = press(pad(), Wrench.standing(300.0), PRESSED[name], 0.7)
    assert result.certificate.holds(1e-9)
    save_press(tmp_path / "p.npz", result)
    assert load_press(tmp_path / "p.npz").ground == PRESSED[name]


def test_equal_grounds_press_equally():
    # A box wider than the sole is a step; a flat field is the plane.
    load = Wrench.standing(300.0)
    step = press(pad(), load, Step(rise=0.004, x=0.013), 0.7)
    box = press(pad(), load, Box(length=1.0, width=1.0, rise=0.004, x=0.513), 0.7)
    np.testing.assert_allclose(box.forces, step.forces, atol=1e-7 * 300)
    flat = press(pad(), load, PRESSED["flat field"], 0.7)
    plane = press(pad(), load, Plane(), 0.7)
    np.testing.assert_allclose(flat.forces, plane.forces, atol=1e-7 * 300)


def test_the_press_refuses_what_it_cannot_take():
    with pytest.raises(ConfigError, match="at most 128 solids, this one has 201"):
        press(pad(), Wrench.standing(300.0), Gravel(count=200))
    aside = HeightField(heights=np.zeros((3, 3)), scale=0.1, x=5.0)
    with pytest.raises(ConfigError, match="no ground under the sole"):
        press(pad(), Wrench.standing(300.0), aside)


def test_the_command_takes_a_ground_file(tmp_path):
    save_condensed(tmp_path / "pad.npz", pad())
    save_ground(tmp_path / "ground.toml", PRESSED["scene"])
    arguments = ["press", str(tmp_path / "pad.npz"), "--force", "300", "--json"]
    arguments += ["--ground", str(tmp_path / "ground.toml"), "-o", str(tmp_path / "p.npz")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["ground"] == "scene of 1 box, 1 bump"
    assert load_press(tmp_path / "p.npz").ground == PRESSED["scene"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("box:0.1,0.05", r"'box:0.1,0.05': rise missing; box takes length \[m\].*yaw_deg \[deg\]"),
        (
            "heightfield:hill.png",
            r"scale missing; heightfield takes file, scale \[m\], height \[m\]",
        ),
        ("heightfield", "file, scale missing"),
        ("step:-0.01", "got -0.01 m: a step down at x = 0 m is step:0.01,0,angle_deg=180"),
        ("slope:angle_deg=0.2 rad", "'0.2 rad' is not a number"),
    ],
)
def test_what_is_missing_is_named_with_its_unit(text, words):
    with pytest.raises(ConfigError, match=words) as caught:
        parse_ground(text)
    assert "__init__" not in str(caught.value)


def test_a_wrong_value_is_not_blamed_on_a_key_called_file(tmp_path):
    with pytest.raises(ConfigError, match=r"solid\.0: step: ground 'step': rise must be positive"):
        load_ground(write(tmp_path, '[[solid]]\nkind = "step"\nrise = -0.01'))


def test_grounds_say_their_units_and_are_read_with_them():
    assert str(Slope(angle=radians(20))) == "slope:angle_deg=20,heading_deg=0"
    assert str(Stairs()).startswith("stairs:run=0.25 m,rise=0.1 m,count=3,")
    assert parse_ground("slope:angle_deg=20 deg") == Slope(angle=radians(20))
    assert parse_ground("box:0.1 m,0.05,0.002,yaw_deg=30 deg").yaw == radians(30)
