"""`Client`: calls a service from Python, without further packages."""

from __future__ import annotations

import http.client
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from runoff.errors import DataError, ModelError, RunoffError, UsageError, brief
from runoff.model.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_WRONG_REQUEST = 400, 404, 413
_UNUSABLE = 422


@dataclass(frozen=True)
class RankedDocument:
    """A document of a reranking: its index among those given, and the probability that it is the best of them."""

    index: int
    relevance_score: float


class Client:
    """Calls `runoff serve`. Threads may share it; each has a connection of its own, which is kept.

    Parameters
    ----------
    url
        Where the service is, e.g. http://localhost:8000
    token
        The service's token, if it wants one.
    timeout
        Seconds for an answer.

    Examples
    --------
    >>> client = Client("http://localhost:1")
    >>> client.choose([["the cats at", "the cat sat"]])
    Traceback (most recent call last):
    runoff.errors.RunoffError: there is no service at http://localhost:1: connection refused.
    """

    def __init__(self, url: str = "http://localhost:8000", *, token: str | None = None, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"expected an address such as http://localhost:8000; found {brief(url)}.")
        self.url = url.rstrip("/")
        self._parts, self._timeout = parts, timeout
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._local = threading.local()

    def choose(
        self,
        lists: Iterable[Mapping[str, Any] | Sequence[str]],
        *,
        model: str | None = None,
        min_confidence: float = 0.0,
    ) -> list[Choice]:
        """The winner of every list, as `LinearModel.pick` has them: records as in Runoff's JSON lines, or texts."""
        given = {"lists": list(lists), "min_confidence": min_confidence, **_named(model)}
        fields = Choice.__dataclass_fields__
        found = self.call("/choose", given)["choices"]
        return [Choice(**{name: value for name, value in choice.items() if name in fields}) for choice in found]

    def explain(self, candidates: Mapping[str, Any] | Sequence[str], *, model: str | None = None) -> dict[str, Any]:
        """Why the winner of one list leads the first round's choice, as `Explanation.to_dict` has it."""
        given = {"lists": [candidates], "explain": True, **_named(model)}
        found: dict[str, Any] = self.call("/choose", given)["choices"][0]["explanation"] or {}
        return found

    def rerank(
        self,
        query: str,
        documents: Sequence[str | Mapping[str, Any]],
        *,
        top_n: int | None = None,
        model: str | None = None,
    ) -> list[RankedDocument]:
        """The documents from best to worst."""
        given: dict[str, Any] = {"query": query, "documents": list(documents), **_named(model)}
        if top_n is not None:
            given["top_n"] = top_n
        return [
            RankedDocument(each["index"], each["relevance_score"]) for each in self.call("/rerank", given)["results"]
        ]

    def call(self, path: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Send any request, and return the answer as plain values; what the service refuses is raised."""
        body = orjson.dumps(given, option=orjson.OPT_SERIALIZE_NUMPY)
        status, answer = self._sent(self._parts.path.rstrip("/") + path, body)
        try:
            found = orjson.loads(answer)
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise RunoffError(f"{self.url} is no Runoff service: it answered {status} {brief(answer[:60])}.")
        if status < 400:
            return found
        message = str(found.get("message", f"{self.url} answered {status}."))
        if status == _UNUSABLE:
            raise ModelError(message)
        raise DataError(message) if status in _WRONG_REQUEST else RunoffError(message)

    def close(self) -> None:
        """Close this thread's connection."""
        connection = self._local.__dict__.pop("connection", None)
        if connection is not None:
            connection.close()

    def _sent(self, path: str, body: bytes) -> tuple[int, bytes]:
        for attempt in (1, 2):
            kept = "connection" in self._local.__dict__
            try:
                connection = self._connection()
                connection.request("POST", path, body, self._headers)
                response = connection.getresponse()
                return response.status, response.read()
            except TimeoutError as error:
                self.close()
                raise RunoffError(f"{self.url} did not answer within {self._timeout:g} seconds.") from error
            except (OSError, http.client.HTTPException) as error:
                self.close()
                # The service may have closed a connection that was idle; asking twice changes nothing there.
                if not kept or attempt == 2:
                    what = getattr(error, "strerror", None) or str(error) or type(error).__name__
                    raise RunoffError(f"there is no service at {self.url}: {what.lower().rstrip('.')}.") from error
        raise AssertionError  # the second attempt returns or raises

    def _connection(self) -> http.client.HTTPConnection:
        found: http.client.HTTPConnection | None = self._local.__dict__.get("connection")
        if found is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                context = ssl.create_default_context()
                found = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)
            else:
                found = http.client.HTTPConnection(host, port, timeout=self._timeout)
            self._local.connection = found
        return found


def _named(model: str | None) -> dict[str, str]:
    return {} if model is None else {"model": model}
