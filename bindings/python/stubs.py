"""Writes the types of the functions of commands and the methods of operations, from the tables of the extension module:
stubs.py FOLDER, with _sill and signatures.py of the package in it. NumPy is not needed."""

import sys
from pathlib import Path

HEAD = '''"""Commands and operations, from their tables."""

import os
from collections.abc import Iterable
from typing import Any, SupportsFloat, TypeAlias, TypedDict

from . import flows
from .commands import Progress, Result
from .flows import Flow

Value: TypeAlias = Iterable[Any] | os.PathLike[Any] | SupportsFloat | None  # a str, path or number, or several

'''

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    import _sill
    import signatures

    def typed(name, signature, documentation):  # annotations are quoted
        return f"def {name}{signature}:\n".replace("'", "") + f"        {documentation!r}\n"

    def options_of(command):  # of methods that have those of a command
        keywords = signatures.of_command(command, _sill.options_of(command)).parameters.values()
        return "".join(f"    {each.name}: {each.annotation}\n" for each in keywords if each.name not in ("files", "output"))

    text, names = HEAD, []
    for command in ("flow", "view"):
        text += f"class {command.capitalize()}Options(TypedDict, total=False):\n{options_of(command)}\n"
    text += "class Operations:\n    apply = flows.apply\n"
    for name, operation in _sill.operations().items():
        if name != "apply":
            text += "    " + typed(name, signatures.of_operation(operation), operation["description"])
    for command in _sill.commands():
        names.append(command.replace("-", "_"))
        text += typed(names[-1], signatures.of_command(command, _sill.options_of(command)), _sill.description_of(command))
    (folder / "_signatures.pyi").write_text(f"{text}\n__all__ = {names}\n")
