"""What a process and those that it started have used so far, as the kernel tells it."""

import os
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """Seconds on the processor, in the program and in the kernel."""
    return sum(_own_cpu_seconds(each) for each in family(pid))


def peak_megabytes(pid: int) -> float:
    """The most memory that it has held, and those that it started besides: what they share with it counts once."""
    return _peak_kilobytes(pid) / 1024 + sum(
        (_peak_kilobytes(each) - _shared_kilobytes(each)) / 1024 for each in family(pid)[1:]
    )


def family(pid: int) -> list[int]:
    """A process and those that it started, which run."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *(each for child in started for each in family(int(child)))]


def _own_cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_kilobytes(pid: int) -> int:
    return _kilobytes(pid, "status", "VmHWM")


def _shared_kilobytes(pid: int) -> int:
    return sum(_kilobytes(pid, "smaps_rollup", f"Shared_{kind}:") for kind in ("Clean", "Dirty"))


def _kilobytes(pid: int, file: str, named: str) -> int:
    lines = Path(f"/proc/{pid}/{file}").read_text("ascii").splitlines()
    return int(next(line for line in lines if line.startswith(named)).split()[1])
