"""The run from its start to the report."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import comparison, figures, growth, machine, options, places, plot, queries, report, writing
from .catalogue import OURS
from .engine_group import EngineGroup
from .install import Missing, Installer
from .oracle import Oracle

BENCHMARKS = Path(__file__).resolve().parent.parent


def prepare(cache, repository, count):
    """Returns the folder with the places and the queries of a size, and creates it if it is missing."""
    folder = cache / f"places-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "places.csv"
    if not file.exists():
        places.write_csv(file, places.generate(places.city_file(repository), count))
    loaded = places.Places(file)
    constants = queries.queries(loaded)
    (folder / "queries.json").write_text(json.dumps(constants), encoding="utf-8")
    return folder, loaded, constants["queries"]


def earlier(path):
    """Returns the medians of an earlier run by query, and its commit; nothing without such a run."""
    if not path:
        return {}
    results = json.loads(path.read_text(encoding="utf-8"))
    medians = {row: query["answers"][OURS]["summary"]["median"]
               for row, query in results["questions"].items() if OURS in query["answers"]}
    return {"commit": results["machine"]["commit"], "medians": medians}


class Run:
    """The results so far; they are written after each step, so that an aborted run loses nothing."""

    def __init__(self, chosen):
        self.chosen, self.start = chosen, time.monotonic()
        self.facts = machine.facts(BENCHMARKS.parent)
        name = f"{self.facts['date'][:10]}-{machine.slug(self.facts['processor'])}"
        if chosen.scale != "1m":
            name += f"-{chosen.scale}"
        chosen.out.mkdir(parents=True, exist_ok=True)
        self.path = chosen.out / name
        self.results = {
            "machine": self.facts, "command": chosen.command, "places": chosen.count,
            "rounds": chosen.rounds, "engines": [], "questions": {}, "cold": {}, "limits": {}, "writing": {},
            "threads": {}, "joins": {}, "growth": {}, "before": earlier(chosen.before), "skipped": [], "differences": [], "complete": False,
        }

    def say(self, text=""):
        print(text, flush=True)

    def keep(self):
        """Replaces the JSON file atomically."""
        self.results["minutes"] = round((time.monotonic() - self.start) / 60, 1)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, self.path.with_suffix(".json"))

    def step(self, text):
        self.say(f"\n[{time.monotonic() - self.start:5.0f} s] {text}")

    def queries(self, group, oracle, constants):
        for row in self.chosen.rows:
            results = group.run_query(row, self.chosen.rounds)
            expected = oracle.expected(row)
            for key, result in results.items():
                result["summary"] = figures.summary(result["ms"])
                self.compare(row, key, result, oracle, group)
            self.results["questions"][row] = {
                "title": queries.title(row, constants), "hits": expected.hits, "sum": expected.sum,
                "answers": results}
            self.say(report.line(row, self.results["questions"][row], self.titles(group)))
            self.keep()

    def compare(self, row, key, result, oracle, group, at=""):
        """Records a difference between an engine's hits and the expected ones."""
        member = next((member for member in group.members if member.key == key), None)
        difference = comparison.compare(row, result["hits"], result["sum"], oracle,
                                        member.info if member else {})
        if result.get("unsteady"):
            difference = False, "UNEXPLAINED: its rounds have different results"
        if difference:
            explained, sentence = difference
            title = self.titles(group).get(key, key)
            result["difference"] = sentence
            self.results["differences"].append({"row": row + at, "engine": title, "explained": explained,
                                              "sentence": sentence})
            self.say(f"  {'' if explained else '!!! '}{title}, {row}{at}: {sentence}")

    def titles(self, group):
        return {engine["key"]: engine["title"] for engine in self.results["engines"]}

    def engines(self, group):
        self.results["engines"] = [
            {"key": member.key, "title": member.entry.title, **member.info, "load": member.loaded}
            for member in group.members]
        self.keep()


def readers(group, run):
    """Measures queries per second of one and two concurrent readers, with and without a writer."""
    for row in queries.CONCURRENT:
        for count in (1, 2):
            for beside in ([], ["writer"]):
                what = f"{row}, {count} reader{'s'[:count - 1]}" + (", with a writer" if beside else "")
                replies = group.send_all(what, "threads", row, count, 3, *beside, timeout=60)
                run.results["threads"][what] = replies
                titles = run.titles(group)
                run.say(f"  {what:32} " + " | ".join(
                    f"{titles[key]} {figures.short(reply['perSecond'])}/s" for key, reply in replies.items()))
                run.keep()


def main(arguments):
    chosen = options.parse(arguments, BENCHMARKS)
    chosen.command = " ".join(["Benchmarks/run", *arguments])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Other users need access to it: PostgreSQL never runs as root.
    work = Path(tempfile.mkdtemp(prefix="bench-"))
    work.chmod(0o755)
    run = group = None
    try:
        installer = Installer(BENCHMARKS, chosen.install)
        installer.setup()
        run = Run(chosen)
        group = EngineGroup(run.say, run.results["skipped"])
        measure(chosen, run, group, installer, work)
        status = 0
    except Missing as reason:
        print(f"Benchmarks/run: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; the report contains the results so far.", file=sys.stderr)
        status = 130
    finally:
        if group:
            group.stop()
        shutil.rmtree(work, ignore_errors=True)
    return finish(run) or status if run else status


def join(chosen, run, installer, work):
    """Measures the joins in a process of the peers' Python, so that a missing peer is only left out."""
    try:
        python = installer.packages("shapely", "duckdb", "duckdb_extension_spatial", "psycopg")
    except Missing as reason:
        run.results["skipped"].append({"engine": "peers", "what": "joins", "reason": str(reason)})
        python = sys.executable
    with subprocess.Popen(
            [python, "-m", "runner.joins", installer.command_line(), work / "joins", ",".join(chosen.joins),
             str(chosen.count)], stdout=subprocess.PIPE, text=True, cwd=BENCHMARKS) as process:
        for line in process.stdout:
            result = json.loads(line)
            row = result["row"]
            run.results["joins"][row] = {"title": queries.JOINS[row], **result}
            run.say(report.join_line(row, run.results["joins"][row]))
            if len({engine["pairs"] for engine in result["engines"]}) > 1:
                sentence = "the engines count different pairs"
                run.results["differences"].append({"row": row, "engine": "joins", "explained": False, "sentence": sentence})
            run.keep()
    if process.returncode != 0:
        run.say(f"the joins ended with status {process.returncode}")


def measure(chosen, run, group, installer, work):
    run.step(f"preparing {chosen.count:,} places")
    data, columns, constants = prepare(installer.cache, BENCHMARKS.parent, chosen.count)
    run.step("building and loading the engines")
    group.prepare(chosen.entries, installer, data, work)
    if not any(member.key == OURS for member in group.members):
        raise Missing("Cadastre itself could not be built; see above")
    tasks = writing.needed(chosen.tasks)
    programs = list(group.members)
    if chosen.rows or tasks & {"W1", "W2", "W3", "W4", "W8"}:
        group.load()
        run.engines(group)
        run.step(f"queries: milliseconds, median of {chosen.rounds} interleaved rounds after a warm-up")
        run.queries(group, Oracle(columns, constants, queries.EARTH_RADIUS), constants)
        if chosen.threads:
            run.step("concurrent readers, queries per second")
            readers(group, run)
    if tasks:
        run.step("writing")
        tools = None
        if tasks & {"W5", "W6", "W7"}:
            tools = writing.Tools(installer, data, work, run.say, group.skipped)
            tools.peers(chosen.peers != "none")

        def keep(name, results):
            run.results["writing"][name] = {"title": queries.WRITING[name], "results": results}
            run.say(report.writing_line(name, run.results["writing"][name], run.titles(group)))
            run.keep()
        writing.measure(group, tools, tasks, constants, chosen.count, keep)
    group.stop()
    if "W8" in tasks:
        run.step("cold, in new processes")
        for row in queries.COLD:
            run.results["cold"][row] = group.cold(row)
            run.say(report.cold_line(row, run.results["cold"][row], run.titles(group)))
            run.keep()
    for limit in chosen.limits:
        run.step(f"a limit of {limit} MiB, first, second and tenth run of a new process")
        oracle = Oracle(columns, constants, queries.EARTH_RADIUS)
        for row, reply, peak in group.limited(limit, chosen.rows):
            run.results["limits"].setdefault(str(limit), {})[row] = {"ms": reply["ms"], "peak": peak}
            run.compare(row, OURS, reply, oracle, group, f", limit of {limit} MiB")
            run.say(f"{row:5}" + report.limited(run.results["limits"][str(limit)][row]))
            run.keep()
    if chosen.joins:
        run.step("joins, pairs counted by new processes of Cadastre and by warm peers")
        join(chosen, run, installer, work)
    if chosen.growth:
        run.step("growth")
        growth.measure(chosen, run, programs, installer, work, prepare, BENCHMARKS.parent)
    run.results["complete"] = True
    run.keep()


def finish(run):
    """Writes the report and the plots; returns 1 if a difference of hits is unexplained."""
    results, path = run.results, run.path
    plots = {}
    for name, draw in (("ratios", plot.ratios), ("growth", plot.growth)):
        drawing = draw(results)
        if drawing:
            plots[name] = path.with_name(f"{path.name}-{name}.svg")
            plots[name].write_text(drawing, encoding="utf-8")
    path.with_suffix(".md").write_text(report.markdown(results, plots), encoding="utf-8")
    run.say(f"\nwritten: {path.with_suffix('.md')}, .json" + "".join(f", {plot.name}" for plot in plots.values()))
    unexplained = [note for note in results["differences"] if not note["explained"]]
    for note in unexplained:
        run.say(f"!!! {note['engine']}, {note['row']}: {note['sentence']}")
    return 1 if unexplained else 0
