"""Who may come in: the bearer token, and pages of other sites."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Door"]

_OPEN = ("/health", "/")
"""Addresses that need no token: a load balancer has none, and the page asks for it."""


@dataclass(frozen=True)
class Door:
    """What a request must bring.

    Attributes:
        token: What clients send as ``Authorization: Bearer ...`` or ``X-API-Key``; none if empty.
    """

    token: str = ""

    def knows(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request brings the token, or none is needed."""
        given = headers.get(b"x-api-key") or headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        return not self.token or hmac.compare_digest(given, self.token.encode())

    def refusal(self, path: str, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        """Status and reason of a request that is refused; None if it may come in.

        Args:
            path: What it asks for.
            headers: Its headers, with names in lower case.
        """
        if path not in _OPEN and not self.knows(headers):
            return 401, "the token is missing or wrong"
        if not self.token and _foreign(headers):
            return 403, "a page of another site may not speak with this server"
        return None


def _foreign(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a page of another site asks: browsers say so, and let pages speak with this very machine."""
    origin = headers.get(b"origin")
    return origin is not None and origin.partition(b"://")[2] != headers.get(b"host")
