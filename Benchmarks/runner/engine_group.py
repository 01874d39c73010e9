"""The engines of a run: they are started, loaded, run in rounds, and restarted after a failure."""

import os
import shutil
import statistics
from pathlib import Path

from . import queries
from .catalogue import OURS
from .engine import Engine, EngineError
from .install import Missing
from .oracle import same

LOADING = 1800

# The iteration of an engine in a round repeats a query for this time in milliseconds, or this often.
ITERATION, MOST = 25.0, 25


# How often a new process runs the query of a cold row.
COLD_RUNS = 10


def repetitions(milliseconds):
    """Returns how often an iteration repeats a query that takes the given time."""
    return max(1, min(MOST, round(ITERATION / max(milliseconds, 1e-6))))


class Member:
    """An engine of the run that can be started again."""

    def __init__(self, entry, program, data, work):
        self.entry, self.program = entry, program
        self.data, self.work = data, Path(work)
        self.engine, self.info, self.loaded, self.failures = None, {}, None, 0

    @property
    def key(self):
        return self.entry.key

    def start(self):
        self.engine = Engine(self.program, self.entry.arguments, self.data, self.work)
        self.info = self.engine.info

    def load(self):
        """Starts the engine and builds its store."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.start()
        self.loaded = self.engine.send("load", timeout=LOADING)
        if "skip" in self.loaded:
            raise EngineError(self.loaded["skip"])

    def restart(self):
        """Restarts a failed engine on the store that it loaded, at most twice."""
        self.failures += 1
        if self.failures > 2:
            return False
        try:
            self.start()
            if "skip" not in self.engine.send("open", timeout=LOADING):
                return True
            self.engine.stop()
            self.load()
            return True
        except EngineError:
            return False

    def stop(self):
        if self.engine:
            self.engine.stop()


class EngineGroup:
    """The running engines, and the reasons why others were skipped."""

    def __init__(self, say, skipped):
        self.members, self.skipped, self.say = [], skipped, say

    def prepare(self, entries, installer, data, work):
        """Builds every engine, or records why it cannot be built."""
        for entry in entries:
            try:
                program = entry.make(installer)
            except Missing as reason:
                self.leave_out(entry.title, str(reason))
                continue
            self.members.append(Member(entry, program, data, Path(work) / entry.key))

    def load(self):
        """Loads one engine after the other and removes those that fail."""
        for member in list(self.members):
            try:
                member.load()
            except EngineError as error:
                member.stop()
                self.drop(member, str(error))
                continue
            index = member.loaded.get("indexSeconds")
            self.say(f"  {member.entry.title:17} {member.info.get('version') or '':32} loaded in "
                     f"{member.loaded['seconds']:.1f} s" + (f", spatial index {index:.1f} s" if index else ""))

    def leave_out(self, title, reason):
        self.skipped.append({"engine": title, "what": "all", "reason": reason})
        self.say(f"  {title}: skipped, {reason}")

    def drop(self, member, reason):
        self.members.remove(member)
        self.leave_out(member.entry.title, reason)

    def note(self, member, what, reason):
        self.skipped.append({"engine": member.entry.title, "what": what, "reason": reason})

    def run_query(self, row, rounds, budget=12.0):
        """Runs a query on all engines: a warm-up, then rounds that each begin with another engine.

        Returns the times, the hits and the sum of each engine. An iteration repeats a short query and uses
        the median. The first time of an iteration includes the cache misses that the other engines caused,
        and is recorded as `first`. Slow queries have fewer rounds, at least one: all rounds of an engine
        together take about `budget` seconds at most.
        """
        results, left, runs = {}, {}, {}
        for number in range(rounds + 1):
            first = number % max(1, len(self.members))
            for member in self.members[first:] + self.members[:first]:
                words = queries.name_for(row, member.info["edges"])
                if words is None or (number and left.get(member.key, 0) < 1):
                    continue
                reply = self._send(member, row, "query", words, runs.get(member.key, 1))
                if reply is None:
                    left[member.key] = 0
                    results.pop(member.key, None)
                elif number == 0:
                    warm = reply["ms"][0]
                    slow = warm / 1000
                    left[member.key] = rounds if slow * rounds <= budget else max(1, int(budget / slow))
                    runs[member.key] = repetitions(warm)
                    results[member.key] = {"ms": [], "first": [], "warmUp": warm, "hits": reply["hits"],
                                           "sum": reply["sum"]}
                else:
                    left[member.key] -= 1
                    known = results[member.key]
                    median = statistics.median(reply["ms"])
                    known["ms"].append(median)
                    known["first"].append(reply["ms"][0])
                    known["answersInATurn"] = len(reply["ms"])
                    # The warm-up may load columns into memory, so this median is a better estimate.
                    runs[member.key] = repetitions(median)
                    if reply["hits"] != known["hits"] or not same(reply["sum"], known["sum"]):
                        known["unsteady"] = True
        return {key: result for key, result in results.items() if result["ms"]}

    def _send(self, member, what, *words, timeout=Engine.TIMEOUT):
        """Returns a reply, or None if the engine skips the command or fails; both are recorded."""
        try:
            reply = member.engine.send(*words, timeout=timeout)
        except EngineError as error:
            self.note(member, what, str(error))
            self.say(f"  {member.entry.title}: {what}: {error}")
            if not member.restart():
                self.drop(member, f"it could not be restarted after {what}")
            return None
        if "skip" in reply:
            self.note(member, what, reply["skip"])
            return None
        return reply

    def send_all(self, what, *words, timeout=LOADING):
        """Sends every engine the same command, one after the other, and returns the replies by key."""
        replies = {}
        for member in list(self.members):
            reply = self._send(member, what, *words, timeout=timeout)
            if reply is not None:
                replies[member.key] = reply
        return replies

    def cold(self, row, rounds=3):
        """Returns, for each engine that can open a store, the times of a query that new processes repeat.

        The times of an engine are a list for each process: those of its first to its tenth run of the query.
        """
        times_by_key = {}
        for member in list(self.members):
            words = queries.name_for(row, member.info["edges"])
            times = []
            for _ in range(rounds):
                engine = None
                try:
                    engine = Engine(member.program, member.entry.arguments, member.data, member.work)
                    if "skip" in engine.send("open", timeout=LOADING):
                        break
                    reply = engine.send("query", words, COLD_RUNS)
                    if "skip" in reply:
                        break
                    times.append(reply["ms"])
                except EngineError as error:
                    self.note(member, f"{row} cold", str(error))
                    break
                finally:
                    if engine:
                        engine.stop()
            if times:
                times_by_key[member.key] = times
        return times_by_key

    def limited(self, mebibytes, rows):
        """Runs queries in a new process of each engine of Cadastre with another limit of its cached columns.

        Yields the row, the reply with the times of the first to the tenth run, and the peak of the memory in MB during
        these runs.
        """
        for member in [member for member in self.members if member.key == OURS]:
            before = os.environ.get("CADASTRE_COLUMN_MEMORY")
            os.environ["CADASTRE_COLUMN_MEMORY"] = str(mebibytes << 20)
            engine = None
            try:
                engine = Engine(member.program, member.entry.arguments, member.data, member.work)
                if "skip" in engine.send("open", timeout=LOADING):
                    return
                for row in rows:
                    engine.forget_peak()
                    reply = engine.send(
                        "query", queries.name_for(row, member.info["edges"]), COLD_RUNS, timeout=LOADING)
                    if "skip" not in reply:
                        yield row, reply, engine.peak_memory()
            except EngineError as error:
                self.note(member, f"limit of {mebibytes} MiB", str(error))
            finally:
                if before is None:
                    del os.environ["CADASTRE_COLUMN_MEMORY"]
                else:
                    os.environ["CADASTRE_COLUMN_MEMORY"] = before
                if engine:
                    engine.stop()

    def stop(self):
        for member in self.members:
            member.stop()
