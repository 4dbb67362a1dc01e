"""sill.segyio, compared with segyio itself and with NumPy's own reading of the bytes."""

import io
import os
import shutil
import warnings
from pathlib import Path

import numpy
import pytest
import segy_files
import sill
import sill.segyio as door

segyio = pytest.importorskip("segyio")
SAMPLES = Path(os.environ.get("SILL_SAMPLES", Path(__file__).parents[3] / "shared" / "samples" / "segy"))


def cube_file(inlines=4, crosslines=5, offsets=1, crossline_sorted=False, **options):
    """A cube, with lines from 10 and 100, offsets from 1."""
    file = segy_files.make(inlines * crosslines * offsets, 30, **options)
    shape = (crosslines, inlines, offsets) if crossline_sorted else (inlines, crosslines, offsets)
    slow, fast, offset = numpy.unravel_index(numpy.arange(file.traces), shape)
    inline, crossline = (fast, slow) if crossline_sorted else (slow, fast)
    return file.put(189, "i4", 10 + inline).put(193, "i4", 100 + 2 * crossline).put(37, "i4", 1 + offset)


def same(one, other):
    numpy.testing.assert_array_equal(numpy.asarray(one), numpy.asarray(other))


@pytest.mark.parametrize("options", [
    {}, {"code": 1}, {"code": 3}, {"code": 8}, {"offsets": 3}, {"crossline_sorted": True}, {"inlines": 1}, {"crosslines": 1},
    {"crossline_sorted": True, "offsets": 2}, {"code": 2, "extended": 2},
])  # fmt: skip
def test_every_mode_is_that_of_segyio(tmp_path, options):
    path = cube_file(**options).write(tmp_path / "a.sgy")
    with segyio.open(path) as theirs, door.open(path) as ours:
        for name in ("tracecount", "samples", "ilines", "xlines", "offsets", "sorting", "ext_headers", "unstructured"):
            same(getattr(ours, name), getattr(theirs, name))
        assert int(ours.format) == int(theirs.format)
        assert ours.dtype == theirs.dtype
        same(ours.trace.raw[:], theirs.trace.raw[:])
        same(ours.trace.raw[3:9:2], theirs.trace.raw[3:9:2])
        same(ours.trace[3, 2:9], theirs.trace[3, 2:9])
        same([t.copy() for t in ours.trace[8:2:-2]], [t.copy() for t in theirs.trace[8:2:-2]])
        for key in (slice(None), slice(2, 9, 3), slice(None, None, -1), [1, 3, 2]):
            same(ours.attributes(193)[key], theirs.attributes(193)[key])
        for line in theirs.ilines:
            same(ours.iline[int(line)], theirs.iline[int(line)])
            same([h[193] for h in ours.header.iline[int(line)]], [h[193] for h in theirs.header.iline[int(line)]])
        for line in theirs.xlines:
            same(ours.xline[int(line), int(theirs.offsets[-1])], theirs.xline[int(line), int(theirs.offsets[-1])])
        same(list(ours.fast), [line.copy() for line in theirs.fast])
        same(list(ours.slow), [line.copy() for line in theirs.slow])
        same(ours.depth_slice[7], theirs.depth_slice[7])
        assert ours.depth_slice.shape == theirs.depth_slice.shape
        same(door.tools.cube(ours), segyio.tools.cube(theirs))
        same(ours.gather[10, 100, 1], theirs.gather[10, 100, 1])
        assert ours.text[0] == bytes(theirs.text[0])
        for byte in (3201, 3213, 3217, 3221, 3225, 3229, 3255, 3501, 3505):
            assert ours.bin[byte] == theirs.bin[byte]
        for number in (0, 7 % ours.tracecount, -1):
            theirs_all = {int(word): value for word, value in theirs.header[number].items()}
            for word, value in ours.header[number].items():
                if int(word) not in (115, 117, 219, 221, 223):  # unsigned, or of another width in segyio 1
                    assert value == theirs_all[int(word)], word
        assert door.tools.dt(ours) == segyio.tools.dt(theirs)
        assert ours.header[0][door.TraceField.INLINE_3D] == ours.header[0][189] == 10


def test_words_have_the_names_of_segyio():
    changed = {"Traces", "AuxTraces", "ExtTraces", "ExtAuxTraces", "Unassigned1", "Unassigned2"}  # elsewhere, or deprecated
    for name in ("TraceField", "BinField", "SegySampleFormat", "TraceSortingFormat"):
        for word, value in vars(getattr(segyio, name)).items():
            if not word.startswith("_") and word not in changed and isinstance(value, int):
                assert getattr(getattr(door, name), word) == int(value), word
    assert segyio.tracefield.keys.items() <= door.tracefield.keys.items()
    for word, value in vars(segyio.su).items():
        if isinstance(value, int) and word not in ("unas1", "unas2"):
            assert getattr(door.su, word) == value, word


@pytest.mark.parametrize("code", [1, 2, 3, 5, 6, 7, 8, 10, 11, 15, 16])
@pytest.mark.parametrize("order", ["big", "little"])
def test_formats_are_written_and_read(tmp_path, code, order):
    spec = door.spec()
    spec.format, spec.endian, spec.samples, spec.ilines, spec.xlines = code, order, range(0, 40, 2), [1, 2, 3], [5, 6]
    dtype = numpy.dtype(door.words.DTYPES[code])
    data = numpy.random.default_rng(code).integers(0, 100, (3, 2, 20)).astype(dtype)
    with door.create(tmp_path / "a.sgy", spec) as f:
        for i, line in enumerate(spec.ilines):
            f.iline[line] = data[i]
            f.header.iline[line] = {189: line}
        for line in spec.xlines:
            f.header.xline[line] = {193: line, 37: 1}
    with door.open(tmp_path / "a.sgy", endian=order) as f:
        same(door.tools.cube(f), data)
        same(f.depth_slice[3], data[:, :, 3])
        same(f.samples, list(spec.samples))
    assert sill.open(tmp_path / "a.sgy", assume={"sample_format": code}).shape == (6, 20)
    if order == "big" and code in (1, 2, 3, 5, 6, 8):
        with segyio.open(tmp_path / "a.sgy") as theirs:
            same(segyio.tools.cube(theirs), data)


def test_changes_in_place_are_read_by_segyio(tmp_path):
    path = cube_file(code=1).write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        f.trace[0] = f.trace[0] * numpy.float32(2)
        f.iline[11] = f.iline[12]
        f.depth_slice[3] = numpy.ones((4, 5), numpy.float32)
        f.header[5] = {21: 77, 71: -100}
        f.header[:] = {115: 30, 9: 4}
        f.bin.update(hns=30)
        f.text[0] = door.create_text_header({1: "CHANGED"})
        with f.trace.ref as ref:
            for trace in ref[7:9]:
                trace += 1
        expected = f.trace.raw[:]
    with segyio.open(path) as theirs:
        same(theirs.trace.raw[:], expected)
        same(theirs.iline[11][1:3, 4:], expected[6:8, 4:])
        assert theirs.header[5][21] == 77 and theirs.header[5][71] == -100
        assert set(theirs.attributes(9)[:]) == {4}
        assert theirs.text[0].startswith(b"C 1 CHANGED")


def test_a_value_that_does_not_fit_changes_nothing(tmp_path):
    path = cube_file(code=3).write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+") as f:
        with pytest.raises(ValueError, match="out of range"):
            f.header[0] = {1: 5, 115: 70000}
        with pytest.raises(KeyError):
            f.header[0] = {1: 5, 2: 7}
        with pytest.raises(ValueError, match="broadcast"):
            f.trace[0] = numpy.zeros(7, numpy.int16)
    assert path.read_bytes() == before
    with door.open(path, "r+") as f, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f.trace[0] = numpy.full(30, 2.6)
        assert set(f.trace[0]) == {3}
        with pytest.raises(sill.InputError):
            f.trace[0] = numpy.full(30, 70000.0)
        with pytest.raises(sill.InputError):
            f.trace[0] = 40000
    path = cube_file(code=1).write(tmp_path / "b.sgy")
    with door.open(path, "r+") as f, pytest.raises(sill.InputError):
        f.trace[0] = numpy.full(30, numpy.nan, numpy.float32)


def test_lines_of_a_cube_with_holes(tmp_path):
    path = cube_file().permuted(numpy.delete(numpy.arange(20), 7)).write(tmp_path / "a.sgy")
    with pytest.raises(ValueError):
        segyio.open(path)
    with door.open(path) as f:
        assert f.tracecount == 19
        line = f.iline[11]
        assert numpy.isnan(line[2]).all() and not numpy.isnan(line[[0, 1, 3, 4]]).any()
        same(line[3], f.trace[7])
        assert numpy.isnan(f.depth_slice[4][1, 2])
        assert len(list(f.header.iline[11])) == 4


def test_traces_of_different_lengths_are_read(tmp_path):
    short, long = (segy_files.make(3, count, seed=count) for count in (20, 30))
    for file in (short, long):
        file.put_binary(3503, "i2", 0)
    path = tmp_path / "a.sgy"
    path.write_bytes(short.to_bytes() + long.to_bytes()[3600:])
    with door.open(path, ignore_geometry=True) as f:
        assert [len(trace) for trace in f.trace] == [20, 20, 20, 30, 30, 30]
        same(f.trace[4], long.samples()[1])
        same(f.attributes(115)[:], [20, 20, 20, 30, 30, 30])
        with pytest.raises(ValueError, match="differ"):
            f.trace.raw[:]
    with pytest.raises(ValueError, match="in place"):
        door.open(path, "r+", ignore_geometry=True)


def test_fortran_records_are_read(tmp_path):
    data = cube_file().to_bytes()
    width = (len(data) - 3600) // 20
    records = [data[:3200], data[3200:3600], *(data[3600 + i * width : 3600 + (i + 1) * width] for i in range(20))]
    path = tmp_path / "a.sgy"
    path.write_bytes(b"".join(len(r).to_bytes(4, "little") + r + len(r).to_bytes(4, "little") for r in records))
    (tmp_path / "b.sgy").write_bytes(data)
    with door.open(path) as f, door.open(tmp_path / "b.sgy") as plain:
        same(door.tools.cube(f), door.tools.cube(plain))
        same(f.depth_slice[3], plain.depth_slice[3])
        assert f.text[0] == plain.text[0]
        assert f.bin == plain.bin
        assert f.header[7] == plain.header[7]


def test_streams_and_buffers(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    buffer = bytearray(path.read_bytes())
    with door.open_from_memory(buffer) as f:
        f.trace[1] = numpy.ones(30, numpy.float32)
        f.flush()
    path.write_bytes(buffer)
    with segyio.open(path) as theirs:
        same(theirs.trace[1], numpy.ones(30))
    with door.open_with(open(path, "rb")) as f:
        same(f.trace[1], numpy.ones(30))
        with pytest.raises(OSError, match="reading only"):
            f.trace[0] = f.trace[1]
    with door.open_from_memory(bytes(buffer)) as f, pytest.raises(OSError, match="reading only"):
        f.header[0][1] = 1
    with pytest.raises(RuntimeError):
        door.open_with(io.BytesIO(b"not a survey"))


def test_errors_are_those_of_segyio(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    f = door.open(path)
    for raised, call in [
        (IndexError, lambda: f.trace[20]), (IndexError, lambda: f.header[-21]), (IndexError, lambda: f.depth_slice[30]),
        (KeyError, lambda: f.iline[9]), (KeyError, lambda: f.header[0][2]), (KeyError, lambda: f.attributes(2)),
        (TypeError, lambda: f.trace[None]), (TypeError, lambda: f.trace["a"]), (IndexError, lambda: f.attributes(1)[[20]]),
        (TypeError, lambda: f.attributes(1)[["a"]]), (ValueError, lambda: door.open(path, "w")),
        (OSError, lambda: door.open(tmp_path / "none")), (ValueError, lambda: door.open(path, endian="middle")),
        (OSError, lambda: setattr(f, "trace", 0)), (ValueError, lambda: door.open(path, encoding="utf-8")),
    ]:  # fmt: skip
        with pytest.raises(raised):
            call()
    f.close()
    f.close()
    for call in (
        lambda: f.trace[0], lambda: list(f.trace), lambda: f.header[0], lambda: f.bin, lambda: f.text[0],
        lambda: f.iline[10], lambda: f.depth_slice[0], lambda: f.attributes(1)[:], lambda: f.trace.raw[:],
        lambda: f.traceheader[0][0],
    ):  # fmt: skip
        with pytest.raises(OSError, match="closed"):
            call()
    assert f.tracecount == 20


def test_seismic_unix(tmp_path):
    samples = numpy.random.default_rng(1).random((6, 30), numpy.float32)
    head = numpy.zeros((6, 240), numpy.uint8)
    for byte, value in ((115, 30), (117, 4000), (29, 1)):
        head[:, byte - 1 : byte + 1] = numpy.frombuffer(value.to_bytes(2, "big"), numpy.uint8)
    for byte, column in ((1, 1 + numpy.arange(6)), (5, 1 + numpy.arange(6) // 3), (21, 1 + numpy.arange(6) % 3)):
        head[:, byte - 1 : byte + 3] = column.astype(">i4").reshape(-1, 1).view(numpy.uint8)
    (tmp_path / "a.su").write_bytes(numpy.hstack([head, samples.astype(">f4").view(numpy.uint8)]).tobytes())
    lines = {"iline": 5, "xline": 21}
    with segyio.su.open(tmp_path / "a.su", **lines) as theirs, door.su.open(tmp_path / "a.su", **lines) as f:
        same(f.iline[2], theirs.iline[2])
        same(f.samples, theirs.samples)
        with pytest.raises(NotImplementedError):
            f.bin  # noqa: B018
        with pytest.raises(NotImplementedError):
            f.text  # noqa: B018


@pytest.mark.parametrize("name", ["segyio_f3.sgy", "segyio_small-ps.sgy", "segyio_Format11msb.sgy", "obspy_ld0042_ibm.sgy"])
def test_real_files(tmp_path, name):
    if not (SAMPLES / name).exists():
        pytest.skip("the file is not here")
    path = shutil.copy(SAMPLES / name, tmp_path)
    with segyio.open(path) as theirs, door.open(path) as ours:
        same(ours.samples, theirs.samples)
        same(ours.trace.raw[:], theirs.trace.raw[:])
        same(door.tools.cube(ours), segyio.tools.cube(theirs))
        same(ours.attributes(21)[:], theirs.attributes(21)[:])
        same(ours.depth_slice[5], theirs.depth_slice[5])


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_from_array(tmp_path, dimensions):
    data = numpy.random.default_rng(1).random((4, 3, 2, 20)[4 - dimensions :], numpy.float32)
    for module in (segyio, door):
        module.tools.from_array(str(tmp_path / f"{module.__name__}.sgy"), data, format=5, dt=2000, delrt=100)
    with segyio.open(tmp_path / "segyio.sgy") as theirs, door.open(tmp_path / "sill.segyio.sgy") as ours:
        same(door.tools.cube(ours), segyio.tools.cube(theirs))
        for name in ("samples", "ilines", "xlines", "offsets", "sorting"):
            same(getattr(ours, name), getattr(theirs, name))
        for byte in (1, 5, 13, 21, 25, 37, 109, 115, 117, 189, 193):
            same(ours.attributes(byte)[:], theirs.attributes(byte)[:])


def test_metadata_creates_a_file_of_the_same_structure(tmp_path):
    path = cube_file(offsets=2).write(tmp_path / "a.sgy")
    with door.open(path) as f, door.create(tmp_path / "b.sgy", door.tools.metadata(f)) as copy, warnings.catch_warnings():
        warnings.simplefilter("error")
        copy.text[0], copy.bin, copy.header, copy.trace = f.text[0], f.bin, f.header, f.trace
    assert (tmp_path / "b.sgy").read_bytes() == path.read_bytes()
