"""Writes the inputs that fuzzing begins with, a folder a target, from the generators of the program's tests.

usage: seeds.py FOLDER
"""

import gzip
import io
import json
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import google_crc32c
import h5py
import netCDF4
import numcodecs
import numpy as np
import zstandard
from Bio import bgzf

repository = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(repository / "tests" / "program" / "support"))
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


NCML = """<netcdf xmlns="http://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2">\
<dimension name="time" length="0" isUnlimited="true"/><dimension name="z" length="2"/><dimension name="x" length="3"/>\
<attribute name="title" type="char" value="a &lt;b&gt;&#10;"/>\
<attribute name="limits" type="double" value="-1.5, nan, inf, 5e-324"/>\
<variable name="u" type="float" shape="time z x"><attribute name="n" type="ubyte" value="255"/></variable>\
<variable name="z" type="short" shape="z"></variable></netcdf>"""


def images():
    def array(kind, name, more):
        return f'<DataArray type="{kind}" Name="{name}" format="appended" {more}/>'

    def vti(head, ncml, fields, points, cells, arrays):
        extent = "0 2 0 0 0 1"
        text = f'<?xml version="1.0"?>\n<VTKFile type="ImageData" version="1.0" {head}>\n{ncml}\n'
        text += f'<ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="1 1 1">\n<FieldData>{fields}</FieldData>\n'
        text += f'<Piece Extent="{extent}">\n<PointData>{points}</PointData>\n<CellData>{cells}</CellData>\n</Piece>\n'
        text += '</ImageData>\n<AppendedData encoding="raw">\n_'
        return text.encode() + arrays + b"\n</AppendedData>\n</VTKFile>\n"

    little = 'byte_order="LittleEndian" header_type="UInt64"'
    point = array("Float32", "u", 'NumberOfComponents="1" offset="0"')
    yield vti(little, NCML, "", point, "", np.uint64(24).tobytes() + np.arange(6, dtype="f4").tobytes())
    field = array("Int16", "z", 'NumberOfTuples="2" offset="0"')
    yield vti(little, NCML, field, "", "", np.uint64(4).tobytes() + np.arange(2, dtype="i2").tobytes())
    big = 'byte_order="BigEndian" header_type="UInt32"'
    fields = array("Float64", "TimeValue", 'NumberOfTuples="1" offset="0"')
    points = array("Int8", "v", 'NumberOfComponents="3" offset="12"')
    cells = array("UInt16", "mask", 'offset="34"')
    yield vti(big, "", fields, points, cells, bytes(42))
    data_set = '<DataSet timestep="{}" group="" part="0" file="a.{:06}.vti"/>\n'
    listed = "".join(data_set.format(0.5 * step, step) for step in range(3))
    yield f'<VTKFile type="Collection">\n<Collection>\n{listed}</Collection>\n</VTKFile>\n'.encode()

    def words(*values):
        return b"".join(struct.pack("<i", v) if isinstance(v, int) else struct.pack("<f", v) for v in values)

    def characters(text):
        return words(*text.encode(), 0)

    grid = NCML[: NCML.index('<variable name="z"')] + "</netcdf>"
    head = b"#!TDV112" + words(1, 0) + characters("a <b>\n") + words(3) + b"".join(map(characters, "XYu"))
    head += words(299.0) + characters("grid") + words(-1, 1) + bytes(8) + words(-1, 0, 0, 0, 0, 3, 2, 1, 0, 799.0)
    head += characters("sill_ncml") + words(0) + characters(grid) + words(357.0, 299.0, 1, 1, 1, 0, 0, -1) + bytes(48)
    yield head + bytes(3 * 6 * 4)

    def attribute(name, shape, kind, size, place):
        item = f'Dimensions="{shape}" NumberType="{kind}" Precision="{size}" Format="Binary" {place}'
        return f'<Attribute Name="{name}" Center="Node"><DataItem {item}</DataItem></Attribute>\n'

    step = '<Grid Name="step" GridType="Uniform">\n<Time Value="0"/>\n'
    step += attribute("z", "2", "Short", 2, 'Endian="Little" Seek="0">a.raw')
    places = [f'Endian="Little" Seek="8">a.{number}.raw' for number in range(2)]
    steps = "".join(step + attribute("u", "2 1 3", "Float", 4, place) + "</Grid>\n" for place in places)
    grids = f'<Grid GridType="Collection" CollectionType="Temporal">\n{steps}</Grid>\n'
    ncml = f'<Information Name="netcdf">{NCML}</Information>\n'
    yield f'<?xml version="1.0"?>\n<Xdmf Version="3.0">\n<Domain>\n{ncml}{grids}</Domain>\n</Xdmf>\n'.encode()
    yield f"<Xdmf>\n<Domain>\n{grids}</Domain>\n</Xdmf>\n".encode()
    one = attribute("p", "2 3 4", "Float", 8, 'Endian="Big" Seek="16"> p.bin ')
    one += attribute("v", "2 3 4 3", "UChar", 1, 'Endian="Big">v.bin')
    yield f'<Xdmf>\n<Domain>\n<Grid Name="g">\n{one}</Grid>\n</Domain>\n</Xdmf>\n'.encode()
    tags = "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
    tags += "CompressedData = False\nDimSize = 4 3 2\n"
    channels = "ElementNumberOfChannels = 3\nHeaderSize = 64\nElementType = MET_FLOAT\n"
    yield f"{tags}{channels}ElementDataFile = a.raw\n".encode()
    yield f"{tags}ElementType = MET_UCHAR\nElementDataFile = LOCAL\n".encode() + bytes(range(24))


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
        file = netCDF4.Dataset("seed.nc", "w", format=version, memory=10_000)
        file.createDimension("t")
        file.createDimension("x", 5)
        file.title = "seed"
        file.createVariable("x", "f8", ("x",)).units = "m"
        file.createVariable("v", "i2", ("t", "x"))[:] = np.arange(10).reshape(2, 5)
        yield bytes(file.close()).rstrip(b"\0") + bytes(8)


def hdf5_files():
    def made(libver, **options):
        packed = io.BytesIO()
        with h5py.File(packed, "w", libver=libver) as file:
            values = np.arange(7 * 9, dtype="f4").reshape(7, 9)
            u = file.create_dataset("u", data=values, **options)
            u.attrs["units"] = "m"
            file["x"] = np.arange(9, dtype=">i2")
            file["x"].make_scale("x")
            u.dims[1].attach_scale(file["x"])
            file.create_group("g").attrs["n"] = np.arange(3, dtype="u1")
            file["g/text"] = np.array([b"one", b"three"])
            file["g/named"] = file["x"].dtype
        return packed.getvalue()

    grows = {"maxshape": (None, 9), "chunks": (3, 4)}
    both = {"maxshape": (None, None), "chunks": (3, 4)}
    filters = {"shuffle": True, "compression": 1, "fletcher32": True, "chunks": (4, 9)}
    for options in ({}, filters, grows, both, {**filters, **grows}):
        yield made("earliest", **options)
    for options in ({}, filters, {"chunks": (3, 4)}, grows, both):
        yield made(("v110", "v110"), **options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("t")
            file.createDimension("x", 5)
            file.createVariable("x", "f8", ("x",)).units = "m"
            file.createVariable("v", "i2", ("t", "x"), zlib=True, complevel=1)[:] = np.arange(10).reshape(2, 5)
        yield path.read_bytes()


def zarr_files():
    def metadata(codecs, shape, chunk, **more):
        grid = {"name": "regular", "configuration": {"chunk_shape": chunk}}
        text = {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "chunk_grid": grid,
                "chunk_key_encoding": {"name": "default"}, "fill_value": -1, "codecs": codecs, **more}  # fmt: skip
        return json.dumps(text).encode() + b"\0"

    values = np.arange(12, dtype="<i4").tobytes()
    order = {"name": "bytes", "configuration": {"endian": "little"}}
    crc = {"name": "crc32c"}
    packed = {"gzip": gzip.compress(values), "zstd": zstandard.ZstdCompressor().compress(values),
              "blosc": numcodecs.Blosc().encode(values)}  # fmt: skip
    for name, chunk in packed.items():
        yield metadata([order, {"name": name}], [5, 3], [4, 3], dimension_names=["y", "x"]) + chunk
    summed = values + struct.pack("<I", google_crc32c.value(values))
    yield metadata([order, crc], [4, 3], [4, 3]) + summed
    shuffled = np.frombuffer(values, "u1").reshape(12, 4).T.tobytes()
    yield metadata([order, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}], [4, 3], [4, 3]) + shuffled
    places = struct.pack("<QQQQ", 0, len(summed), 2**64 - 1, 2**64 - 1)
    index = places + struct.pack("<I", google_crc32c.value(places))
    sharding = {"chunk_shape": [4, 3], "codecs": [order, crc], "index_codecs": [order, crc]}
    yield metadata([{"name": "sharding_indexed", "configuration": sharding}], [8, 3], [8, 3]) + summed + index
    second = {"zarr_format": 2, "shape": [4, 3], "chunks": [4, 3], "dtype": "<i4", "order": "C", "fill_value": 7,
              "filters": [{"id": "shuffle", "elementsize": 4}], "compressor": {"id": "zlib", "level": 1}}  # fmt: skip
    yield json.dumps(second).encode() + b"\0" + zlib.compress(shuffled)


def records():
    texts = [f"<hit><n>{i}</n></hit>\n".encode() * (i + 1) for i in range(4)]
    frames = [zstandard.ZstdCompressor(write_checksum=True, write_content_size=True).compress(text) for text in texts]
    sizes = b"".join(struct.pack("<II", len(frame), len(text)) for frame, text in zip(frames, texts, strict=True))
    table = struct.pack("<II", 0x184D2A5E, len(sizes) + 9) + sizes + struct.pack("<IBI", len(frames), 0, 0x8F92EAB1)
    yield b"".join(frames) + table
    yield table
    packed = io.BytesIO()
    writer = bgzf.BgzfWriter(fileobj=packed)
    writer.write(b"".join(texts))
    writer.flush()
    yield packed.getvalue()
    places = np.cumsum([0, *map(len, texts)])
    lines = [f"{i}\t{places[i]}\t{len(text)}\t{zlib.crc32(text):08x}\n" for i, text in enumerate(texts)]
    yield ("# id\toffset\tbytes\tcrc32\n" + "".join(lines) + "# complete\n").encode()
    yield b'<?xml version="1.0"?><!DOCTYPE a><a b="1">&amp;</a><b/> text'


def bursts():
    def record(kind, file, bytes_of, place, inode=0):
        rest = struct.pack("<IIiqqqq", ~zlib.crc32(bytes_of) & 0xFFFFFFFF, kind, file, 3, len(bytes_of), place, inode)
        return struct.pack("<I", ~zlib.crc32(rest) & 0xFFFFFFFF) + rest + bytes_of

    for runs in ([], [(0, b"abc")], [(0, b"abc"), (100, b""), (7, bytes(50))]):
        body = record(1, 5, b"/data/volume.nc", 64769, 1234) + b"".join(record(2, 5, run, at) for at, run in runs)
        head = struct.pack("<8sqq", b"SILLLOG1", 3, 32 + len(body))
        yield head + struct.pack("<q", ~zlib.crc32(head) & 0xFFFFFFFF) + body + b"of an earlier use"


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
        "segy": list(files()), "survey": list(surveys()), "cdf": list(arrays()), "image": list(images()),
        "records": list(records()), "burst": list(bursts()), "hdf5": list(hdf5_files()), "zarr": list(zarr_files()),
    }  # fmt: skip
    for name, inputs in seeds.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(inputs):
            (folder / name / f"seed_{i:02d}").write_bytes(data)


if __name__ == "__main__":
    main()
