"""Make the pictures of the gallery, docs/gallery, each from one script of this folder.

    python examples/gallery                  all of them: some minutes
    python examples/gallery drop slide       these

Every script writes one picture of its own name into the folder where it runs. The pictures are
reduced to a palette, and docs/gallery/index.md is written anew. It notes of which text of its
script every picture was made: a test finds pictures that are older than their script.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sole.base.numba_settings import set_up_numba

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = ROOT / "docs" / "gallery"
MADE = PAGES / "made.json"  # picture -> digest of the script that made it
LARGEST = 100_000  # bytes of a picture
CHAPTERS = {
    "Soles": "tread_blocks rocker_foot four_pads condensed_sole stiffness_matrix",
    "Pressed": "press_flat press_step press_bump press_gravel stress_inside pressure_line "
    "contact_area rocking force_and_sink",
    "Friction": "cone_and_node onset_of_slip limit_surface wrench_cone",
    "In time": "drop slide bouncing_ball",
    "Which material": "sweep_stiffness sweep_pressure identify",
    "Robots": "grounds humanoids footprints swing_feet retimed walk_scene foot_forces "
    "soft_and_hard",
}


def scripts() -> dict[str, Path]:
    """Return the scripts by name, in the order of the page."""
    return {name: script_of(name) for names in CHAPTERS.values() for name in names.split()}


def script_of(name: str) -> Path:
    """Return the script of a picture."""
    found = [HERE / f"{name}{ending}" for ending in (".py", ".sh")]
    return next(path for path in found if path.exists())


def title_of(script: Path) -> str:
    """Return what a script says in its first line."""
    return script.read_text(encoding="utf-8").splitlines()[0].strip('#" ').removesuffix(".")


def digest_of(script: Path) -> str:
    """Return a short digest of a script."""
    return hashlib.sha256(script.read_bytes()).hexdigest()[:16]


def make(script: Path, folder: Path) -> Path:
    """Run a script in a folder; return the picture that it wrote, reduced."""
    for name in ("meshes", "examples"):
        (folder / name).symlink_to(ROOT / name)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shell = ["bash", "-euo", "pipefail"]
    command = [sys.executable] if script.suffix == ".py" else shell
    subprocess.run(
        [*command, str(script)],
        cwd=folder,
        env={**os.environ, "PATH": path},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return reduced(folder / f"{script.stem}.png")


def reduced(picture: Path) -> Path:
    """Scale a picture to at most 1100 pixels and give it a palette, smaller until it fits."""
    from PIL import Image

    with Image.open(picture) as file:
        image = file.convert("RGB")
    for width, colours in ((1100, 256), (1000, 128), (900, 64), (800, 48)):
        small = image.copy()
        small.thumbnail((width, width), Image.Resampling.LANCZOS)
        # Rare colours, such as those of letters, stay what they are.
        how = Image.Quantize.MAXCOVERAGE
        few = small.quantize(colours, method=how, kmeans=1, dither=Image.Dither.NONE)
        few.save(picture, optimize=True)
        if picture.stat().st_size < LARGEST:
            break
    return picture


def page() -> str:
    """Return docs/gallery/index.md."""
    lines = [
        "# Gallery\n",
        "Every picture is made by one short script: click on it. `make gallery` makes all of them",
        "again, `python examples/gallery drop` one.",
    ]
    for chapter, names in CHAPTERS.items():
        lines += [f"\n## {chapter}\n", '<div class="gallery" markdown>']
        for script in map(script_of, names.split()):
            title, link = title_of(script), f"../../examples/gallery/{script.name}"
            lines += ['<div class="card" markdown>\n', f"[![{title}]({script.stem}.png)]({link})\n"]
            lines += [f"{title}\n", "</div>"]
        lines.append("</div>")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make the pictures named on the command line, or all."""
    every = scripts()
    chosen = sys.argv[1:] or list(every)
    if unknown := [name for name in chosen if name not in every]:
        sys.exit(f"error: no picture {', '.join(unknown)}; there are {', '.join(every)}")
    PAGES.mkdir(exist_ok=True)
    (PAGES / "index.md").write_text(page(), encoding="utf-8")
    for name in chosen:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            picture = make(every[name], Path(folder)).read_bytes()
        (PAGES / f"{name}.png").write_bytes(picture)
        made = json.loads(MADE.read_text(encoding="utf-8")) if MADE.exists() else {}
        made[name] = digest_of(every[name])
        text = json.dumps(made, indent=1, sort_keys=True) + "\n"
        MADE.write_text(text, encoding="utf-8")
        print(f"{name}: {len(picture) / 1e3:.0f} kB, {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    set_up_numba()
    main()
