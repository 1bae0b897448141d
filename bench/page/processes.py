"""What a process has used so far, as the kernel tells it."""

import os
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """Seconds on the processor, in the program and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid: int) -> float:
    """The most memory that it has held."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1024
