"""`sole live press`: a foot moved over the ground, against `press` and closed forms; its page."""

from __future__ import annotations

import json
import re
import signal

import numpy as np
import pytest
from browser import Browser, needs_browser
from live_client import Client, live, mouse
from live_loop import looped, shown

from contact.press import load_press
from robot.live import hands_on_press
from robot.live.hands_on_press import HandsOnPress
from robot.pictures.browser import unpack
from sole.base.errors import SoleError
from sole.condense import condense, load_condensed, save_condensed
from sole.mesh import mesh_shape
from sole.shape import preset


@pytest.fixture(scope="module")
def sole(pad_file):
    return load_condensed(pad_file)


def settled(hands, most=600):
    """Advance until the foot stands and the force too."""
    for _ in range(most):
        before, force = hands.motion.copy(), hands.wrench.copy()
        hands.advance()
        assert not hands.over, hands.trouble
        still = np.allclose(before, hands.motion, rtol=0, atol=2e-10)  # m, and 1e-4 N
        if still and np.allclose(force, hands.wrench, rtol=0, atol=1e-4):
            break
    return hands


def test_a_foot_sunk_straight_is_a_press(sole):
    hands = HandsOnPress(sole, friction=0.7)
    hands.obey({"do": "move", "z": -2e-4})
    settled(hands)
    hands.at_rest()
    # the same increment but for the path of friction: straight down nothing else slides
    assert hands.wrench[2] == pytest.approx(hands.rest.wrench[2], rel=2e-2)
    assert hands.motion[2] == pytest.approx(-2e-4, abs=1e-12)


def test_force_control_reaches_its_wrench(sole):
    hands = HandsOnPress(sole)
    hands.obey({"do": "force", "force": 300.0, "cop_x": 0.02, "cop_y": -0.01})
    settled(hands, 900)
    np.testing.assert_allclose(hands.wrench[[2, 3, 4]], [300.0, -3.0, -6.0], rtol=1e-4)
    hands.at_rest()
    np.testing.assert_allclose(hands.rest.wrench[2:5], [300.0, -3.0, -6.0], rtol=1e-6)


def test_shear_is_the_stiffness_while_it_sticks_and_coulomb_when_it_slips(sole):
    hands = HandsOnPress(sole, friction=0.5)
    hands.obey({"do": "force", "force": 300.0, "cop_x": 0.0, "cop_y": 0.0})
    settled(hands, 900)
    before = hands.wrench[0]
    hands.obey({"do": "move", "x": 1e-6})
    settled(hands, 900)
    stuck = hands.wrench[0] - before
    K = sole.foot_stiffness  # force control keeps fz, tx, ty: the other rows are free
    free, held = [0, 1, 5], [2, 3, 4]
    softened = K[np.ix_(free, free)] - K[np.ix_(free, held)] @ np.linalg.solve(
        K[np.ix_(held, held)], K[np.ix_(held, free)]
    )
    assert stuck == pytest.approx(-1e-6 * softened[0, 0], rel=0.02)
    hands.obey({"do": "move", "x": 0.02})
    settled(hands, 900)
    shear = np.hypot(*hands.wrench[:2])  # the last, shorter period sticks at some nodes
    assert 0.99 * 0.5 * hands.wrench[2] < shear <= 0.5 * hands.wrench[2] * (1 + 1e-6)


def test_a_softer_sole_is_sunk_deeper_by_the_same_force(sole):
    depth = []
    hands = HandsOnPress(sole)
    young = sole.materials[0].young_modulus
    for factor in (1.0, 0.5):
        hands.obey({"do": "set", "young": factor * young})
        hands.obey({"do": "force", "force": 300.0, "cop_x": 0.0, "cop_y": 0.0})
        settled(hands, 900)
        depth.append(-hands.motion[2])
    assert depth[1] == pytest.approx(2 * depth[0], rel=1e-2)  # linear, all nodes stick


@pytest.fixture(scope="module")
def layered():
    """A tread of 1 MPa under a midsole of 3 MPa."""
    return condense(mesh_shape(preset("hrp2kai"), 0.05, 0.05), element="p1")


def test_the_slider_of_a_sole_whose_layers_differ_is_the_stiffness_factor(sole, layered):
    hands = HandsOnPress(layered)
    first = hands.settings()
    assert first["stiffness_factor"] == 1.0 and "young" not in first
    with looped(hands) as (do, said):
        do({"do": "set", "stiffness_factor": 0.5})
        assert shown(said, first)["stiffness_factor"] == 0.5
        assert "stiffness factor 0.5" in said.of("say")
        assert [m.young_modulus for m in hands.sole.materials] == pytest.approx([0.5e6, 1.5e6])
        do({"do": "set", "young": 1e6})
        assert any("of different E: set stiffness_factor" in text for text in said.of("say"))
        do({"do": "restart"})
        assert shown(said, first) == first
    with pytest.raises(SoleError, match="of one E: set young"):
        HandsOnPress(sole).obey({"do": "set", "stiffness_factor": 0.5})


def test_the_header_of_the_page_has_e_or_the_factor(sole, layered):
    pages = [HandsOnPress(s) for s in (sole, layered)]
    for hands in pages:
        hands.advance()
    texts = (re.search(r'id="data">([^<]*)<', hands.page().text) for hands in pages)
    one, several = (unpack(found[1])[0] for found in texts)
    assert one["young"] == 1e6 and "stiffness_factor" not in one
    assert several["stiffness_factor"] == 1.0 and "young" not in several


@pytest.mark.nightly
@needs_browser
@pytest.mark.parametrize(
    "name, label, value",
    [
        ("sole", "E", "1 MPa"),
        pytest.param("layered", "stiffness factor", "1", marks=pytest.mark.nightly),
    ],
)
def test_the_page_names_its_slider(name, label, value, root, tmp_path, request):
    save_condensed(tmp_path / "sole.npz", request.getfixturevalue(name))
    with live(root, "press", tmp_path / "sole.npz") as (_, told), Browser(900, 640) as browser:
        browser.open(told["url"], "!!(window.player && player.sliders && player.frames > 2)")
        shown = "Object.values(player.sliders)[0].box.parentElement.querySelector"
        assert browser.run(f"{shown}('b').textContent") == label
        assert browser.run(f"{shown}('output').textContent") == value
        move = "(() => { const { box } = Object.values(player.sliders)[0];"
        browser.run(f"{move} box.value = 0.25; box.oninput(); box.onchange(); }})()")
        browser.wait("said.textContent.includes('%s')" % ("E = " if label == "E" else label))
        assert browser.errors == []


@pytest.mark.parametrize(
    "message, said",
    [
        ({"do": "dance"}, "not known"),
        ({"do": "move", "x": float("nan")}, "finite"),
        ({"do": "move", "roll_deg": 90.0}, "-20 to 20"),
        ({"do": "force", "force": -5.0, "cop_x": 0, "cop_y": 0}, "1 to 5000"),
        ({"do": "set", "young": 0.0}, "young must be"),
        ({"do": "set", "ground": "moon"}, "moon"),
        ({"do": "set", "ground": "/etc/passwd.toml"}, "--ground"),
        ({"do": "set", "ground": " heightfield:/etc/passwd,0.01,0.01"}, "--ground"),
        ({"do": "set", "young": 1e5, "friction": 9.0}, "friction must be"),
        ({"do": "set", "ground": "gravel:101"}, "at most 100 stones or steps, got 101"),
        ({"do": "set", "ground": "gravel:count=100000"}, "at most 100 stones"),
        ({"do": "set", "ground": "stairs:0.01,0.001,5000"}, "at most 100 stones"),
        ({"do": "move", "x": 10**310}, "-0.2 to 0.2, got 1000"),
        ({"do": "force", "force": -(10**310), "cop_x": 0, "cop_y": 0}, "1 to 5000, got -1000"),
        ({"do": "rest"}, "above the ground"),
    ],
)
def test_what_is_refused_changes_nothing(sole, message, said):
    hands = HandsOnPress(sole)
    hands.advance()
    with pytest.raises(SoleError, match=said):
        hands.obey(message)
    hands.advance()
    assert not hands.over and hands.ground_text == "plane"
    assert hands.sole is hands.first_sole and hands.friction == hands.given[1]


def test_pages_show_the_e_and_ground_that_the_model_has(sole):
    """After a lift, which begins anew with the first ones, and after what was refused."""
    hands = HandsOnPress(sole, friction=0.6)
    first = hands.settings()
    assert first["ground"] == "plane" and first["friction"] == 0.6
    with looped(hands) as (do, said):
        do({"do": "set", "young": 4e5, "friction": 0.2})
        do({"do": "set", "ground": "step:0.005"})
        changed = shown(said, first)
        assert changed["young"] == pytest.approx(4e5)
        assert (changed["friction"], changed["ground"]) == (0.2, "step:0.005")
        do({"do": "restart"})
        assert hands.sole is hands.first_sole
        assert shown(said, first) == first == hands.settings()
        heights = [told["ground"]["height"] for told in said.of("tell") if "ground" in told]
        assert np.ptp(heights[0]) > 4e-3 and np.ptp(heights[1]) == 0.0
        said.sent.clear()
        do({"do": "set", "young": 1.0})
        assert any("not done: young must be" in text for text in said.of("say"))
        assert shown(said, first | {"young": 1.0}) == first


def test_pages_are_told_once_that_a_sole_is_beyond_linear_elasticity(sole):
    hands = HandsOnPress(sole)
    with looped(hands) as (do, said):
        do({"do": "move", "z": -0.06 * sole.thickness}, 60)
        assert hands.excess() == "" and not said.of("say")
        do({"do": "move", "z": -0.29 * sole.thickness}, 60)
        do({"do": "move", "x": 1e-6}, 2)
        (told,) = said.of("say")
        assert told.startswith("the soles are beyond linear elasticity (deformation 0.")
        assert hands.excess() in told


def test_a_sole_of_many_nodes_is_not_changed_on_the_page(sole, monkeypatch):
    monkeypatch.setattr(hands_on_press, "MOST_NODES", 3)
    hands = HandsOnPress(sole)
    for message in ({"do": "rest"}, {"do": "set", "young": 1e6}):
        with pytest.raises(SoleError, match="at most 3 nodes, here are "):
            hands.obey(message)


def test_a_foot_never_sinks_beyond_linear_elasticity_nor_faster_than_a_hand(sole):
    hands = HandsOnPress(sole)
    hands.obey({"do": "move", "z": -0.2, "x": 0.2})
    way = []
    for _ in range(60):
        before = hands.motion.copy()
        hands.advance()
        way.append(np.abs(hands.motion - before)[:3].max())
    assert max(way) <= 0.1 / 60 + 1e-12
    assert hands.motion[2] >= -0.3 * sole.thickness - 1e-12


def test_the_session_presses_and_keeps_the_state(root, pad_file, tmp_path):
    out = tmp_path / "press.npz"
    with live(root, "press", pad_file, "-o", out) as (process, told):
        one = Client(told["url"])
        one.send(do="force", force=250.0, cop_x=0.01, cop_y=0.0)
        one.until(lambda f: abs(f[-1 - one.nodes(pad_file) - 12 + 8] - 250) < 1)
        one.send(do="rest")  # beside the numbers of now, until something moves
        one.hears("'rest': {'wrench'")
        rest = next(said["rest"] for said in one.said if "rest" in said)
        assert rest["wrench"][2] == pytest.approx(250.0, rel=1e-6) and sum(rest["nodes"]) > 4
        one.send(do="move", x=1e-5)
        one.hears("'rest': None")
        two = Client(told["url"])
        two.hears("'rest': None")
        assert not any("wrench" in str(said) for said in two.said)  # what holds no longer
        for client in (one, two):
            client.open_things.close()
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
        assert json.loads(text.splitlines()[-1])["runs"][0]["output"] == str(out)
    assert load_press(out).wrench[2] == pytest.approx(250.0, rel=1e-6)


@pytest.mark.nightly
@needs_browser
def test_the_page_drags_the_foot_by_its_gizmo(root, pad_file):
    with live(root, "press", pad_file) as (_, told), Browser(900, 640) as browser:
        browser.open(told["url"], "!!(window.player && player.gizmo && player.frames > 2)")
        x, y = browser.run(
            "(() => { const box = player.panels[0].view.getBoundingClientRect();"
            " const eye = player.camera; eye.aspect = box.width / box.height;"
            " eye.updateProjectionMatrix(); eye.updateMatrixWorld();"
            " const p = player.gizmo.children[1].getWorldPosition(new THREE.Vector3());"
            " p.project(eye);"
            " return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];"
            "})()"
        )
        mouse(browser, "mousePressed", x, y)
        assert browser.run("player.held.handle.name") == "x"
        mouse(browser, "mouseMoved", x + 20, y + 5)
        browser.wait("player.motion[0] > 5e-3")
        mouse(browser, "mouseReleased", x + 20, y + 5)
        assert "normal force" in browser.run("beside.textContent")
        browser.run("player.choice.value = 'step:0.005'; player.choice.onchange()")
        browser.wait("said.textContent.includes('ground: step:0.005')")
        browser.wait("player.runs[0].ground.geometry.attributes.position.count > 600")
        assert browser.errors == []
