"""Remote files: URLs that fsspec opens, read in ranges."""

from __future__ import annotations

import contextlib
import errno
import functools
import re
import threading
import types
from collections.abc import Mapping
from typing import Any

from . import _sill

CACHE_BYTES = 256 << 20

# What servers state about the state of a file.
_IDENTITIES = (
    "ETag", "etag", "LastModified", "last_modified", "Last-Modified", "mtime", "modified", "updated", "created", "generation",
    "VersionId", "version_id", "md5Hash", "Content-MD5", "Digest", "ino",
)  # fmt: skip
# Errors of connections, by the names of their classes in aiohttp, botocore and fsspec, which need not be installed.
_PASSING = {"TimeoutError", "ConnectionError", "ClientConnectionError", "ClientPayloadError", "HTTPClientError"}
_PASSING_NUMBERS = {errno.EBUSY, getattr(errno, "EREMOTEIO", errno.EBUSY)}  # s3fs raises these for 503 and 500
_PASSING_STATUS = {408, 429, 500, 502, 503, 504}


States = dict[str, tuple[int, str]]  # of files, by their URLs


class FileChanged(Exception):
    """A file is not in the state in which it was opened."""


def _strong(identity: Any) -> Any:
    return identity.removeprefix("W/") if isinstance(identity, str) else identity


def _states_same(stated: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Returns whether an answer has all of what was stated of the file when it was opened. Raises FileChanged if it has
    something else. Servers and proxies may state one ETag as a weak one and as a strong one."""
    if any(_strong(answer.get(name, value)) != _strong(value) for name, value in stated.items()):
        raise FileChanged
    return all(name in answer for name in stated)


def _require_range(text: str | None, begin: int, end: int, size: int) -> None:
    """Compares the Content-Range of an answer, if there is one, with the requested range."""
    found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", text or "")
    if found and found[3] not in ("*", str(size)):
        raise FileChanged
    if found and (int(found[1]), int(found[2]) + 1) != (begin, end):
        raise OSError(errno.ENOTSUP, f"the server returned {text} instead of bytes {begin}-{end - 1}")


def opened(
    storage_options: Mapping[str, Any] = types.MappingProxyType({}), cache_bytes: int = CACHE_BYTES, states: States | None = None
) -> _sill.RemoteFiles:
    """Returns an object that opens URLs. Local.

    Args:
        states: the states in which files must be; those of other files are added when they are opened
    """
    return _sill.RemoteFiles(functools.partial(_File, dict(storage_options), states), cache_bytes)


class _File:
    """A remote file. C++ calls it, from any thread."""

    def __init__(self, storage_options: dict[str, Any], states: States | None, url: str) -> None:
        from fsspec.core import url_to_fs

        self._fs, self._path = url_to_fs(url, **storage_options)
        # Other file systems are not made for several threads.
        self._one_thread: Any = contextlib.nullcontext() if self._fs.async_impl else threading.Lock()
        self._url = url
        self._states: States = {} if states is None else states
        # Reads a range of the file, and returns whether the answer states the first state; None: read by fsspec.
        self._get: Any = None
        self._is_conditional = False
        self._is_opened = False

    def state(self) -> tuple[int, str, bool]:
        """Returns size and identity of the file, as the server states them now, and whether `read` refuses other states."""
        with self._one_thread:
            self._fs.invalidate_cache(self._path)
            info = self._fs.info(self._path)
        if info["type"] != "file":
            raise IsADirectoryError(errno.EISDIR, "this is a folder")
        if info["size"] is None or info.get("partial") is False:
            raise OSError(errno.ENOTSUP, "the server does not return ranges of this file")
        state = (info["size"], " ".join(f"{name}={info[name]}" for name in _IDENTITIES if info.get(name)))
        if self._states.setdefault(self._url, state) != state:
            raise FileChanged
        if not self._is_opened:
            self._is_opened = True
            self._get, self._is_conditional = self._range_get(info)
        return (*state, self._is_conditional)

    def _range_get(self, info: Mapping[str, Any]) -> tuple[Any, bool]:
        # Servers may ignore conditions, but answers state what they contain.
        protocols = [self._fs.protocol] if isinstance(self._fs.protocol, str) else self._fs.protocol
        etag = info.get("ETag", "")
        names = ("ETag", "LastModified", "VersionId") if "s3" in protocols else ("ETag", "Last-Modified")
        stated = {name: info[name] for name in names if info.get(name)}
        if "s3" in protocols and etag:
            bucket, key, version = self._fs.split_path(self._path)
            of_version = {"VersionId": version} if version else {}

            async def get(begin: int, end: int) -> tuple[bytes, bool]:
                wanted = {"Bucket": bucket, "Key": key, "Range": f"bytes={begin}-{end - 1}", "IfMatch": etag, **of_version}
                answer = await self._fs._call_s3("get_object", **wanted)
                async with answer["Body"] as body:
                    is_same = _states_same(stated, answer)
                    _require_range(answer.get("ContentRange"), begin, end, info["size"])
                    return bytes(await body.read()), is_same

            return get, True
        if "http" in protocols:
            headers = dict(self._fs.kwargs.get("headers", {}), **{"Accept-Encoding": "identity"})
            if etag and not etag.startswith("W/"):
                headers["If-Match"] = etag
            elif "Last-Modified" in stated:
                headers["If-Unmodified-Since"] = stated["Last-Modified"]

            async def get_http(begin: int, end: int) -> tuple[bytes, bool]:
                options = dict(self._fs.kwargs, headers=dict(headers, Range=f"bytes={begin}-{end - 1}"))
                session = await self._fs.set_session()
                async with session.get(self._fs.encode_url(self._path), **options) as answer:
                    self._fs._raise_not_found_for_status(answer, self._path)
                    is_same = _states_same(stated, answer.headers)
                    _require_range(answer.headers.get("Content-Range"), begin, end, info["size"])
                    if (answer.content_length or 0) > end - begin:  # perhaps of the whole file
                        raise OSError(
                            errno.ENOTSUP, f"{answer.content_length} bytes were returned for a range of {end - begin} bytes"
                        )
                    return bytes(await answer.read()), is_same

            return get_http, bool(stated)
        return None, False

    def read(self, begins: list[int], ends: list[int]) -> list[bytes | BaseException]:
        """Returns the bytes of ranges, or why they could not be read."""
        found: list[Any]
        if self._get is not None:
            import asyncio

            from fsspec.asyn import sync

            async def get_all() -> list[Any]:
                return await asyncio.gather(*map(self._get, begins, ends), return_exceptions=True)

            found = sync(self._fs.loop, get_all)
            has_doubt = self._is_conditional and any(isinstance(each, tuple) and not each[1] for each in found)
            found = [each[0] if isinstance(each, tuple) else each for each in found]
            if has_doubt:
                self.state()  # raises FileChanged
        else:
            with self._one_thread:
                found = self._fs.cat_ranges([self._path] * len(begins), begins, ends, on_error="return")
        for i, (begin, end, bytes_read) in enumerate(zip(begins, ends, found, strict=True)):
            if isinstance(bytes_read, bytes) and len(bytes_read) != end - begin:
                text = f"{len(bytes_read)} bytes were returned for a range of {end - begin} bytes"
                found[i] = ConnectionError(text) if len(bytes_read) < end - begin else OSError(errno.ENOTSUP, text)
        return found


def failure(exception: BaseException) -> tuple[str, int, str, str]:
    """Returns the error for an exception: its kind, errno, problem and action."""
    if isinstance(exception, FileChanged):
        return "changed", 0, "", ""
    if isinstance(exception, ImportError):
        return "usage", 0, f"this URL needs a package that is not installed: {exception}", "pip install sill-seismic[cloud]"
    chain = [each for each in (exception, exception.__cause__) if each is not None]
    answers = [getattr(each, "response", None) for each in chain]  # of botocore
    known = [answer.get("ResponseMetadata", {}).get("HTTPStatusCode") for answer in answers if isinstance(answer, Mapping)]
    status = next((each for each in known + [getattr(each, "status", None) for each in chain] if each), None)  # or of aiohttp
    # fsspec makes a missing file of every error of HTTP
    cause = chain[-1] if isinstance(exception, FileNotFoundError) else exception
    problem = f"the server answered {status}: {cause}" if status else f"{type(cause).__name__}: {cause}"
    number = getattr(cause, "errno", None) or 0
    if status == 412:
        return "changed", 0, "", ""
    if status in (401, 403) or isinstance(cause, PermissionError):
        return "io", errno.EACCES, problem, "check storage_options: user, key, token"
    if status == 404 or (status is None and isinstance(cause, FileNotFoundError)):
        return "io", errno.ENOENT, f"there is no such file: {exception}", "check the URL"
    classes = {each.__name__ for error in chain for each in type(error).__mro__}
    if status in _PASSING_STATUS or (status is None and (classes & _PASSING or number in _PASSING_NUMBERS)):
        return "passing", number, problem, "try again later"
    if status is None and isinstance(cause, (TypeError, ValueError)):
        return "usage", 0, f"this URL cannot be opened: {cause}", "check the URL and storage_options"
    return "io", number or errno.EIO, problem, "check the URL and storage_options"
