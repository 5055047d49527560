"""What a swing foot met before a fall, and the keys that take it over such things."""

from __future__ import annotations

from robot.run import Run

BEFORE = 2.5  # s: a fall that comes later has another cause
HIGHER = 0.01  # m over the last foothold that was on time


def met_before_fall(run: Run) -> str:
    """Return one sentence on what a swing foot met shortly before the robot fell, "" if nothing.

    It met something if it was held back, or touched early, by more than `HIGHER` above the last
    foothold of a step that was on time; then it may have been too low to get over it, or still on
    its way.
    """
    fall = run.header.get("fall") or {}
    if fall.get("time") is None:
        return ""
    ground, met = 0.0, None
    for event in run.header.get("events") or ():
        height = event["place"][2]
        if event["kind"] in ("met", "early") and height > ground + HIGHER:
            met = (event, height - ground) if met is None else met
        elif event["kind"] == "landed" and met is None:
            ground = height
    if met is None or not 0.0 <= fall["time"] - met[0]["time"] <= BEFORE:
        return ""
    gait, plan = run.header["scenario"]["gait"], run.header["scenario"]["plan"]
    event, height = met
    said = (
        f"before the fall a swing foot met something at least {100 * height:.2g} cm high at x = "
        f"{event['place'][0]:.2f} m: "
    )
    if not plan.get("step_over", False):
        said += "[plan] step_over = true lets it go over, "
    return (
        f"{said}a larger [gait] lift (--lift, here {gait['lift']:g} m) takes it over higher "
        f"ground, a smaller [plan] arrive (here {plan['arrive']:g}) there in time"
    )
