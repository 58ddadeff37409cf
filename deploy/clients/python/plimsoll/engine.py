"""Scores and wave counts in this process, without a server, by libplimsoll: the same bytes as a server's jobs."""

from __future__ import annotations

import array
import concurrent.futures
import ctypes
import functools
import itertools
import json
import os
import struct
import subprocess
from typing import Any, Iterable

from . import installed

_LABELS = ("positive", "neutral", "negative", None)  # None: the text was not scored


class EngineError(ValueError):
    """What was asked for cannot be computed here, and why."""


class _Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class _Texts(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("offsets", ctypes.c_void_p), ("count", ctypes.c_int64), ("are_large", ctypes.c_int64)]


# A bytearray that is not filled with zeros first, which would cost a fiftieth of the scores of short texts.
_allocate = ctypes.pythonapi.PyByteArray_FromStringAndSize
_allocate.argtypes, _allocate.restype = [ctypes.c_char_p, ctypes.c_ssize_t], ctypes.py_object


# Columns follow one another in memory: of each, the bytes a text of those before it, and its type. scorer.cpp has the same.
_SCORES = {"compound": (0, "d"), "positive": (8, "d"), "neutral": (16, "d"), "negative": (24, "d")}
_SHOWN = (*_SCORES, "tokens", "truncated")  # what tables have beside the label
_OF_VADER = {**_SCORES, "label": (32, "b")}
_OF_MODELS = {**_SCORES, "tokens": (32, "i"), "windows": (36, "i"), "label": (40, "b"), "truncated": (41, "b")}


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    found = installed("libplimsoll.so")
    if found is None:
        raise EngineError("Estimates, scores and waves in Python need Linux on x86-64 with glibc 2.35 or newer, and `pip install plimsoll`.")
    library = ctypes.CDLL(os.path.realpath(found))  # it looks for the driver of plimsoll[cpu] from there
    library.plimsoll_free.argtypes = [ctypes.c_void_p]
    library.plimsoll_scorer_close.argtypes = [ctypes.c_void_p]
    library.plimsoll_count_bytes.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int64]
    return library


# Models stay with the thread that loaded them, on one device.
@functools.lru_cache(maxsize=None)
def _device_thread() -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(1, "plimsoll-device")


def _call(name: str, *arguments: Any) -> bytes:
    """Python's lock is free while the function runs."""
    out = _Bytes()
    failed = getattr(_library(), name)(*arguments, ctypes.byref(out))
    text = ctypes.string_at(out.data, out.size)
    _library().plimsoll_free(out.data)
    if failed:
        raise EngineError(text.decode(errors="replace"))
    return text


@functools.lru_cache(maxsize=None)
def _probed() -> bytes:
    """What the OpenCL devices of this machine can do; a driver that crashes takes only that program down."""
    return subprocess.run([installed("plimsoll-engine") or "plimsoll-engine", "probe", "--json"], stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False).stdout


class Rows:
    """`json` has the rows of the same job on a server, as JSON lines, byte by byte; `rows` has them parsed."""

    json: bytes

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.json.splitlines()]


class Scores(Rows):
    """Columns with one entry a text: `label`, `compound`, `positive`, `neutral`, `negative`, and for models `tokens`,
    `truncated` and `windows`. A text that is too long has the label None; `rows` says why."""

    def __init__(self, scorer: Scorer, texts: _Texts, kept: Any):
        self._scorer, self._texts, self._kept = scorer, texts, kept
        self._columns = _OF_VADER if scorer.model == "vader" else _OF_MODELS
        self._memory = _allocate(None, (33 if self._columns is _OF_VADER else 42) * texts.count)

    def __len__(self) -> int:
        return self._texts.count

    def __repr__(self) -> str:
        labels = self.label
        return f"{len(self)} texts scored by {self._scorer.model}: " + ", ".join(f"{labels.count(name)} {name}" for name in _LABELS[:3])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(name)
        return [_LABELS[code] for code in self._column(name)] if name == "label" else self._column(name)

    def _column(self, name: str) -> memoryview:
        before, kind = self._columns[name]
        start = before * len(self)
        return memoryview(self._memory)[start:start + struct.calcsize(kind) * len(self)].cast(kind)

    @functools.cached_property
    def json(self) -> bytes:  # type: ignore[override]
        return self._scorer._call("plimsoll_score_rows", ctypes.byref(self._texts), _address(self._memory))

    def to_arrow(self) -> Any:
        import pyarrow

        count, (schema, text, numbers) = len(self), _arrow(self._scorer.model == "vader")
        names = _allocate(None, 12 * count + 4 + (count + 7) // 8)
        _library().plimsoll_name_labels(_address(self._memory, self._columns["label"][0] * count), ctypes.c_int64(count), _address(names))
        labels = pyarrow.py_buffer(names)
        columns = [pyarrow.Array.from_buffers(text, count, [labels.slice(12 * count + 4), labels.slice(8 * count), labels])]
        columns += [pyarrow.Array.from_buffers(kind, count, [None, pyarrow.py_buffer(self._column(name))], 0) for name, kind in numbers]
        return pyarrow.Table.from_arrays(columns, schema=schema)

    def to_pandas(self) -> Any:
        import numpy
        import pandas

        labels = numpy.array(_LABELS, object)[numpy.asarray(self._column("label"))]
        return pandas.DataFrame({"label": labels, **{name: numpy.asarray(self._column(name)) for name in self._columns if name in _SHOWN}})


@functools.lru_cache(maxsize=None)
def _arrow(vader: bool) -> tuple[Any, Any, list[tuple[str, Any]]]:
    """The schema of to_arrow(), and the types of labels and of the other columns."""
    import pyarrow

    kinds = {"d": pyarrow.float64(), "i": pyarrow.int32(), "b": pyarrow.int8()}
    numbers = [(name, kinds[kind]) for name, (_, kind) in (_OF_VADER if vader else _OF_MODELS).items() if name in _SHOWN]
    return pyarrow.schema([("label", pyarrow.string()), *numbers]), pyarrow.string(), numbers


def _address(memory: bytearray, place: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(memory)) + place if memory else 0)


class Scorer:
    """Scores the sentiment of texts, by "vader" or by a model that `plimsoll model pull` installed on this machine, on its
    first OpenCL device."""

    def __init__(self, model: str = "vader", *, form: str = "fp32", long_texts: str = "truncate"):
        if long_texts not in ("truncate", "windows"):
            raise EngineError('long_texts: must be "truncate" or "windows"')
        self.model, self._options = model, {"form": form, "long_texts": long_texts}
        self._pointer = ctypes.c_void_p()
        probed = b"" if model == "vader" else _probed()
        self._run(_call, "plimsoll_scorer_open", model.encode(), form.encode(), int(long_texts == "windows"), probed,
                  ctypes.byref(self._pointer))

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _library().plimsoll_scorer_close(self._pointer)

    def __reduce__(self) -> Any:  # where it is sent to, it is opened again
        return functools.partial(Scorer, self.model, **self._options), ()

    def _run(self, function: Any, *arguments: Any) -> Any:
        return function(*arguments) if self.model == "vader" else _device_thread().submit(function, *arguments).result()

    def _call(self, name: str, *arguments: Any) -> bytes:
        return _call(name, self._pointer, *arguments)

    def score(self, texts: Iterable[str]) -> Scores:
        """`texts`: a list, a column of pandas or numpy, or an array of Arrow, which is not copied."""
        scores = Scores(self, *_column(texts))
        self._run(self._call, "plimsoll_score", ctypes.byref(scores._texts), _address(scores._memory))
        return scores


def _column(texts: Any) -> tuple[_Texts, Any]:
    """The texts as one run of UTF-8 with offsets, and what must live as long."""
    if isinstance(texts, str):
        raise TypeError("texts: must be several, not one str")
    if hasattr(texts, "to_pylist"):
        return _arrow_column(texts)
    texts = texts.tolist() if hasattr(texts, "tolist") else list(texts)
    try:
        joined = "".join(texts)
    except TypeError:
        place, text = next((place, text) for place, text in enumerate(texts) if not isinstance(text, str))
        raise TypeError(f"texts: number {place} is a {type(text).__name__}, not a str") from None
    data = joined.encode()
    offsets = array.array("q", itertools.accumulate(map(len, texts), initial=0))
    address = offsets.buffer_info()[0]
    if len(data) != len(joined):
        _library().plimsoll_count_bytes(data, address, len(texts))
    return _Texts(ctypes.cast(data, ctypes.c_void_p), address, len(texts), True), (data, offsets)


def _arrow_column(texts: Any) -> tuple[_Texts, Any]:
    import pyarrow

    if texts.null_count:
        raise TypeError(f"texts: {texts.null_count} are null")
    if len(texts) == 0:
        return _column([])
    if isinstance(texts, pyarrow.ChunkedArray):
        texts = texts.chunk(0) if texts.num_chunks == 1 else pyarrow.concat_arrays(texts.cast(pyarrow.large_string()).chunks)
    if not pyarrow.types.is_string(texts.type):
        texts = texts.cast(pyarrow.large_string())
    are_large = pyarrow.types.is_large_string(texts.type)
    _, offsets, data = texts.buffers()
    return _Texts(data.address if data else 0, offsets.address + (8 if are_large else 4) * texts.offset, len(texts), are_large), texts


class WaveCounts(Rows):
    """`summary` is the report of the job."""

    def __init__(self, written: bytes):
        summary, _, self.json = written.partition(b"\n")
        self.summary: dict[str, Any] = json.loads(summary)

    def __repr__(self) -> str:
        return "symbols: {symbols}, bars: {bars}, valid counts: {valid}".format_map(self.summary)


def count_waves(prices: Any, **settings: Any) -> WaveCounts:
    """Counts Elliott waves. `prices`: a file, the text of one, a frame of pandas with dates as index or column, a column of
    closes, a table of Arrow, or a dict of columns. Settings are the arguments of a waves job: preset="default", top_n=3."""
    args = json.dumps({**_prices(prices), **settings}, default=str).encode()
    return WaveCounts(_call("plimsoll_run", b"waves", args, ctypes.c_size_t(len(args))))


def _prices(prices: Any) -> dict[str, Any]:
    if isinstance(prices, (str, os.PathLike)):
        if isinstance(prices, str) and "\n" in prices:
            return {"prices": prices}
        with open(prices, encoding="utf-8-sig") as file:
            named = os.path.splitext(os.path.basename(prices))
            return {"prices": file.read(), "symbol": named[0], "format": "jsonl" if named[1] == ".jsonl" else "csv"}
    if hasattr(prices, "to_pydict"):
        prices = prices.to_pydict()
    if hasattr(prices, "to_frame") and not hasattr(prices, "columns"):
        prices = prices.to_frame("close")
    if hasattr(prices, "to_csv"):
        counted = type(prices.index).__name__ == "RangeIndex"
        return {"prices": prices.to_csv(index=not counted, index_label=None if counted else prices.index.name or "date")}
    return {"series": [prices] if isinstance(prices, dict) else list(prices)}
