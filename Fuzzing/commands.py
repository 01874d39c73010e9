#!/usr/bin/env python3
"""Runs the command line program with random arguments, and checks the properties of every run.

    Fuzzing/commands.py PROGRAM [--seconds 10] [--seed 1] [--runs N]

The program prints its commands, arguments and options itself, so that new ones are tested too. Values come
from the kinds that the help names (fields, predicates, numbers, files), with wrong and hostile ones among
them. Each run has a time limit and an address space of 2 GiB. The properties:

- the exit status is one of the documented ones: 0, 1, 2, 3 or 64, and no signal ended the process;
- a failure has a message on standard error, which contains no report of a crash;
- with status 1 and 64 the stores are the same as before, byte for byte in their contents;
- `cadastre check` finds nothing in a store that a run has changed.

A violation prints the seed, the number of the run and the command, and the exit status is 1. Commands that
connect to PostgreSQL are run without an address.
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLACES = """icao,name,country,elevation,rating,opened,latitude,longitude
LFPG,Charles de Gaulle,FR,119,4.5,1974-03-08,49.0097,2.5479
EGLL,Heathrow,GB,25,4.25,1946-05-31,51.4706,-0.4619
NZAA,"Auckland, International",NZ,7,,1966-01-29,-37.0081,174.7917
NFFN,Nadi,FJ,18,3.5,1939-03-15,-17.7554,177.4431
SCCI,Punta Arenas,CL,42,3,,-53.0026,-70.8546
"""

NUMBERS = ["0", "1", "-1", "3", "10", "1e3", "1.5", "NaN", "inf", "-0", "9223372036854775807",
           "9223372036854775808", "-9223372036854775809", "1e309", "0x10", "٣", "1,5", "", " 7 "]
PREDICATES = [
    "elevation > 10", "name CONTAINS[cd] 'a'", "country IN {'FR', 'GB'}", "rating == nil", "TRUEPREDICATE",
    "NOT (country == 'FR' OR elevation < 0)", "location GEOWITHIN geoCircle([2.35, 48.85], 0.1)",
    "location GEOWITHIN geoBox([-10, 40], [10, 60])", "opened > 1950-01-01", "name LIKE '*e?t*'",
    "elevation BETWEEN {0, 100}", "elevation == $0", "nothing == 1", "elevation >", "((((", "'",
    "elevation + 1 > rating * 2", "name MATCHES '(a+)+$'", "SUBQUERY(a, $x, $x.b > 1).@count > 0",
    "elevation > 10 SORT(elevation DESC) LIMIT(2)", "NOT " * 600 + "TRUEPREDICATE"]
FIELDS = ["icao", "name", "country", "elevation", "rating", "opened", "location", "location.coordinates",
          "nothing", "", "NAME", "icao desc", "elevation asc", "a.b.c", "#key", "*", "name;--", "_"]
CLASSES = ["Airport", "Spot", "Missing", "airport", "", "cadastre_state", "sqlite_master", "Ünïcode", "A" * 300]
HOSTILE = ["", " ", "\n", "\t", "--", "-", "-x", "--nothing", "%", "%s%n", "'; DROP TABLE x; --", "\u202e", "a" * 5000,
           "é", "e\u0301", "💥", "../../x", "/", ".", "~", "$0", "\\", "\"", "{}", "[]", "null", "\ud7ff"]
POINTS = ["2.35,48.85", "0,0", "180,90", "-180,-90", "181,0", "0,91", "1", "1,2,3", "a,b", "1,", "NaN,0", "1e400,2"]
DISTANCES = ["50km", "30mi", "200m", "1deg", "0km", "-1km", "1e9km", "km", "5", "5 parsecs", "NaNkm", "1e309m"]
BOXES = ["-10,40,10,60", "170,-50,-170,0", "0,0,0,0", "10,40,-10", "1,2,3,4,5", "a,b,c,d", "0,60,10,40", "-200,0,0,95"]
# Statuses that the help of the program documents.
STATUSES = {0, 1, 2, 3, 64}
CRASHES = re.compile(r"Fatal error|Crash:|Illegal instruction|stack overflow|AddressSanitizer|unexpected signal", re.I)


class Workspace:
    """A folder with stores and files, which is made again after a run that has changed it."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.original = folder / "original"
        self.current = folder / "current"
        self.original.mkdir()
        (self.original / "places.csv").write_text(PLACES)
        (self.original / "binary").write_bytes(random.Random(7).randbytes(3000))
        (self.original / "empty").write_bytes(b"")
        (self.original / "open.json").write_text('[{"a": [1, {"b": ')
        (self.original / "features.geojson").write_text(
            '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":1},'
            '"geometry":{"type":"Point","coordinates":[1,2]}}]}')
        (self.original / "folder").mkdir()
        for store, name in [("a.cadastre", "Airport"), ("b.cadastre", "Spot")]:
            subprocess.run(
                [program, "import", "places.csv", "--store", store, "--into", name, "--pk", "icao",
                 "--index", "country"], cwd=self.original, check=True, capture_output=True)
        self.contents = self.content()
        self.reset()

    def reset(self):
        shutil.rmtree(self.current, ignore_errors=True)
        shutil.copytree(self.original, self.current)

    def content(self, folder=None):
        """Returns the contents of the stores as SQL."""
        contents = []
        for name in ["a.cadastre", "b.cadastre"]:
            path = (folder or self.original) / name
            if not path.exists():
                contents.append(None)
                continue
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                rows = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
                tables = [row[0] for row in rows]
                contents.append([
                    (table, database.execute(f"SELECT * FROM {quoted(table)}").fetchall()) for table in tables])
            database.close()
        return contents


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Generator:
    """Chooses commands and values."""

    def __init__(self, help_, random_):
        self.random = random_
        self.commands = []
        self.collect(help_["command"], [])

    def collect(self, command, path):
        for inner in command.get("subcommands") or []:
            self.collect(inner, path + [inner["commandName"]])
        if path and path[0] not in ["help"]:
            self.commands.append((path, command.get("arguments") or []))

    def arguments(self):
        path, arguments = self.random.choice(self.commands)
        words = []
        for argument in arguments:
            needed = argument["kind"] == "positional"
            if self.random.random() > (0.93 if needed else 0.16):
                continue
            repeats = 1
            if argument.get("isRepeating"):
                repeats = self.random.choice([1, 1, 2, 3])
            elif self.random.random() < 0.03:
                repeats = 2
            for _ in range(repeats):
                words.append(self.words(path, argument))
        if self.random.random() < 0.1:
            self.random.shuffle(words)
        if self.random.random() < 0.05:
            words.insert(self.random.randrange(len(words) + 1), [self.random.choice(HOSTILE)])
        # An argument of the system ends at a zero byte.
        return path + [word.replace("\0", "") for group in words for word in group]

    def words(self, path, argument):
        if argument["kind"] == "positional":
            return [self.value(path, argument)]
        names = argument.get("names")
        name = self.random.choice(names) if names else {"kind": "long", "name": "x"}
        option = ("--" if name["kind"] == "long" else "-") + name["name"]
        if argument["kind"] == "flag":
            return [option]
        value = self.value(path, argument)
        return [f"{option}={value}"] if self.random.random() < 0.3 else [option, value]

    def value(self, path, argument):
        if self.random.random() < 0.08:
            return self.random.choice(HOSTILE)
        if allowed := argument.get("allValues") or argument.get("allValueStrings"):
            return self.random.choice(allowed)
        name = (argument.get("valueName") or "").lower()
        if "postgresql" in name:
            return self.random.choice(["", "postgresql", "host=/nonexistent", "="])
        for part, pool in [
            ("predicate", PREDICATES), ("relation", PREDICATES), ("class", CLASSES), ("other", CLASSES),
            ("w,s,e,n", BOXES), ("lon,lat", POINTS), ("km", DISTANCES), ("compute", ["count, avg(elevation)"]),
        ]:
            if part in name:
                return self.random.choice(pool)
        if name == "store" or name == "path":
            return self.random.choice(
                ["a.cadastre"] * 6 + ["b.cadastre", "new.cadastre", "empty", "binary", "folder", "missing/x", "places.csv"])
        if "file" in name:
            return self.random.choice(
                ["places.csv", "features.geojson", "open.json", "binary", "empty", "folder", "a.cadastre", "out.csv",
                 "out.parquet", "missing/out.json", "/dev/null", "-"])
        if "=" in name:
            return self.random.choice(FIELDS) + self.random.choice(["=", "==", ""]) + self.random.choice(NUMBERS + HOSTILE)
        if "field" in name or "name" in name or "a,b" in name or "column" in name:
            return ",".join(self.random.choice(FIELDS) for _ in range(self.random.choice([1, 1, 2, 3])))
        if name in ["n", "value", "seed", "c"]:
            return self.random.choice(NUMBERS)
        return self.random.choice(NUMBERS + FIELDS + HOSTILE)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def violation(done, workspace):
    """Returns the property that a run violates; None where it violates none."""
    message = done.stderr.decode("utf-8", "replace")
    if done.returncode not in STATUSES:
        return f"exit status {done.returncode}: {message[-600:]}"
    if CRASHES.search(message):
        return f"a report of a crash: {message[-600:]}"
    if done.returncode != 0 and not message.strip():
        return f"status {done.returncode} without a message"
    try:
        now = workspace.content(workspace.current)
    except sqlite3.Error as error:
        return f"a store cannot be read: {error}"
    if now == workspace.contents:
        return None
    if done.returncode in [1, 64]:
        return f"status {done.returncode}, but a store has changed"
    for name in ["a.cadastre", "b.cadastre"]:
        if not (workspace.current / name).exists():
            return f"{name} is gone"
        check = subprocess.run(
            [workspace.program, "check", name], cwd=workspace.current, capture_output=True, check=False)
        if check.returncode != 0:
            return f"check of {name} after the run: {check.stdout.decode()[-600:]}{check.stderr.decode()[-300:]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--runs", type=int, default=None, help="instead of a time")
    chosen = parser.parse_args()
    help_ = json.loads(
        subprocess.run([chosen.program, "--experimental-dump-help"], capture_output=True, check=True).stdout)
    statuses = {}
    run = chosen.first
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder), chosen.program)
        environment = os.environ | {"SWIFT_BACKTRACE": "enable=no", "HOME": folder}
        end = time.monotonic() + chosen.seconds
        while time.monotonic() < end if chosen.runs is None else run < chosen.first + chosen.runs:
            # Each run has a generator of its own, so that it can be repeated alone.
            arguments = Generator(help_, random.Random(f"{chosen.seed}/{run}")).arguments()
            try:
                done = subprocess.run(
                    [chosen.program, *arguments], cwd=workspace.current, env=environment, capture_output=True,
                    stdin=subprocess.DEVNULL, timeout=60, preexec_fn=limited, check=False)
                found = violation(done, workspace)
            except subprocess.TimeoutExpired:
                found = "no end after 60 s"
            if found:
                print(f"Violated with --seed {chosen.seed} --first {run} --runs 1: {found}\n"
                      f"cadastre {shlex.join(arguments)[:2000]}", file=sys.stderr)
                sys.exit(1)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            workspace.reset()
            run += 1
    counts = ", ".join(f"{count} with status {status}" for status, count in sorted(statuses.items()))
    print(f"Fuzzed command lines with {run - chosen.first} runs ({counts}); no property was violated.")


main()
