"""Plimsoll for Python: estimates, scores and wave counts without a server, `Client` and `AsyncClient` of one, and
`plimsoll.training` for your own training runs. `plimsoll.core` is generated from the contract: every operation and every
type."""

import functools
import importlib
import importlib.metadata

__version__ = "0.0.0"  # set to the release when the wheel is built

# Loaded when they are used: an estimate needs none of the client's packages.
_HOME = {"AsyncClient": "clients", "Client": "clients", "EngineError": "engine", "Estimate": "estimates",
         "EstimateError": "estimates", "GpuEstimate": "estimates", "JobFailed": "errors", "ProblemError": "errors",
         "Retries": "retries", "Scorer": "engine", "Scores": "engine", "WaveCounts": "engine", "count_waves": "engine",
         "estimate": "estimates"}
_CLIENT = {"clients", "retries"}
__all__ = sorted(_HOME)


@functools.lru_cache(maxsize=None)
def installed(name):
    """The path of a program or a library that pip installed with this package, or None."""
    try:
        files = importlib.metadata.files("plimsoll") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((str(file.locate()) for file in files if file.name == name and file.parent.name in ("bin", "plimsoll")), None)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'plimsoll' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    except ModuleNotFoundError as missing:
        if _HOME[name] in _CLIENT and missing.name in ("attr", "attrs", "httpx", "plimsoll.core"):
            raise ImportError(f"plimsoll.{name} needs the client's packages: pip install 'plimsoll[client]'") from None
        raise
