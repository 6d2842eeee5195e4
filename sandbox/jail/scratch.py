"""The scratch directory of a warden: every program finds it as empty as the first one did."""

import contextlib
import os
import shutil
import stat
from typing import Any

from turnwise.sandbox.jail import kernel, rootfs

__all__ = ["Scratch"]


class Scratch:
    """A directory that programs may write, mounted with a size where the warden has a file system of its own.

    Args:
        path: Where it is made; "" if the warden has a file system of its own, which has a place for it.
        programs: Files in it may be executed.
        bounds: Its size and number of files, as ``file_mb`` and ``files``.

    Attributes:
        path: Where it is.
    """

    def __init__(self, path: str, programs: bool, bounds: dict[str, Any]) -> None:
        self.path = path or rootfs.SCRATCH
        self._mounted = not path
        self._programs = programs
        self._bounds = (bounds["file_mb"], bounds["files"])
        self._owner: int | None = None
        self._nursery = False
        self._clean: tuple[int, ...] = ()

    def mount(self, owner: int | None) -> None:
        """Mount it for the user that programs run as; None is this process's."""
        self._owner = owner
        rootfs.mount_scratch(*self._bounds, self._programs, owner)
        self._clean = self._mark()

    def make(self, owner: int | None) -> None:
        """Make it in the file system that is there, for the user that programs run as."""
        os.mkdir(self.path)
        if owner is not None:
            os.chown(self.path, owner, owner)
        self._clean = self._mark()

    def resize(self, file_mb: float, files: int) -> None:
        """Change the bounds of a mounted one until it is renewed."""
        rootfs.mount_scratch(file_mb, files, self._programs, again=True)

    def bound(self, file_mb: float, files: int) -> None:
        """Change the bounds for good; only those of a mounted one are enforced."""
        self._bounds = (file_mb, files)
        if self._mounted:
            self.resize(file_mb, files)
            self._clean = self._mark()

    def open_nursery(self) -> None:
        """Make a place for the files of a session's branches, once, with the same bounds again."""
        if not self._nursery:
            rootfs.mount_scratch(*self._bounds, self._programs, at=rootfs.BRANCHES)
            self._nursery = True

    @property
    def touched(self) -> bool:
        """Whether a program has changed something in it, or its session was forked."""
        return self._nursery or self._mark() != self._clean

    def renew(self) -> None:
        """Empty it and remove the nursery."""
        if self._nursery:
            kernel.umount(rootfs.BRANCHES)
            self._nursery = False
        if self._mounted:
            kernel.umount(self.path)
            self.mount(self._owner)
            return
        with contextlib.suppress(OSError):
            os.chmod(self.path, 0o700)
        for entry in list(os.scandir(self.path)):
            if stat.S_ISDIR(os.lstat(entry.path).st_mode):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        self._clean = self._mark()

    def _mark(self) -> tuple[int, ...]:
        found = os.stat(self.path)
        return found.st_mtime_ns, found.st_ctime_ns, found.st_mode
