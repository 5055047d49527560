"""Force under each foot during a step: the plan asks, the soles answer."""

from pathlib import Path

from matplotlib.figure import Figure

from robot.walk import RecordingOptions, assemble_walk, execute, load_scenario, replace_values

scenario = load_scenario(Path("examples/studies/first_walk.toml"))
figure = Figure(figsize=(7.5, 4.6), layout="constrained")
axes = figure.subplots(2, 1, sharex=True, sharey=True)
for row, young in zip(axes, (1e6, 1e8), strict=True):
    changed = replace_values(scenario, sole={"young": young})
    run = execute(assemble_walk(changed, Path("examples/studies")), RecordingOptions()).run
    for foot, side in enumerate(("left", "right")):
        row.plot(run.time, run["wrench_world"][:, foot, 2], lw=1, label=side)
    row.set(ylabel="force [N]", title=f"E = {young / 1e6:g} MPa")
axes[0].legend()
axes[0].set_ylim(0)
axes[1].set_xlabel("time [s]")
figure.savefig("foot_forces.png", dpi=100)
