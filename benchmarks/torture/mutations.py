"""Ways to break a file or the words of a call; every choice comes from one random generator."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.archive import content_digest

Random = np.random.Generator
NUMBERS = (
    "nan", "inf", "-inf", "0", "-0.0", "-1", "1e300", "-1e300", "1e-300", "1e999", "5e-324",
    "9" * 30, "9" * 5000, "0.5", "2147483648", "18446744073709551616", "1e6", "3.7", "",
)  # fmt: skip
WORDS = (
    "", " ", "x", "äß漢", "-", "--", ",", ":", "::", "1:2", "1:2:3:4", "1e5:1e6:0", "1e5:1e6:-3",
    "1e5:1e6:99999999999", "1e5:1e6:2.5", "a" * 300, "../" * 200, "nan:nan:3", "inf,1", "1,2,3,4",
    "[]", "{a = 1}", "[[[[", "true", "[" * 20000, "\x1b[31m", "%s%n", "absent.toml", ".", "/",
 "loop", "folder", "dangling", "sole=1e6,0.3", "sole=x", "k_z_z", "k<=", "<=1",
    "young<=nan", "slope:angle_deg=91", "slope:angle_deg=nan", "step:1e300", "bump:0,0",
    "stairs:0,0,0", "stairs:0.1,0.1,1e9,x=0", "box:-1,0,1", "heightfield:absent.csv,0,0",
    "gravel", "gravel:", "sink=nan", "sink=1e300", "roll_deg=1e9", "auto", "p9",
    "press.x=[[", "press.seed=1e9", "stiffness.mass=nan", "tcp://", "tcp://127.0.0.1:1",
    "max:k_z_z", "3MPa", "1e400MPa", "nanmm", "-5mm", "3 MPa", "5kg", "0x10mm", "1_0mm",
    "sole.nu=0.6", "x.E=1",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e300, 1e-300, 0.5, 10**40, "", "x", "a" * 300, [], {}, [[]], [1, 2, 3],
    {"a": 1}, [None], "nan", 2**31, -(2**63), [[1e300] * 3] * 3,
)  # fmt: skip
TYPES = ("[]", "{a = 1}", "[" * 20000, "true", "1979-05-27", "9" * 5000, "[[1]]", '""')
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n"
DEEP = "[" * 20000 + "]" * 20000


def pick(rng: Random, items: Sequence[Any]) -> Any:
    """Return one of the items."""
    return items[int(rng.integers(len(items)))]


def mutate_bytes(rng: Random, data: bytes) -> bytes:
    """Flip bits, cut, repeat, insert or overwrite a few times, or replace everything."""
    if rng.random() < 0.08:
        return pick(
            rng, (b"", b"\0", b"\n", b"PK\3\4", b"\x89HDF\r\n\x1a\n", b"\xff" * 999, b"[" * 99999)
        )
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        n = len(out)
        at, more = int(rng.integers(n + 1)), int(rng.integers(1, 64))
        way = rng.integers(6)
        if way == 0 and n:
            out[min(at, n - 1)] ^= 1 << int(rng.integers(8))
        elif way == 1:
            del out[at:]
        elif way == 2:
            del out[at : at + more]
        elif way == 3:
            out[at:at] = out[at : at + more]
        elif way == 4:
            out[at:at] = rng.bytes(more)
        else:
            out[at : at + more] = rng.bytes(more)
    return bytes(out)


def mutate_text(rng: Random, data: bytes) -> bytes:
    """Replace numbers, words or lines of a text by hostile ones."""
    text = data.decode(errors="replace")
    for _ in range(int(rng.integers(1, 4))):
        way = rng.integers(6)
        found = list(re.finditer(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?" if way < 3 else r"\w+", text))
        lines = text.splitlines(keepends=True)
        if way in (0, 1, 2, 3) and found:
            m = pick(rng, found)
            new = pick(rng, NUMBERS if way < 3 else WORDS)
            text = text[: m.start()] + new + text[m.end() :]
        elif way == 4 and lines:
            k = int(rng.integers(len(lines)))
            lines[k : k + 1] = pick(rng, ([], [lines[k]] * 2, [lines[k][: len(lines[k]) // 2]]))
            text = "".join(lines)
        elif found:  # a value of another type, or deep nesting, after an equals sign
            text = (
                re.sub(
                    r"= .*",
                    lambda m: "= " + pick(rng, TYPES),
                    text,
                    count=int(rng.integers(1, 3)),
                )
                if rng.random() < 0.5
                else text + pick(rng, ("x = " + DEEP, "[[[", "\n[a.b.c]\nd = 1\n"))
            )
    return text.encode(errors="replace")


def mutate_json(rng: Random, tree: Any) -> Any:
    """Return a JSON tree with one value replaced, removed or added somewhere."""
    if isinstance(tree, dict) and tree and rng.random() < 0.85:
        key = pick(rng, list(tree))
        if rng.random() < 0.15:
            return {k: v for k, v in tree.items() if k != key}
        return {**tree, key: mutate_json(rng, tree[key])}
    if isinstance(tree, list) and tree and rng.random() < 0.7:
        k = int(rng.integers(len(tree)))
        return [*tree[:k], mutate_json(rng, tree[k]), *tree[k + 1 :]]
    return pick(rng, VALUES)


def mutate_array(rng: Random, a: np.ndarray) -> np.ndarray:
    """Return an array with hostile values, another type or another shape."""
    way = rng.integers(9)
    if way < 4 and a.dtype.kind in "fiu":
        b = a.astype(float) if a.dtype.kind == "f" or rng.random() < 0.5 else a.copy()
        value = pick(rng, (np.nan, np.inf, 0.0, 1e300, -1.0, 1e-300, 1e9))
        if b.dtype.kind != "f":
            value = pick(rng, (0, -1, 10**6, 2**31 - 1, 2**15))
            b = b.astype(np.int64)
        if rng.random() < 0.5 and b.size:
            b.flat[int(rng.integers(b.size))] = value
        else:
            b[...] = value
        return b
    if way == 4:
        return a.astype(complex) if a.dtype.kind in "fiu" else np.zeros(3)
    if way == 5:
        return np.array(["text"] * a.size).reshape(a.shape) if a.size < 10**4 else np.array("x")
    if way == 6:
        return a[:0] if a.ndim else np.zeros(0)
    if way == 7:
        return a.ravel()
    return pick(
        rng,
        (
            np.zeros((0, 3)),
            np.array(1.0),
            a[..., None],
            a.astype(np.float32) if a.dtype.kind in "fiu" else a,
            np.zeros(a.shape, bool),
        ),
    )


def mutate_npz(rng: Random, data: bytes) -> bytes:
    """Change arrays or the header of one of our archives; mostly with a digest that fits."""
    with np.load(io.BytesIO(data)) as content:
        arrays = {name: content[name] for name in content.files}
    header = json.loads(str(arrays.pop("header")))
    for _ in range(int(rng.integers(1, 3))):
        name = pick(rng, sorted(arrays)) if arrays else ""
        if rng.random() < 0.4 or not name:
            header = mutate_json(rng, header)
            if not isinstance(header, dict):
                break
        elif rng.random() < 0.1:
            del arrays[name]
        else:
            arrays[name] = mutate_array(rng, arrays[name])
    if isinstance(header, dict) and rng.random() < 0.95:
        header["content"] = content_digest(arrays)
    text = json.dumps(header) if rng.random() < 0.95 else DEEP
    out = io.BytesIO()
    save = np.savez_compressed if rng.random() < 0.1 else np.savez
    save(out, header=np.array(text), **arrays)
    return out.getvalue()


def bomb_npz(rng: Random, data: bytes) -> bytes:
    """Return a small archive whose header declares far more than it holds."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            for name in old.namelist()[: int(rng.integers(1, 4))]:
                z.writestr(name, old.read(name))
        head = io.BytesIO()
        n = int(pick(rng, (10**8, 10**12, 10**18)))
        np.lib.format.write_array_header_1_0(
            head, {"descr": "<f8", "fortran_order": False, "shape": (n,)}
        )
        with z.open("stiffness.npy", "w") as stream:
            stream.write(head.getvalue())
            for _ in range(40):
                stream.write(bytes(1 << 20))
    return out.getvalue()


def mutate_hdf5(rng: Random, path: Path) -> None:
    """Change attributes or datasets of an HDF5 file in place; mostly without its digest."""
    import h5py

    with h5py.File(path, "r+") as f:
        if rng.random() < 0.9:
            for name in ("content", "sealed"):
                f.attrs.pop(name, None)
        names: list[str] = []
        f.visit(names.append)
        for _ in range(int(rng.integers(1, 3))):
            place = f if not names or rng.random() < 0.25 else f.get(pick(rng, names), f)
            if len(place.attrs) and rng.random() < 0.4:
                _mutate_attribute(rng, place)
            elif isinstance(place, h5py.Dataset):
                _mutate_dataset(rng, f, place)
            elif rng.random() < 0.5 and place.name != "/":
                del f[place.name]


def _mutate_attribute(rng: Random, place: Any) -> None:
    name = pick(rng, sorted(place.attrs))
    if name in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME") and rng.random() < 0.8:
        return
    old = place.attrs[name]
    if isinstance(old, str) and old[:1] in "[{" and rng.random() < 0.4:
        place.attrs[name] = json.dumps(mutate_json(rng, json.loads(old)))
    elif rng.random() < 0.15:
        del place.attrs[name]
    else:
        place.attrs[name] = pick(
            rng,
            (
                "",
                "{",
                DEEP[:9000] + DEEP[-9000:],
                "x",
                1e300,
                np.nan,
                -1,
                [1, 2],
                "[]",
                "{}",
                "null",
                "äß",
            ),
        )


def _mutate_dataset(rng: Random, f: Any, place: Any) -> None:
    import h5py

    name, way = place.name, rng.random()
    attributes = dict(place.attrs)
    if way < 0.1 or (place.size or 0) > 10**7:  # a bomb of a change before, not to be read
        del f[name]
        return
    if way < 0.2:
        del f[name]
        f.create_dataset(name, shape=(10**9,), dtype=float, chunks=(10**5,), compression="gzip")
        return
    if place.shape is not None and h5py.check_string_dtype(place.dtype) is not None:
        text = place.asstr()[()]
        if isinstance(text, str) and text[:1] in "[{":
            new: Any = (
                json.dumps(mutate_json(rng, json.loads(text)))
                if way < 0.8
                else pick(rng, ("", "{", DEEP))
            )
        else:
            new = pick(rng, (b"x", 1.0, np.zeros(2), [b"a"] * 3))
    elif place.shape is None or place.dtype.kind not in "biuf":
        new = np.zeros(3)
    else:
        new = mutate_array(rng, np.asarray(place[()]))
        new = new.astype("S") if new.dtype.kind == "U" else new
    del f[name]
    made = f.create_dataset(name, data=new)
    for key, value in attributes.items():
        if key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
            made.attrs[key] = value


ARCHIVES = {"condensed", "press", "solution"}
HDF5 = {"sweep", "run", "fclib"}


def _followed_by_zeros(path: Path, data: bytes) -> None:
    """Write a file with 3 GB of zeros behind it, which take no space on the disk."""
    path.write_bytes(data)
    os.truncate(path, 3_000_000_000)


def mutate_file(rng: Random, path: Path, kind: str) -> str:
    """Break the file in place; return the name of the way."""
    data = path.read_bytes()
    way = rng.random()
    if way < 0.03:
        path.unlink()
        pick(
            rng,
            (
                lambda: None,
                path.mkdir,
                lambda: path.symlink_to("absent"),
                lambda: path.symlink_to(path.name),
                lambda: path.symlink_to("/dev/zero"),
                lambda: os.mkfifo(path),
                lambda: path.write_text(POINTER),
                lambda: _followed_by_zeros(path, data),
            ),
        )()
        return "no file"
    if kind in ARCHIVES and way < 0.75:
        changed: Callable[[Random, bytes], bytes] = bomb_npz if way < 0.08 else mutate_npz
        path.write_bytes(changed(rng, data))
        return "bomb" if way < 0.08 else "archive"
    if kind in HDF5 and way < 0.75:
        try:
            mutate_hdf5(rng, path)
        except (OSError, RuntimeError, ValueError, TypeError, KeyError):
            path.write_bytes(mutate_bytes(rng, data))
        return "datasets"
    if (
        kind in ARCHIVES | HDF5
        or (path.suffix in (".npy", ".msh") and data[:60].find(b"\x00") >= 0)
        or way < 0.2
    ):
        path.write_bytes(mutate_bytes(rng, data))
        return "bytes"
    path.write_bytes(mutate_text(rng, data))
    return "text"


def mutate_words(rng: Random, words: list[str], known: Sequence[str] = ()) -> list[str]:
    """Break the words of a call; `known` are the options of its command."""
    out = list(words)
    for _ in range(int(rng.integers(1, 3))):
        values = [k for k, w in enumerate(out) if k and not w.startswith("--")]
        options = [k for k, w in enumerate(out) if w.startswith("-")]
        way = rng.random()
        if way < 0.65 and values:
            k = pick(rng, values)
            numeric = re.fullmatch(r"[-+.\deE]+", out[k]) is not None
            out[k] = pick(rng, NUMBERS if numeric and rng.random() < 0.8 else WORDS)
        elif way < 0.72 and values:
            del out[pick(rng, values)]
        elif way < 0.79 and options:
            del out[pick(rng, options)]
        elif way < 0.86 and options:
            k = pick(rng, options)
            out += out[k : k + 2]
        elif way < 0.93:
            out += [pick(rng, ("--nonsense", "-x", "--json", "--quiet", "--workers", "--seed"))]
        elif way < 0.97 and known:
            out += [pick(rng, known), pick(rng, NUMBERS if rng.random() < 0.6 else WORDS)]
        else:
            out += [pick(rng, WORDS)]
    return [w.replace("\0", "") for w in out if len(w) < 100_000]
