"""The machine, the system and the versions of a run."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path


def first_line(*command, folder=None):
    """Returns the first line of a command's output, or None if the command fails or is missing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    except OSError:
        return None
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def processor():
    """Returns the name of the processor."""
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        match = None
    return (match and match[1]) or first_line("sysctl", "-n", "machdep.cpu.brand_string") or "unknown"


def memory():
    """Returns the size of the memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def facts(repository):
    """Returns the machine, the system, the compilers, the libraries and the commit."""
    # Changed result files do not affect the measurements.
    changed = subprocess.run(["git", "status", "--porcelain", "--", ".", ":!Benchmarks/Results"],
                             capture_output=True, text=True, cwd=repository).stdout.strip()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": processor(), "cores": os.cpu_count(), "memoryBytes": memory(),
        "load": round(os.getloadavg()[0], 2),
        "system": _system(), "kernel": platform.release(),
        "swift": first_line("swift", "--version"), "cc": first_line("cc", "--version"),
        "python": platform.python_version(),
        "sqlite": first_line("pkg-config", "--modversion", "sqlite3"),
        "geos": first_line("pkg-config", "--modversion", "geos"),
        "commit": first_line("git", "rev-parse", "HEAD", folder=repository),
        "treeIsClean": not changed,
    }


def _system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return f"{platform.system()} {platform.mac_ver()[0] or platform.release()}"


def slug(text):
    """Converts a text to a part of a file name."""
    text = re.sub(r"\((R|TM)\)|CPU|Processor|@.*", " ", text, flags=re.I)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unknown"
