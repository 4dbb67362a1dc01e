"""Recipes of package managers name what building needs."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Debian's names, and those of the recipes.
NAMES = {
    "libfmt-dev": ("fmt", "fmt"), "libcli11-dev": ("cli11", "cli11"), "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json"),
    "libpugixml-dev": ("pugixml", "pugixml"), "libtomlplusplus-dev": ("tomlplusplus", "tomlplusplus"),
    "libpng-dev": ("libpng", "libpng"), "libdeflate-dev": ("libdeflate", "libdeflate"), "libzstd-dev": ("zstd", "zstd"), "libblosc-dev": ("c-blosc", "blosc"),
    "zlib1g-dev": ("zlib-api", "zlib"), "libcairo2": ("cairo", "cairo"), "libhdf5-dev": ("hdf5", "hdf5"), "libopenmpi-dev": ("mpi", "openmpi"),
    "cmake": ("cmake", "cmake"), "ninja-build": ("ninja", "ninja"), "pkgconf": ("pkgconfig", "pkg-config"),
}  # fmt: skip
OTHERS = {"g++", "gfortran", "ccache", "git", "openmpi-bin", "fonts-dejavu-core"}


def packages():
    lines = (ROOT / "script/packages.txt").read_text().splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""} - OTHERS


def test_spack(sill):
    tree = ast.parse((ROOT / "packaging/spack/package.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "depends_on"]
    wanted = {re.split("[@+]", call.args[0].value)[0] for call in calls}
    assert {NAMES[name][0] for name in packages()} <= wanted


def test_conda(sill):
    text = (ROOT / "packaging/conda/recipe.yaml").read_text()
    wanted = set(re.findall(r"(?m)^    - ([a-z0-9_-]+)(?: >=[\d.]+)?$", text))
    assert {NAMES[name][1] for name in packages()} <= wanted
    version = re.search(r"(?m)^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text())[1]
    assert f'version: "{version}"' in text
    rattler = pytest.importorskip("rattler_build")
    assert rattler.Stage0Recipe.from_yaml(text).package is not None
