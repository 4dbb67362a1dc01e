"""Slices, where segyio has them."""

from .line import Depth

__all__ = ["Depth"]
