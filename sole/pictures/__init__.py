"""Pictures of soles and the parts of every picture: scenes, cameras, fields, rulers, files."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.pictures.camera import VIEWS, look
    from sole.pictures.condensed_view import condensed_scene
    from sole.pictures.datasets import (
        describe_layers,
        displaced,
        field_panel,
        mesh_dataset,
        on_vertices,
        tread_dataset,
    )
    from sole.pictures.display import (
        fit_screen,
        off_screen_rendering,
        require_display,
        require_rendering_libraries,
    )
    from sole.pictures.drawing import (
        INK,
        LAYER_COLORS,
        MARK,
        Field,
        choose_field,
        display_unit,
        draw_arrows,
        draw_field,
        draw_legend,
        draw_marker,
        draw_note,
        draw_outline,
        enlarged,
        millimetres,
        round_factor,
        units_of,
    )
    from sole.pictures.margins import arrange
    from sole.pictures.panels import Panel
    from sole.pictures.plot import view_sweep
    from sole.pictures.rulers import draw_rulers
    from sole.pictures.scene import (
        DPI,
        FigureScene,
        PyVistaScene,
        Scene,
        ViewOptions,
        checked_suffix,
    )
    from sole.pictures.ticks_in_units import powers_of_ten, round_ticks
    from sole.pictures.view import groups_scene
    from sole.pictures.vtu_series import write_series
else:
    # Later: at once, `sole view TABLE` would import 75 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "DPI",
    "INK",
    "LAYER_COLORS",
    "MARK",
    "VIEWS",
    "Field",
    "FigureScene",
    "Panel",
    "PyVistaScene",
    "Scene",
    "ViewOptions",
    "arrange",
    "checked_suffix",
    "choose_field",
    "condensed_scene",
    "describe_layers",
    "displaced",
    "display_unit",
    "draw_arrows",
    "draw_field",
    "draw_legend",
    "draw_marker",
    "draw_note",
    "draw_outline",
    "draw_rulers",
    "enlarged",
    "field_panel",
    "fit_screen",
    "groups_scene",
    "look",
    "mesh_dataset",
    "millimetres",
    "off_screen_rendering",
    "on_vertices",
    "powers_of_ten",
    "require_display",
    "require_rendering_libraries",
    "round_factor",
    "round_ticks",
    "tread_dataset",
    "units_of",
    "view_sweep",
    "write_series",
]
