"""Runs of `sill merge`, and what they must write: concatenation in numpy."""

import numpy as np
import segy_files
from program import leftovers


def joined(*files: segy_files.Segy) -> segy_files.Segy:
    """All traces behind the first file's header, which tells their number if it told one."""
    other = files[0].copy()
    other.rows = np.concatenate([file.rows for file in files])
    if len(other.head) and other.head[3500] == 2 and other.binary(3513, "u8"):
        other.put_binary(3513, "u8", other.traces)
    return other


def written(folder, *files: segy_files.Segy) -> list:
    return [file.write(folder / f"in{i}.{'sgy' if len(file.head) else 'su'}") for i, file in enumerate(files)]


def merged(sill, folder, *files, on=None, options=(), out="out.sgy", **run) -> bytes:
    rules = ["--on", on] if on else []
    sill.run("merge", *written(folder, *files), "-o", folder / out, *rules, *options, **run)
    return (folder / out).read_bytes()


def refused(sill, folder, *files, on=None, options=(), code=3) -> str:
    """The reason of a refusal that leaves nothing behind."""
    rules = ["--on", on] if on else []
    target = folder / "no.sgy"
    result = sill.run("merge", *written(folder, *files), "-o", target, *rules, *options, expect=code)
    assert not target.exists() and leftovers(folder) == []
    return " ".join(result.err.split())


def three(**options) -> list[segy_files.Segy]:
    return [segy_files.make(n, 13, seed=n, **options) for n in (50, 1, 77)]
