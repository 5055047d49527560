"""The four papers whose claims this project tests."""

from __future__ import annotations

from sole.claims import Paper

__all__ = ["CARON", "CHARDONNET", "RENGIFO", "SYGULLA"]

RENGIFO = Paper(
    key="rengifo",
    authors="Rengifo, Aoustin, Chevallereau, Plestan 2009",
    title="A penalty-based approach for contact forces computation in bipedal robots",
    reference="RengifoEtAl2009",
)
CARON = Paper(
    key="caron",
    authors="Caron, Pham, Nakamura 2015",
    title="Stability of surface contacts for humanoid robots: closed-form formulae of the contact "
    "wrench cone for rectangular support areas",
    reference="CaronPhamNakamura2015",
)
CHARDONNET = Paper(
    key="chardonnet",
    authors="Chardonnet, David, Kheddar, Yokoi",
    title="Interactive dynamic simulator for humanoid robots with deformable soles",
    reference="ChardonnetEtAl",
)
SYGULLA = Paper(
    key="sygulla",
    authors="Sygulla, Wittmann, Seiwald, Berninger, Hildebrandt, Wahrmann, Rixen 2017",
    title="Hybrid position/force control for biped robot stabilization with integrated center of "
    "mass dynamics",
    reference="SygullaEtAl2017",
)
