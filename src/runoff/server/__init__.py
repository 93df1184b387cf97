"""Models as a service: choices and reranking over HTTP, and the client that calls it."""

from runoff.server.client import Client
from runoff.server.service_settings import ServiceSettings

__all__ = ["Client", "ServiceSettings"]
