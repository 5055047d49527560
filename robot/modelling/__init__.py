"""How a `RobotModel` is made: descriptions in TOML, URDF files, and the checks of both."""
