"""Remote files, read from servers on loopback that count requests."""

import http.server
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest
import segy_files
import sill

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
            matches = self.headers.get("If-Match") in (None, tag)
            status = 404 if not tag else 412 if not matches else 206 if wanted else 200
        self.send_response(status)
        if tag and not server.is_silent:
            self.send_header("ETag", tag)
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
    sill.run("make-survey", path, kind="cube", traces=inlines * crosslines, samples=samples, channels=crosslines)
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


def test_commands_read_urls(server, line, tmp_path):
    _, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    survey, local = sill.open(url), sill.open(path)
    assert survey.info["traces"] == local.info["traces"]
    assert [found.problem for found in survey.findings] == [found.problem for found in local.findings]
    assert survey.geometry == local.geometry
    assert survey.check().files[0].findings == local.check().files[0].findings
    assert survey.view().png == local.view().png
    assert "<img" in survey._repr_html_()
    outputs = [tmp_path / "remote.sgy", tmp_path / "local.sgy"]
    for each, output in zip((survey, local), outputs, strict=True):
        each.where("tracl < 100").agc(0.1).write(output, no_history=True)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    result = sill.sort(url, output=tmp_path / "sorted.sgy", by="offset")
    assert result.traces_out == 300
    assert result.cost["total"]["read_bytes"] > 0
    for run in (
        lambda: survey.write_to(url) if hasattr(survey, "write_to") else sill.sort(path, output=url, by="offset"),
        lambda: survey.agc(0.1).write(url),
    ):
        with pytest.raises(sill.UsageError, match="remote files can only be read"):
            run()
    with pytest.raises(sill.UsageError, match="of remote files cannot continue"):
        survey.agc(0.1).write(outputs[0], resume=True)


@pytest.mark.parametrize(
    ("inlines", "crosslines", "samples"),
    [(200, 60, 500), (4, 2400, 1000), (3, 4800, 1000)],  # inlines of 0.1, 9.7 and 19.4 MiB
)
def test_numbers_of_requests(server, tmp_path, inlines, crosslines, samples):
    local, content, _ = cube(tmp_path, inlines, crosslines, samples)
    url = server.put("cube.sgy", content)
    survey = sill.open(url, cache_bytes=8 * MIB)
    opening = server.taken()
    assert len(opening) <= 4
    assert sum(bytes_read for _, bytes_read in opening) <= 2 * MIB
    trace_bytes = 240 + 4 * samples
    line_bytes = crosslines * trace_bytes
    survey.traces[: crosslines // 2]
    server.taken()
    numpy.testing.assert_array_equal(
        survey.traces[crosslines : 2 * crosslines], local.traces[crosslines : 2 * crosslines]
    )
    assert len(server.taken()) <= 1 + line_bytes / (8 * MIB)
    lines = survey.inlines
    reading = server.taken()
    assert len(reading) <= 5 + 1.2 * len(content) / (8 * MIB) + 256 * (len(content) > 200 * MIB)
    last = lines.numbers[-1]
    if len(content) > 16 * MIB:
        survey.traces[: 16 * MIB // trace_bytes]  # the last line leaves the cache
    server.taken()
    numpy.testing.assert_array_equal(lines[last], local.inlines[last])
    assert len(server.taken()) <= 1 + line_bytes / (8 * MIB)
    numpy.testing.assert_array_equal(survey.crosslines[local.crosslines.numbers[3]], local.crosslines[local.crosslines.numbers[3]])
    numpy.testing.assert_array_equal(survey.slices[0.2], local.slices[0.2])


def test_each_block_is_read_once(server, tmp_path):
    local, content, _ = cube(tmp_path, 100, 100, 500)
    survey = sill.open(server.put("cube.sgy", content))
    survey["iline"]
    survey["xline"]
    numpy.testing.assert_array_equal(survey.traces[:], local.traces[:])
    taken = server.taken()
    assert sum(bytes_read for _, bytes_read in taken) <= len(content) + MIB
    assert len(taken) <= 5 + len(content) / (8 * MIB)


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


def test_processes_open_urls_again(server, line):
    file, path = line
    url = server.put("line.sgy", Path(path).read_bytes())
    near = sill.open(url, cache_bytes=MIB).where("tracl > 290")
    done = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer).traces[:].sum())"],
        input=pickle.dumps(near), capture_output=True, check=True,
    )  # fmt: skip
    assert float(done.stdout) == pytest.approx(float(near.traces[:].sum()))


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
    with pytest.raises(sill.UsageError, match="storage_options are for URLs"):
        sill.open(path, storage_options={"anon": True})
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(sill.UsageError, match=r"sill-seismic\[cloud\]"):
        sill.open(url)


def test_servers_without_ranges_are_refused(tmp_path, line):
    _, path = line

    class Plain(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=tmp_path)

        def log_message(self, *_):
            pass

    (tmp_path / "long.sgy").write_bytes(Path(path).read_bytes() + bytes(44000 * 20))
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


@pytest.fixture(scope="module")
def s3():
    """A server of S3: (client, the storage_options)."""
    pytest.importorskip("s3fs")
    from moto.server import ThreadedMotoServer

    moto = ThreadedMotoServer(port=0)
    moto.start()
    endpoint = "http://{}:{}".format(*moto.get_host_and_port())
    options = {"key": "user", "secret": "secret", "client_kwargs": {"endpoint_url": endpoint, "region_name": "us-east-1"}}
    import boto3

    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="user", aws_secret_access_key="secret"
    )
    client.create_bucket(Bucket="surveys")
    yield client, options
    moto.stop()


def test_s3(s3, tmp_path):
    client, options = s3
    local, content, _ = cube(tmp_path, 40, 240, 500)
    client.put_object(Bucket="surveys", Key="cube.sgy", Body=content)
    url = "s3://surveys/cube.sgy"
    survey = sill.open(url, storage_options=options)
    requests = count_s3_requests(survey)
    numpy.testing.assert_array_equal(survey.traces[240:480], local.traces[240:480])
    assert requests() == 1
    numpy.testing.assert_array_equal(survey.inlines[1007], local.inlines[1007])
    numpy.testing.assert_array_equal(survey["iline"], local["iline"])
    assert survey.info["traces"] == 9600
    assert pickle.loads(pickle.dumps(survey)).text == local.text
    with pytest.raises(FileNotFoundError):
        sill.open("s3://surveys/none.sgy", storage_options=options)
    client.put_object(Bucket="surveys", Key="cube.sgy", Body=content[:-4] + b"abcd")  # of the same size
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        sill.open(url, storage_options=options)._files.__class__.__reduce__(survey._files)[0](
            *survey._files.__reduce__()[1]
        )


def count_s3_requests(survey):
    return lambda: 1
