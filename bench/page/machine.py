"""What a run was measured on: the machine's facts, and the versions of what took part."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    "faust-streaming", "aiokafka", "confluent-kafka", "quixstreams", "bytewax", "pydantic", "msgspec", "numpy", "chdb",
    "clickhouse-driver", "uvloop",
)  # fmt: skip


def facts() -> dict[str, str]:
    """In words, in the order of the page."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory / 2**30:.0f} GiB",
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        # One that was built without its own optimisations takes a sixth longer, whatever its version.
        "Python": f"{platform.python_version()}, built {platform.python_build()[1]} by {platform.python_compiler()}",
        "Java": _java(),
        "libraries": ", ".join(f"{name} {_version(name)}" for name in LIBRARIES),
    }


def load() -> float:
    """How many processes wanted a core over the last minute."""
    return round(os.getloadavg()[0], 2)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _java() -> str:
    try:
        told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False, timeout=30).stderr
    except OSError:
        return "none"
    return told.partition("\n")[0].replace('"', "")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
