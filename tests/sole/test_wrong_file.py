"""Slips of the hand: a file for another command, a misspelt command, E in MPa, swapped sizes."""

import json

import pytest
from command_line import in_this_process

from sole.base.cli import plugins
from sole.base.file_kinds import file_kinds
from sole.base.wrong_file import advise
from sole.mesh import write_mesh

STUDY = """schema = "sole.study/2"
mesh = "pad.msh"
[[axis]]
quantity = "young"
range = [0.3, 30.0]
number = 3
[[axis]]
quantity = "poisson"
values = [0.3]
"""


@pytest.fixture
def sole(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys)


@pytest.fixture
def files(tmp_path, pad_file, box, monkeypatch):
    """A folder with a file of four kinds, as working folder."""
    (tmp_path / "pad.npz").write_bytes(pad_file.read_bytes())
    (tmp_path / "walk.toml").write_text('schema = "robot.scenario/1"\n')
    (tmp_path / "study.toml").write_text(STUDY)
    write_mesh(tmp_path / "pad.msh", box)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "kind", "command"),
    [
        (("condense", "pad.npz", "-o", "x.npz"), "condensed sole", "press"),
        (("condense", "pad.npz"), "condensed sole", "press"),  # -o is missing, too
        (("press", "walk.toml", "-o", "x.npz"), "scenario of a walk", "walk"),
        (("press", "pad.msh", "--force", "9"), "mesh", "condense"),
        (("walk", "study.toml"), "study", "study"),
        (("walk", "pad.npz"), "condensed sole", "press"),
        (("study", "walk.toml"), "scenario of a walk", "walk"),
        (("view", "walk.toml", "-o", "x.png"), "scenario of a walk", "walk"),
        (("live", "walk.toml"), "scenario of a walk", "live walk"),
        (("live", "press", "walk.toml"), "scenario of a walk", "walk"),
        (("live", "walk", "pad.npz"), "condensed sole", "live press"),
    ],
)
def test_a_file_for_another_command(sole, files, words, kind, command) -> None:
    code, out, err = sole(*words)
    assert (code, out) == (2, "")
    named = next(word for word in words if (files / word).is_file())
    assert err.startswith(f"error: {named} is ")
    assert kind in err
    assert f"`sole {command}`" in err
    assert err.count("\n") == 1
    assert not (files / "x.npz").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["press"],
        ["press", "pad.npz"],  # right
        ["press", "nowhere.npz"],
        ["press", "--ground", "walk.toml"],  # perhaps the value of an option
        ["doctor", "pad.npz"],  # takes no file
        ["sweep", "study.toml"],
    ],
)
def test_no_advice_without_reason(files, words) -> None:
    assert advise(words) == ""


def test_every_kind_of_file_is_known() -> None:
    """Whatever has a reader or a viewer has advice, and commands named there exist."""
    kinds = file_kinds()
    assert set(plugins("sole.readers")) | set(plugins("sole.viewers")) <= set(kinds)
    named = [kind.commands for kind in kinds.values()]
    first = {command.split()[0] for commands in named for command in commands}
    assert set(plugins("sole.commands")) >= first
    assert all("view" in kinds[schema].commands for schema in plugins("sole.viewers"))
    assert all("info" in kinds[schema].commands for schema in plugins("sole.readers"))


def test_a_misspelt_command(sole) -> None:
    code, _, err = sole("pres", "pad.npz")
    assert code == 2
    assert "there is no command 'pres': did you mean `sole press`?" in err
    code, _, err = sole("frobnicate")
    assert code == 2
    assert "known are mesh, condense" in err


def test_the_version(sole) -> None:
    from sole import __version__

    code, out, _ = sole("--version")
    assert (code, out) == (0, f"compliant-sole {__version__}\n")


def test_a_modulus_in_MPa_is_doubted_by_a_study(sole, files) -> None:
    """The smallest E of the axis counts; E from 1e6 Pa raises no doubt."""
    code, out, _ = sole("study", "study.toml", "--dry-run", "--json")
    assert code == 0
    (doubt,) = json.loads(out)["warnings"]
    assert "E = 0.3 Pa: Young's modulus is in Pa" in doubt
    (files / "study.toml").write_text(STUDY.replace("0.3, 30.0", "0.3e6, 30e6"))
    code, out, _ = sole("study", "study.toml", "--dry-run", "--json")
    assert (code, json.loads(out)["warnings"]) == (0, [])


def test_swapped_sizes_of_a_box_are_asked_about(sole, files) -> None:
    words = ("--size-tread", "0.05", "--size-bond", "0.05", "-o", "b.msh", "--json")
    code, out, _ = sole("mesh", "--box", "0.24", "0.02", "0.14", *words)
    assert code == 0
    assert any("did you mean --box 0.24 0.14 0.02?" in w for w in json.loads(out)["warnings"])
    code, out, _ = sole("mesh", "--box", "0.12", "0.2", "0.02", *words)
    assert not any("did you mean" in w for w in json.loads(out)["warnings"])


@pytest.mark.parametrize(("young", "doubts"), [("3", 1), ("3e6", 0)])
def test_a_modulus_in_MPa_is_doubted_before_a_walk(sole, young, doubts) -> None:
    """On standard error at once, and in the report."""
    words = ("walk", "--kind", "stand", "--young", young, "--duration", "0.002")
    _, out, err = sole(*words)
    assert err.count("Young's modulus is in Pa") == doubts
    assert out.count("Young's modulus is in Pa") == doubts
    if doubts:
        assert err.startswith("warning: layer 'pad' has E = 3 Pa")


def test_a_word_too_long_for_a_file_name_is_no_traceback(sole) -> None:
    code, out, err = sole("contact", "cone", "--wrench", "1", "9" * 5000, "2")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
