"""What ``openai:MODEL@BASE_URL`` names, checked first: a slip must not send prompts to another company's server."""

import os
import re
from urllib.parse import urlsplit

from turnwise.core.errors import SettingsError

__all__ = ["api_key", "endpoint", "is_local", "split_model"]

EXAMPLE = "http://localhost:8000/v1"
OPENAI_HOST = "api.openai.com"
_PATH = "/chat/completions"
_URL = re.compile(r"(.*?)@(https?://.*)", re.DOTALL)
_HOST = re.compile(
    r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|\d+(?:\.\d+){3}|\[[0-9a-f:.]+\])(?::\w*)?(?:/.*)?"
    r"|[\w.-]+:\d+(?:/.*)?"  # any name with a port
    r"|[\w.-]+/v\d\w*(?:/.*)?",  # any name with a version of the protocol
    re.IGNORECASE | re.DOTALL,
)


_SCHEME = re.compile(r"https?(?=[:/]|$):?/*", re.IGNORECASE)


def split_model(rest: str) -> tuple[str, str | None]:
    """Split what follows ``openai:`` into the model and the base URL; the URL is None if it is left out.

    Names of models may hold ``@`` and ``:`` themselves (``claude@20240620``, ``@cf/meta/llama``, ``org/m:free``); what
    looks like an address without its ``http://`` is refused, since it would be sent to the default host as a name.

    Raises:
        SettingsError: The model's name is empty or has blanks around it, or an address is not written as one.
    """
    match = _URL.fullmatch(rest)
    model, url = (match[1], match[2]) if match else (rest, None)
    shape = f"it must look like 'openai:MODEL' or 'openai:MODEL@{EXAMPLE}'"
    if url is None:
        head, at, tail = rest.rpartition("@")
        tail = tail.strip()
        if at and ("//" in tail or _SCHEME.match(tail) or _HOST.fullmatch(tail)):
            raise SettingsError(
                f"the agent is 'openai:{rest}': {tail!r} looks like an address that does not begin with 'http://' or "
                f"'https://'; did you mean 'openai:{head.strip() or 'MODEL'}@http://{_bare(tail)}'?"
            )
    if not model.strip():
        raise SettingsError(f"the agent is 'openai:{rest}', which names no model; {shape}")
    if model != model.strip() or not model.isprintable():
        raise SettingsError(f"the agent's model is {model!r}, with blanks around it or unprintable; {shape}")
    return model, url


def _bare(address: str) -> str:
    """The address without whatever stands where ``http://`` should."""
    return _SCHEME.sub("", address.rpartition("//")[2])


def endpoint(base_url: str, setting: str = "base_url") -> str:
    """The address that requests are sent to; ``setting`` is what a message calls ``base_url``.

    Raises:
        SettingsError: It is not an HTTP address, or it holds a password.
    """
    shown = f"{setting} is {base_url!r}"
    if base_url != base_url.strip() or re.search(r"\s", base_url):
        raise SettingsError(f"{shown}; it must hold no blanks")
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise SettingsError(f"{shown}: {error}; it must look like {EXAMPLE!r}") from error
    if parts.username or parts.password:
        raise SettingsError(f"{setting} must not hold a user or password: give the key by an environment variable")
    if parts.scheme not in ("http", "https") or not host:
        meant = f"; did you mean 'http://{_bare(base_url)}'?" if _HOST.fullmatch(_bare(base_url)) else ""
        raise SettingsError(f"{shown}; it must look like {EXAMPLE!r}{meant}")
    if port == 0 or parts.fragment:
        raise SettingsError(f"{shown}; it must have no port 0 and no '#'")
    path = parts.path.rstrip("/").removesuffix(_PATH).rstrip("/") + _PATH
    return parts._replace(path=path).geturl()


def is_local(url: str) -> bool:
    """The address is this machine's own."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def api_key(url: str, variable: str) -> str:
    """The key in an environment variable; empty if it is not set and the host is not known to need one.

    Raises:
        SettingsError: OpenAI's own host is asked without a key, or the key cannot be sent.
    """
    key = os.environ.get(variable, "").strip()
    host = urlsplit(url).hostname or ""
    if not key and (host == OPENAI_HOST or host.endswith("." + OPENAI_HOST)):
        raise SettingsError(
            f"{host} answers nobody without a key: set the environment variable {variable}, or name your own server as "
            f"'openai:MODEL@{EXAMPLE}' (or by OPENAI_BASE_URL)"
        )
    if not key.isascii() or not key.isprintable():
        raise SettingsError(f"the key in {variable} holds characters that no HTTP header can; it was not sent")
    return key
