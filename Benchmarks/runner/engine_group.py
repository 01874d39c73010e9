"""The engines of a run: started, loaded, asked in turn, restarted when one falls, and noted."""

import shutil
import statistics
from pathlib import Path

from . import questions
from .engine import Engine, EngineError
from .install import Missing
from .oracle import same

LOADING = 900

# A turn of an engine is this long at least, in milliseconds, or this many answers.
TURN, MOST = 25.0, 25


def answers_in_a_turn(milliseconds):
    """How often a question is asked in a turn that takes so long to answer."""
    return max(1, min(MOST, round(TURN / max(milliseconds, 1e-6))))


class Member:
    """An engine of the run, and how to start it again."""

    def __init__(self, entry, program, data, work):
        self.entry, self.program = entry, program
        self.data, self.work = data, Path(work)
        self.engine, self.hello, self.loaded, self.falls = None, {}, None, 0

    @property
    def key(self):
        return self.entry.key

    def start(self):
        self.engine = Engine(self.program, self.entry.arguments, self.data, self.work)
        self.hello = self.engine.hello

    def load(self):
        """Starts the engine and builds its store."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.start()
        self.loaded = self.engine.tell("load", patience=LOADING)
        if "skip" in self.loaded:
            raise EngineError(self.loaded["skip"])

    def restart(self):
        """Brings a fallen engine back with what it had, twice at most."""
        self.falls += 1
        if self.falls > 2:
            return False
        try:
            self.start()
            if "skip" not in self.engine.tell("open", patience=LOADING):
                return True
            self.engine.stop()
            self.load()
            return True
        except EngineError:
            return False

    def stop(self):
        if self.engine:
            self.engine.stop()


class Fleet:
    """The members that run, and notes of those that do not."""

    def __init__(self, say, skipped):
        self.members, self.skipped, self.say = [], skipped, say

    def prepare(self, entries, workshop, data, work):
        """Builds every engine or notes why not."""
        for entry in entries:
            try:
                program = entry.make(workshop)
            except Missing as reason:
                self.leave_out(entry.title, str(reason))
                continue
            self.members.append(Member(entry, program, data, Path(work) / entry.key))

    def load(self):
        """Loads one engine after the other; those that fail are left out."""
        for member in list(self.members):
            try:
                member.load()
            except EngineError as error:
                member.stop()
                self.drop(member, str(error))
                continue
            index = member.loaded.get("indexSeconds")
            self.say(f"  {member.entry.title:17} {member.hello.get('version') or '':32} loaded in "
                     f"{member.loaded['seconds']:.1f} s" + (f", spatial index {index:.1f} s" if index else ""))

    def leave_out(self, title, reason):
        self.skipped.append({"engine": title, "what": "all", "reason": reason})
        self.say(f"  {title}: skipped, {reason}")

    def drop(self, member, reason):
        self.members.remove(member)
        self.leave_out(member.entry.title, reason)

    def note(self, member, what, reason):
        self.skipped.append({"engine": member.entry.title, "what": what, "reason": reason})

    def ask(self, row, rounds, budget=12.0):
        """Asks a row in turn: a warm-up, then some rounds, each begun by another engine.

        Gives for each engine its times, hits and sum. A short question is asked several times in a turn, of
        which the median counts: the first answer of a turn pays for what the other engines have driven out
        of the processor's caches, and is kept as such. Slow answers get fewer rounds: all of an engine's
        rounds together take about `budget` seconds at most, and there is always one.
        """
        answers, left, runs = {}, {}, {}
        for number in range(rounds + 1):
            turn = number % max(1, len(self.members))
            for member in self.members[turn:] + self.members[:turn]:
                words = questions.asked_as(row, member.hello["edges"])
                if words is None or (number and left.get(member.key, 0) < 1):
                    continue
                reply = self._tell(member, row, "ask", words, runs.get(member.key, 1))
                if reply is None:
                    left[member.key] = 0
                    answers.pop(member.key, None)
                elif number == 0:
                    warm = reply["ms"][0]
                    slow = warm / 1000
                    left[member.key] = rounds if slow * rounds <= budget else max(1, int(budget / slow))
                    runs[member.key] = answers_in_a_turn(warm)
                    answers[member.key] = {"ms": [], "first": [], "warmUp": warm, "hits": reply["hits"],
                                           "sum": reply["sum"]}
                else:
                    left[member.key] -= 1
                    known = answers[member.key]
                    median = statistics.median(reply["ms"])
                    known["ms"].append(median)
                    known["first"].append(reply["ms"][0])
                    known["answersInATurn"] = len(reply["ms"])
                    # A first answer may have to bring columns into memory, and says little of the others.
                    runs[member.key] = answers_in_a_turn(median)
                    if reply["hits"] != known["hits"] or not same(reply["sum"], known["sum"]):
                        known["unsteady"] = True
        return {key: answer for key, answer in answers.items() if answer["ms"]}

    def _tell(self, member, what, *words, patience=Engine.PATIENCE):
        """A reply, or nothing where the engine skips or falls; both are noted."""
        try:
            reply = member.engine.tell(*words, patience=patience)
        except EngineError as error:
            self.note(member, what, str(error))
            self.say(f"  {member.entry.title}: {what}: {error}")
            if not member.restart():
                self.drop(member, f"it did not come back after {what}")
            return None
        if "skip" in reply:
            self.note(member, what, reply["skip"])
            return None
        return reply

    def tell_all(self, what, *words, patience=LOADING):
        """Tells every engine the same, one after the other; gives the replies by key."""
        replies = {}
        for member in list(self.members):
            reply = self._tell(member, what, *words, patience=patience)
            if reply is not None:
                replies[member.key] = reply
        return replies

    def cold(self, row, rounds=3):
        """The first answer of fresh processes, in milliseconds, of engines that can open a store."""
        found = {}
        for member in list(self.members):
            words = questions.asked_as(row, member.hello["edges"])
            times = []
            for _ in range(rounds):
                engine = None
                try:
                    engine = Engine(member.program, member.entry.arguments, member.data, member.work)
                    if "skip" in engine.tell("open", patience=LOADING):
                        break
                    reply = engine.tell("ask", words, 1)
                    if "skip" in reply:
                        break
                    times += reply["ms"]
                except EngineError as error:
                    self.note(member, f"{row} cold", str(error))
                    break
                finally:
                    if engine:
                        engine.stop()
            if times:
                found[member.key] = times
        return found

    def stop(self):
        for member in self.members:
            member.stop()
