"""The claims and experiments of the papers that need a robot."""
