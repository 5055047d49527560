"""Options read without pydantic have the values, and the refusals, that typer gives them."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from test_lazy_imports import loaded_by

from sole.base.plain_values import read_plainly
from sole.base.units import in_unit

KINDS: dict[str, Any] = {
    "text": Annotated[str, typer.Option("--it")],
    "path": Annotated[Path | None, typer.Option("--it")],
    "folder": Annotated[Path | None, typer.Option("--it", file_okay=False)],
    "integer": Annotated[int, typer.Option("--it")],
    "bounded": Annotated[int, typer.Option("--it", min=0, max=3)],
    "decimal": Annotated[float | None, typer.Option("--it")],
    "two": Annotated[tuple[float, float] | None, typer.Option("--it")],
    "lengths": Annotated[tuple[float, float] | None, typer.Option("--it", parser=in_unit("m"))],
    "paths": Annotated[list[Path] | None, typer.Option("--it")],
    "integers": Annotated[list[int] | None, typer.Option("--it")],
    "bool": Annotated[bool, typer.Option("--it/--not")],
}
DEFAULTS: dict[str, Any] = {"text": "a", "integer": 4, "bounded": 2, "bool": False}


def command_of(kind: str, *, plainly: bool) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    default = DEFAULTS.get(kind)

    def show(it: Any = default) -> None:
        print(repr(it))

    show.__annotations__ = {"it": KINDS[kind], "return": None}
    app.command()(show)
    command = typer.main.get_command(app)
    if plainly:
        read_plainly(command)
    return command


def outcome(kind: str, words: list[str], *, plainly: bool) -> tuple[int, str]:
    command = command_of(kind, plainly=plainly)
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            command(words, standalone_mode=True)
        except SystemExit as end:
            return int(str(end.code)), told.getvalue()
    raise AssertionError


words_of_numbers = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.from_regex(r"[-+]?[0-9_]{0,4}\.?[0-9]{0,3}(e[-+]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["1 mm", "2cm", "3 N", "nan", "inf", "1_0", " 1", "١", "", "true", "."]),
    st.text(max_size=5),
)


@given(kind=st.sampled_from(sorted(KINDS)), words=st.lists(words_of_numbers, max_size=3))
def test_values_and_refusals_are_those_of_typer(kind, words):
    given_words = ["--it", *words]
    assert outcome(kind, given_words, plainly=True) == outcome(kind, given_words, plainly=False)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize(
    "words", ["7", "-1", "+3", "1.5", "1e-3", "٣", "1_0", "true", "0.1 0.2", "1mm 2cm", "1 s"]
)
def test_single_and_double_words_too(kind, words):
    given_words = ["--it", *words.split()]
    assert outcome(kind, given_words, plainly=True) == outcome(kind, given_words, plainly=False)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_defaults_are_those_of_typer(kind):
    assert outcome(kind, [], plainly=True) == outcome(kind, [], plainly=False)


def test_files_and_folders_are_told_apart_as_by_typer(tmp_path):
    file = tmp_path / "file"
    file.touch()
    for kind in ("path", "folder", "paths"):
        for path in (file, tmp_path, tmp_path / "none"):
            words = ["--it", str(path)]
            assert outcome(kind, words, plainly=True) == outcome(kind, words, plainly=False)


@pytest.mark.parametrize(
    "call",
    ["press none.npz -o a.npz --force 570", "view none.npz", "contact solve none.hdf5 -o a.npz",
     "walk none.toml", "sweep none.msh --young 1e5:1e8:3 --poisson 0.4 -o a.nc"],
)  # fmt: skip
def test_right_options_load_no_pydantic(call):
    run = (
        "from sole.base.cli import main\n"
        f"sys.argv = ['sole', *{call.split()!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 2\n"
    )
    assert "typer" in loaded_by(run) and "pydantic" not in loaded_by(run)
