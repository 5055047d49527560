"""TOML at the edge: unknown keys, wrong types and wrong schemas are refused with their path."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from sole.base.archive import replacing, schema_of
from sole.base.config import STRICT, digest, load, read_toml
from sole.base.errors import ConfigError, MaterialError, SchemaError


@dataclass(frozen=True)
class Inner:
    __pydantic_config__ = STRICT
    depth: float

    def __post_init__(self) -> None:
        if self.depth < 0:
            raise MaterialError(f"depth must be positive, got {self.depth:g}")


@dataclass(frozen=True)
class Outer:
    __pydantic_config__ = STRICT
    name: str
    inner: Inner
    count: int = 1
    part: tuple[Inner, ...] = ()
    spare: Inner | None = None


def read(tmp_path: Path, text: str) -> Outer:
    path = tmp_path / "a.toml"
    path.write_text('schema = "test.outer/1"\n' + text)
    return load(path, Outer, "test.outer/1")


def test_reads_nested_data(tmp_path: Path) -> None:
    assert read(tmp_path, 'name = "a"\ninner = {depth = 1}') == Outer("a", Inner(1.0))
    assert schema_of(tmp_path / "a.toml") == "test.outer/1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'name = "a"\ninner = {depth = 1, widht = 2}',
            r"inner\.widht: unknown key, known are depth$",
        ),
        (
            'name = "a"\ninner = {depth = 1}\ncuont = 1',
            r"a\.toml: cuont: unknown key, known are name, inner, count, part, spare; did "
            r"you mean 'count'\?$",
        ),
        (
            'name = "a"\ninner = {depth = 1}\npart = [{depth = 1}, {dpeth = 1}]',
            r"a\.toml: part\.1\.dpeth: unknown key, known are depth; did you mean 'depth'\?$",
        ),
        (
            'name = "a"\ninner = {depth = 1}\nspare = {dpeth = 1}',
            r"a\.toml: spare\.dpeth: unknown key, known are depth; did you mean 'depth'\?$",
        ),
        ('name = "a"\ninner = {depth = "1"}', r"inner\.depth"),
        ('name = "a"\ninner = {depth = nan}', r"inner\.depth: .*finite"),
        ('name = "a"\ninner = {depth = -1}', "inner: depth must be positive, got -1"),
        ('name = "a"\ninner = {depth = 1}\ncount = true', "count"),
        ("name = 3", r"a\.toml"),
        ("name = ", "not a readable TOML"),
    ],
)
def test_refuses_with_path(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, text)


def test_what_is_no_text_is_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(ConfigError, match=r"a\.toml: not a readable TOML file \(it is not text\)"):
        load(tmp_path / "a.toml", Outer, "test.outer/1")
    with pytest.raises(ConfigError, match="is a folder, expected a file"):
        load(tmp_path, Outer, "test.outer/1")


def test_other_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('schema = "other/1"')
    with pytest.raises(ConfigError, match=r"schema is 'other/1', expected 'test\.outer/1'"):
        load(tmp_path / "a.toml", Outer, "test.outer/1")
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "b.toml", Outer, "test.outer/1")


def test_digest_is_stable_and_order_free() -> None:
    assert digest({"a": 1, "b": [1.5, "x"]}) == digest({"b": [1.5, "x"], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_schema_of_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00\x01")
    with pytest.raises(SchemaError, match="unknown kind of file"):
        schema_of(tmp_path / "a.bin")
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(SchemaError, match="no schema found"):
        schema_of(tmp_path / "a.npz")


def test_a_quantity_without_quotes_is_told_how_to_write_it(tmp_path: Path) -> None:
    path = tmp_path / "walk.toml"
    path.write_text("a = 1\ndt = 20 ms  # long\n")
    with pytest.raises(ConfigError, match='write dt = "20 ms", with quotes'):
        read_toml(path)
    path.write_text("a = = 1\n")
    with pytest.raises(ConfigError) as told:
        read_toml(path)
    assert "; write" not in str(told.value)
