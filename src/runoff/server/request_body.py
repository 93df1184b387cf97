"""The body of a request, which must be neither too large nor too slow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from runoff.server.request_error import RequestError

if TYPE_CHECKING:
    from fastapi import Request

_MEGA = 1 << 20


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """All of the body; a `RequestError` if it has more bytes, or takes longer to arrive. Nothing larger is held."""
    too_large = RequestError(413, "too-large", f"the body is larger than what is taken here, {most / _MEGA:,.3g} MiB.")
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced[:20]) > most:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large
                parts.append(part)
    except TimeoutError:
        raise RequestError(408, "too-slow", f"the request did not arrive within {seconds:g} seconds.") from None
    return b"".join(parts)
