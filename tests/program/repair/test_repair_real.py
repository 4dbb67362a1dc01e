"""`sill repair` of real files."""

import json
import re

import pytest
import test_peculiarities as odd
from repairing import accepted, new_target


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


# Of those that cannot be repaired without more being said: why.
REFUSED = {
    "segyio_Format11msb.sgy": "revision 1 cannot store samples of format 11.*choose --revision",
    "segyio_stanzas-known-count.sgy": "revision 0 cannot store 9600 bytes of extended text headers.*choose --revision 1",
    "segyio_multi-text.sgy": "revision 0 cannot store 12800 bytes of extended text headers.*choose --revision 1",
    "segyio_broken.sgy": "68 bytes of trace 4, fewer than its 240 bytes of headers.*--last-trace drop",
    "obspy_20180307.seg2": "SEG-2 file; not supported.*convert it to SEG-Y first",
}


def test_real_files(sill, samples, tmp_path, target):
    """Of each: it comes out with the samples it had and no worse finding, or it is told what to do."""
    names = [line.split("\t")[0] for line in (samples / "MANIFEST.tsv").read_text().splitlines()[1:]]
    report, written = tmp_path / "report.json", 0
    for name in names:
        path = samples / name
        if not path.is_file():
            continue
        if name in REFUSED:
            reason = sill.run("repair", path, "-o", target, expect=(2, 3)).reason
            assert re.search(REFUSED[name], reason.replace("\n", " ")), (name, reason)
            continue
        sill.run("repair", path, "-o", target)
        written += 1
        sill.run("compare", path, target, "--report", report, expect=(0, 1))
        compared = json.loads(report.read_text())
        differing = ("samples_differing", "traces_of_other_samples", "traces_of_other_headers")
        assert [compared[what] for what in differing] == [0, 0, 0], name
        before = json.loads(sill.run("info", path, "--json", expect=(0, 3)).out)
        after = json.loads(sill.run("info", target, "--json").out)
        for key in ("traces", "samples", "sample_format", "first_trace_byte"):
            assert before.get(key) == after.get(key), name
        worst = [max((odd.GRADES.index(d["grade"]) for d in f["diagnostics"]), default=0) for f in (before, after)]
        assert worst[1] <= worst[0], name
    assert written > 5


def test_real_broken_file(sill, samples, target):
    path = samples / "segyio_broken.sgy"
    if not path.is_file():
        pytest.skip("not there")
    assert "68 bytes" in sill.run("repair", path, "-o", target, expect=(2, 3)).err
    sill.run("repair", path, "-o", target, "--last-trace", "drop", "--revision", "1")
    assert accepted(sill, target)["traces"] == 3
