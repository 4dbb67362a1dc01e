"""A plugin of pytest: tests that import segyio get sill.segyio."""

import importlib
import sys

sys.modules["segyio"] = importlib.import_module("sill.segyio")
for name in (
    "binfield",
    "depth",
    "field",
    "gather",
    "line",
    "segysampleformat",
    "su",
    "tools",
    "trace",
    "tracefield",
    "tracesortingformat",
    "utils",
):
    sys.modules[f"segyio.{name}"] = importlib.import_module(f"sill.segyio.{name}")
