"""Shows how SQLite up to 3.51.2 loses commits, and that Cadastre's lock prevents it; needs gdb.

    python3 Tests/Reproductions/wal_reset.py

A process copies the write-ahead log into the file, and gdb stops it after it has read the header of the log's
index. Another process commits meanwhile, which restarts the log. The first then marks more pages as copied
than the log has, and later commits in these pages are never copied. With the lock that Cadastre's
processes hold during commits and checkpoints (`FileLock`) the commits wait until the checkpoint has ended.

Without gdb, or where the library does not name its internal functions as Debian's does, nothing is shown.
"""

import fcntl
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 100
OPEN = "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; SELECT count(*) FROM counts"
CHECKPOINT = f"""
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.executescript({OPEN!r})
connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
"""


class Writer:
    """Commits, as a process of its own would; `lock` is the path of the lock, or None."""

    def __init__(self, path, lock):
        self.path, self.lock, self.acknowledged, self.refused = path, lock, 0, 0

    def commit(self, count):
        connection = opened(self.path)
        for _ in range(count):
            if self.lock:
                with open(self.lock, "a") as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        self.refused += 1
                        continue
                    self.commit_one(connection)
            else:
                self.commit_one(connection)
        connection.close()

    def commit_one(self, connection):
        connection.execute("UPDATE counts SET n = n + 1 WHERE id = ?", (self.acknowledged % ROWS,))
        self.acknowledged += 1


def opened(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(OPEN)
    return connection


def offset_after_header():
    """Returns the offset in sqlite3WalCheckpoint after it has read the header; None where it is not known."""
    library = re.search(r"=> (\S*libsqlite3\S*)", subprocess.run(
        ["ldd", sys.modules["_sqlite3"].__file__], capture_output=True, text=True).stdout)
    if not library:
        return None
    text = subprocess.run(["gdb", "-batch", "-ex", "disassemble sqlite3WalCheckpoint", library[1]],
                          capture_output=True, text=True).stdout
    lines = text.splitlines()
    for line, following in zip(lines, lines[1:]):
        # The only function within the file that is called before the header is used.
        if re.search(r"call\s+0x[0-9a-f]+$", line):
            return int(re.search(r"<\+(\d+)>", following)[1])
    return None


def lost(offset, is_locked):
    """Returns the writer, and the number of its commits that the file contains."""
    with tempfile.TemporaryDirectory() as folder:
        path, lock = f"{folder}/store.db", f"{folder}/lock"
        first = sqlite3.connect(path, isolation_level=None)
        first.executescript(
            "PRAGMA journal_mode = WAL; CREATE TABLE counts(id INTEGER PRIMARY KEY, n INTEGER, b BLOB)")
        first.executemany("INSERT INTO counts VALUES (?, 0, zeroblob(3000))", [(i,) for i in range(ROWS)])
        writer = Writer(path, lock if is_locked else None)
        checkpoint = lambda: first.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        checkpoint()
        writer.commit(1)
        checkpoint()
        # All pages of a log of 60 are in the file, so that the next commit restarts the log.
        writer.commit(60)
        checkpoint()
        stopped = subprocess.Popen(
            ["gdb", "-q", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "break sqlite3WalCheckpoint",
             "-ex", "run", "-ex", f"break *(sqlite3WalCheckpoint+{offset})", "-ex", "continue",
             "-ex", "shell echo stopped; read line", "-ex", "delete", "-ex", "continue",
             "--args", sys.executable, "-c", CHECKPOINT, path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with open(lock, "a") as file:
            if is_locked:
                fcntl.flock(file, fcntl.LOCK_EX)
            while "stopped" not in (line := stopped.stdout.readline()):
                if not line:
                    sys.exit("gdb did not stop the checkpoint")
            writer.commit(5)
            stopped.communicate("\n")
        writer.commit(60)
        checkpoint()
        writer.commit(3)
        checkpoint()
        check = sqlite3.connect(path)
        return writer, check.execute("SELECT sum(n) FROM counts").fetchone()[0]


def main():
    try:
        offset = offset_after_header()
    except FileNotFoundError:
        offset = None
    if offset is None:
        print("wal-reset is skipped: it needs gdb and a library of SQLite with names of internal functions.")
        return
    for is_locked in [False, True]:
        writer, stored = lost(offset, is_locked)
        print(f"SQLite {sqlite3.sqlite_version}, {'with' if is_locked else 'without'} the lock: "
              f"{writer.acknowledged} commits acknowledged, {stored} stored, {writer.refused} waited")
        if is_locked and stored != writer.acknowledged:
            sys.exit("the lock does not prevent the loss")


main()
