"""Client of Plimsoll. `Client` and `AsyncClient` have the same methods; `plimsoll.core` is generated from the
contract: every operation and every type."""

from .clients import AsyncClient, Client
from .errors import JobFailed, ProblemError
from .retries import Retries

__version__ = "0.0.0"  # set to the release when the wheel is built
__all__ = ["AsyncClient", "Client", "JobFailed", "ProblemError", "Retries"]
