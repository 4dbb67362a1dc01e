"""Bytes of the words of trace headers by name."""

from .words import TraceField, named

keys = named(TraceField)
__all__ = ["TraceField", "keys"]
