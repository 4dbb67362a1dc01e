"""Bytes of the words of the binary header by name."""

from .words import BinField, named

keys = named(BinField)
__all__ = ["BinField", "keys"]
