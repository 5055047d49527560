"""Scenarios of every table that a scenario may have, and the readings of a bench."""

from __future__ import annotations

SCENARIOS = {
    "lively.toml": """schema = "robot.scenario/1"
robot = "rengifo14"
dt = "1ms"
landing_dt = "0.5ms"
duration = "20 ms"
settle = 0.0
[sole]
young = "3MPa"
poisson = 0.3
thickness = "20mm"
size = "80 mm"
[gait]
kind = "stand"
[control]
kind = "force"
[stops]
stiffness = 1e4
damping = 10.0
[[pull]]
path = [[0.0, 0.0, 0.0, 0.8], [0.01, 0.1, 0.0, 0.9]]
link = "waist"
point = [0.0, 0.0, 0.01]
stiffness = 1000.0
damping = 50.0
limit = "100N"
end = 0.015
smooth = true
[[change]]
time = "5ms"
young = "1MPa"
poisson = 0.4
friction = 0.5
controller = "pd"
[[change]]
time = 0.008
plate = [0.5, 0.0, 0.1, 0.005]
""",
    "scene.toml": """schema = "robot.scenario/1"
robot = "hrp2-like"
dt = 2e-3
duration = 0.02
settle = 0.0
[sole]
rigid = true
size = 0.1
[gait]
kind = "stand"
[control]
kind = "pd"
period = 2e-3
[[box]]
name = "table"
size = [0.3, 0.4, 0.02]
mass = 2.0
place = [0.45, 0.0, 0.8]
yaw_deg = 5.0
pitch = 0.2
[[touch]]
frame = "left_wrist_pitch"
against = "table"
points = [[0.0, 0.0, 0.0]]
friction = 0.4
[[grip]]
frame = "right_wrist_pitch"
box = "table"
stiffness = 1e4
turning = 10.0
damping = 100.0
turning_damping = 0.5
""",
    "online.toml": """schema = "robot.scenario/1"
robot = "rengifo14"
dt = 1e-3
duration = 0.02
settle = 0.0
[sole]
size = 0.08
[plan]
kind = "online"
[[plan.command]]
time = 0.01
forward = 0.1
turn_deg = 1.0
[[plan.command]]
time = 0.015
stop = true
lower = 0.01
[bush]
stiffness = [1e5, 1e5, 1e6, 500.0, 500.0, 500.0]
damping = [100.0, 100.0, 1e3, 1.0, 1.0, 1.0]
""",
    "retimed.toml": """schema = "robot.scenario/1"
robot = "rengifo14"
dt = 1e-3
[sole]
size = 0.08
[gait]
steps = 1
[retime]
area = 0.9
friction = 0.6
acceleration = 30.0
points = 50
""",
    "springy.toml": """schema = "robot.scenario/1"
robot = "rengifo14"
dt = 1e-4
duration = 0.002
settle = 0.0
[gait]
kind = "stand"
[contact]
kind = "penalty"
""",
}
BENCH = """test, tool, press [kg], shear [kg], offset [mm], reading [mm], turn [deg], time [s]
press, plate, 1, , , 0.07077, ,
press, plate, 2, , , 0.1424, ,
press, plate, 3, , , 0.2111, ,
press, plate, 4, , , 0.278, ,
press, plate, 5, , , 0.3506, ,
shear x, plate, 4, 0.5, , 0.1959, ,
shear x, plate, 4, 1, , 0.4002, ,
shear x, plate, 4, 1.5, , 0.6156, ,
shear x, plate, 4, 2, , 0.7915, ,
tilt x, plate, 1, , 3, , 0.4308,
tilt x, plate, 2, , 3, , 0.881,
tilt x, plate, 3, , 3, , 1.318,
creep, plate, 5, , , 0.1236, , 3
creep, plate, 5, , , 0.1999, , 6
creep, plate, 5, , , 0.2899, , 12
creep, plate, 5, , , 0.3471, , 24
"""
