"""Settings in files: lines ``key = value``, below ``[sections]`` or not."""

import re

__all__ = ["settings_in"]

_MAX_BYTES = 1 << 16


def settings_in(data: bytes) -> dict[str, str] | None:
    r"""Return the settings that a file makes; None if a line is none or a setting is made twice.

    Comments, empty lines, order and blanks around the sign do not matter.

    >>> settings_in(b"# x\n[web]\nport = 80\n") == settings_in(b"[web]\nport=80")
    True
    """
    if len(data) > _MAX_BYTES:
        return None
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, data.decode(errors="replace").splitlines()):
        if not line or line.startswith(("#", ";")):
            continue
        if heading := re.fullmatch(r"\[([\w.-]+)\]", line):
            section = f"{heading[1]}."
            continue
        setting = re.fullmatch(r"([\w.-]+)\s*=\s*(.*)", line)
        if setting is None or section + setting[1] in found:
            return None
        found[section + setting[1]] = setting[2]
    return found
