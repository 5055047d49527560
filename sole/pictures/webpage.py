"""A rendered scene as one HTML page that needs no server, network or other file.

`plotter.trame.export_html` would do the same through a web server in this process, which changes
asyncio globally and downloads a second viewer. Its parts work without the server: trame-vtk's
serialisers, and the page with its viewer (vtk.js) inside.
"""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

from sole.base.errors import SoleError

if TYPE_CHECKING:
    from pyvista import Plotter


def standalone_page(plotter: Plotter, title: str, note: str = "", caption: str = "") -> str:
    """Return the first renderer of an off-screen `plotter` as a page, its texts as a caption.

    `caption` is its first line, `note` its last. In a window narrower than high the scene keeps
    its proportions and lies below the texts.

    Raises
    ------
    SoleError
        trame-vtk, which contains the viewer, is not installed.
    """
    try:
        from trame_vtk.tools.vtksz2html import write_html
    except ImportError as error:
        raise SoleError(
            "HTML needs the package trame-vtk: pip install 'compliant-sole[live]'"
        ) from error

    buffer = io.StringIO()
    write_html(_packed_scene(plotter), buffer)
    head, _, rest = buffer.getvalue().partition("<title>")
    rest = rest.partition("</title>")[2]
    above, body, below = rest.partition("<body>")
    # The viewer fills only the element of class "content"; phones need the viewport.
    style = (
        '<meta name="viewport" content="width=device-width, initial-scale=1"><style>'
        "body{margin:0;font:15px/1.35 sans-serif;background:#fff}"
        ".content{position:absolute;left:0;right:0;bottom:0;top:0}"
        ".caption{position:absolute;z-index:9;left:1em;right:1em;top:.7em;pointer-events:none}"
        "@media(max-aspect-ratio:1/1){.content{top:9em;bottom:auto;height:82vw}}</style>"
    )
    room = '<div class="content"></div>'
    told = _caption(plotter, note, caption)
    # The viewer asks its maker's site for its icons; a page asks nobody.
    below = re.sub(r"https://kitware\.github\.io/vtk-js/icon/[^`\"']*", "data:,", below)
    return f"{head}<title>{html.escape(title)}</title>{style}{above}{body}{room}{told}{below}"


def _packed_scene(plotter: Plotter) -> bytes:
    """Serialise what is drawn for vtk.js: a zip with the scene and its arrays as JSON."""
    from trame_vtk.modules.vtk import serializers

    window = plotter.render_window
    plotter.render()
    serializers.initialize_serializers()
    context = serializers.SynchronizationContext()
    context.set_ignore_last_dependencies(True)
    identity = serializers.reference_id(window)
    try:
        scene = serializers.serialize(None, window, identity, context, 1)
    finally:
        _stop_observing(window)
    camera = plotter.camera
    scene["extra"] = {
        "vtkRefId": identity,
        "centerOfRotation": camera.GetFocalPoint(),
        "camera": serializers.reference_id(camera),
    }
    arrays = {
        entry["hash"]: {**entry, "content": context.get_cached_data_array(entry["hash"], False)}
        for entry in serializers.extract_array_hash(scene)
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        member = zipfile.ZipInfo("index.json")  # no date: the same scene gives the same page
        member.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(member, json.dumps({"hashes": arrays, "scene": scene}))
    return packed.getvalue()


def _stop_observing(window: Any) -> None:
    """Take back trame-vtk's observers of the deletion of what it has serialised.

    They would drop an object's properties from its cache. The call comes while VTK takes the
    object apart, after which Python has crashed here (segmentation fault).
    """
    for renderer in window.GetRenderers():
        camera, lights, props = renderer.GetActiveCamera(), renderer.GetLights(), renderer.actors
        for thing in (window, renderer, camera, *lights, *props.values()):
            mapper = _held(thing, "GetMapper")
            held = [_held(thing, f"Get{part}") for part in ("Property", "Texture", "LookupTable")]
            for observed in filter(None, (thing, mapper, _held(mapper, "GetLookupTable"), *held)):
                observed.RemoveObservers("DeleteEvent")


def _held(owner: Any, getter: str) -> Any:
    """Return what an object of VTK holds; None if it has no such thing."""
    return getattr(owner, getter, lambda: None)()


def _caption(plotter: Plotter, note: str, caption: str) -> str:
    """Return the texts of the panel as HTML, because the viewer does not show them."""
    import pyvista

    rows = [f"<div>{html.escape(caption)}</div>"] * bool(caption)
    rows += [
        f'<div style="color:{actor.prop.color.hex_rgb}">{html.escape(actor.input)}</div>'
        for actor in plotter.renderer.actors.values()
        if isinstance(actor, pyvista.Text)
    ]
    rows += [f"<div>{html.escape(note)}</div>"] * bool(note)
    return f'<div class="caption">{"".join(rows)}</div>'
