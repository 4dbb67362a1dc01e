"""`sill convert`: whole files, the same over ranks, threads and policies; back again; what a target cannot hold."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import REVISIONS, WORD_OF, expected
from presets import PRESETS

POLICIES = [
    *PRESETS, "aggregated,align=4K", "elected,async=2", "staged,stage=8K,threads=2", "direct,writers=2,stage=1K",
]  # fmt: skip


def rich(order: str = "big", code: int = 5, revision=(2, 1), **options) -> segy_files.Segy:
    """A file with all there is: a label, extended text, additional headers, trailers."""
    return segy_forms.make(
        60, 17, code=code, order=order, revision=revision, additional=2, extended=2, trailers=2, label=True, **options
    )


@pytest.fixture
def target(tmp_path):
    return tmp_path / "out.sgy"


def refused(sill, target, *arguments, code=2) -> str:
    """The reason of a refusal that leaves nothing behind."""
    before = sorted(target.parent.iterdir())
    reason = sill.run("convert", *arguments, "-o", target, expect=code).reason
    assert sorted(target.parent.iterdir()) == before
    return reason


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("revision", [(2, 0), (2, 1)])
def test_labels_texts_headers_and_trailers_are_carried(sill, tmp_path, target, order, revision):
    file = rich(order, revision=revision)
    path = file.write(tmp_path / "in.sgy")
    for made_order in ("big", "little"):
        for made in ("2.0", "2.1"):
            sill.run("convert", path, "-o", target, "--byte-order", made_order, "--revision", made)
            wanted = expected(file, order=made_order, revision=REVISIONS[made])
            assert target.read_bytes() == wanted.to_bytes(), (made_order, made)
    sill.run("convert", path, "-o", target, "--sample-format", "int32")
    values = np.rint(file.samples().astype(np.float64))
    wanted = expected(file, code=2, samples=values, order="big" if order == "pairwise" else order)
    assert target.read_bytes() == wanted.to_bytes()


def test_nothing_told_changes_nothing(sill, tmp_path, target):
    """The default of everything is as the input has it, so that a file of sound words comes back byte for byte."""
    old = [segy_files.make(30, 9), segy_files.make(30, 9, code=1, order="little")]
    for file in (rich(), rich("little", code=7), *old):
        sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target)
        assert target.read_bytes() == file.to_bytes()


@pytest.mark.parametrize("policy", POLICIES)
def test_policies(sill, tmp_path, target, policy):
    file = rich()
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", target, "--sample-format", "int16", "--byte-order", "little", "--policy", policy)
    wanted = expected(file, code=3, order="little", samples=np.rint(file.samples().astype(np.float64)))
    assert target.read_bytes() == wanted.to_bytes()


@pytest.mark.parametrize("policy", ["direct", "gathered", "elected", "aggregated,align=4K", "collective"])
@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.mpich), 4])
def test_ranks(sill, tmp_path, target, policy, ranks):
    files = [rich(seed=seed) for seed in (1, 2)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    options = ["--sample-format", "ibm", "--byte-order", "little", "--policy", policy, "--threads", 1]
    sill.run("convert", *paths, "-o", target, *options, "--report", tmp_path / "r.json", ranks=ranks)
    joined = files[0].copy()
    joined.rows = np.concatenate([file.rows for file in files])
    wanted = expected(joined, code=1, order="little", samples=joined.samples())
    assert target.read_bytes() == wanted.to_bytes()
    ibm = segy_files.ibm_values(segy_files.ibm_words(joined.samples()))
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["rounded"] == np.count_nonzero(ibm != joined.samples())
    assert (told["samples"], told["traces_out"]) == (120 * 17, 120)


@pytest.mark.parametrize("threads", [1, 3, 7])
def test_threads(sill, tmp_path, target, threads):
    file = segy_forms.make(1000, 17, code=2).put_samples(np.arange(17_000).reshape(1000, 17) - 9_000)
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--sample-format", "int24", "--threads", threads)
    assert target.read_bytes() == expected(file, code=7, samples=file.samples()).to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("there, back", [("ieee64", "ieee"), ("ibm", "ibm"), ("int64", "int64"), (None, None)])
def test_there_and_back(sill, tmp_path, target, order, there, back):
    """Where nothing is lost the input comes back, byte for byte; IBM and int64 samples already hold what they hold."""
    code = {"ieee": 5, "ibm": 1, "int64": 9, None: 16}[back]
    file = rich(order, code=code)
    path, middle = file.write(tmp_path / "in.sgy"), tmp_path / "middle.sgy"
    other = "little" if order == "big" else "big"
    to = ["--sample-format", there] if there else []
    sill.run("convert", path, "-o", middle, "--byte-order", other, "--revision", "2.0", *to)
    to = ["--sample-format", back] if back else []
    sill.run("convert", middle, "-o", target, "--byte-order", order, "--revision", "2.1", *to)
    assert middle.read_bytes() != path.read_bytes()
    assert target.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("code", [2, 3, 5, 7, 8, 10, 11, 15, 16])
def test_all_integers_and_floats_through_doubles_and_back(sill, tmp_path, target, code):
    path = segy_forms.make(20, 17, code=code).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "double.sgy", "--sample-format", "ieee64")
    sill.run("convert", tmp_path / "double.sgy", "-o", target, "--sample-format", WORD_OF[code])
    assert target.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_lengths_that_vary(sill, tmp_path, target, order):
    lengths = np.random.default_rng(8).integers(5, 40, 30)
    file = segy_files.make(30, 40, order=order, code=3)
    path = tmp_path / "in.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    for ranks in (None, 3):
        sill.run("convert", path, "-o", target, "--sample-format", "int32", "--byte-order", "big", ranks=ranks)
        wide = expected(file, code=2, order="big", samples=file.samples())
        assert target.read_bytes() == segy_forms.varying(wide, lengths)


@pytest.mark.parametrize("order", ["big", "little"])
def test_lengths_and_headers_that_vary_in_revision_2_1(sill, tmp_path, target, order):
    lengths, additional = [70_000, 12, 65_536, 500], [1, 2, 1, 2]
    file = segy_forms.make(4, 70_000, additional=2, code=8, order=order, trailers=1)
    path = tmp_path / "in.sgy"
    raw = segy_forms.varying(file, lengths, additional)
    path.write_bytes(raw)
    sill.run("convert", path, "-o", target, "--sample-format", "int16")
    wanted = segy_forms.varying(expected(file, code=3, samples=file.samples()), lengths, additional)
    assert target.read_bytes() == wanted
    sill.run("convert", target, "-o", tmp_path / "back.sgy", "--sample-format", "int8")
    assert (tmp_path / "back.sgy").read_bytes() == raw


# What of a file the target cannot hold: changes of the file, options, words of the reason.
CANNOT = {
    "format": ({"code": 9}, ["--revision", "1"], "format 9"),
    "int8": ({"code": 8}, ["--revision", "0"], "format 8"),
    "told format": ({}, ["--revision", "1", "--sample-format", "uint16"], "format 11"),
    "samples": ({"samples": 65_536}, ["--revision", "1"], "65536 samples"),
    "interval": ({"interval_us": 0.5}, ["--revision", "1"], "0.5 us"),
    "additional headers": ({"additional": 1}, ["--revision", "1"], "additional trace headers"),
    "trailers": ({"trailers": 3}, ["--revision", "1"], "the 3 data trailers"),
    "extended text": ({"extended": 1}, ["--revision", "0"], "extended text headers"),
    "su format": ({}, ["--to", "su", "--sample-format", "ibm"], "format 1"),
    "su samples": ({"samples": 65_536}, ["--to", "su"], "65536 samples"),
    "su interval": ({"interval_us": 250.5}, ["--to", "su"], "250.5 us"),
    "su headers": ({"additional": 1}, ["--to", "su"], "additional trace headers"),
}


@pytest.mark.parametrize("what", CANNOT)
def test_what_the_target_cannot_hold(sill, tmp_path, target, what):
    options, arguments, words = CANNOT[what]
    options = {"samples": 9, "revision": (2, 1), **options}
    path = segy_forms.make(5, options.pop("samples"), **options).write(tmp_path / "in.sgy")
    reason = refused(sill, target, path, *arguments)
    assert words in reason and "cannot store" in reason
    assert "to do:" in reason


@pytest.mark.parametrize("arguments", [["--revision", "0"], ["--to", "su"]])
def test_lengths_that_vary_need_revision_1(sill, tmp_path, target, arguments):
    path = tmp_path / "in.sgy"
    path.write_bytes(segy_forms.varying(segy_files.make(30, 40), np.arange(30) + 5))
    assert "different lengths" in refused(sill, target, path, *arguments)


def test_bytes_before_the_first_trace_that_are_no_text(sill, tmp_path, target):
    file = segy_forms.make(9, 8)
    file.head = np.concatenate([file.head, np.arange(100, dtype=np.uint8)])
    file.put_binary(3521, "u8", 3700)
    path = file.write(tmp_path / "in.sgy")
    assert "3700 bytes before the first trace" in refused(sill, target, path, "--revision", "1")
    sill.run("convert", path, "-o", target, "--byte-order", "little")
    assert target.read_bytes() == expected(file, order="little").to_bytes()


@pytest.mark.parametrize(
    "byte, kind, value", [(3261, "i4", 40_000), (3281, "f8", 62.5), (3289, "u4", 70_000), (3293, "i4", 40_000)]
)
def test_longer_words_that_revision_1_has_not(sill, tmp_path, target, byte, kind, value):
    path = segy_forms.make(9, 8).put_binary(byte, kind, value).write(tmp_path / "in.sgy")
    assert f"{byte}-" in refused(sill, target, path, "--revision", "1")


def test_longer_words_that_fit_the_older(sill, tmp_path, target):
    file = segy_forms.make(9, 8)
    for byte, kind, value in [
        (3261, "i4", 48), (3265, "i4", 2), (3281, "f8", 500.0), (3289, "u4", 65_000), (3293, "i4", 60),
    ]:  # fmt: skip
        file.put_binary(byte, kind, value)
    file.put_binary(3509, "i2", 4).put_binary(3511, "i2", 1)
    said = sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--revision", "1").said
    made = segy_files.read(target)
    older = [(3213, "i2"), (3215, "i2"), (3219, "u2"), (3223, "u2"), (3227, "i2")]
    told = [int(made.binary(byte, kind)) for byte, kind in older]
    assert told == [48, 2, 500, 65_000, 60]
    assert not made.head[3260:3300].any() and not made.head[3506:3532].any()
    assert "survey type" in said and "time basis" in said


def test_junk_of_revision_1_does_not_become_words_of_revision_2(sill, tmp_path, target):
    file = segy_files.make(9, 8)
    file.head[3260:3300] = 7
    file.head[3506:3532] = 7
    said = sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--revision", "2.1").said
    assert "3261-3300" in said and "3507-3532" in said
    file.head[3260:3300] = 0
    file.head[3506:3532] = 0
    assert target.read_bytes() == expected(file, revision=(2, 1)).to_bytes()


def test_a_label_is_left_away_by_revision_0_alone(sill, tmp_path, target):
    file = segy_forms.make(9, 8, label=True)
    path = file.write(tmp_path / "in.sgy")
    assert "label" in sill.run("convert", path, "-o", target, "--revision", "0").said
    assert target.read_bytes() == expected(file, revision=(0, 0)).to_bytes()[128:]
    sill.run("convert", path, "-o", target, "--revision", "1")
    assert target.read_bytes() == expected(file, revision=(1, 0)).to_bytes()


def test_gain_is_read_only(sill, tmp_path, target):
    """Code 4 stays code 4, but is not made, nor carried between revisions 1 and 2, whose gains differ."""
    file = segy_forms.make(9, 8, code=4)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", target, "--byte-order", "little")
    assert target.read_bytes() == expected(file, order="little").to_bytes()
    target.unlink()
    refused(sill, target, path, "--revision", "1")
    refused(sill, target, path, "--sample-format", "gain")
    refused(sill, target, segy_files.make(9, 8, code=4).write(path), "--revision", "2.1")


def test_an_input_is_no_output(sill, tmp_path):
    path = segy_files.make(9, 8).write(tmp_path / "in.sgy")
    link = tmp_path / "link.sgy"
    link.symlink_to(path)
    before = path.read_bytes()
    for output in (path, link):
        sill.run("convert", path, "-o", output, "--sample-format", "ibm", expect=2)
    assert path.read_bytes() == before


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_sample_that_ends_it_leaves_nothing(sill, tmp_path, target, ranks):
    file = segy_files.make(2000, 50)
    values = file.samples()
    values[1500, 7] = np.nan
    path = file.put_samples(values).write(tmp_path / "in.sgy")
    target.write_bytes(b"old")
    error = sill.run("convert", path, "-o", target, "--sample-format", "int32", ranks=ranks, expect=3).err
    assert "trace:  1501\n" in error and "in.sgy" in error
    assert target.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.sgy", "out.sgy"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_trace_named_is_counted_in_its_own_file(sill, tmp_path, target, ranks):
    first, second = segy_files.make(30, 9), segy_files.make(30, 9)
    values = second.samples()
    values[10, 3] = 1e30
    paths = [first.write(tmp_path / "a.sgy"), second.put_samples(values).write(tmp_path / "b.sgy")]
    error = sill.run("convert", *paths, "-o", target, "--sample-format", "int32", ranks=ranks, expect=3).err
    assert "b.sgy" in error and "a.sgy" not in error and "trace:  11\n" in error


@pytest.mark.parametrize("ranks", [None, 2])
def test_full_disk(sill, tmp_path, tiny_disk, ranks):
    path = segy_files.make(400, 400).write(tmp_path / "in.sgy")
    target = tiny_disk / "out.sgy"
    sill.run("convert", path, "-o", target, "--sample-format", "ieee64", "--revision", "2.1", ranks=ranks, expect=4)
    assert list(tiny_disk.iterdir()) == []


def test_inputs_of_unlike_form_are_refused(sill, tmp_path, target):
    """Several inputs are one survey: what they are is to be the same."""
    paths = [
        segy_files.make(9, 8).write(tmp_path / "a.sgy"),
        segy_files.make(9, 8, order="little").write(tmp_path / "b.sgy"),
    ]
    reason = refused(sill, target, *paths, code=(2, 3))
    assert "byte order" in reason or "little" in reason


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("revision", ["0", "1"])
@pytest.mark.parametrize("made", [(1, 0), (2, 1)])
def test_revisions_before_2_are_big_endian(sill, tmp_path, target, made, revision, ranks):
    """By the standard; `--byte-order little` makes a little-endian file all the same, and a note says what it is."""
    make = segy_forms.make if made[0] == 2 else segy_files.make
    file = make(9, 8, order="little", revision=made)
    path = file.write(tmp_path / "in.sgy")
    said = sill.run("convert", path, "-o", target, "--revision", revision, ranks=ranks).said
    assert "the output is big-endian" in said and "--byte-order little" in said
    assert target.read_bytes() == expected(file, order="big", revision=REVISIONS[revision]).to_bytes()
    said = sill.run("convert", path, "-o", target, "--revision", revision, "--byte-order", "little", ranks=ranks).said
    assert "since revision 2.0" in said
    assert target.read_bytes() == expected(file, order="little", revision=REVISIONS[revision]).to_bytes()
    # What nobody asks for stays.
    sill.run("convert", path, "-o", target, "--revision", "2.1", ranks=ranks)
    assert target.read_bytes() == expected(file, order="little", revision=(2, 1)).to_bytes()
    sill.run("convert", path, "-o", target, "--sample-format", "int16", "--clip", ranks=ranks)
    assert json.loads(sill.run("info", target, "--json").out)["byte_order"] == "little"
    sill.run("repair", path, "-o", tmp_path / "repaired.sgy", "--revision", revision, ranks=ranks)
    assert json.loads(sill.run("info", tmp_path / "repaired.sgy", "--json").out)["byte_order"] == "big"


def test_an_interval_of_0_is_carried(sill, tmp_path, target):
    """Only what is made anew has to state one."""
    file = segy_files.make(9, 8).put_binary(3217, "u2", 0).put_word("dt", 0)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", target, "--byte-order", "little")
    assert target.read_bytes() == expected(file, order="little", interval_us=0.0).to_bytes()
    made = ["make-survey", tmp_path / "s.sgy", "--traces", 3, "--samples", 4, "--interval", 0]
    assert "interval" in sill.run(*made, expect=2).reason
