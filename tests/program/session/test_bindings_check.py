"""script/checks/bindings: C++, C, Fortran and Python offer the same, and it sees where they do not."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
C = "bindings/c/include/sill.h"
BOUND = "bindings/fortran/sill_c.f90"
STATIONS = "bindings/fortran/sill_stations.f90"
CPP = "src/sill/io/simulation/station_writer.hpp"


@pytest.fixture
def sources(tmp_path):
    for folder in ("bindings", "src/sill/io", "apps/cli"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def run(root):
    done = subprocess.run([ROOT / "script/checks/bindings", root], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_they_offer_the_same(sources):
    assert run(sources) == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        (CPP, "  void flush();\n", "  void flush();\n  void sync();\n", ["lacks sill_stations_sync"]),
        (CPP, "  void flush();\n", "", ["sill_stations_flush is no public function"]),
        (CPP, "steps() const { return written_steps_; }", "times() const { return 1; }", ["sill_stations_times", "_steps"]),
        (C, "int sill_stations_flush(sill_stations *stations);\n", "", ["lacks sill_stations_flush", "script/fortran prints"]),
        (C, "int sill_session_free(sill_session **session);\n", "", ["lacks sill_session_free"]),
        (C, "sill_stations_flush(sill_stations *stations)", "sill_stations_flush(sill_stations *stations, int all)", ["script/fortran prints"]),
        (C, "#ifdef __cplusplus\n}", "int sill_more(void);\n#ifdef __cplusplus\n}", ["sill_more is no", "script/fortran prints"]),
        (C, "  int64_t final_steps; ", "  int final_steps; ", ["script/fortran prints"]),
        (C, "  int64_t plane_rows; ", "", ["script/fortran prints"]),
        (C, "SILL_X_FASTEST = 1", "SILL_X_FASTEST = 2", ["SILL_X_FASTEST: is 2"]),
        (BOUND, "c_stations_record(stations, values, count)", "c_stations_record(stations, values)", ["script/fortran prints"]),
        (C, "  int64_t plane_rows; ", "  size_t plane_rows; ", ["does not know", "size_t"]),
        (STATIONS, "subroutine sill_stations_flush(", "subroutine stations_flush(", ["lacks the public procedure"]),
        (STATIONS, "public :: sill_stations_open, ", "public :: ", ["procedure sill_stations_open"]),
    ],
)
def test_what_one_has_alone_is_seen(sources, file, old, new, told):
    change(sources / file, old, new)
    status, output = run(sources)
    assert status == 1
    for words in told:
        assert words in output


def test_a_new_writer_must_be_in_the_table(sources):
    (sources / "src/sill/io/simulation/plume_writer.hpp").write_text("class PlumeWriter {};\n", encoding="utf-8")
    status, output = run(sources)
    assert status == 1
    assert "plume_writer.hpp: is not in the table" in output


def test_an_exception_for_what_there_is_not_is_seen(sources):
    change(sources / "src/sill/io/survey/survey_reader.hpp", "will_need_headers", "will_want_headers")
    status, output = run(sources)
    assert status == 1
    assert "SurveyReader::will_need_headers is excepted, but there is none" in output


def test_what_python_has_is_seen(sources):
    change(sources / "bindings/python/sill/flows.py", "def write(", "def written(")
    change(sources / "apps/cli/survey/sort.cpp", '"sort"', '"order"')
    status, output = run(sources)
    assert status == 1
    assert "lacks Flow.write, which stands for sill_flow_run" in output
    assert "lacks commands.sort, which stands for sill_reader_sort" in output
