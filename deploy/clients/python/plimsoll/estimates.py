"""Estimates in this process, without a server, by libplimsoll: the bytes that a server's `POST /v1/estimates` answers."""

from __future__ import annotations

import ctypes
import html
import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from .engine import EngineError, _call


class EstimateError(ValueError):
    """The run cannot be estimated as it is described, and why."""


@dataclass(frozen=True)
class GpuEstimate:
    """What a run takes of one GPU; `data` has the rest of it."""

    gpu: str
    name: str
    fits: str  # "yes", "tight" or "no"
    batch: int
    max_batch: int
    accumulation: int | None  # None: no batch fits
    learning_rate: float | None
    used_bytes: int
    total_bytes: int
    breakdown: dict[str, int]  # bytes by group
    why: str
    data: dict[str, Any]

    @classmethod
    def _of(cls, card: dict[str, Any]) -> GpuEstimate:
        steps = (card["accumulation"] or {}).get("nearest")
        return cls(card["gpu"]["id"], card["gpu"]["name"], card["fits"], card["batch"], card["max_batch"],
                   steps and steps["steps"], card["learning_rate"]["recommended"], card["memory"]["device_used_bytes"],
                   card["gpu"]["total_bytes"], {part["group"]: part["bytes"] for part in card["breakdown"]}, card["why"], card)

    def _repr_html_(self) -> str:
        most = max(self.total_bytes, self.used_bytes)
        colours = ["#3b6fb6", "#7a5fb0", "#2f8f7f", "#b5783a", "#a5485c", "#6b7480", "#4f9bd1", "#93a135"]
        bars, rows = "", ""
        for place, (group, size) in enumerate(self.breakdown.items()):
            colour = colours[place % len(colours)]
            bars += f'<span style="background:{colour};width:{100 * size / most:.2f}%"></span>'
            rows += (f'<tr><td><span style="display:inline-block;width:.7em;height:.7em;background:{colour}"></span> '
                     f'{html.escape(group.replace("_", " "))}</td><td>{size / 2**30:.2f} GiB</td></tr>')
        line = 100 * self.total_bytes / most
        return (f'<div><b>{html.escape(self.name)}</b>: batch {self.batch}, fits: {self.fits}, largest {self.max_batch}'
                f'<div style="display:flex;height:1.2em;max-width:36em;border:1px solid;border-right-width:'
                f'{4 if line > 99.9 else 1}px" title="{line:.0f} % of this bar is the GPU">{bars}</div>'
                f'{html.escape(self.why)}<table>{rows}</table></div>')


class Estimate:
    """`gpus` are typed; `json` is what a server would answer, and `data` its summary: the report of a training-config job."""

    def __init__(self, written: bytes):
        self.json = written
        self.data: dict[str, Any] = json.loads(written)["summary"]
        self.gpus = [GpuEstimate._of(card) for card in self.data["gpus"]]

    @property
    def fits(self) -> bool:
        """On every GPU."""
        return all(one.fits != "no" for one in self.gpus)

    def __repr__(self) -> str:
        return "\n".join(f"{one.name}: batch {one.batch}, fits: {one.fits}, {one.used_bytes / 2**30:.2f} of "
                         f"{one.total_bytes / 2**30:.2f} GiB, largest batch {one.max_batch}" for one in self.gpus)

    def _repr_html_(self) -> str:
        return "".join(one._repr_html_() for one in self.gpus)


def estimate(model: Any, *, args: Any = None, gpu: str | Sequence[str] | None = None, **options: Any) -> Estimate:
    """Estimates a training run. `model`: a preset ("bert-base"), a file config.json, OWNER/NAME of a hub, or a model or
    configuration of Transformers. `args`: TrainingArguments of Transformers. Options are the flags of `plimsoll estimate`,
    and prevail: batch=8, precision="bf16", lora=16, checkpointing=True."""
    asked: dict[str, Any] = {"args": {}, "flags": _flags({"gpu": gpu, **options}), "configurations": []}
    if isinstance(model, (str, os.PathLike)):
        asked["flags"]["--config" if os.path.isfile(model) else "--model"] = [os.fspath(model)]
    else:
        asked["args"]["model"] = {"config": _described(getattr(model, "config", model))}
    if args is None:
        return Estimate(_estimated(asked))
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(_described(args), file, default=str)
        file.flush()
        return Estimate(_estimated({**asked, "configurations": [file.name]}))


def _flags(options: Mapping[str, Any]) -> dict[str, list[str]]:
    flags: dict[str, list[str]] = {}
    for name, value in options.items():
        if value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else ["true" if value is True else value]
            flags["--" + name.replace("_", "-")] = [str(one) for one in values]
    return flags


def _described(value: Any) -> dict[str, Any]:
    described = value.to_dict() if hasattr(value, "to_dict") else value
    if not isinstance(described, Mapping):
        raise TypeError("not a preset, a file, a model, a configuration or arguments of Transformers: " + repr(described))
    return dict(described)


def _estimated(asked: dict[str, Any]) -> bytes:
    body = json.dumps(asked, default=str).encode()
    try:
        return _call("plimsoll_estimate", body, ctypes.c_size_t(len(body)))
    except EngineError as error:
        raise EstimateError(error) from None
