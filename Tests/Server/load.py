"""Measures tiles and loads the server with 50 clients, on a store of 1,000,000 places.

    Scripts/check-server load [--places 1000000] [--seconds 60] [--clients 50] [--store FILE] [--postgis]

The places are near the bundled airports, moved by about 0.2 degrees; a store of --store is reused. Installs wrk if
it is missing. Prints the times of a tile with a value for each
place at zooms 0 to 12: after the start, with another value whose column is in memory, and of the finished tile. With --postgis it prints
the times of the same tiles from PostGIS too, the first one and the median of 5: with all points, and aggregated by cells as the server
does; PostgreSQL with PostGIS must be installed. Then it prints requests per second, p50 and p99 of tiles and of items, and the memory
before and after. Exits with 1 for a response without success, or where the memory grows by more than 128 MB after the first load.
"""
import argparse
import csv
import glob
import http.client
import math
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CENTER = (8.55, 47.37)


def programs():
    """Returns the programs, which Scripts/check-server builds."""
    return os.environ["CADASTRE"], os.environ["CADASTRE_SERVE"]


def install_wrk():
    if shutil.which("wrk"):
        return
    if not shutil.which("apt-get"):
        sys.exit("Install wrk, then run this again.")
    root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run(root + ["apt-get", "update", "-qq"], check=True)
    subprocess.run(root + ["apt-get", "install", "-y", "-qq", "wrk"], check=True, stdout=subprocess.DEVNULL)


def write_places(path, count):
    """Writes the places as CSV."""
    numbers = random.Random(1)
    with open(ROOT / "Datasets/airports/airports.csv", newline="", encoding="utf-8") as file:
        airports = [(row["name"], row["country"], float(row["lat"]), float(row["lon"])) for row in csv.DictReader(file)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name", "country", "rating", "latitude", "longitude"])
        for number in range(count):
            name, country, latitude, longitude = airports[number % len(airports)]
            writer.writerow([
                number, name, country, round(numbers.uniform(0, 5), 1),
                round(min(90, max(-90, latitude + numbers.gauss(0, 0.2))), 6),
                round((longitude + numbers.gauss(0, 0.2) + 180) % 360 - 180, 6)])


def make_store(cadastre, store, count):
    """Imports the places."""
    path = store + ".csv"
    write_places(path, count)
    subprocess.run(
        [cadastre, "import", path, "--store", store, "--into", "Place", "--pk", "id", "--index", "country", "--quiet"], check=True)
    os.remove(path)


def tile_address(zoom, longitude, latitude):
    """The row and the column of a tile."""
    count = 2 ** zoom
    return (int((1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * count),
            int((longitude + 180) / 360 * count))


def tile_path(zoom, longitude, latitude, suffix="?properties=rating"):
    row, column = tile_address(zoom, longitude, latitude)
    return f"/collections/Place/tiles/WebMercatorQuad/{zoom}/{row}/{column}{suffix}"


class PostGIS:
    """A PostgreSQL server in a folder, with the places in Web Mercator and a GiST index."""

    def __init__(self, folder, count):
        self.bin = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self.folder = folder
        os.chmod(folder, 0o777)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.run("initdb", "-D", f"{folder}/data", "-E", "UTF8", "-A", "trust", "-U", "postgres")
        self.run("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "start", "-o",
                 f"-p {self.port} -k {folder} -c listen_addresses=127.0.0.1 -c shared_buffers=1GB -c work_mem=256MB -c jit=off "
                 "-c max_wal_size=4GB")
        write_places(f"{folder}/places.csv", count)
        self.psql(f"""
            CREATE EXTENSION postgis;
            CREATE TABLE csv (id int8, name text, country text, rating float8, latitude float8, longitude float8);
            \\copy csv FROM '{folder}/places.csv' CSV HEADER
            CREATE TABLE places AS SELECT id, name, country, rating, ST_Transform(ST_SetSRID(ST_MakePoint(
              longitude, least(85.05, greatest(-85.05, latitude))), 4326), 3857) AS geom FROM csv;
            CREATE INDEX ON places USING gist (geom);
            VACUUM ANALYZE places;""")

    def run(self, program, *words):
        subprocess.run(self.user + [f"{self.bin}/{program}", *words], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def psql(self, text):
        lines = "\n".join(line.strip() for line in text.splitlines())
        return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", f"postgresql://postgres@127.0.0.1:{self.port}/postgres"],
                              check=True, input=lines, capture_output=True, text=True).stdout

    def milliseconds(self, zoom, row, column):
        """The first time and the median of 5 of a tile with all points, and of one by cells."""
        tile = f"ST_TileEnvelope({zoom}, {column}, {row})"
        rows = f"places WHERE geom && ST_TileEnvelope({zoom}, {column}, {row}, margin => 64.0 / 4096)"
        cell = 40075016.685578488 / 2 ** zoom / 128
        point = "ST_SetSRID(ST_MakePoint(avg(ST_X(geom)), avg(ST_Y(geom))), 3857)"
        queries = (
            f"SELECT id, rating, ST_AsMVTGeom(geom, {tile}, 4096, 64) AS geom FROM {rows}",
            f"SELECT min(id) AS id, count(*), avg(rating) AS rating, ST_AsMVTGeom({point}, {tile}, 4096, 64) AS geom FROM {rows} "
            f"GROUP BY floor(ST_X(geom) / {cell}), floor(ST_Y(geom) / {cell})")
        times = []
        for query in queries:
            text = "\\timing on\n" + f"SELECT length(ST_AsMVT(tile, 'Place')) FROM ({query}) tile;\n" * 6
            found = [float(time) for time in re.findall(r"Time: ([\d.]+) ms", self.psql(text))]
            times.append((found[0], statistics.median(found[1:])))
        return times

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")


class Server:
    def __init__(self, program, store):
        self.process = subprocess.Popen([program, store, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip().rstrip("/")
        self.connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlparse(self.address).port, timeout=120)

    def milliseconds(self, path):
        """The time of a request, and the bytes of its response."""
        start = time.perf_counter()
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        if response.status not in (200, 204):
            sys.exit(f"{path}: {response.status} {body[:300]}")
        return (time.perf_counter() - start) * 1000, len(body)

    def memory(self):
        """The resident memory in MB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) // 1024


def load(server, paths, options, seconds):
    """Runs wrk; returns its summary."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        lines = ",\n".join(f'"{path}"' for path in paths)
        script.write(f"local paths = {{\n{lines}\n}}\nlocal next = 0\nrequest = function()\n  next = next % #paths + 1\n"
                     '  return wrk.format("GET", paths[next])\nend\n')
        script.flush()
        text = subprocess.run(
            ["wrk", "-t", "2", "-c", str(options.clients), "-d", f"{seconds}s", "--timeout", "30s", "--latency", "-s", script.name,
             server.address], check=True, capture_output=True, text=True).stdout
    figures = {name: re.search(rf"{name}\s+(\S+)", text)[1] for name in ("50%", "99%", "Requests/sec:")}
    problem = re.search(r"(Non-2xx.*|Socket errors.*)", text)
    if problem:
        sys.exit(problem[1])
    return f"{figures['Requests/sec:']} requests/s, p50 {figures['50%']}, p99 {figures['99%']}"


def print_tiles(server, postgis):
    print("zoom   first ms  again ms  finished ms   bytes" + "   PostGIS first  again  by cells first  again" * bool(postgis))
    for zoom in range(13):
        path = tile_path(zoom, *CENTER)
        first, size = server.milliseconds(path)
        if zoom == 0:
            # Another selection reads the column, so that the next tile is made from columns in memory.
            server.milliseconds(tile_path(zoom, *CENTER, suffix="?properties=id&filter=id%3E%3D0"))
        again, _ = server.milliseconds(tile_path(zoom, *CENTER, suffix="?properties=id"))
        finished, _ = server.milliseconds(path)
        line = f"{zoom:4} {first:10.1f} {again:9.1f} {finished:12.1f} {size:7}"
        if postgis:
            (points, points_again), (cells, cells_again) = postgis.milliseconds(zoom, *tile_address(zoom, *CENTER))
            line += f" {points:15.1f} {points_again:6.1f} {cells:15.1f} {cells_again:6.1f}"
        print(line, flush=True)
    if postgis:
        postgis.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--places", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--store")
    parser.add_argument("--postgis", action="store_true")
    options = parser.parse_args()
    install_wrk()
    cadastre, program = programs()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or f"{folder}/places.cadastre"
        if not os.path.exists(store):
            make_store(cadastre, store, options.places)
        server = Server(program, store)
        print_tiles(server, PostGIS(folder, options.places) if options.postgis else None)
        numbers = random.Random(2)
        tiles = [tile_path(zoom, CENTER[0] + numbers.uniform(-20, 20), CENTER[1] + numbers.uniform(-10, 10))
                 for zoom in (4, 5, 6, 7, 8, 9, 10, 11, 12) for _ in range(60)]
        items = [f"/collections/Place/items?limit=100&bbox={x:.2f},{y:.2f},{x + 1:.2f},{y + 1:.2f}"
                 for x, y in ((numbers.uniform(-120, 140), numbers.uniform(-40, 60)) for _ in range(400))]
        for name, paths in (("warm-up", tiles + items), ("tiles", tiles), ("items", items), ("both", tiles + items)):
            before = server.memory()
            seconds = options.seconds if name != "warm-up" else max(5, options.seconds // 4)
            print(f"{name}: {load(server, paths, options, seconds)}, memory {before} to {server.memory()} MB", flush=True)
            if name == "warm-up":
                start = server.memory()
        grown = server.memory() - start
        server.process.terminate()
        server.process.wait(30)
        if grown > 128:
            sys.exit(f"the memory grew by {grown} MB after the warm-up")


if __name__ == "__main__":
    main()
