"""Pictures of surveys, as ``sill view`` draws them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Picture:
    """A picture in PNG. Notebooks show it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file. Errors: OSError."""
        Path(path).write_bytes(self.png)


def drawn(draw: Callable[[str], Any]) -> Picture:
    """Returns the picture that `draw` writes to a temporary file."""
    with tempfile.TemporaryDirectory(prefix="sill-") as folder:
        path = os.path.join(folder, "picture.png")
        draw(path)
        return Picture(Path(path).read_bytes())
