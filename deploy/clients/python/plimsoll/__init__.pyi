from .clients import AsyncClient as AsyncClient, Client as Client
from .engine import EngineError as EngineError, Scorer as Scorer, Scores as Scores, WaveCounts as WaveCounts, count_waves as count_waves
from .errors import JobFailed as JobFailed, ProblemError as ProblemError
from .estimates import Estimate as Estimate, EstimateError as EstimateError, GpuEstimate as GpuEstimate, estimate as estimate
from .retries import Retries as Retries

__version__: str

def installed(name: str) -> str | None: ...
