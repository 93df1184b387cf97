"""What is wrong with a request, with the status that HTTP has for it."""

from __future__ import annotations


class RequestError(Exception):
    """A request that is not answered: its status, a code for programs and a sentence for people.

    Examples
    --------
    >>> RequestError(404, "unknown-model", "there is no model 'b'; there are: a.").status
    404
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def to_dict(self) -> dict[str, str]:
        """The body of the answer."""
        return {"code": self.code, "message": self.message}


def malformed(message: str) -> RequestError:
    """A body that is not what it should be."""
    return RequestError(400, "malformed", message)
