"""Pictures of a run: time series, the robot on its soles, films."""
