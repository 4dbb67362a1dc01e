"""sill.segyio, compared with segyio itself and with NumPy's own reading of the bytes."""

import gc
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
        assert int(ours.format) == int(theirs.format) and str(ours.format) == f"{ours.format}" == str(theirs.format)
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
        assert ours.text[0] == theirs.text[0] and isinstance(ours.text[0], bytearray)
        assert list(map(int, ours.header[0])) == ours.header[0].keys() == list(map(int, theirs.header[0].keys()))
        assert ours.bin.keys() == sorted(ours.bin.keys())
        assert (ours.trace.length, ours.text.length) == (theirs.trace.length, 1 + ours.ext_headers)
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
        expected = f.iline[2]
    little = numpy.hstack([head.view(">i2").astype("<i2").view(numpy.uint8), samples.astype("<f4").view(numpy.uint8)])
    for first in (0, 4, 20):  # words of 4 bytes
        little[:, first : first + 4] = head[:, first : first + 4][:, ::-1]
    (tmp_path / "little.su").write_bytes(little.tobytes())
    with door.su.open(tmp_path / "little.su", **lines) as f:  # the byte order is detected
        assert f.endian == "little"
        same(f.iline[2], expected)


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


def spec_of(tracecount=3, count=30, **values):
    spec = door.spec()
    spec.samples, spec.format, spec.tracecount = numpy.arange(count), 5, tracecount
    for name, value in values.items():
        setattr(spec, name, value)
    return spec


@pytest.mark.parametrize(("values", "options"), [
    ({"encoding": "utf-8"}, {}), ({}, {"layout_xml": b"<broken"}), ({"samples": [0, 100]}, {}), ({"ext_headers": -1}, {}),
])  # fmt: skip
def test_create_with_an_error_keeps_the_file(tmp_path, values, options):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with pytest.raises(ValueError):
        door.create(path, spec_of(**values), **options)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_create_does_not_replace_a_file_that_is_edited(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+"), pytest.raises(OSError, match="open for writing"):
        door.create(path, spec_of())
    (tmp_path / "a.sgy.sill-journal").write_bytes(b"x" * 100)
    with pytest.raises(sill.UsageError, match="journal"):
        door.create(path, spec_of())
    assert path.read_bytes() == before


@pytest.mark.parametrize("options", [{}, {"format": 3, "delrt": 40000}, {"format": 5, "dt": 2000.5}])
def test_from_array_with_an_error_keeps_the_file(tmp_path, options):
    path = tmp_path / "a.sgy"
    path.write_bytes(b"precious")
    data = numpy.ones((3, 20), numpy.float32)
    data[1] = 1 if options else numpy.nan
    with pytest.raises(ValueError):
        door.tools.from_array(path, data, **options)
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_locked_while_it_can_be_written(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f, door.open(path) as read:
        with pytest.raises(OSError, match="open for writing"):
            door.open(path, "r+")
        with pytest.raises(sill.IoError):
            sill.edit(path, set="cdp=7")
        assert read.readonly and not f.readonly
    door.open(path, "r+")  # dropped without close
    door.open(path, "r+").close()
    door.open(path, "r+")
    door.create(path, spec_of()).close()


def test_a_header_writes_only_the_words_that_are_assigned(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        early = f.header[3]
        f.header[3] = {21: 77}
        early.update({9: 5, 13: 6})
        early.buf[0:4] = b"\0\0\0\5"
        early.flush()
        assert f.header[3][21, 9, 13, 1] == {21: 77, 9: 5, 13: 6, 1: 5}
    with door.open(path) as f:
        header = f.header[3]
        with pytest.raises(OSError, match="reading only"):
            header[21] = 5
        assert header[21] == 77


@pytest.mark.parametrize(("offsets", "stray"), [(1, {13: 5}), (2, {30: 7, 31: 8, 39: 9}), (1, {k: 25 * k for k in range(20)})])
def test_cubes_with_irregular_offsets_are_read_by_position(tmp_path, offsets, stray):
    file = cube_file(offsets=offsets)
    words = 1 + numpy.arange(file.traces) % offsets
    words[list(stray)] = list(stray.values())
    with door.open(cube_file(offsets=offsets).write(tmp_path / "a.sgy")) as regular:
        expected, ilines = door.tools.cube(regular), regular.ilines
    path = file.put(37, "i4", words).write(tmp_path / "b.sgy")
    with door.open(path) as f:
        same(f.offsets, words[:offsets])
        same(f.ilines, ilines)
        same(door.tools.cube(f), expected)
    path = file.permuted(numpy.random.default_rng(1).permutation(file.traces)).write(tmp_path / "c.sgy")
    with door.open(path) as f:
        assert door.tools.cube(f).shape == expected.shape
        assert not numpy.isnan(door.tools.cube(f)).any()


def test_a_place_without_a_trace_is_not_written(tmp_path):
    path = cube_file().permuted(numpy.delete(numpy.arange(20), 7)).write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+") as f:
        for assign in (
            lambda: f.iline.__setitem__(11, numpy.ones((5, 30), numpy.float32)),
            lambda: f.depth_slice.__setitem__(0, numpy.ones((4, 5), numpy.float32)),
            lambda: f.header.iline.__setitem__(11, [{9: 1}] * 5),
        ):
            with pytest.raises(ValueError, match="trace"):
                assign()
    assert path.read_bytes() == before


@pytest.mark.filterwarnings("ignore:Implicit conversion")
def test_samples_of_other_types_are_converted_or_refused(tmp_path):
    path = cube_file(code=3).write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        for value, expected in ((numpy.float16(2.6), 3), (numpy.longdouble(7), 7), (numpy.True_, 1), (5, 5)):
            f.trace[0] = numpy.full(30, value)
            assert set(f.trace[0]) == {expected}
        for value in (numpy.float16(60000), numpy.longdouble(70000), numpy.float16("nan"), numpy.inf, 2**40):
            with pytest.raises(sill.InputError):
                f.trace[0] = numpy.full(30, value)
        for value in (2 + 5j, "3", None, 2**70):
            with pytest.raises(TypeError, match="samples are"):
                f.trace[0] = numpy.full(30, value)
            with pytest.raises(TypeError, match="samples are"):
                f.trace[0] = value
        with pytest.raises(ValueError, match="masked"):
            f.trace[0] = numpy.ma.masked_array(numpy.ones(30, numpy.int16), mask=[1] * 30)
        assert set(f.trace[0]) == {5}


@pytest.mark.filterwarnings("ignore:Implicit conversion")
def test_only_numbers_are_broadcast(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+") as f:
        for name, key, value in [
            ("trace", 0, [5]), ("trace", 0, f.trace.raw[:2]), ("trace", slice(None), f.trace[7]), ("trace", slice(3), [1, 2]),
            ("iline", slice(None), f.iline[11]), ("iline", 11, f.trace[0]), ("iline", 11, f.iline[11][:3]),
            ("iline", 11, f.iline[11][:, :9]), ("depth_slice", slice(None), f.depth_slice[1]), ("depth_slice", 0, [1]),
        ]:  # fmt: skip
            with pytest.raises(ValueError, match="is needed"):
                getattr(f, name)[key] = value
        f.flush()
        assert path.read_bytes() == before
        f.trace[0] = numpy.arange(40, dtype=numpy.float32)
        same(f.trace[0], numpy.arange(30))
        f.iline[11] = 7
        f.depth_slice[3:5] = iter([f.depth_slice[3], f.depth_slice[3]])
        same(f.depth_slice[4], f.depth_slice[3])
        assert (f.iline[11] == 7).all()


def test_assigned_text_is_the_text_header(tmp_path):
    path = cube_file(extended=1).write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        for value in ("C 1 HELLO", b"C 1 HELLO", bytearray(b"C 1 HELLO")):
            second = f.text[1]
            f.text[0] = " "
            f.text = value
            assert f.text[0] == b"C 1 HELLO".ljust(3200)
            assert f.text[1] == second


def test_ref_writes_all_changes_at_the_end_of_with(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        for outside in (lambda ref: ref[0], lambda ref: ref.__setitem__(0, 1), lambda ref: list(ref)):
            with pytest.raises(TypeError, match="with"):
                outside(f.trace.ref)
        with f.trace.ref as ref:
            for trace in ref:
                trace[:] = 1
            kept = trace
            kept[:] = 2
            ref[2:4] = numpy.full((2, 30), 3, numpy.float32)
        with pytest.raises(TypeError, match="with"):
            ref[0]
        same(f.trace.raw[:][:, 0], [1, 1, 3, 3, *[1] * 15, 2])
        f.trace[0] = 0
        with f.trace.ref as ref:
            ref[0][:] = -0.0
        assert numpy.signbit(f.trace[0]).all()


def test_header_names_are_padded_in_their_encoding(tmp_path):
    with door.create(tmp_path / "a.sgy", spec_of(traceheader_count=2)) as f:
        with pytest.raises(ValueError):
            f.traceheader[0][0][233] = 7
        f.traceheader[0][0][233] = b"AB"
        assert f.header[0][233] == b"AB      "
        assert bytes(f.header[0].buf[232:]) == b"\xc1\xc2" + b"\x40" * 6


class Slow(io.RawIOBase):
    """A stream that writes a few bytes at a time, and counts them; `fails`: none."""

    def __init__(self, data):
        self.data, self.at, self.written, self.fails = bytearray(data), 0, 0, False

    def readable(self):
        return True

    writable = seekable = readable

    def seek(self, at, whence=0):
        self.at = at
        return at

    def readinto(self, memory):
        count = max(0, min(len(memory), len(self.data) - self.at))
        memory[:count] = self.data[self.at : self.at + count]
        self.at += count
        return count

    def write(self, data):
        if self.fails:
            raise OSError("full")
        count = min(len(data), 50)
        self.data[self.at : self.at + count] = bytes(data[:count])
        self.at += count
        self.written += count
        return count


def test_streams_get_all_changes_and_only_these():
    data = cube_file().to_bytes()
    stream = Slow(data)
    with door.open_with(stream) as f:
        f.trace[19] = 5
        f.trace[18] = 4
        f.header[3] = {9: 7}
    assert stream.closed and stream.written == 2 * 120 + 4
    with door.open_from_memory(bytes(stream.data)) as f:
        assert f.trace[19][29] == 5 and f.trace[18][0] == 4 and f.header[3][9] == 7
    buffer = bytearray(data)
    with door.open_from_memory(buffer) as f:
        buffer[:4] = b"ABCD"  # by another
        f.header[0] = {1: 5}
    assert buffer[:4] == b"ABCD" and buffer[3603] == 5


def test_changes_that_a_stream_refuses_are_kept():
    stream = Slow(cube_file().to_bytes())
    f = door.open_with(stream)
    f.trace[0] = 5
    stream.fails = True
    for _ in range(2):
        with pytest.raises(OSError, match="full"):
            f.close()
    stream.fails = False
    f.close()
    assert stream.closed and stream.written == 120


def test_a_stream_that_cannot_be_opened_stays_open(tmp_path):
    numbers = numpy.arange(60)
    stream = io.BytesIO(segy_files.make(60, 30).put(189, "i4", numbers).put(193, "i4", numbers).to_bytes())
    with pytest.raises(ValueError):
        door.open_with(stream)
    assert not stream.closed
    path = cube_file().write(tmp_path / "a.sgy")
    with open(path, "a+b") as appending, pytest.raises(ValueError, match="end only"):
        door.open_with(appending)


def test_a_stream_that_is_dropped_is_stored_with_a_warning():
    stream = Slow(cube_file().to_bytes())
    f = door.open_with(stream)
    f.trace[0] = 5
    with pytest.warns(ResourceWarning, match="close"):
        del f
        gc.collect()
    assert stream.written == 120


def test_many_changes_of_a_stream_are_joined():
    stream = Slow(segy_files.make(1000, 30).to_bytes())
    with door.open_with(stream, ignore_geometry=True) as f:
        for _ in range(5):
            for number in range(999, -1, -1):
                f.header[number] = {9: number}
        f.depth_slice[3] = numpy.arange(1000, dtype=numpy.float32)
    assert stream.written == 8000
    with door.open_from_memory(stream.data, ignore_geometry=True) as f:
        same(f.attributes(9)[:], numpy.arange(1000))
        same(f.depth_slice[3], numpy.arange(1000))


def test_nothing_is_written_outside_the_file(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    assert not hasattr(door.SegyFile, "write_traces")
    with door.open(path, "r+") as f:
        for number, count in ((20, 30), (-1, 30), (0, 31)):
            with pytest.raises(ValueError):
                f._write_traces(number, numpy.ones(count, numpy.float32))
        with pytest.raises(sill.UsageError, match="not within"):
            f._write(len(before) - 100, bytes(200))
    assert path.read_bytes() == before


def test_large_line_numbers_and_samples_keep_their_values(tmp_path):
    xml = b'<segy-layout><entry name="iline" byte="189" type="uint4"/><entry name="xline" byte="193" type="int4"/>' \
          b'<entry name="offset" byte="37" type="int4"/></segy-layout>'  # fmt: skip
    path = cube_file().put(189, "u4", 4_000_000_000 + numpy.arange(20) // 5).write(tmp_path / "a.sgy")
    with door.open(path, layout_xml=xml) as f:
        same(f.ilines, 4_000_000_000 + numpy.arange(4))
        same(f.iline[4_000_000_001], f.trace.raw[5:10])
    spec = spec_of(format=9, ilines=[1, 2], xlines=[1, 2])
    with door.create(tmp_path / "b.sgy", spec) as f:
        f.header[:] = [{189: 1 + i // 2, 193: 1 + i % 2} for i in range(4)]
        f.trace = numpy.full((4, 30), 2**62 + 1)
    os.truncate(tmp_path / "b.sgy", 3600 + 3 * 480)
    with door.open(tmp_path / "b.sgy") as f:
        same(f.depth_slice[0], [[2**62 + 1, 2**62 + 1], [2**62 + 1, 0]])


def test_a_header_copied_to_another_byte_order_keeps_all_words(tmp_path):
    path = cube_file().put(233, "i4", 7).put(237, "i4", 8).write(tmp_path / "a.sgy")
    with door.open(path) as f, door.create(tmp_path / "b.sgy", spec_of(endian="little")) as copy:
        copy.header[0] = f.header[0]
        copy.header[1:] = f.header[1]
        for i in range(2):
            assert copy.header[i] == f.header[i]
            assert (copy.header[i][233], copy.header[i][237]) == (7, 8)


def test_additional_headers_may_have_the_same_name(tmp_path):
    with door.create(tmp_path / "a.sgy", spec_of(traceheader_count=4)) as f:
        f.traceheader[1][2].update({1: 5})
        f.traceheader[1][3].update({1: 6})
    with door.open(tmp_path / "a.sgy", "r+", ignore_geometry=True) as f:
        assert len(f.tracefield) == 4
        assert [f.traceheader[1][k][1] for k in range(4)] == [0, 0, 5, 6]
        same(f.tracefield[3][0][:], [0, 6, 0])


def test_a_file_that_another_thread_closes(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    f = door.open(path)
    survey = f._survey
    f._file = door.segy._CLOSED  # as `close` leaves it in the middle of a call
    with pytest.raises(OSError, match="closed"):
        f.bin  # noqa: B018
    assert survey is f._survey


def test_a_file_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch):
    path, other = (cube_file(seed=i).write(tmp_path / f"{i}.sgy") for i in range(2))
    opened = door.segy._sill.Survey

    def replacing(*arguments):
        survey = opened(*arguments)
        os.replace(other, path)
        return survey

    class Replacing:
        Survey = staticmethod(replacing)

        def __getattr__(self, name):
            return getattr(sill._sill, name)

    monkeypatch.setattr(door.segy, "_sill", Replacing())
    with pytest.raises(OSError, match="another file"):
        door.open(path)


def test_resampling_changes_all_words_of_the_interval(tmp_path):
    with door.create(tmp_path / "a.sgy", spec_of(traceheader_count=2)) as f:
        f.bin[door.BinField.ExtInterval] = 4000.0
        door.tools.resample(f, rate=2.3)
        with pytest.raises(ValueError, match="whole"):
            door.tools.resample(f, delay=0.5)
        with pytest.raises(ValueError, match="out of range"):
            door.tools.resample(f, rate=4, delay=40000)
    with door.open(tmp_path / "a.sgy", ignore_geometry=True) as f:
        assert f.samples[1] == 2.3
        assert f.header[2][117] == f.bin[3217] == f.bin[3273] == 2300


def test_a_stream_without_more_bytes_is_an_error():
    class Waiting(Slow):
        def readinto(self, memory):
            return super().readinto(memory) or None

    with pytest.raises(BlockingIOError):
        door.open_with(Waiting(cube_file().to_bytes()))


def test_a_file_that_cannot_be_opened_is_not_locked(tmp_path):
    numbers = numpy.arange(60)
    path = segy_files.make(60, 30).put(189, "i4", numbers).put(193, "i4", numbers).write(tmp_path / "a.sgy")
    for options in ({}, {"layout_xml": b"<broken"}):
        with pytest.raises(ValueError) as kept:
            door.open(path, "r+", **options)
        sill.edit(path, set="cdp=7")
        assert kept


def test_metadata_states_lines_only_if_traces_are_in_their_order(tmp_path):
    for numbers in (numpy.delete(numpy.arange(20), 7), numpy.random.default_rng(1).permutation(20)):
        path = cube_file().permuted(numbers).write(tmp_path / "a.sgy")
        with door.open(path) as f, door.create(tmp_path / "b.sgy", door.tools.metadata(f)) as copy:
            assert copy.tracecount == len(numbers) and copy.unstructured
            copy.trace, copy.header = f.trace, f.header
            expected = door.tools.cube(f)
        with door.open(tmp_path / "b.sgy") as copy:
            same(door.tools.cube(copy), expected)


def test_lines_of_a_survey_and_of_segyio_have_the_same_ranges(tmp_path):
    path = cube_file(inlines=7, offsets=2).write(tmp_path / "a.sgy")
    with segyio.open(path) as theirs, door.open(path) as ours:
        for name in ("iline", "xline"):
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert (mine.length, mine.shape, mine.dtype) == (other.length, other.shape, other.dtype)
            for keys in ((slice(None), slice(None)), (slice(11, 103, 3), 1), (12, slice(None, None, -1))):
                assert [list(each) for each in mine.ranges(*keys)] == [list(each) for each in other.ranges(*keys)]
    path = cube_file(inlines=7).write(tmp_path / "b.sgy")
    with sill.open(path) as survey, segyio.open(path) as theirs:
        for key in (slice(None, None, 3), slice(None, None, -2), slice(11, None, 2), slice(100, 0), slice(0, 10**12, 5)):
            expected = [line.copy() for line in theirs.iline[key]]
            same(survey.inlines[key], expected if expected else numpy.empty((0, 5, 30)))


@pytest.mark.parametrize("code", [3, 5, 6, 9])
def test_many_holes_are_filled(tmp_path, code):
    file = cube_file(inlines=40, crosslines=50, code=code)
    present = numpy.random.default_rng(code).random(2000) < 0.5
    path = file.permuted(numpy.flatnonzero(present)).write(tmp_path / "a.sgy")
    with door.open(path, ignore_geometry=False, endian="big") as f:
        expected = numpy.full((2000, 30), numpy.nan if code in (5, 6) else 0, f.dtype)
        expected[present] = f.trace.raw[:]
        cube = expected.reshape(40, 50, 30)
        same(door.tools.cube(f), cube)
        same(f.depth_slice[7], cube[:, :, 7])
        same(f.xline[110], cube[:, 5])
        if code == 5:
            same(sill.open(path).inlines[:], cube)


def test_single_traces_are_arrays_that_can_be_changed(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    survey = sill.open(path)
    with door.open(path) as f:
        for trace in (f.trace[3], f.trace[numpy.int16(3)], f.trace[-17], survey.traces[3], survey.traces[numpy.uint8(3)]):
            same(trace, f.trace.raw[:][3])
            trace[:] = 0
        for outside in (20, -21, 2**70):
            for traces in (f.trace, survey.traces):
                with pytest.raises(IndexError):
                    traces[outside]


def test_layouts_are_read_as_xml():
    xml = """<segy-layout><entry name="iline" byte="9" type="int4"/><extension name="A B">
        <entry name="x" byte="1" type="ieee64" if-non-zero="1"/><entry name="y" byte="9" type="scale6"/>
        </extension></segy-layout>"""
    expected = {"SEG00000": [("iline", 9, "int4", False)],
                "A B": [("x", 1, "ieee64", True), ("y_mant", 9, "int4", False), ("y_exp", 13, "int2", False)]}  # fmt: skip
    for given in (xml, xml.encode()):
        assert door.utils.parse_trace_headers_layout(given) == expected
    for wrong in (
        "<segy-layout>",
        "<other/>",
        xml.replace('"int4"', '"int5"'),
        xml.replace('"9"', '"239"'),
        xml.replace("name", "n"),
    ):
        with pytest.raises(ValueError, match="error parsing"):
            door.utils.parse_trace_headers_layout(wrong)


def test_lines_of_a_regular_cube_are_read_when_they_are_used(tmp_path, monkeypatch):
    path = tmp_path / "cube.sgy"
    sill.make_survey(path, kind="cube", traces=2000, samples=20, channels=40)
    read = []
    cube_of = sill.grid.cube_of
    monkeypatch.setattr(sill.segyio.segy, "cube_of",
                        lambda of, traces: cube_of(lambda numbers: (read.append(len(numbers)), of(numbers))[1], traces))  # fmt: skip
    with door.open(path) as f, segyio.open(path) as theirs, door.open(path, "r+") as all_read:
        assert f._cube and not all_read._cube
        assert sum(read) < 500, read
        for name in ("ilines", "xlines", "offsets", "sorting", "unstructured"):
            same(getattr(f, name), getattr(theirs, name))
        for line in theirs.ilines[[0, 17, 49]]:
            same(f.iline[line], theirs.iline[line])
        same(f.xline[theirs.xlines[3]], theirs.xline[theirs.xlines[3]])
        same(f.gather[theirs.ilines[3], theirs.xlines[5]], theirs.iline[theirs.ilines[3]][5])
        assert f._cube
        with pytest.raises(KeyError):
            f.iline[1]
        same(f.depth_slice[7], theirs.depth_slice[7])
        assert not f._cube


@pytest.mark.parametrize("how", ["swapped", "another", "gap"])
def test_lines_that_are_not_as_they_seemed(tmp_path, how):
    """An irregular line, which opening does not notice: no line is wrong."""
    path = tmp_path / "cube.sgy"
    sill.make_survey(path, kind="cube", traces=200, samples=6, channels=10)
    file = segy_files.read(path)
    iline, xline = file.word("iline"), file.word("xline")
    row = slice(30, 40)  # not the first, a middle or the last line
    if how == "swapped":
        xline[31], xline[32] = xline[32], xline[31]
    elif how == "another":
        xline[row] = [xline[30], *(xline[31:39] + 100), xline[39]]
    else:
        iline[33:36] += 1000
    file.put_word("iline", iline).put_word("xline", xline)
    file.write(path)
    with door.open(path, "r+") as expected, door.open(path) as f, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert f._cube
        for line in expected.ilines:  # until the irregular one is found, lines have fewer places
            numbers = numpy.flatnonzero(iline == line)
            same(f.iline[line][~numpy.isnan(f.iline[line][:, 0])], f.trace.raw[:][numbers[numpy.argsort(xline[numbers])]])
        for line in expected.ilines:
            same(f.iline[line], expected.iline[line])
        for line in expected.xlines:
            same(f.xline[line], expected.xline[line])
        same(f.ilines, expected.ilines)
        same(f.xlines, expected.xlines)
        assert [each.category for each in caught] == ([] if how == "swapped" else [RuntimeWarning])


@pytest.mark.parametrize("key", [slice(1, None), slice(None, None, -1)])
def test_copies_within_a_file_are_those_of_segyio(tmp_path, key, monkeypatch):
    monkeypatch.setattr(door.field, "BLOCK_BYTES", 1000)
    made = cube_file().put(13, "i4", numpy.arange(20))
    paths = [made.write(tmp_path / name) for name in ("theirs.sgy", "ours.sgy", "also.sgy")]
    for module, path in zip((segyio, door), paths, strict=False):
        with module.open(path, "r+", ignore_geometry=True) as f:
            f.header[key] = f.header
            f.trace[key] = f.trace
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with door.open(paths[2], "r+", ignore_geometry=True) as f, door.open(paths[2], ignore_geometry=True) as same_file:
        f.header[key] = same_file.header
        f.trace[key] = f.trace.raw  # not possible in segyio
    assert paths[0].read_bytes() == paths[2].read_bytes()


def test_assigned_traces_in_memory_are_checked(tmp_path):
    path = cube_file(code=3).write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        before = f.trace.raw[:]
        with f.trace.ref as ref:
            for wrong in (70000, numpy.full(30, numpy.nan), numpy.ma.masked_equal(numpy.arange(30), 3), numpy.arange(29)):
                with pytest.raises(ValueError):
                    ref[2] = wrong
            same(ref[2], before[2])
            ref[3] = numpy.full(30, 2.7)
            same(ref[3], numpy.full(30, 3))
            ref[4:6] = [numpy.arange(31.0), numpy.arange(30, 60)]
        same(f.trace.raw[3:6], [numpy.full(30, 3), numpy.arange(30), numpy.arange(30, 60)])
        same(f.trace.raw[:3], before[:3])


def test_traces_in_memory_are_not_written_after_an_exception(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+") as f:
        with pytest.raises(KeyError), f.trace.ref as ref:
            ref[3][:] = 2
            raise KeyError
    assert path.read_bytes() == before


def test_masks_in_lists_and_new_files_are_refused(tmp_path):
    masked = numpy.ma.masked_equal(numpy.arange(150, dtype="f4").reshape(5, 30), 3)
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="masked"):
        door.tools.from_array(tmp_path / "b.sgy", masked)
    with door.open(path, "r+") as f, pytest.raises(ValueError, match="masked"):
        f.iline[10] = list(masked)
    assert path.read_bytes() == before and not (tmp_path / "b.sgy").exists()


@pytest.mark.parametrize("wrong", [3200, "5 €", [1, 2]])
def test_text_headers_are_texts_of_latin_1(tmp_path, wrong):
    path = cube_file().write(tmp_path / "a.sgy")
    before = path.read_bytes()
    with door.open(path, "r+") as f, pytest.raises((TypeError, UnicodeEncodeError)):
        f.text[0] = wrong
    assert path.read_bytes() == before


@pytest.mark.parametrize("take", [
    lambda path: sill.create(path, numpy.ones((2, 3)), interval=0.004), lambda path: path.unlink(),
])  # fmt: skip
def test_changes_of_a_file_that_lost_its_name_are_an_error(tmp_path, take):
    path = cube_file().write(tmp_path / "a.sgy")
    f = door.open(path, "r+")
    f.trace[0] = numpy.zeros(30, "f4")
    f.flush()
    take(path)
    for call in (f.flush, f.close):
        with pytest.raises(OSError, match="took this name"):
            call()
    f.close()
    with door.open(cube_file().write(path), "r+"):  # nothing was changed
        take(path)


def test_the_working_directory_may_change(tmp_path, monkeypatch):
    cube_file().write(tmp_path / "a.sgy")
    monkeypatch.chdir(tmp_path)
    with door.open("a.sgy", "r+") as f:
        f.trace[0] = numpy.zeros(30, "f4")
        monkeypatch.chdir("/")


@pytest.mark.parametrize("bounds", [
    (-3, None), (None, -1), (-2, -1), (-1, None, -1), (2, -1), (None, None, -2), (None, None, 2), (-9, 9), (6, None, -1),
])  # fmt: skip
def test_slices_of_lines_are_those_of_segyio(tmp_path, bounds):
    path = cube_file(offsets=3).put(189, "i4", numpy.repeat([1, 2, 3, 4], 15)).write(tmp_path / "a.sgy")
    key = slice(*bounds)
    with segyio.open(path) as theirs, door.open(path) as ours:
        same([line.copy() for line in ours.iline[key]], [line.copy() for line in theirs.iline[key]])
        same([line.copy() for line in ours.iline[2, key]], [line.copy() for line in theirs.iline[2, key]])
        same(
            [[h[193] for h in line] for line in ours.header.iline[key]],
            [[h[193] for h in line] for line in theirs.header.iline[key]],
        )
        same(ours.gather[2, 102, key], theirs.gather[2, 102, key])


def test_slices_of_negative_lines_contain_numbers(tmp_path):
    path = cube_file().put(189, "i4", numpy.repeat([-3, -2, -1, 0], 5)).write(tmp_path / "a.sgy")
    with door.open(path) as f:
        same([line[0] for line in f.iline[-2:]], [f.iline[-2][0], f.iline[-1][0], f.iline[0][0]])


def test_line_numbers_are_words(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    for words in ({"iline": 190}, {"xline": 195}):
        with pytest.raises(IndexError, match="byte 19"):
            door.open(path, **words)
        assert door.open(path, strict=False, **words).unstructured
        with pytest.raises(KeyError, match="byte 19"):
            door.tools.from_array(tmp_path / "b.sgy", numpy.ones((2, 3)), **words)


def test_raw_traces_are_assigned_and_words_deleted(tmp_path):
    path = cube_file().write(tmp_path / "a.sgy")
    with door.open(path, "r+") as f:
        f.trace.raw[1] = f.trace.raw[2]
        f.trace.raw[3:5] = numpy.ones((2, 30), "f4")
        del f.header[7][193]
        same(f.trace.raw[1], f.trace.raw[2])
        same(f.trace.raw[3:5], numpy.ones((2, 30)))
        same(numpy.asarray(f.trace.raw), f.trace.raw[:])
        assert f.header[7][193] == 0


@pytest.mark.parametrize("revision", [0, 1])
def test_the_energy_direction_of_revision_1_has_four_bytes(tmp_path, revision):
    path = tmp_path / "a.sgy"
    sill.create(
        path, numpy.zeros((2, 5), "f4"), {"@219:i4": [70000, -70001], "@223:i2": 3}, interval=0.004, revision=str(revision)
    )
    word = door.TraceField.SourceEnergyDirectionMantissa
    with segyio.open(path, ignore_geometry=True) as theirs, door.open(path, ignore_geometry=True) as ours:
        assert ours.attributes(word)[:].tolist() == theirs.attributes(word)[:].tolist() == [70000, -70001]
        assert dict(ours.header[0])[219] == 70000 and ours.header[1][223] == 3 and 221 not in ours.header[0]
    with door.open(path, "r+", ignore_geometry=True) as ours:
        ours.header[0] = {word: 80000}
    assert sill.open(path)["sedm"].tolist() == [80000, -70001]


def test_the_energy_direction_of_revision_2_has_three_words(tmp_path):
    path = tmp_path / "a.sgy"
    sill.create(path, numpy.zeros((1, 5), "f4"), {"sedv": 1, "sedxl": -2, "sedil": 3}, interval=0.004, revision="2.0")
    with door.open(path, ignore_geometry=True) as ours:
        assert [ours.header[0][byte] for byte in (219, 221, 223)] == [1, -2, 3]
