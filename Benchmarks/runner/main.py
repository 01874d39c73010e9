"""The run from its start to the report."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from . import figures, growth, hits, machine, options, places, plot, questions, report, writing
from .catalogue import OURS
from .fleet import Fleet
from .install import Missing, Workshop
from .oracle import Oracle

BENCHMARKS = Path(__file__).resolve().parent.parent


def prepare(cache, repository, count):
    """The folder with the places and the questions of a size; made once."""
    folder = cache / f"places-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "places.csv"
    if not file.exists():
        places.write_csv(file, places.generate(places.city_file(repository), count))
    loaded = places.Places(file)
    asked = questions.questions(loaded)
    (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    return folder, loaded, asked["questions"]


class Run:
    """What was measured so far; written after each step, so that an end in the middle loses nothing."""

    def __init__(self, chosen):
        self.chosen, self.start = chosen, time.monotonic()
        self.facts = machine.facts(BENCHMARKS.parent)
        name = f"{self.facts['date'][:10]}-{machine.slug(self.facts['processor'])}"
        if chosen.scale != "1m":
            name += f"-{chosen.scale}"
        chosen.out.mkdir(parents=True, exist_ok=True)
        self.path = chosen.out / name
        self.found = {
            "machine": self.facts, "command": chosen.command, "places": chosen.count,
            "rounds": chosen.rounds, "engines": [], "questions": {}, "cold": {}, "writing": {},
            "threads": {}, "growth": {}, "skipped": [], "differences": [], "complete": False,
        }

    def say(self, text=""):
        print(text, flush=True)

    def keep(self):
        """Writes the JSON, whole or not at all."""
        self.found["minutes"] = round((time.monotonic() - self.start) / 60, 1)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, self.path.with_suffix(".json"))

    def step(self, text):
        self.say(f"\n[{time.monotonic() - self.start:5.0f} s] {text}")

    def questions(self, fleet, oracle, asked):
        for row in self.chosen.rows:
            answers = fleet.ask(row, self.chosen.rounds)
            wanted = oracle.answer(row)
            for key, answer in answers.items():
                answer["summary"] = figures.summary(answer["ms"])
                self.judge(row, key, answer, oracle, fleet)
            self.found["questions"][row] = {
                "title": questions.title(row, asked), "hits": wanted.hits, "sum": wanted.sum,
                "answers": answers}
            self.say(report.line(row, self.found["questions"][row], self.titles(fleet)))
            self.keep()

    def judge(self, row, key, answer, oracle, fleet, at=""):
        """Notes where an engine's hits are not the wanted ones."""
        member = next((member for member in fleet.members if member.key == key), None)
        verdict = hits.judge(row, answer["hits"], answer["sum"], oracle, member.hello if member else {})
        if answer.get("unsteady"):
            verdict = False, "UNEXPLAINED: its rounds gave different answers"
        if verdict:
            explained, sentence = verdict
            title = self.titles(fleet).get(key, key)
            answer["difference"] = sentence
            self.found["differences"].append({"row": row + at, "engine": title, "explained": explained,
                                              "sentence": sentence})
            self.say(f"  {'' if explained else '!!! '}{title}, {row}{at}: {sentence}")

    def titles(self, fleet):
        return {engine["key"]: engine["title"] for engine in self.found["engines"]}

    def engines(self, fleet):
        self.found["engines"] = [
            {"key": member.key, "title": member.entry.title, **member.hello, "load": member.loaded}
            for member in fleet.members]
        self.keep()


def readers(fleet, run):
    """Questions in a second by one and two readers at once, and beside a writer."""
    for row in questions.CONCURRENT:
        for count in (1, 2):
            for beside in ([], ["writer"]):
                what = f"{row}, {count} reader{'s'[:count - 1]}" + (", beside a writer" if beside else "")
                found = fleet.tell_all(what, "threads", row, count, 3, *beside, patience=60)
                run.found["threads"][what] = found
                titles = run.titles(fleet)
                run.say(f"  {what:32} " + " | ".join(
                    f"{titles[key]} {figures.short(reply['perSecond'])}/s" for key, reply in found.items()))
                run.keep()


def main(arguments):
    chosen = options.parse(arguments, BENCHMARKS)
    chosen.command = " ".join(["Benchmarks/run", *arguments])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Others must be able to enter it: PostgreSQL never runs as root.
    work = Path(tempfile.mkdtemp(prefix="bench-"))
    work.chmod(0o755)
    run = fleet = None
    try:
        workshop = Workshop(BENCHMARKS, chosen.install)
        workshop.setup()
        run = Run(chosen)
        fleet = Fleet(run.say, run.found["skipped"])
        measure(chosen, run, fleet, workshop, work)
        status = 0
    except Missing as reason:
        print(f"Benchmarks/run: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped: what was measured so far is reported.", file=sys.stderr)
        status = 130
    finally:
        if fleet:
            fleet.stop()
        shutil.rmtree(work, ignore_errors=True)
    return finish(run) or status if run else status


def measure(chosen, run, fleet, workshop, work):
    run.step(f"preparing {chosen.count:,} places")
    data, columns, asked = prepare(workshop.cache, BENCHMARKS.parent, chosen.count)
    run.step("building and loading the engines")
    fleet.prepare(chosen.entries, workshop, data, work)
    if not any(member.key == OURS for member in fleet.members):
        raise Missing("Cadastre itself could not be built; see above")
    tasks = writing.needed(chosen.tasks)
    programs = list(fleet.members)
    if chosen.rows or tasks & {"W1", "W2", "W3", "W4", "W8"}:
        fleet.load()
        run.engines(fleet)
        run.step(f"asking: milliseconds, median of {chosen.rounds} interleaved rounds after a warm-up")
        run.questions(fleet, Oracle(columns, asked, questions.EARTH_RADIUS), asked)
        if chosen.threads:
            run.step("readers at once, questions a second")
            readers(fleet, run)
    if tasks:
        run.step("writing")
        tools = None
        if tasks & {"W5", "W6", "W7"}:
            tools = writing.Tools(workshop, data, work, run.say, fleet.skipped)
            tools.peers(chosen.peers != "none")

        def keep(name, found):
            run.found["writing"][name] = {"title": questions.WRITING[name], "results": found}
            run.say(report.writing_line(name, run.found["writing"][name], run.titles(fleet)))
            run.keep()
        writing.measure(fleet, tools, tasks, asked, chosen.count, keep)
    fleet.stop()
    if "W8" in tasks:
        run.step("cold, in fresh processes")
        for row in questions.COLD:
            run.found["cold"][row] = fleet.cold(row)
            run.say(report.cold_line(row, run.found["cold"][row], run.titles(fleet)))
            run.keep()
    if chosen.growth:
        run.step("growth")
        growth.measure(chosen, run, programs, workshop, work, prepare, BENCHMARKS.parent)
    run.found["complete"] = True
    run.keep()


def finish(run):
    """Writes the report and the plots; the status is 1 where hits are not explained."""
    found, path = run.found, run.path
    plots = {}
    for name, draw in (("ratios", plot.ratios), ("growth", plot.growth)):
        drawing = draw(found)
        if drawing:
            plots[name] = path.with_name(f"{path.name}-{name}.svg")
            plots[name].write_text(drawing, encoding="utf-8")
    path.with_suffix(".md").write_text(report.markdown(found, plots), encoding="utf-8")
    run.say(f"\nwritten: {path.with_suffix('.md')}, .json" + "".join(f", {plot.name}" for plot in plots.values()))
    strange = [note for note in found["differences"] if not note["explained"]]
    for note in strange:
        run.say(f"!!! {note['engine']}, {note['row']}: {note['sentence']}")
    return 1 if strange else 0
