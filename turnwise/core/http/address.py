"""Addresses of HTTP servers: checked before anything is sent, and before one is listened on."""

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from turnwise.core.errors import SettingsError

__all__ = ["is_local", "listening_place", "split_url", "url_of", "without_surrogates"]

_LEAST_TOKEN = 16


def split_url(url: str, setting: str, example: str = "http://host:port") -> SplitResult:
    """Split the address of a server into its parts.

    Args:
        url: The address.
        setting: What an error message calls it.
        example: An address that an error message gives as an example.

    Raises:
        SettingsError: It is not an HTTP address, or it contains a user name or password.
    """
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise SettingsError(f"{setting} must not contain a user or password: give the key by an environment variable")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError as error:
        raise SettingsError(f"{setting} is {url!r}: {error}; it must look like {example!r}") from error
    if parts.scheme not in ("http", "https") or not host or port == 0 or parts.fragment:
        raise SettingsError(f"{setting} is {url!r}; it must look like {example!r}")
    return parts


def is_local(url: str) -> bool:
    """Check whether an address is this machine's own."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def listening_place(
    host: str, port: int, token: str, cure: str, *, public: bool = False
) -> tuple[socket.AddressFamily, tuple[str, int]]:
    """Return where a server is to listen; an address that others can reach needs a token.

    Args:
        host: Name or address; "" for all addresses.
        port: Port; 0 for a free one.
        token: What clients must send; "" for none.
        cure: What the error message says to set: a token, and the variable that holds it.
        public: Allow an address that others can reach without a token.

    Raises:
        SettingsError: The address is open to other machines without a token, the token is too short, or the host is
            unknown.
    """
    if token and len(token) < _LEAST_TOKEN:
        raise SettingsError(f"the token has {len(token)} characters; it must have at least {_LEAST_TOKEN}")
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise SettingsError(f"host is {host!r}: {error.strerror}") from error
    if not (token or public) and not all(ipaddress.ip_address(place[0]).is_loopback for *_, place in found):
        raise SettingsError(f"host is {host!r}, which is open to other machines: set {cure}")
    family, *_, place = found[0]
    return family, (str(place[0]), int(place[1]))


def url_of(host: str, port: int) -> str:
    """Return the address of a server in this process, from where its socket listens."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which many servers refuse as invalid JSON."""
    return text.encode("utf-8", "replace").decode("utf-8")
