"""An engine: a child process that answers a command a line with a line of JSON."""

import json
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path


class EngineError(Exception):
    """An engine ended, took too long or said what is no reply."""


class Engine:
    """One running engine. Its talk goes to a log in its work folder."""

    # Seconds that a command may take unless told otherwise.
    PATIENCE = 150

    def __init__(self, program, arguments, data, work):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.log = (self.work / "talk.txt").open("ab")
        # A group of its own, so that what it started ends with it.
        self.process = subprocess.Popen(
            [*program, data, work, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, start_new_session=True)
        self.lines = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        try:
            self.hello = self._reply(self.PATIENCE)
        except EngineError:
            self.stop()
            raise

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _reply(self, patience):
        try:
            line = self.lines.get(timeout=patience)
        except queue.Empty:
            raise EngineError(f"no answer in {patience:.0f} s") from None
        if line is None:
            status = self.process.wait()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise EngineError(f"it ended ({how}){self._last_words()}")
        try:
            return json.loads(line)
        except ValueError:
            raise EngineError(f"it said what is no reply: {line[:80]!r}") from None

    def _last_words(self):
        self.log.flush()
        lines = (self.work / "talk.txt").read_text(errors="replace").strip().splitlines()
        return f": {lines[-1][:160]}" if lines else ""

    def tell(self, *words, patience=PATIENCE):
        """Sends a command; gives its reply. After an `EngineError` the engine is stopped."""
        try:
            self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())
            self.process.stdin.flush()
            return self._reply(patience)
        except BrokenPipeError:
            self.stop()
            raise EngineError(f"it ended{self._last_words()}") from None
        except EngineError:
            self.stop(patience=0.1)
            raise

    def stop(self, patience=10):
        """Lets the engine quit, or ends it and all that it started."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        for ending, time in ((None, patience), (signal.SIGTERM, 20), (signal.SIGKILL, 10)):
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
