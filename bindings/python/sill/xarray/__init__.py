"""SEG-Y and Seismic Unix files as datasets of xarray: ``xarray.open_dataset("cube.sgy", engine="sill")``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy
import xarray
from xarray.backends import BackendEntrypoint

from ..files import Assumptions, Path
from ..survey import open
from .dataset import dataset_of
from .grid import named
from .writing import Writing


class SillBackend(BackendEntrypoint):
    """The engine "sill" of ``xarray.open_dataset``."""

    description = "SEG-Y and Seismic Unix files"

    def open_dataset(  # type: ignore[override]
        self, filename_or_obj: Path | Sequence[Path], *, drop_variables: str | Iterable[str] | None = None,
        dimensions: str | Sequence[str] | Mapping[str, str] | None = None, map: Path = "", assume: Assumptions = (),
        dtype: Any = "float32", storage_options: Mapping[str, Any] | None = None,
    ) -> xarray.Dataset:  # fmt: skip
        """Opens files as a dataset: `samples` and header words, read when they are needed. Local. Reads all headers.

        Args:
            filename_or_obj: as the paths of `sill.open`
            drop_variables: names of variables that are left out
            dimensions: "trace", or names whose values identify a trace: ``("shot", "cable", "channel")``. A name is that
                of a header word, or inline (iline), crossline (xline), shot (fldr), channel (tracf) or cable: a word
                whose name contains cable, or else where offsets jump back. A mapping gives names to words and
                expressions: ``{"shot": "ep", "receiver": "round(gx / 25)"}``. Default: from the detected geometry.
            map, assume, storage_options: as in `sill.open`
            dtype: float32 or float64, of `samples`; samples with more digits are rounded to the nearest value

        Returns:
            dataset with `samples` of shape (dimensions..., twt), in seconds, or depth, or `sample` if traces begin at
            different times; a variable for each header word, as stored; `trace`, the number of each trace from 0; and
            coordinates such as `cdp_x` in true units, scaled by the headers. Positions without a trace: NaN, `trace` -1.

        Raises:
            UsageError: two traces have the same position; traces differ in length; a name is not known
            InputError, IoError: as `sill.open`
        """
        survey = open(filename_or_obj, map=map, assume=assume, storage_options=storage_options)
        dataset = dataset_of(survey, named(dimensions), numpy.dtype(dtype))
        names = [drop_variables] if isinstance(drop_variables, str) else drop_variables or ()
        opened = dataset.drop_vars(names, errors="ignore")
        opened.set_close(survey._files.close)
        return opened

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Returns true for names that end with .sgy, .segy or .su."""
        return isinstance(filename_or_obj, (str, os.PathLike)) and str(filename_or_obj).lower().endswith((".sgy", ".segy", ".su"))


@xarray.register_dataset_accessor("sill")  # type: ignore[no-untyped-call, untyped-decorator, unused-ignore]
class SillAccessor:
    """``dataset.sill``, for datasets that were opened with the engine "sill"."""

    def __init__(self, dataset: xarray.Dataset) -> None:
        self._dataset = dataset

    def to_segy(self, path: Path, *, storage_options: Mapping[str, Any] | None = None, comm: Any = None) -> None:
        """Writes the traces of the dataset, in the order of their file, as a file that appears when it is complete. Local.

        File headers, and all that the dataset does not change, are as in the file that was opened: if nothing was
        changed, the new file has the same bytes. Samples and header words with other values are written; traces, and
        samples before and after a window, are left out if the dataset does not have them. Variables that the dataset
        does not have are written as they were. Several files become one, with the file headers of the first. An
        existing file is replaced.

        Args:
            path: the file, in the format of the one that was opened
            storage_options: for URLs, as in `sill.open`; the dataset does not store them
            comm: MPI.COMM_SELF of mpi4py, in a process that a launcher started as one of several

        Raises:
            UsageError: the dataset has no `trace`, or other variables, coordinates or positions than its file; the path
                is that of its file
            InputError: a sample or a word does not fit the file's format; the file was changed since it was opened
            IoError: the file cannot be written
        """
        Writing(self._dataset, storage_options).write(path, comm)
