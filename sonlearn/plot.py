"""Pictures with matplotlib (extra ``plot``); see `sonlearn.report.plot`."""

from sonlearn.report.plot import calibration, members, progress, read_run, spectrum, speed, weights

__all__ = ["calibration", "members", "progress", "read_run", "spectrum", "speed", "weights"]
