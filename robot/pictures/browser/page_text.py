"""The text of a page: data, three.js and our own scripts and styles, admitted by their digests."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from sole.base.errors import SoleError


def page_text(
    title: str,
    packed: str,
    bar: Traversable,
    styles: Sequence[Traversable],
    scripts: Sequence[Traversable],
) -> str:
    """Return a page with the controls of `bar`; it admits its own scripts and server alone."""
    style = "".join(part.read_text(encoding="utf-8") for part in styles)
    texts = [three_js(), *(part.read_text(encoding="utf-8") for part in scripts)]
    policy = (
        f"default-src 'none'; connect-src 'self'; style-src {_digests([style])}; "
        f"script-src {_digests(texts)}; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(title),
        "style": style,
        "scripts": "\n".join(f"<script>{text}</script>" for text in texts),
        "data": packed,
        "bar": bar.read_text(encoding="utf-8"),
    }
    page = (files("robot.pictures.browser") / "assets/page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)


def _digests(texts: Sequence[str]) -> str:
    found = (base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts)
    return " ".join(f"'sha256-{digest}'" for digest in found)


def three_js() -> str:
    """Return the newest three.js of the package jupyter-threejs-sage, with its licence (MIT).

    Raises
    ------
    SoleError
        The package is not installed, or its file is not three.js.
    """
    try:
        static = files("jupyter_threejs_sage") / "static"
        folders = [f.name for f in static.iterdir() if f.name[:1] == "r" and f.name[1:].isdigit()]
        newest = max(folders, key=lambda name: int(name[1:]))
        text = (static / newest / "three.min.js").read_text(encoding="utf-8")
    except (ImportError, FileNotFoundError, ValueError) as error:
        raise SoleError(
            "pages of runs need three.js from the package jupyter-threejs-sage: "
            "pip install 'compliant-sole[live]'"
        ) from error
    if "Three.js Authors" not in text[:400] or "OrbitControls" not in text or "</script" in text:
        raise SoleError(
            "the three.js of jupyter-threejs-sage is not the one that pages of runs know: "
            "`pip install --force-reinstall jupyter-threejs-sage`"
        )
    return text
