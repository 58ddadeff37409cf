"""Estimates by the program that is installed with this package: no server, the same bytes as `plimsoll estimate --json`."""

from __future__ import annotations

import functools
import html
import importlib.metadata
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, Sequence


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
    """`gpus` are typed; `json` is what the program wrote, and `data` that parsed: the report of a training-config job."""

    def __init__(self, written: bytes):
        self.json = written
        self.data: dict[str, Any] = json.loads(written)
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


def estimate(model: Any, *, gpu: str | Sequence[str] | None = None, **options: Any) -> Estimate:
    """Estimates a training run. `model`: a preset ("bert-base"), a file config.json, or a model or configuration of
    Transformers. Options are the flags of `plimsoll estimate`: batch=8, precision="bf16", lora=16, checkpointing=True."""
    flags: list[str] = []
    for name, value in {"gpu": gpu, **options}.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is None or one is False:
                continue
            flags.append("--" + name.replace("_", "-"))
            flags += [] if one is True else [str(one)]
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
        return Estimate(_run(["--json", "estimate", *_model_flags(model, folder), *flags]))


def _model_flags(model: Any, folder: str) -> list[str]:
    if isinstance(model, str) and not os.path.exists(model):
        return ["--preset", model]
    if isinstance(model, (str, os.PathLike)):
        return ["--config", os.fspath(model)]
    described = getattr(model, "config", model)
    described = described.to_dict() if hasattr(described, "to_dict") else described
    if not isinstance(described, Mapping):
        raise TypeError("model: a preset, a file config.json, or a model or configuration of Transformers")
    file = os.path.join(folder, "config.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(dict(described), out, default=str)
    return ["--config", file]


@functools.lru_cache(maxsize=None)
def _program() -> str:
    try:
        files = importlib.metadata.files("plimsoll") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    own = [str(file.locate()) for file in files if file.name == "plimsoll" and "bin" in file.parts]
    found = next(iter(own), None) or shutil.which("plimsoll")
    if found is None:
        raise EstimateError("The program plimsoll is not installed: pip install plimsoll")
    return found


def _run(arguments: list[str]) -> bytes:
    done = subprocess.run([_program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode == 0:
        return done.stdout
    said = (done.stderr or done.stdout).decode(errors="replace").strip()
    try:
        said = json.loads(said)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        pass  # not by the program itself: a loader, or a shell
    raise EstimateError(said)
