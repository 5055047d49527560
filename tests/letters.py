"""Where the letters of a figure are, and whether they are cut or lie on one another."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox

SLACK = 1.0  # pixel: letters are drawn on whole pixels
OUTSIDE = ("x label", "y label", "x ticks", "y ticks", "title")


def blocks_of(figure, dpi):
    """Draw a figure; return {(axes, kind): box in pixels} of frames, legends and letters."""
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = {}
    for k, axes in enumerate(figure.axes):
        if not axes.get_visible():
            continue
        found[k, "frame"] = [axes.get_window_extent(renderer)]
        texts = {"x label": [axes.xaxis.label], "y label": [axes.yaxis.label]}
        texts["title"] = [axes.title]
        for name, axis in (("x ticks", axes.xaxis), ("y ticks", axes.yaxis)):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            seen = [t for t in ticks if low <= t.get_loc() <= high]
            texts[name] = [text for t in seen for text in (t.label1, t.label2)]
        texts["power"] = [axes.yaxis.get_offset_text()]
        if axes.get_legend() is not None:
            found[k, "legend"] = [axes.get_legend().get_window_extent(renderer)]
        for name, several in texts.items():
            shown = [t for t in several if t.get_visible() and t.get_text()]
            found[k, name] = [t.get_window_extent(renderer) for t in shown]
    if figure.get_suptitle():
        found[-1, "title"] = [figure._suptitle.get_window_extent(renderer)]
    found |= {
        (-2 - k, "legend"): [e.get_window_extent(renderer)] for k, e in enumerate(figure.legends)
    }
    return {key: Bbox.union(boxes) for key, boxes in found.items() if boxes}


def faults_of(figure, dpi=150):
    """Return what is cut off, and what lies on something else."""
    blocks, bounds = blocks_of(figure, dpi), figure.bbox
    told = []
    for key, box in blocks.items():
        inside = (box.x0, box.y0, bounds.x1 - box.x1, bounds.y1 - box.y1)
        if min(inside) < -SLACK:
            told.append(f"{key} is cut by {-min(inside):.1f} pixels")
        if key[1] == "legend" and key[0] >= 0:
            frame = blocks[key[0], "frame"]
            if not (frame.x0 <= box.x0 and box.x1 <= frame.x1):
                told.append(f"{key} is wider than its axes")
    keys = [k for k in blocks if k[1] != "legend" or k[0] < 0]
    for i, one in enumerate(keys):
        for other in keys[:i]:
            if one[0] == other[0] and {one[1], other[1]} == {"x ticks", "y ticks"}:
                continue  # they meet in a corner
            if "ticks" in one[1] and other == (one[0], "frame"):
                continue  # the first and last label reach past the frame
            meet = Bbox.intersection(blocks[one], blocks[other])
            if meet is not None and min(meet.width, meet.height) > SLACK:
                told.append(f"{one} lies on {other}")
    return told
