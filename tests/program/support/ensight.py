"""EnSight Gold cases in ASCII, read by what the format's manual says; one part, triangles, scalars a node."""

from pathlib import Path


class Lines:
    def __init__(self, path: Path):
        self.lines = path.read_text().split("\n")
        assert self.lines.pop() == ""
        self.at = 0

    def next(self, expected: str = "") -> str:
        line = self.lines[self.at]
        self.at += 1
        assert not expected or line == expected, line
        return line

    def integer(self) -> int:
        line = self.next()
        assert len(line) == 10
        return int(line)

    def floats(self, count: int) -> list:
        taken = self.lines[self.at : self.at + count]
        assert len(taken) == count
        self.at += count
        return [float(line) for line in taken]

    def end(self) -> None:
        assert self.at == len(self.lines)


class Case:
    """`points`, `triangles` (node numbers from 0), and `variables` by name."""

    def __init__(self, path: Path):
        text = [line for line in path.read_text().split("\n") if line and not line.startswith("#")]
        assert text[:3] == ["FORMAT", "type: ensight gold", "GEOMETRY"]
        self.files = [path.parent / text[3].removeprefix("model: ")]
        self.read_geometry(Lines(self.files[0]))
        assert text[4] == "VARIABLE"
        self.variables = {}
        for line in text[5:]:
            name, file = line.removeprefix("scalar per node: ").split()
            self.files.append(path.parent / file)
            self.variables[name] = self.read_variable(Lines(self.files[-1]))

    def read_geometry(self, lines: Lines) -> None:
        lines.next()
        lines.next()
        lines.next("node id off")
        lines.next("element id off")
        lines.next("part")
        assert lines.integer() == 1
        lines.next()
        lines.next("coordinates")
        nodes = lines.integer()
        self.points = list(zip(*(lines.floats(nodes) for _ in range(3)), strict=True))
        lines.next("tria3")
        self.triangles = []
        for _ in range(lines.integer()):
            line = lines.next()
            assert len(line) == 30
            self.triangles.append(tuple(int(line[at : at + 10]) - 1 for at in (0, 10, 20)))
        lines.end()

    def read_variable(self, lines: Lines) -> list:
        lines.next()
        lines.next("part")
        assert lines.integer() == 1
        lines.next("coordinates")
        values = lines.floats(len(self.points))
        lines.end()
        return values
