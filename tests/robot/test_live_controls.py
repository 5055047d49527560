"""The controls of live pages in a browser: keys, names, scale, picture, the end of a run."""

from __future__ import annotations

from itertools import pairwise

import pytest
from browser import Browser, hit, needs_browser
from live_client import live

pytestmark = [needs_browser, pytest.mark.long]

SHOWN = "!!(window.player && player.frames > 2)"
WIDTHS = (400, 1280, 1920)
STAND = """schema = "robot.scenario/1"
robot = "rengifo14"
settle = 0.2
[sole]
size = 0.06
element = "p1"
[gait]
kind = "stand"
"""


@pytest.fixture(scope="module")
def browser():
    with Browser(1280, 800) as made:
        yield made


@pytest.fixture(scope="module")
def press(root, pad_file):
    with live(root, "press", pad_file) as (_, told):
        yield told["url"]


@pytest.fixture(scope="module")
def walk(root, tmp_path_factory):
    file = tmp_path_factory.mktemp("controls") / "stand.toml"
    file.write_text(STAND)
    with live(root, "walk", file) as (_, told):
        yield told["url"]


def widen(browser, width, height=800):
    browser.send(
        "Emulation.setDeviceMetricsOverride",
        width=width, height=height, deviceScaleFactor=1, mobile=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["press", pytest.param("walk", marks=pytest.mark.nightly)])
def test_nothing_overlaps_at_any_width(name, browser, request):
    browser.open(request.getfixturevalue(name), SHOWN)
    browser.run("player.news.say('a message '.repeat(30))")
    for width in WIDTHS:
        widen(browser, width)
        browser.wait("player.renderer.domElement.clientWidth == stage.clientWidth")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), width
        parts = browser.run(
            "['stage', 'news', 'legend', 'plots', 'bar'].map((id) => byId(id))"
            ".map((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom])"
        )
        assert all(low[0] >= high[1] - 1 for high, low in pairwise(parts))
        assert parts[0][1] - parts[0][0] > 250, (width, parts)
        outside = browser.run(
            "[...document.querySelectorAll('#bar *, #legend *')].filter((e) => {"
            " const b = e.getBoundingClientRect();"
            " return b.width && (b.right > innerWidth + 1 || b.left < -1); })"
            ".map((e) => e.outerHTML.slice(0, 80))"
        )
        assert outside == [], width
        inside = browser.run(
            "(() => { const s = said.getBoundingClientRect(), n = news.getBoundingClientRect();"
            " return s.bottom <= n.bottom + 1 && s.top >= n.top - 1; })()"
        )
        assert inside, width
    widen(browser, 1280)


@pytest.mark.parametrize("name", [pytest.param("press", marks=pytest.mark.nightly), "walk"])
def test_every_control_has_a_name_and_tab_reaches_it(name, browser, request):
    browser.open(request.getfixturevalue(name), SHOWN)
    tree = browser.send("Accessibility.getFullAXTree")["nodes"]
    kinds = ("slider", "button", "combobox", "checkbox")
    names = [
        (node["role"]["value"], node["name"]["value"])
        for node in tree
        if not node["ignored"] and node["role"]["value"] in kinds
    ]
    sliders = [label for kind, label in names if kind == "slider"]
    assert len(sliders) >= 7 and len(set(sliders)) == len(sliders)
    assert all(label.strip() for _, label in names), names
    controls = (
        "[...document.querySelectorAll('button, input, select')]"
        ".filter((e) => e.checkVisibility() && !e.disabled)"
    )
    browser.run("window.reached = new Set(); document.activeElement.blur()")
    count = browser.run(f"{controls}.length")
    for _ in range(count + 3):
        hit(browser, "Tab")
        browser.run("void reached.add(document.activeElement)")
    missed = browser.run(f"{controls}.filter((e) => !reached.has(e)).map((e) => e.outerHTML)")
    assert missed == []
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_space_pauses_and_never_repeats_the_last_button(browser, press):
    browser.open(press, SHOWN)
    for part in (
        "player.step_",
        "byId('speed')",
        "player.sliders.friction.box",
        "player.scale.box",
    ):
        browser.run(f"{part}.focus()")
        hit(browser, " ")
        browser.wait("player.state.paused == 1")
        hit(browser, " ")
        browser.wait("player.state.paused == 0")
    assert browser.run("player.scale.box.checked")
    assert browser.run("pace.textContent") == "real time"


def test_the_help_lists_the_keys_and_a_slider_obeys_the_arrows(browser, press):
    browser.open(press, SHOWN)
    hit(browser, "h")
    assert browser.run("help.open") and "pause or continue" in browser.run("help.textContent")
    hit(browser, "Escape")
    assert not browser.run("help.open")
    browser.run("player.sliders.friction.set(0.6); player.sliders.friction.box.focus()")
    hit(browser, "ArrowUp")
    assert browser.run("player.sliders.friction.value()") == pytest.approx(0.612)
    browser.wait("said.textContent.includes('mu = 0.612')")
    assert browser.errors == []


def test_a_page_opened_later_shows_speed_settings_and_past_curves(browser, press):
    browser.open(press, SHOWN)
    browser.run("player.send({do: 'set', friction: 0.3}); player.send({do: 'move', z: -1e-3})")
    hit(browser, ",")
    browser.wait("player.state.speed == 0.5 && player.plots[1].lines[0].values.at(-1) > 1")
    browser.wait("player.plots[0].lines[0].time.length > 8")
    hit(browser, " ")  # nothing new comes from now on
    browser.wait("player.state.paused == 1")
    before = browser.run("player.plots[1].lines[0].values.length")
    browser.open("about:blank", "!window.player")
    browser.open(press, "!!(window.player && player.frames > 0)")
    browser.wait(f"player.plots[1].lines[0].values.length >= {before - 1}")
    assert browser.run("player.sliders.friction.value()") == pytest.approx(0.3)
    assert browser.run("speed.value + player.pause.textContent") == ("0.5continue")
    hit(browser, " ")
    browser.run("player.send({do: 'speed', speed: 1})")
    browser.wait("pace.textContent == 'real time' && speed.value == '1'")


def test_a_picture_has_the_scene_the_plots_and_the_words(browser, press):
    browser.open(press, SHOWN)
    size, colours = browser.run(
        "(() => { const made = pictureOf(player), pen = made.getContext('2d');"
        " const count = (id) => { const b = byId(id).getBoundingClientRect();"
        "  const data = pen.getImageData(b.left, id == 'stage' ? 0 : at, b.width, b.height).data;"
        "  at += b.height; const found = new Set();"
        "  for (let n = 0; n < data.length; n += 4) found.add(data[n] + 256 * data[n + 1]);"
        "  return found.size; }; let at = 0;"
        " return [[made.width, made.height], ['stage', 'legend', 'plots'].map(count)]; })()"
    )
    assert size[0] == 1280 and size[1] > 500
    assert min(colours) > 10, colours


def test_the_scale_fits_what_is_shown_until_it_is_kept(browser, walk):
    browser.open(walk, SHOWN)
    largest = "Math.max(...player.runs[0].soles.flatMap((s) => Array.from(s.pressure))) / 1e3"
    browser.wait(f"player.scale.scale.most <= 3 * {largest}")  # it was made for one foot's load
    assert browser.run(f"player.scale.scale.most >= 0.5 * {largest}")
    assert "fits what is shown" in browser.run("legend.textContent")
    shown = browser.run("[player.scale.scale.most, player.scale.beyond.textContent]")
    assert shown[1] == f"magenta: above {shown[0]:g}"
    browser.run("player.scale.box.checked = false; player.scale.show(777, '')")
    count = browser.run("player.frames")
    browser.wait(f"player.frames > {count} + 4")
    assert browser.run("player.scale.scale.most") == 777


def test_the_hint_stays_until_the_first_pull_also_by_keys(browser, walk):
    browser.open(walk, SHOWN)
    assert browser.run("byId('lasting').textContent").startswith("Drag a link, a foot or a box")
    hit(browser, "p")
    browser.wait("player.state.pulling == 1")
    hit(browser, "ArrowRight")
    hit(browser, "ArrowRight")
    browser.wait("Math.hypot(...player.grip.subarray(6)) > 10")
    hit(browser, "p")
    browser.wait("player.state.pulling == 0")
    assert browser.run("byId('lasting').textContent") == ""


def test_after_a_fall_nothing_can_be_done_but_a_restart(browser, walk):
    browser.open(walk, SHOWN)
    browser.run("player.send({do: 'push', impulse: 150, heading_deg: 90})")
    browser.wait("player.state.over == 1 && byId('lasting').textContent.includes('fell at')")
    off = "[byId('controls'), player.pause, player.step_, speed].map((e) => e.disabled)"
    assert browser.run(off) == [True] * 4
    hit(browser, "p")
    hit(browser, " ")
    browser.open(walk, "!!(window.player && player.frames > 0)")  # a page that comes later
    browser.wait("byId('lasting').textContent.includes('fell at')")
    assert browser.run(off) == [True] * 4
    browser.run("news.querySelector('button').click()")
    browser.wait(
        "player.state.over == 0 && player.state.session == 1 && !byId('controls').disabled"
    )
    assert "fell" not in browser.run("byId('lasting').textContent")
    assert browser.errors == []


def test_a_deformation_beyond_the_linear_range_is_said_while_it_lasts(browser, walk):
    browser.open(walk, SHOWN)
    hit(browser, " ")
    browser.wait("player.state.paused == 1")
    assert "linear" not in browser.run("byId('lasting').textContent")
    browser.run(
        "(() => { const run = player.runs[0], thick = run.soles[0].tread.thickness;"
        " run.columns.node_displacement.values[2] = 0.31 * thick; player.sayAble(); })()"
    )
    said = browser.run("byId('lasting').textContent")
    assert said.startswith("Beyond the linear range") and "0.31" in said and "limit 0." in said
    browser.run(
        "player.runs[0].columns.node_displacement.values[2] = 0; player.warned.until = 0;"
        " player.sayAble()"
    )
    assert "linear" not in browser.run("byId('lasting').textContent")
    hit(browser, " ")


@pytest.mark.nightly
def test_a_page_whose_server_died_says_so_and_tries_again(root, pad_file):
    with live(root, "press", pad_file) as (process, told), Browser(900, 640) as page:
        page.open(told["url"], SHOWN)
        process.kill()
        page.wait("byId('lasting').textContent.includes('connection to the server is lost')")
        parts = "[byId('controls'), player.pause, player.restart, speed].map((e) => e.disabled)"
        assert page.run(parts) == [True] * 4
        page.run("news.querySelector('button').click()")
        page.wait("byId('lasting').textContent.startsWith('No server answers')")
