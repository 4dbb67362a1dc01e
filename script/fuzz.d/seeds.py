"""Writes the inputs that fuzzing begins with, a folder a target, from the generators of the program's tests.

usage: seeds.py FOLDER
"""

import sys
from pathlib import Path

import netCDF4
import numpy as np

repository = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(repository / "tests" / "program"))
import segy_files  # noqa: E402
import segy_forms  # noqa: E402


def files():
    for code in (1, 3, 5, 8):
        for order in ("big", "little", "pairwise"):
            yield segy_files.make(3, 4, code=code, order=order, revision=(0, 0)).to_bytes()
    yield segy_files.make(2, 5, extended=2, text="ASCII").to_bytes()
    yield segy_forms.make(2, 5, additional=2, trailers=1, label=True, order="little").to_bytes()
    yield segy_forms.make(2, 5, revision=(2, 0), interval_us=333.25).to_bytes()
    yield segy_forms.varying(segy_files.make(5, 9), 3 + np.arange(5))
    for order in ("big", "little"):
        yield segy_forms.make_su(4, 6, order=order).to_bytes()
    cut = segy_files.make(3, 4).to_bytes()
    yield cut[:-7]
    yield cut + bytes(300)
    yield cut.replace(b"\n", b"\r\n")
    yield cut[:3600]


LAYOUT = """((SEG:Layout ver 1.0))<segy-layout><entry name="sx" byte="73" type="coor4"/><extension name="MINE0001">
<entry name="quality" byte="1" type="ieee32"/><entry name="when" byte="5" type="scale6"/></extension></segy-layout>"""

TEXTS = {
    "map": [
        "base = 'petrel'\n[words.shot]\nbyte = 197\ntype = 'i4'\nscalar = 'scalco'\nunit = 'm'\n",
        '{"words": {"quality": {"byte": 233, "type": "ibm4", "factor": 0.5}, "name": {"byte": 241, "type": "a8"}}}',
        "[words.'sx-gx']\nbyte = 1\ntype = 'u8'\nexponent = true\n",
    ],
    "stanza": [LAYOUT, LAYOUT.replace("73", "9999999999"), "<segy-layout>" + "<extension>" * 70],
    "policy": [
        "direct", "elected,stage=256K,call=posix,align=1M,sync=close,async=2,threads=2",
        "stations:stage=64K; surfaces:stage=4M", "aggregated,striping=4x1M", "writers=7,align=stripe",
    ],
    "expression": [
        "iline == 1200 and abs(offset) < 3000 or not trid == 2", "round(true(cdpx) / 25) % 10, -max(sx, @189:i4, 3.5e2)",
        "scalco=-100,sx=sx*10", "'LINE' == @1:a8", "azimuth", "byte_order=little,samples=12,interval=2000.5",
        "-(cdp + 1), trace, file", "cdp not in (1, 5, 10:20) or offset between -5 and 2.5 and @1:a8 in ('A', 'B')",
    ],
    "window": ["1s:3s", "500ms:2.5s", ":250us", "1e3ms:"],
}  # fmt: skip


# Choices of tests/fuzz/survey_target.cpp and fuzzed_file.cpp, in the order they are taken.
ALL = [0, 0, 1, 0, 0, 0, 0]  # all operations on in.sgy, by the first keys, condition, window and form
FORM = [0, 7, 9, 2]  # made, of 8 traces of 10 samples, 3 a shot
CHANGES = {
    "binary word": [0, 9, 12], "trace word": [1, 3, 30, 6], "word of all traces": [2, 32, 31], "number": [3, 1, 20, 1, 3],
    "cut off": [4, 2, 7, 0], "longer": [5, 4, 0], "put in": [6, 0, 2, 0, 5, 2], "taken out": [7, 0, 3, 0, 4],
    "zeroed": [8, 0, 1, 0, 5, 0], "flipped": [9, 0, 2, 8, 3, 5], "swapped": [10, 0, 0, 0, 0, 0], "line ends": [11, 0],
    "copied": [12, 0, 1, 0, 5, 0, 4, 0], "counting up": [13, 5, 1, 3],
}  # fmt: skip


def arrays():
    for version in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        with netCDF4.Dataset("seed.nc", "w", format=version, memory=10_000) as file:
            file.createDimension("t")
            file.createDimension("x", 5)
            file.title = "seed"
            file.createVariable("x", "f8", ("x",)).units = "m"
            file.createVariable("v", "i2", ("t", "x"))[:] = np.arange(10).reshape(2, 5)
            yield bytes(file.close()).rstrip(b"\0") + bytes(8)


def surveys():
    for form in range(10):
        yield bytes([*ALL[:6], form * 25, *FORM, form, form % 3, form % 4, 0])
    for extras in (1, 2, 4, 8, 16, 32, 64, 2 + 128, 8 + 128, 4 + 16, 1 + 2 + 4 + 8 + 16 + 64):
        yield bytes([*ALL, *FORM, 1, extras % 2, 2, extras])
    for i, change in enumerate(CHANGES.values()):
        yield bytes([0, 0, 1, i % 6, i % 5, i % 4, i * 37 % 256, *FORM, 1, i % 3, i % 4, 0, *change])
        yield bytes([0, 0, 1, i % 6, i % 5, i % 4, i * 37 % 256, *FORM, 1, i % 3, 2, 2 + 4 + 16, *change, *change])
    for file in (segy_forms.make_su(2, 4, order="little"), segy_files.make(2, 3)):
        yield bytes([*ALL, 15]) + file.to_bytes()


def main() -> None:
    folder = Path(sys.argv[1])
    seeds = {name: [text.encode() for text in texts] for name, texts in TEXTS.items()} | {
        "segy": list(files()), "survey": list(surveys()), "cdf": list(arrays()),
    }  # fmt: skip
    for name, inputs in seeds.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(inputs):
            (folder / name / f"seed_{i:02d}").write_bytes(data)


if __name__ == "__main__":
    main()
