"""Parses ``openai:MODEL@BASE_URL``: a typing error must not send prompts to another company's server."""

import os
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from turnwise.core.errors import SettingsError
from turnwise.core.http.address import split_url

__all__ = ["api_key", "base_of", "split_model", "with_path"]

EXAMPLE = "http://localhost:8000/v1"
_URL = re.compile(r"(.*?)@(https?://.*)", re.DOTALL)
_HOST = re.compile(
    r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|\d+(?:\.\d+){3}|\[[0-9a-f:.]+\])(?::\w*)?(?:/.*)?"
    r"|[\w.-]+:\d+(?:/.*)?"  # any name with a port
    r"|[\w.-]+/v\d\w*(?:/.*)?",  # any name with a version of the protocol
    re.IGNORECASE | re.DOTALL,
)


_SCHEME = re.compile(r"https?(?=[:/]|$):?/*", re.IGNORECASE)


def split_model(rest: str, kind: str = "openai") -> tuple[str, str | None]:
    """Split what follows ``openai:``, or another ``kind``, into model and base URL; the URL is None if it is left out.

    Names of models may contain ``@`` and ``:`` themselves (``claude@20240620``, ``@cf/meta/llama``, ``org/m:free``). An
    address without its ``http://`` is refused, since it would be sent to the default host as a model's name.

    Raises:
        SettingsError: The model's name is empty or has spaces around it, or an address lacks its ``http://``.
    """
    match = _URL.fullmatch(rest)
    model, url = (match[1], match[2]) if match else (rest, None)
    shape = f"it must look like '{kind}:MODEL' or '{kind}:MODEL@{EXAMPLE}'"
    if url is None:
        head, at, tail = rest.rpartition("@")
        tail = tail.strip()
        if at and ("//" in tail or _SCHEME.match(tail) or _HOST.fullmatch(tail)):
            raise SettingsError(
                f"the agent is '{kind}:{rest}': {tail!r} looks like an address that does not begin with 'http://' or "
                f"'https://'; did you mean '{kind}:{head.strip() or 'MODEL'}@http://{_bare(tail)}'?"
            )
    if not model.strip():
        raise SettingsError(f"the agent is '{kind}:{rest}', which names no model; {shape}")
    if model != model.strip() or not model.isprintable():
        raise SettingsError(f"the agent's model is {model!r}, with spaces around it or unprintable characters; {shape}")
    return model, url


def _bare(address: str) -> str:
    """Return the address without whatever is in the place of ``http://``."""
    return _SCHEME.sub("", address.rpartition("//")[2])


def base_of(base_url: str, setting: str = "base_url", example: str = EXAMPLE) -> str:
    """Check the address of an API; error messages call it by the name ``setting``.

    Raises:
        SettingsError: It is not an HTTP address, or it contains a password.
    """
    shown = f"{setting} is {base_url!r}"
    if base_url != base_url.strip() or re.search(r"\s", base_url):
        raise SettingsError(f"{shown}; it must not contain spaces")
    if _HOST.fullmatch(_bare(base_url)) and not re.match("https?://.", base_url):
        raise SettingsError(f"{shown}; it must look like {example!r}; did you mean 'http://{_bare(base_url)}'?")
    return split_url(base_url, setting, example).geturl()


def with_path(base: str, path: str, *, version: str = "") -> str:
    """Return the address with a path of the API behind it, unless it has that already; a query stays at its end.

    Args:
        base: Address of the API.
        path: The path.
        version: What must stand before the path, such as ``/v1``.
    """
    parts = urlsplit(base)
    head = parts.path.rstrip("/").removesuffix(path).rstrip("/")
    head = head if not version or head.endswith(version) else head + version
    return parts._replace(path=head + path).geturl()


def api_key(url: str, variables: Sequence[str], host: str, kind: str, url_env: str) -> str:
    """Read the key from an environment variable; empty if it is not set and the host is not known to need one.

    Args:
        url: Where it will be sent.
        variables: The first of these that is set counts.
        host: The API's own host, which needs a key.
        kind: What stands before the colon in the agent's spec.
        url_env: The environment variable for another host.

    Raises:
        SettingsError: The API's own host needs a key and none is set, or the key cannot be sent.
    """
    found = {name: os.environ.get(name, "").strip() for name in variables}
    name, key = next(((name, key) for name, key in found.items() if key), (variables[0], ""))
    asked = urlsplit(url).hostname or ""
    if not key and (asked == host or asked.endswith("." + host)):
        raise SettingsError(
            f"{asked} requires a key: set the environment variable {' or '.join(variables)}, or name your own server "
            f"as '{kind}:MODEL@{EXAMPLE}' (or by {url_env})"
        )
    if not key.isascii() or not key.isprintable():
        raise SettingsError(f"the key in {name} contains characters that no HTTP header may; it was not sent")
    return key
