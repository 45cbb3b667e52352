"""Identity of files: what of a file's status changes whenever its contents do."""

from __future__ import annotations

import os

COARSE_CLOCK_NANOSECONDS = 2 * 10**9
"""Longest tick of a file system's clock: times on FAT count in steps of two seconds."""
FINE_CLOCK_NANOSECONDS = 10**8
"""Longest tick of a clock whose times have digits below the millisecond, with a wide margin (Linux: 10 ms)."""


def describe_identity(status: os.stat_result) -> str:
    """Return the device, inode, mode, owner, size and times of a file or folder, as one text."""
    return (
        f"{status.st_dev} {status.st_ino} {status.st_mode} {status.st_uid} {status.st_size} "
        f"{status.st_mtime_ns} {status.st_ctime_ns}"
    )


def is_settled(status: os.stat_result, now: int) -> bool:
    """Return whether a file cannot change from `now` on without a change of its times.

    A file that was changed only just before may change once more within the same tick of the file system's clock.

    Args:
        status: the file's status.
        now: the current time, in nanoseconds.
    """
    times = (status.st_mtime_ns, status.st_ctime_ns)
    is_fine = all(time % 10**6 for time in times)
    return max(times) + (FINE_CLOCK_NANOSECONDS if is_fine else COARSE_CLOCK_NANOSECONDS) < now
