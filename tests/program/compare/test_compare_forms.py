"""`sill compare` on files of every form: lengths that vary, additional headers, labels, trailers, Seismic Unix."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import segy_files
from varied_files import any_samples, make

alone_and_on_two = pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])


def flip(file, trace: int, byte: int):
    """The file with another last bit of a byte (from 1) of a trace (from 0)."""
    raw = bytearray(file.traces[trace])
    raw[byte - 1] ^= 1
    return replace(file, traces=[*file.traces[:trace], bytes(raw), *file.traces[trace + 1 :]])


def compare(sill, tmp_path, a, b, *options, ranks=None, expect=1, names=("a.sgy", "b.sgy")) -> str:
    paths = [file.write(tmp_path / name) for file, name in zip((a, b), names, strict=True)]
    return sill.run("compare", *paths, *options, ranks=ranks, expect=expect).said


@pytest.fixture
def varied():
    return make(any_samples(300), headers=[1 + i // 3 % 3 for i in range(300)], label=True, trailers=2, extended=1)


@alone_and_on_two
def test_equal(sill, tmp_path, varied, ranks):
    said = compare(sill, tmp_path, varied, varied, ranks=ranks, expect=0)
    assert "equal: 300 traces of different numbers of samples" in said


@alone_and_on_two
def test_samples_of_each_trace(sill, tmp_path, varied, ranks):
    """The last sample of traces of different lengths, at its place."""
    changed = varied
    for trace in (100, 299):
        changed = flip(changed, trace, len(varied.traces[trace]))
    said = compare(sill, tmp_path, varied, changed, ranks=ranks)
    sample = (len(varied.traces[100]) - 240 * (2 + 100 // 3 % 3)) // 4
    assert f"samples: 2 differ in 2 traces, first in trace 101, sample {sample}:" in said


def test_nrms_of_lengths_that_vary(sill, tmp_path):
    samples = any_samples(200)
    first = make(samples)
    values = np.concatenate([np.frombuffer(t[240:], ">f4").astype(float) for t in first.traces])
    second = replace(first, traces=[t[:240] + (np.frombuffer(t[240:], ">f4") * 2).astype(">f4").tobytes()
                                    for t in first.traces])  # fmt: skip
    report = tmp_path / "r.json"
    compare(sill, tmp_path, first, second, "--report", report)
    told = json.loads(report.read_text())
    assert told["samples_differing"] == np.count_nonzero(values)
    assert told["nrms_percent"] == pytest.approx(200 / 3)
    assert told["largest_difference"] == np.abs(values).max()


@pytest.mark.parametrize(
    "byte, name",
    [(21, "cdp"), (241, "trace_seq_num_line_ext1|seq|unassigned"), (430, "unassigned bytes 425-432"),
     (500, "unassigned bytes 497-504"), (720, "unassigned bytes 713-720")],
)  # fmt: skip
def test_words_of_all_headers(sill, tmp_path, varied, byte, name):
    assert len(varied.traces[5]) > 720 and 2 + 5 // 3 % 3 == 3
    said = compare(sill, tmp_path, varied, flip(varied, 5, byte))
    assert re.search(r"differs in 1 trace, first in trace 6", said), said
    if byte != 241:
        assert re.search(name, said), said
    compare(sill, tmp_path, varied, flip(varied, 5, byte), "--ignore", f"@{byte}:u1", expect=0)


def test_a_word_of_extension_1_by_name(sill, tmp_path, varied):
    changed = flip(varied, 7, 248)
    said = compare(sill, tmp_path, varied, changed)
    name = re.search(r"\n\s+(\S+): differs in 1 trace, first in trace 8", said).group(1)
    assert "unassigned" not in name
    compare(sill, tmp_path, varied, changed, "--ignore", name, expect=0)
    refused = compare(sill, tmp_path, varied, changed, "--ignore", "@961:i4", expect=2)
    assert "bytes 1 to 960" in refused or "header" in refused


@alone_and_on_two
def test_other_numbers_of_samples_and_headers(sill, tmp_path, ranks):
    samples, headers = any_samples(300), [2] * 300
    first = make(samples, headers=headers)
    fewer, more = samples.copy(), headers.copy()
    fewer[200], more[30], more[31] = samples[200] - 3, 1, 1
    second = make(fewer, headers=more)
    # The random samples are of other widths: take them from the first file.
    traces = []
    for i, trace in enumerate(first.traces):
        body = trace[720:]
        if i == 200:
            body = body[:-12]
        traces.append(second.traces[i][: 240 * (1 + more[i])] + body)
    second = replace(second, traces=traces)
    report = tmp_path / "r.json"
    said = compare(sill, tmp_path, first, second, "--report", report, ranks=ranks)
    assert f"samples per trace: different numbers in 1 trace, first in trace 201: {samples[200]} and {fewer[200]}" in said
    assert "headers per trace: different numbers in 2 traces, first in trace 31: 3 and 2" in said
    told = json.loads(report.read_text())
    assert (told["traces_of_other_samples"], told["traces_of_other_headers"]) == (1, 2)
    assert told["samples_differing"] == 0


def test_labels_extended_text_and_trailers(sill, tmp_path, varied):
    head, tail = bytearray(varied.head), bytearray(varied.tail)
    head[60] ^= 1
    assert "tape labels differ" in compare(sill, tmp_path, varied, replace(varied, head=bytes(head)))
    head[60] ^= 1
    head[128 + 3700] ^= 1
    said = compare(sill, tmp_path, varied, replace(varied, head=bytes(head)))
    assert "text headers differ" in said and "label" not in said
    tail[-1] ^= 1
    changed = replace(varied, head=bytes(head), tail=bytes(tail))
    assert "data trailers differ" in compare(sill, tmp_path, varied, changed)
    compare(sill, tmp_path, varied, changed, "--ignore", "text", expect=0)


def test_a_label_on_one_side_only(sill, tmp_path):
    """The binary header is found behind it, and nothing else differs."""
    with_label, without = make([20] * 50, label=True, flag=1), make([20] * 50, revision=(2, 1), flag=1)
    said = compare(sill, tmp_path, with_label, without)
    assert "tape labels differ" in said and "file header" not in said and "text" not in said
    compare(sill, tmp_path, with_label, without, "--ignore", "text", expect=0)


def test_the_number_of_traces_can_be_ignored(sill, tmp_path):
    first, second = make([20] * 50, told_traces=50, flag=1), make([20] * 50, told_traces=0, flag=1)
    assert "NrTracesInStream" in compare(sill, tmp_path, first, second)
    compare(sill, tmp_path, first, second, "--ignore", "NrTracesInStream", expect=0)


@alone_and_on_two
@pytest.mark.parametrize("order", ["big", "little"])
def test_seismic_unix(sill, tmp_path, order, ranks):
    names = ("a.su", "b.su")
    file = make([30] * 120, su=True, order=order)
    assert "equal: 120 traces of 30 samples" in compare(sill, tmp_path, file, file, ranks=ranks, expect=0, names=names)
    for byte, word in ((21, "cdp"), (181, "d1"), (230, "unassigned")):
        said = compare(sill, tmp_path, file, flip(file, 77, byte), ranks=ranks, names=names)
        assert re.search(rf"\b{word}\b.*differs in 1 trace, first in trace 78", said), said
    said = compare(sill, tmp_path, file, flip(file, 77, 250), ranks=ranks, names=names)
    assert "samples: 1 differ in 1 trace, first in trace 78, sample 3" in said


@alone_and_on_two
def test_segy_against_seismic_unix(sill, tmp_path, ranks):
    """Bytes 1-180 and samples, by value: what lies behind is not the same in both."""
    segy, su = make([30] * 120, flag=1), make([30] * 120, su=True, order="little")
    names = ("a.sgy", "b.su")
    said = compare(sill, tmp_path, segy, su, expect=0, names=names, ranks=ranks)
    assert "equal" in said and "only bytes 1-180" in said
    said = compare(sill, tmp_path, segy, flip(su, 77, 21), names=names, ranks=ranks)
    assert re.search(r"cdp: differs in 1 trace, first in trace 78", said) and "only bytes 1-180" in said
    compare(sill, tmp_path, segy, flip(su, 77, 200), expect=0, names=names, ranks=ranks)
    assert "samples: 1 differ" in compare(sill, tmp_path, segy, flip(su, 77, 255), names=names, ranks=ranks)


def test_formats_and_orders_of_lengths_that_vary(sill, tmp_path):
    """Integers as IEEE and as IBM floats, big and little: only the code of the format differs."""
    samples = any_samples(100)
    ieee, ibm = make(samples, order="little"), make(samples, code=1)
    random = np.random.default_rng(3)
    bodies = [random.integers(-1000, 1000, count) for count in samples]
    pairs = [
        (ieee, lambda body: body.astype("<f4").tobytes()),
        (ibm, lambda body: segy_files.encode(body, "ibm4", "big").tobytes()),
    ]
    for file, encoded in pairs:
        file.traces = [trace[:240] + encoded(body) for trace, body in zip(file.traces, bodies, strict=True)]
    assert "file header, format: 5 and 1" in compare(sill, tmp_path, ieee, ibm)
    compare(sill, tmp_path, ieee, ibm, "--ignore", "Format", expect=0)
