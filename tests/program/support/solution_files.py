"""Solution files of the kernel mslio, by its definition."""

import math
from pathlib import Path

MASK = (1 << 64) - 1


def value(problem: int, point: int, dimension: int, phase: int) -> float:
    """Exact in doubles."""
    bits = ((problem * 1_000_003 + point) * 0x9E3779B97F4A7C15 + (phase * 1009 + dimension) * 0xBF58476D1CE4E5B9) & MASK
    bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB & MASK
    bits ^= bits >> 32
    return math.ldexp((bits >> 11) - (1 << 52), -92 + (bits & 63))


def points_of(sub_elements: int) -> int:
    return (sub_elements + 1) * (sub_elements + 2) // 2


def problem_text(problem: int, phase: int, sub_elements: int, dimensions: int = 1, width: int = 13) -> str:
    return "".join(
        "%*.5e\n" % (width - 1, value(problem, i, d, phase))
        for d in range(dimensions)
        for i in range(points_of(sub_elements))
    )


def solution_files(
    ccross: int, phases: int, sub_elements: int, dimensions: int = 1, width: int = 13, shared: bool = False, stride=0
) -> dict:
    """The text of each file, by its path in the folder."""
    files = {}
    for phase in range(1, phases + 1):
        texts = [problem_text(p, phase, sub_elements, dimensions, width) for p in range(4**ccross)]
        if shared:
            chunks = [text if len(text) == stride or not stride else text.ljust(stride - 1) + "\n" for text in texts]
            files[f"solution{phase:06}.txt"] = "".join(chunks)
        else:
            files.update({f"local{p:06}/solution{phase:06}.txt": text for p, text in enumerate(texts)})
    return files


def found_files(folder: Path) -> dict:
    """What is in the folder, without the indexes."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".index"
    }


def indexes(folder: Path) -> list:
    return sorted(path.name for path in folder.glob("*.index"))
