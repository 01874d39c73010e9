"""The writing tasks of the engines and of the command line tools."""

import subprocess
import time

from . import places, queries
from .install import Missing

TIMEOUT = 900


class Tools:
    """The command line tools `cadastre`, ogr2ogr, ogrinfo and sqlite-utils, measured as processes."""

    def __init__(self, installer, data, work, say, skipped):
        self.installer, self.data, self.work, self.say = installer, data, work / "tools", say
        self.work.mkdir(exist_ok=True)
        self.skipped = skipped
        self.cadastre = self._get("cadastre", installer.command_line)

    def _get(self, title, make):
        try:
            return make() or True
        except Missing as reason:
            self.skipped.append({"engine": title, "what": "W5 to W7", "reason": str(reason)})
            self.say(f"  {title}: skipped, {reason}")
            return None

    def peers(self, is_wanted):
        """Finds or installs ogr2ogr and sqlite-utils, if peers are measured."""
        self.gdal = self.sqlite_utils = None
        if not is_wanted:
            return
        self.gdal = self._get("ogr2ogr", self.installer.gdal)
        self.sqlite_utils = self._get("sqlite-utils", lambda: self.installer.packages("sqlite_utils"))

    def run(self, title, what, *command):
        """Returns the seconds and the output of a command; None, with a recorded reason, if it fails."""
        start = time.perf_counter()
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                  errors="replace", timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.skipped.append({"engine": title, "what": what, "reason": f"more than {TIMEOUT} s"})
            return None
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            self.skipped.append({"engine": title, "what": what,
                                 "reason": (done.stderr.strip().splitlines() or ["failed"])[-1][:200]})
            return None
        return seconds, done.stdout

    def importing(self, what, file, count, tenth):
        """Runs W5 or W6: returns the rows and seconds of every tool that reads the file."""
        results, kind = {}, file.suffix.lstrip(".")
        if self.cadastre:
            store = self.work / f"{kind}.cadastre"
            done = self.run("cadastre", what, self.cadastre, "import", file, "--store", store,
                            "--into", "Place", "--pk", "id", "--no-progress")
            results["cadastre import"] = done and result(done[0], count, size(store))
        if self.gdal:
            store = self.work / f"{kind}.gpkg"
            options = (["-oo", "X_POSSIBLE_NAMES=longitude", "-oo", "Y_POSSIBLE_NAMES=latitude",
                        "-oo", "AUTODETECT_TYPE=YES", "-a_srs", "EPSG:4326"] if kind == "csv" else [])
            done = self.run("ogr2ogr", what, "ogr2ogr", "-f", "GPKG", store, file, *options)
            results["ogr2ogr to GeoPackage"] = done and result(done[0], count, size(store))
        if self.sqlite_utils and tenth:
            rows = max(1, count // 10)
            part = self.work / "tenth.csv"
            with file.open(encoding="utf-8") as source, part.open("w", encoding="utf-8") as head:
                for _, line in zip(range(rows + 1), source):
                    head.write(line)
            store = self.work / "tenth.db"
            done = self.run("sqlite-utils", what, self.sqlite_utils, "-m", "sqlite_utils", "insert", store,
                            "place", part, "--csv", "--pk", "id")
            results["sqlite-utils, a tenth, no spatial index"] = done and result(done[0], rows, size(store))
        return {tool: figures for tool, figures in results.items() if figures}

    def cold_start(self, box, rounds=7):
        """Runs W7: returns the milliseconds of a process that counts a box in the store of W5."""
        west, south, east, north = box
        results = {}
        commands = {
            "cadastre query": self.cadastre and [
                self.cadastre, "query", self.work / "csv.cadastre", "Place",
                f"location GEOWITHIN geoBox([{west}, {south}], [{east}, {north}])", "--format", "count"],
            "ogrinfo": self.gdal and ["ogrinfo", "-so", "-al", "-spat", west, south, east, north,
                                      self.work / "csv.gpkg"],
        }
        for tool, command in commands.items():
            if not command:
                continue
            times = []
            for _ in range(rounds + 1):
                done = self.run(tool, "W7", *command)
                if not done:
                    break
                times.append(done[0] * 1000)
            if len(times) > 1:
                results[tool] = {"ms": times[1:]}
        return results


def result(seconds, count, bytes_):
    return {"seconds": seconds, "count": count, "bytes": bytes_}


def size(path):
    return path.stat().st_size if path.exists() else None


def measure(group, tools, chosen, constants, count, keep):
    """Runs the chosen tasks and calls `keep(name, results)` after each."""
    for name in queries.WRITING:
        if name not in chosen:
            continue
        if name in ("W1", "W2", "W3"):
            # W2 and W3 use the store of W1.
            results = group.send_all(name, "write", name)
            if name == "W1":
                written = results
        elif name == "W4":
            results = {key: {"bytes": reply["bytes"]} for key, reply in written.items() if reply["bytes"]}
        elif name == "W5":
            results = tools.importing(name, tools.data / "places.csv", count, tenth=True)
        elif name == "W6":
            file = tools.data / "places.geojsonseq"
            if not file.exists():
                places.write_features(file, places.read(tools.data / "places.csv"))
            results = tools.importing(name, file, count, tenth=False)
        elif name == "W7":
            results = tools.cold_start(constants["Q6"]["box"])
        else:
            continue
        keep(name, results)


def needed(chosen):
    """Returns the chosen tasks and the tasks that they depend on."""
    chosen = set(chosen)
    if chosen & {"W2", "W3", "W4"}:
        chosen.add("W1")
    if "W7" in chosen:
        chosen.add("W5")
    return chosen
