"""An engine: a child process that replies to each command line with a line of JSON."""

import json
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path


class EngineError(Exception):
    """An engine ended, exceeded its timeout or sent an invalid reply."""


class Engine:
    """One running engine. Its standard error goes to a log in its work folder."""

    # The default timeout of a command, in seconds.
    TIMEOUT = 150

    def __init__(self, program, arguments, data, work):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.log = (self.work / "log.txt").open("ab")
        # A process group of its own, so that its child processes end with it.
        self.process = subprocess.Popen(
            [*program, data, work, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, start_new_session=True)
        self.lines = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        try:
            self.info = self._reply(self.TIMEOUT)
        except EngineError:
            self.stop()
            raise

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _reply(self, timeout):
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise EngineError(f"no reply in {timeout:.0f} s") from None
        if line is None:
            status = self.process.wait()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise EngineError(f"it ended ({how}){self._last_line()}")
        try:
            return json.loads(line)
        except ValueError:
            raise EngineError(f"it sent an invalid reply: {line[:80]!r}") from None

    def _last_line(self):
        self.log.flush()
        lines = (self.work / "log.txt").read_text(errors="replace").strip().splitlines()
        return f": {lines[-1][:160]}" if lines else ""

    def send(self, *words, timeout=TIMEOUT):
        """Sends a command and returns the reply. After an `EngineError` the engine is stopped."""
        try:
            self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())
            self.process.stdin.flush()
            return self._reply(timeout)
        except BrokenPipeError:
            self.stop()
            raise EngineError(f"it ended{self._last_line()}") from None
        except EngineError:
            self.stop(timeout=0.1)
            raise

    def forget_peak(self):
        """Makes the kernel measure the peak of the process's memory from now on, on Linux."""
        try:
            Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        except OSError:
            pass

    def peak_memory(self):
        """Returns the peak of the process's memory in MB since `forget_peak`; None where it is not known."""
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / 1e6
        except OSError:
            pass
        return None

    def stop(self, timeout=10):
        """Waits until the engine quits, or kills it and its child processes."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        for ending, time in ((None, timeout), (signal.SIGTERM, 20), (signal.SIGKILL, 10)):
            if ending is not None:
                try:
                    os.killpg(self.process.pid, ending)
                except ProcessLookupError:
                    pass
            try:
                self.process.wait(time)
                break
            except subprocess.TimeoutExpired:
                continue
        self.listener.join(10)
        self.process.stdout.close()
        self.log.close()
