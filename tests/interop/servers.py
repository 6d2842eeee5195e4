"""Servers that a check starts in processes of their own; needs no turnwise."""

import socket
import subprocess
import time
import urllib.error
import urllib.request

__all__ = ["free_port", "until_up"]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def until_up(process: "subprocess.Popen[bytes]", url: str) -> None:
    """Wait until a server answers, however slow the machine is: the time limit of the whole check ends what hangs."""
    while True:
        try:
            urllib.request.urlopen(url, timeout=60).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert process.poll() is None, f"the server of {url} has ended with status {process.returncode}"
            time.sleep(0.1)
