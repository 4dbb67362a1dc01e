"""Attributes of datasets and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import plain
from .errors import WRONG_TYPE, attempt, usage_error

if TYPE_CHECKING:
    from .dataset import Dataset


class Attributes:
    """Attributes of a dataset or a variable: ``u.units = "m"``, as in netCDF4-python."""

    _name = ""
    _own = frozenset({"_at", "_dataset", "_dimensions", "_dtype", "_handle", "_mode", "_name", "_path"})

    def _of(self) -> Dataset:
        raise NotImplementedError

    def ncattrs(self) -> list[str]:
        """Local. Returns the names of the attributes."""
        return [name for name, _, _ in self._of()._handle.attributes(self._name)]

    def getncattr(self, name: str) -> Any:
        """Local. Returns an attribute: a str, a number or an array. Raises AttributeError if there is none."""
        for each, type_name, values in self._of()._handle.attributes(self._name):
            if each == name:
                if type_name == "text":
                    return values.decode("utf-8", "surrogateescape")
                array = np.frombuffer(values, type_name).copy()
                return array[0] if array.size == 1 else array
        raise AttributeError(f"{self!r} has no attribute {name!r}; it has {', '.join(self.ncattrs())}")

    def setncattr(self, name: str, value: Any) -> None:
        """Sets an attribute to a text, a number or a list of numbers. Local before the file is open, then collective.

        Numbers of Python become f8, or i4 if they are integers that fit, otherwise i8; NumPy's keep their type. After the
        first write only netCDF files can change attributes, if their header has room (``align=4096``). Raises UsageError.
        """

        def values() -> tuple[Any, bool]:
            if isinstance(value, (str, bytes)):
                return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value, True
            array = np.atleast_1d(plain(value))
            if not isinstance(value, (np.ndarray, np.generic)) and array.dtype.kind == "i":
                narrow = array.astype("i4")
                array = narrow if (narrow == array).all() else array
            if array.ndim > 1:
                raise usage_error(f"attribute {name}: an array of {array.ndim} dimensions", "pass a list of numbers")
            if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8 or array.dtype == np.float16:
                raise usage_error(
                    f"attribute {name}: values of type {array.dtype}", "pass a text, integers or floats", number=WRONG_TYPE
                )
            return np.ascontiguousarray(array, array.dtype.newbyteorder("=")), False

        (given, is_text), problem = attempt(values, (None, False))
        self._of()._handle.set_attribute(self._name, name, given, is_text, problem)

    def setncatts(self, attributes: Mapping[str, Any]) -> None:
        """Sets several attributes, as `setncattr`."""
        for name, value in attributes.items():
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in self._own or name.startswith("__"):
            raise AttributeError(name)
        return self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise usage_error(f"{name} is a function or property of {type(self).__name__}", f"use setncattr({name!r}, ...)")
        else:
            self.setncattr(name, value)
