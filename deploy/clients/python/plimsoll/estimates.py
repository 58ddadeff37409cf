"""Estimates by the program that is installed with this package: no server, the same bytes as `plimsoll estimate --json`."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from . import installed


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


def estimate(model: Any, *, args: Any = None, gpu: str | Sequence[str] | None = None, **options: Any) -> Estimate:
    """Estimates a training run. `model`: a preset ("bert-base"), a file config.json, OWNER/NAME of a hub, or a model or
    configuration of Transformers. `args`: TrainingArguments of Transformers. Options are the flags of `plimsoll estimate`,
    and prevail: batch=8, precision="bf16", lora=16, checkpointing=True."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
        of_model = _model_flags(model, folder)
        read = {} if args is None else _read_args(_written(args, folder, "args"), of_model, options.get("cards"))
        return Estimate(_run(["--json", "estimate", *of_model, *_flags({"gpu": gpu, **read, **options})]))


def _flags(options: Mapping[str, Any]) -> list[str]:
    flags: list[str] = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                flags += ["--" + name.replace("_", "-"), *([] if one is True else [str(one)])]
    return flags


def _read_args(file: str, of_model: list[str], cards: Any) -> dict[str, Any]:
    """The options that `plimsoll show-config` finds in them."""
    read = json.loads(_run(["--json", "show-config", file, *of_model, *_flags({"cards": cards})]))
    training, cluster = read["training"], read["cluster"] or {}
    return {"batch": read["batch"], "target_effective_batch": read["effective_batch"],
            **{name: training[name] for name in ("precision", "optimizer", "checkpointing", "fused_loss")},
            **{name: cluster.get(name) for name in ("cards", "sharding", "offload")},
            "set": "training.optimizer_kernel=" + training["optimizer_kernel"]}


def _model_flags(model: Any, folder: str) -> list[str]:
    if isinstance(model, (str, os.PathLike)):
        return ["--config" if os.path.isfile(model) else "--model", os.fspath(model)]
    return ["--config", _written(getattr(model, "config", model), folder, "config")]


def _written(described: Any, folder: str, name: str) -> str:
    described = described.to_dict() if hasattr(described, "to_dict") else described
    if not isinstance(described, Mapping):
        raise TypeError("not a preset, a file, a model, a configuration or arguments of Transformers: " + repr(described))
    file = os.path.join(folder, name + ".json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(dict(described), out, default=str)
    return file


def _program() -> str:
    found = installed("plimsoll") or shutil.which("plimsoll")
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
