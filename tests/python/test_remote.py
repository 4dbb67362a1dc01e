"""Remote files, read from servers on loopback that count requests."""

import http.server
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest
import segy_files
import sill
import sill.segyio

pytest.importorskip("aiohttp")

MIB = 1 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with ranges of files in memory."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, has_body):
        server = self.server
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        with server.lock:
            server.requests.append((self.command, int(wanted[2]) - int(wanted[1]) + 1 if wanted else 0))
            status = server.failing.pop(0) if has_body and server.failing else 0
            server.busy += 1
            server.most_busy = max(server.most_busy, server.busy)
        time.sleep(server.delay_s)
        with server.lock:
            server.busy -= 1
        content, tag = server.files.get(self.path.partition("?")[0].lstrip("/"), (b"", ""))
        begin, end = (int(wanted[1]), min(int(wanted[2]) + 1, len(content))) if wanted else (0, len(content))
        body = content[begin:end]
        if status == -1:  # the connection breaks
            self.send_response(206)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        if not status:
            matches = server.ignores_conditions or self.headers.get("If-Match") in (None, tag)
            status = 404 if not tag else 412 if not matches else 206 if wanted else 200
        self.send_response(status)
        if tag and not server.is_silent and not (has_body and server.is_silent_in_answers):
            second = 0 if server.has_weak_tags else tag[1]
            if server.has_times or server.has_weak_tags:
                self.send_header("Last-Modified", f"Thu, 26 Nov 2026 10:00:0{second} GMT")
            if not server.has_times:
                self.send_header("ETag", f"W/{tag}" if server.has_weak_tags else tag)
        if status == 206:
            shift = server.shift if begin else 0
            self.send_header("Content-Range", f"bytes {begin + shift}-{begin + shift + len(body) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body) if status < 300 else 0))
        self.end_headers()
        if has_body and status < 300:
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.files = {}  # name: (content, tag)
        self.requests = []  # (method, bytes of the range)
        self.failing = []  # status of the next answers; -1: the connection breaks
        self.is_silent = False  # about the state of files
        self.is_silent_in_answers = False  # to GET only
        self.has_times = False  # instead of tags
        self.has_weak_tags = False  # with one time of all states
        self.ignores_conditions = False
        self.shift = 0  # of ranges after the first
        self.delay_s = 0.0
        self.busy = self.most_busy = 0  # requests at the same time

    def put(self, name, content, tag='"1"'):
        self.files[name] = (content, tag)
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def taken(self):
        """Returns the requests since the last call."""
        with self.lock:
            taken, self.requests = self.requests, []
        return taken


@pytest.fixture
def server():
    with Server() as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving
        serving.shutdown()


def cube(tmp_path, inlines, crosslines, samples):
    """A sorted cube: (survey, content, path)."""
    path = tmp_path / "cube.sgy"
    sill.make_survey(path, kind="cube", traces=inlines * crosslines, samples=samples, channels=crosslines)
    return sill.open(path), path.read_bytes(), path


def test_everything_is_as_in_a_local_file(server, line):
    file, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    survey, local = sill.open(url), sill.open(path)
    expected = file.samples().astype(numpy.float32)
    assert len(survey) == 300
    assert survey.paths == [url]
    assert repr(survey) == repr(local)
    assert survey.text == local.text
    assert survey.binary == local.binary
    for key in (slice(None), [3, 299, 0], 7, numpy.arange(300) % 7 == 0):
        numpy.testing.assert_array_equal(survey.traces[key], expected[key])
    numpy.testing.assert_array_equal(survey.raw_headers(), local.raw_headers())
    for name, column in survey.headers().items():
        numpy.testing.assert_array_equal(column, local[name])
    chosen = survey.where("offset < 500 or tracl > 290")
    numpy.testing.assert_array_equal(chosen.numbers, local.where("offset < 500 or tracl > 290").numbers)
    numpy.testing.assert_array_equal(chosen["tracl"], local["tracl"][chosen.numbers])
    for gather, other in zip(survey.gathers("cdp"), local.gathers("cdp"), strict=True):
        numpy.testing.assert_array_equal(gather.samples, other.samples)
    both = sill.open([path, url])
    numpy.testing.assert_array_equal(both.traces[295:305], numpy.concatenate([expected[295:], expected[:5]]))


def test_local_files_among_urls_must_be_unchanged(server, line, tmp_path):
    url = server.put("line.sgy", Path(line[1]).read_bytes())
    local = tmp_path / "a.sgy"
    local.write_bytes(Path(line[1]).read_bytes())
    survey = sill.open([url, local])
    with local.open("r+b") as file:
        file.write(b"\0")
    survey.traces[:300]
    with pytest.raises(sill.InputError, match="a.sgy"):
        survey.traces[:301]


def test_commands_read_urls(server, line, tmp_path):
    _, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    survey, local = sill.open(url), sill.open(path)
    assert survey.info["traces"] == local.info["traces"]
    assert [found.problem for found in survey.findings] == [found.problem for found in local.findings]
    assert survey.geometry == local.geometry
    assert survey.check().files[0].findings == local.check().files[0].findings
    assert survey.view().png.startswith(b"\x89PNG")
    assert "<img" in survey._repr_html_()
    outputs = [tmp_path / "remote.sgy", tmp_path / "local.sgy"]
    for each, output in zip((survey, local), outputs, strict=True):
        each.where("tracl < 100").agc(0.1).write(output, history="none")
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    result = sill.sort(url, output=tmp_path / "sorted.sgy", by="offset")
    assert result.traces_out == 300
    assert result.cost["bytes_read"] >= 300 * 440
    for run in (
        lambda: sill.sort(path, output=url + "2.sgy", by="offset"),
        lambda: survey.agc(0.1).write(url + "2.sgy"),
        lambda: sill.edit(url, set="cdp=1"),
        lambda: sill.index(url, words="cdp"),
        lambda: sill.view(path, output=url + ".png"),
    ):
        with pytest.raises(sill.UsageError, match="remote files can only be read"):
            run()
    with pytest.raises(sill.UsageError, match="of remote files cannot continue"):
        survey.agc(0.1).write(outputs[0], resume=True)


@pytest.mark.parametrize(
    ("inlines", "crosslines", "samples"),
    [(60, 60, 500), (3, 2400, 1000), (3, 4800, 1000)],  # inlines of 0.1, 9.7 and 19.4 MiB
)
def test_numbers_of_requests(server, tmp_path, inlines, crosslines, samples):
    local, content, _ = cube(tmp_path, inlines, crosslines, samples)
    url = server.put("cube.sgy", content)
    survey = sill.open(url, cache_bytes=32 * MIB)
    opening = server.taken()
    assert len(opening) <= 4
    assert sum(bytes_read for _, bytes_read in opening) <= 2 * MIB
    trace_bytes = 240 + 4 * samples
    line_bytes = crosslines * trace_bytes
    survey.traces[: crosslines // 2]
    server.taken()
    numpy.testing.assert_array_equal(survey.traces[crosslines : 2 * crosslines], local.traces[crosslines : 2 * crosslines])
    assert len(server.taken()) <= 1 + line_bytes / (8 * MIB)
    survey = pickle.loads(pickle.dumps(survey))  # without its cache
    server.taken()
    lines = survey.inlines
    numpy.testing.assert_array_equal(lines.numbers, local.inlines.numbers)
    looking = server.taken()
    assert len(looking) <= 5 and sum(size for _, size in looking) <= 5 * MIB, looking
    last = lines.numbers[-1]
    numpy.testing.assert_array_equal(lines[last], local.inlines[last])
    reading = server.taken()
    assert len(reading) <= 2 + line_bytes / (8 * MIB), reading
    assert sum(size for _, size in reading) <= line_bytes + 2 * MIB
    number = local.crosslines.numbers[3]
    numpy.testing.assert_array_equal(survey.crosslines[number], local.crosslines[number])
    assert len(server.taken()) <= inlines + 1
    numpy.testing.assert_array_equal(survey.slices[0.2], local.slices[0.2])


def test_an_irregular_remote_cube_is_read_completely(server, tmp_path):
    """Inline 1003 has another number in its middle, where nothing looks until it is read."""
    local, _, path = cube(tmp_path, 20, 60, 50)
    file = segy_files.read(path)
    iline = file.word("iline")
    iline[3 * 60 + 7] += 500
    file.put_word("iline", iline).write(path)
    survey, local = sill.open(server.put("cube.sgy", path.read_bytes())), sill.open(path)
    first, fourth = local.inlines.numbers[[0, 3]]
    assert len(survey.inlines) == len(local.inlines) == 20
    numpy.testing.assert_array_equal(survey.inlines[first], local.inlines[first])
    for each in (survey, local):
        with pytest.warns(sill.SillWarning, match="not regular"):
            samples = each.inlines[fourth]
        numpy.testing.assert_array_equal(numpy.isnan(samples[:, 0]), numpy.arange(60) == 7)
        assert len(each.inlines) == 21 and each.inlines.numbers[-1] == fourth + 500


def test_each_block_is_read_once(server, tmp_path):
    local, content, _ = cube(tmp_path, 100, 100, 500)
    survey = sill.open(server.put("cube.sgy", content))
    survey["iline"]
    survey["xline"]
    numpy.testing.assert_array_equal(survey.traces[:], local.traces[:])
    taken = server.taken()
    assert sum(bytes_read for _, bytes_read in taken) <= len(content) + MIB
    assert len(taken) <= 5 + len(content) / (8 * MIB)


@pytest.mark.filterwarnings("ignore::sill.SillWarning")
@pytest.mark.parametrize("is_silent", [False, True])
def test_a_change_is_an_error(server, tmp_path, is_silent):
    server.is_silent = is_silent  # then only the size is known
    _, content, _ = cube(tmp_path, 20, 60, 500)
    url = server.put("cube.sgy", content)
    survey = sill.open(url)
    pickled = pickle.dumps(survey)
    numpy.testing.assert_array_equal(pickle.loads(pickled).traces[600], survey.traces[600])
    server.put("cube.sgy", content + bytes(2240), '"2"')
    with pytest.raises(sill.IoError, match="changed after it was opened") as raised:
        survey.traces[:]
    assert raised.value.filename == url
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        survey.check()
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        pickle.loads(pickled)
    assert len(sill.open(url)) == 1201


@pytest.mark.parametrize(("is_silent", "has_times"), [(False, False), (False, True), (True, False)])
@pytest.mark.filterwarnings("ignore::sill.SillWarning")
def test_answers_are_compared_with_requests(server, tmp_path, is_silent, has_times):
    """Of servers that ignore the condition that a file is unchanged, or return another range."""
    server.is_silent, server.has_times, server.ignores_conditions = is_silent, has_times, True
    _, content, _ = cube(tmp_path, 20, 60, 500)
    url = server.put("cube.sgy", content)
    survey = sill.open(url)
    server.shift = 2240
    with pytest.raises(sill.IoError, match=r"the server returned bytes \d+-\d+/\d+ instead of bytes"):
        survey.traces[600:]
    server.shift = 0
    server.put("cube.sgy", content + bytes(2240) if is_silent else bytes(len(content)), '"2"')
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        survey.traces[600:]


@pytest.mark.parametrize("of", ["is_silent_in_answers", "has_weak_tags"])
@pytest.mark.filterwarnings("ignore::sill.SillWarning")
def test_no_part_of_the_stated_state_is_ignored(server, tmp_path, of):
    """Of servers that state the tag only to HEAD, or whose weak tag alone changes."""
    setattr(server, of, True)
    server.ignores_conditions = True
    local, content, _ = cube(tmp_path, 20, 60, 500)
    url = server.put("cube.sgy", content)
    survey = sill.open(url)
    numpy.testing.assert_array_equal(survey.traces[:3], local.traces[:3])
    server.put("cube.sgy", bytes(len(content)), '"2"')
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        survey.traces[600:]


def test_processes_open_urls_again(server, line):
    file, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    near = sill.open(url, cache_bytes=MIB).where("tracl > 290")
    done = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer).traces[:].sum())"],
        input=pickle.dumps(near), capture_output=True, check=True,
    )  # fmt: skip
    assert float(done.stdout) == pytest.approx(float(near.traces[:].sum()))


def test_several_files_are_opened_at_once(server, line):
    file, path = line
    urls = [server.put(f"{i}.sgy", Path(path).read_bytes()) for i in range(6)]
    server.delay_s = 0.2
    survey = sill.open([path, *urls[:3], *urls[3:]])
    assert server.most_busy == 6
    assert len(server.taken()) == 6 * 2
    server.delay_s = 0.0
    numpy.testing.assert_array_equal(survey.traces[:], numpy.tile(file.samples().astype(numpy.float32), (7, 1)))
    server.taken()
    with pytest.raises(FileNotFoundError, match=r"(?s)2\.sgyx"):  # the first of the missing ones
        sill.open([urls[0], urls[2] + "x", urls[1] + "x"])


def varying(tmp_path):
    """A file with traces of different lengths, and its index: (survey, content, content of the index)."""
    one, two = segy_files.make(3000, 10), segy_files.make(2000, 1000)
    one.put_binary(3503, "i2", 0)
    path = tmp_path / "varying.sgy"
    path.write_bytes(one.to_bytes() + two.rows.tobytes())
    sill.index(path, words="cdp")
    return sill.open(path), path.read_bytes(), (tmp_path / "varying.sgy.sill-index").read_bytes()


@pytest.mark.parametrize("query", ["", "?token=1"])
def test_an_index_next_to_a_remote_file_is_used(server, tmp_path, query):
    local, content, index = varying(tmp_path)
    url = server.put("varying.sgy", content) + query
    without = sill.open(url)
    taken = server.taken()
    assert sum(bytes_read for _, bytes_read in taken) >= len(content)
    assert not [each for each in without.findings if "index" in each.problem]
    server.put("varying.sgy.sill-index", index)
    server.taken()
    survey = sill.open(url)
    taken = server.taken()
    assert len(taken) <= 4 + 2 + 4, taken  # the file, its index, and the headers of two stretches
    assert sum(bytes_read for _, bytes_read in taken) <= 4 * MIB < len(content)
    for number in (0, 2999, 3000, 4999):
        numpy.testing.assert_array_equal(survey.traces[number], local.traces[number])
    assert [each.problem for each in survey.findings] == [each.problem for each in local.findings]
    assert survey.where("cdp > 100").numbers.tolist() == local.where("cdp > 100").numbers.tolist()


@pytest.mark.filterwarnings("ignore::sill.SillWarning")
@pytest.mark.parametrize("damage", ["size", "start", "checksum", "other", "no index", "hidden"])
def test_an_index_of_another_file_is_not_used(server, tmp_path, damage):
    local, content, index = varying(tmp_path)
    if damage == "size":
        content += content[-4240:]
    elif damage == "start":
        content = b"X" + content[1:]
    elif damage == "checksum":
        index = index[:150] + b"X" + index[151:]
    elif damage == "other":  # another order of the same traces
        content = content[:3600] + content[3600 + 3000 * 280 :] + content[3600 : 3600 + 3000 * 280]
    else:
        index = b"<html>" * 1000
    url = server.put("varying.sgy", content)
    if damage != "hidden":
        server.put("varying.sgy.sill-index", index)
    survey = sill.open(url)
    said = [each.problem for each in survey.findings if "index" in each.problem]
    assert len(said) == (damage != "hidden"), said
    (tmp_path / "same.sgy").write_bytes(content)
    same = sill.open(tmp_path / "same.sgy")
    assert len(survey) == len(same)
    for number in (0, 1999, 2000, len(same) - 1):
        numpy.testing.assert_array_equal(survey.traces[number], same.traces[number])


def test_errors_that_pass_are_retried(server, line):
    file, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    for failing in ([503], [429, -1], [500, 502, -1]):
        server.failing = list(failing)
        survey = sill.open(url)
        assert len(server.taken()) == 2 + len(failing)
        numpy.testing.assert_array_equal(survey.traces[:], file.samples().astype(numpy.float32))


def test_other_errors_are_not(server, line, monkeypatch):
    _, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    with pytest.raises(FileNotFoundError, match="no such file") as missing:
        sill.open(url.replace("line", "lines"))
    assert isinstance(missing.value, sill.IoError)
    assert missing.value.filename.endswith("lines.sgy")
    for status, kind in ((403, PermissionError), (418, sill.IoError), (503, sill.IoError)):
        server.taken()
        server.failing = [status] * (5 if status == 503 else 1)
        with pytest.raises(kind, match=str(status)):
            sill.open(url)
        assert len(server.taken()) == (6 if status == 503 else 2)
    server.put("line.sgy", b"")
    with pytest.raises(sill.InputError, match="the file is empty"):
        sill.open(url)
    with pytest.raises(sill.UsageError, match="named twice"):
        sill.open([url, url])
    with pytest.raises(sill.UsageError, match="nosuch"):
        sill.open("nosuch://a/b.sgy")
    with pytest.raises(sill.UsageError, match="storage_options and cache_bytes are for URLs"):
        sill.open(path, storage_options={"anon": True})
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(sill.UsageError, match=r"sill-seismic\[cloud\]"):
        sill.open(url)


def test_urls_are_refused_where_files_are_needed(server, line):
    url = server.put("line.sgy", Path(line[1]).read_bytes())
    for call in (lambda: sill.Dataset(url + ".nc"), lambda: sill.Dataset(url + ".zarr"), lambda: sill.segyio.open(url)):
        with pytest.raises(sill.UsageError, match="URLs cannot be opened here") as raised:
            call()
        assert raised.value.where["file"].startswith(url) and "copy the file" in raised.value.action
    assert server.taken() == []


def test_ctrl_c_interrupts(server, tmp_path):
    local, content, _ = cube(tmp_path, 100, 100, 500)
    survey = sill.open(server.put("cube.sgy", content))
    server.delay_s = 1.0
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        survey.traces[:]
    server.delay_s = 0.0
    numpy.testing.assert_array_equal(survey.traces[:], local.traces[:])


def test_the_process_may_end_while_threads_read(server, tmp_path):
    _, content, _ = cube(tmp_path, 100, 100, 500)
    server.delay_s = 0.02
    program = """
import sys, threading, time, sill
survey = sill.open(sys.argv[1], cache_bytes=1 << 20)
def read():
    while True:
        survey.traces[:]
for _ in range(3):
    threading.Thread(target=read, daemon=True).start()
time.sleep(0.5)
"""
    url = server.put("cube.sgy", content)
    done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_threads_share_requests(server, tmp_path):
    local, content, _ = cube(tmp_path, 100, 100, 500)
    survey = sill.open(server.put("cube.sgy", content))
    server.delay_s = 0.05
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda _: survey.traces[:], range(6)))
    for samples in found:
        numpy.testing.assert_array_equal(samples, local.traces[:])
    assert len(server.taken()) <= 5 + len(content) / (8 * MIB)


def test_servers_without_ranges_are_refused(tmp_path, line):
    _, path = line

    class Plain(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=tmp_path)

        def log_message(self, *_):
            pass

    (tmp_path / "long.sgy").write_bytes(Path(path).read_bytes() + bytes(3 * MIB))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain) as plain:
        threading.Thread(target=plain.serve_forever, daemon=True).start()
        with pytest.raises(sill.IoError, match="were returned for a range of"):
            sill.open(f"http://127.0.0.1:{plain.server_port}/long.sgy")
        plain.shutdown()


def test_other_file_systems(line):
    fsspec = pytest.importorskip("fsspec")
    file, path = line
    fsspec.filesystem("memory").pipe_file("/line.sgy", Path(path).read_bytes())
    survey = sill.open(["memory://line.sgy", f"file://{path}"])
    expected = file.samples().astype(numpy.float32)
    numpy.testing.assert_array_equal(survey.traces[:], numpy.concatenate([expected, expected]))
    with pytest.raises(sill.IoError, match="folder"):
        sill.open(f"file://{Path(path).parent}")


class Requests(logging.Handler):
    """Collects what the server of S3 logs."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())

    def taken(self):
        """Returns the requests since the last call."""
        taken, self.lines = [line for line in self.lines if "HTTP/1.1" in line], []
        return taken


@pytest.fixture
def s3():
    """A server of S3: (client, storage_options, requests)."""
    pytest.importorskip("s3fs")
    boto3 = pytest.importorskip("boto3")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    requests = Requests()
    logger = logging.getLogger("werkzeug")
    logger.addHandler(requests)
    logger.setLevel(logging.INFO)
    server.start()
    of_server = {"endpoint_url": "http://{}:{}".format(*server.get_host_and_port()), "region_name": "us-east-1"}
    client = boto3.client("s3", aws_access_key_id="user", aws_secret_access_key="secret", **of_server)
    client.create_bucket(Bucket="surveys")
    yield client, {"key": "user", "secret": "secret", "client_kwargs": of_server}, requests
    server.stop()
    logger.removeHandler(requests)


def test_s3(s3, tmp_path, monkeypatch):
    client, options, requests = s3
    local, content, _ = cube(tmp_path, 40, 300, 500)
    client.put_object(Bucket="surveys", Key="cube.sgy", Body=content)
    url = "s3://surveys/cube.sgy"
    requests.taken()
    survey = sill.open(url, storage_options=options)
    assert len(requests.taken()) <= 4
    numpy.testing.assert_array_equal(survey.traces[300:600], local.traces[300:600])
    assert len(requests.taken()) <= 1 + 300 * 2240 / (8 * MIB)
    numpy.testing.assert_array_equal(survey.inlines[1007], local.inlines[1007])
    numpy.testing.assert_array_equal(survey["iline"], local["iline"])
    assert survey.info["traces"] == 12000
    pickled = pickle.dumps(survey)
    assert pickle.loads(pickled).text == local.text
    with pytest.raises(FileNotFoundError):
        sill.open("s3://surveys/none.sgy", storage_options=options)
    with pytest.raises(PermissionError):
        sill.open(url, storage_options=options | {"anon": True} | {"key": None, "secret": None})
    fresh = sill.open(url, storage_options=options)
    client.put_object(Bucket="surveys", Key="cube.sgy", Body=content[:-4] + b"abcd")  # of the same size
    for read in (lambda: fresh.traces[:], lambda: pickle.loads(pickled)):
        with pytest.raises(sill.IoError, match="changed after it was opened"):
            read()

    async def without_condition(files, method, *arguments, IfMatch=None, **wanted):  # as a server that ignores it
        return await call(files, method, *arguments, **wanted)

    s3fs = pytest.importorskip("s3fs")
    call = s3fs.S3FileSystem._call_s3
    monkeypatch.setattr(s3fs.S3FileSystem, "_call_s3", without_condition)
    again = sill.open(url, storage_options=options)
    client.put_object(Bucket="surveys", Key="cube.sgy", Body=content)
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        again.traces[:]
