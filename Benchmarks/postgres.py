"""Measures copies and queries of 1,000,000 places on PostgreSQL, beside psql with SQL written by hand, in one run.

    swift build -c release --product cadastre
    python3 Benchmarks/postgres.py .build/release/cadastre FOLDER [ROWS]

It starts a server and three more for partitions in FOLDER, which must not exist, on free ports of 127.0.0.1, and stops them at the
end. PostgreSQL 15 or newer with PostGIS is needed. Times are milliseconds, medians of 7 alternating rounds: `process` is
the elapsed time of the command and of psql, `server` the time of their statements in the log of the server.
"""

import glob
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

program, folder = sys.argv[1], os.path.abspath(sys.argv[2])
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
rounds = 7
bin = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def run(command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Server:
    def __init__(self, name):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.data, self.log = f"{folder}/{name}", f"{folder}/{name}.log"
        run(user + [f"{bin}/initdb", "-D", self.data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "postgres"])
        options = (
            f"-p {self.port} -k {folder} -c listen_addresses=127.0.0.1 -c jit=off -c synchronous_commit=off -c shared_buffers=256MB "
            "-c max_wal_size=4GB -c max_parallel_workers_per_gather=0 -c log_min_duration_statement=0")
        self.command = user + [f"{bin}/pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.log]
        self.start()
        self.psql("CREATE EXTENSION postgis")

    def start(self):
        subprocess.run(self.command + ["start"], check=True, stdout=subprocess.DEVNULL)

    def stop(self):
        subprocess.run(user + [f"{bin}/pg_ctl", "-D", self.data, "-m", "immediate", "stop"], stdout=subprocess.DEVNULL)

    @property
    def url(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def psql(self, text, **options):
        return run(["psql", "-X", "-q", "-A", "-t", self.url, "-c", text], **options)

    def log_size(self):
        return os.path.getsize(self.log)

    def milliseconds(self, start, pattern=""):
        """The time of the statements in the log since a position; those of a connection's set-up are left out."""
        with open(self.log, errors="replace") as log:
            log.seek(start)
            text = log.read()
        found = re.findall(r"duration: ([\d.]+) ms +(?:parse|bind|execute|statement)[^:]*: ([^\n]*)", text)
        return sum(float(time) for time, statement in found if re.search(pattern, statement) and
                   not re.match(r"SET |SELECT (name, definition|to_regclass)", statement))


def median(values):
    return statistics.median(values)


def places(path):
    """Writes the places by a linear congruential generator, clustered as towns are."""
    state = 1
    kinds = ["school", "park", "bank", "church", "hotel", "museum", "station", "library"]

    def number(limit):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % limit

    centres = [(number(360_000) / 1000 - 180, number(150_000) / 1000 - 70) for _ in range(500)]
    with open(path, "w") as file:
        file.write("id,name,category,population,rating,latitude,longitude\n")
        for index in range(rows):
            x, y = centres[number(500)]
            longitude = (x + (number(4000) - 2000) / 1000 + 180) % 360 - 180
            latitude = max(-90, min(90, y + (number(4000) - 2000) / 1000))
            file.write(f"{index},place {number(rows)},{kinds[number(8)]},{number(1_000_000)},{number(50) / 10},"
                       f"{latitude:.6f},{longitude:.6f}\n")


# In the middle of many places.
x, y = -13, 0


sphere = 6_371_008.771415059 / 6_378_100
geography = '"location.geography"'


def circle(x, y, metres):
    return f"ST_DWithin({geography}, ST_SetSRID(ST_MakePoint({x}, {y}), 4326)::geography, {metres * sphere}, false)"


box = "ST_Covers('SRID=4326;POLYGON((-10 35, 5 35, 5 50, -10 50, -10 35))'::geography, " + geography + ")"
count = ["--format", "count"]
# The name, the command after its store, and the SQL with the same result.
queries = [
    ("circle 100 km", ["query", "Place", f"location GEOWITHIN geoCircle([{x}, {y}], 100km)"] + count, circle(x, y, 1e5)),
    ("circle 3,000 km", ["query", "Place", f"location GEOWITHIN geoCircle([{x}, {y}], 3000km)"] + count, circle(x, y, 3e6)),
    ("box, great circles", ["query", "Place", "location GEOWITHIN geoBox([-10, 35], [5, 50])"] + count, box),
    ("box in degrees", ["query", "Place", "--bbox", "-10,35,5,50"] + count,
     '"location.longitude" BETWEEN -10 AND 5 AND "location.latitude" BETWEEN 35 AND 50'),
    ("not in the circle", ["query", "Place", f"NOT location GEOWITHIN geoCircle([{x}, {y}], 3000km)"] + count,
     f"({circle(x, y, 3e6)}) IS DISTINCT FROM true"),
    ("id == 777", ["query", "Place", "id == 777"] + count, "id = 777"),
    ("population > 990000", ["query", "Place", "population > 990000"] + count, "population > 990000"),
    ("name CONTAINS '77'", ["query", "Place", "name CONTAINS '77'"] + count, "strpos(name, '77') > 0"),
    ("rating and category", ["query", "Place", "rating >= 4.5 AND category == 'park'"] + count,
     "rating >= 4.5 AND category = 'park'"),
]
nearest = f"""SELECT id, name FROM "Place" ORDER BY {geography} <-> ST_SetSRID(ST_MakePoint({x}, {y}), 4326)::geography LIMIT 10"""
others = [
    ("nearest 10", ["query", "Place", "--near", f"{x},{y}", "--limit", "10", "--select", "id,name", "--format", "csv"], nearest),
    ("count and mean by category", ["aggregate", "Place", "--by", "category", "--compute", "count, avg(population)"],
     'SELECT category, count(*), avg(population) FROM "Place" GROUP BY category ORDER BY category'),
    ("rows, population > 900000", ["export", "Place", "population > 900000", "--to", "/dev/null", "--overwrite", "--format", "csv"],
     'COPY (SELECT * FROM "Place" WHERE population > 900000 ORDER BY "_key") TO STDOUT (FORMAT csv)'),
]


def timed(command):
    start = time.perf_counter()
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode:
        sys.exit(f"{command}: {output.stderr}")
    return (time.perf_counter() - start) * 1000, output.stdout.strip()


def statement(sql):
    return sql if sql.startswith(("SELECT", "COPY")) else f'SELECT count(*) FROM "Place" WHERE {sql}'


def compare(server):
    print(f"\n{'query':28}{'process':>10}{'psql':>8}{'ratio':>7}{'server':>10}{'psql':>8}{'ratio':>7}   result")
    results = {}
    for name, command, sql in queries + others:
        ours, theirs, ours_server, theirs_server = [], [], [], []
        for _ in range(rounds + 1):
            start = server.log_size()
            elapsed, found = timed([program, command[0], server.url] + command[1:])
            ours.append(elapsed)
            ours_server.append(server.milliseconds(start))
            start = server.log_size()
            elapsed, expected = timed(["psql", "-X", "-q", "-A", "-t", server.url, "-c", statement(sql)])
            theirs.append(elapsed)
            theirs_server.append(server.milliseconds(start))
        isCount = command[-2:] == count
        if isCount and found != expected:
            print(f"{name}: {found} objects, psql {expected}")
        results[name] = (median(ours[1:]), found)
        pairs = [(median(ours[1:]), median(theirs[1:])), (median(ours_server[1:]), median(theirs_server[1:]))]
        text = "".join(f"{a:10.1f}{b:8.1f}{a / b if b else 0:7.2f}" for a, b in pairs)
        print(f"{name:28}{text}   {found if isCount else ''}", flush=True)
    return results


def copies(server, store):
    print(f"\n{'copy of ' + format(rows, ',') + ' rows':28}{'seconds':>10}")
    start, begin = server.log_size(), time.perf_counter()
    run([program, "push", store, server.url])
    print(f"{'push':28}{time.perf_counter() - begin:10.1f}")
    copy = server.milliseconds(start, 'COPY "Place"') / 1000
    columns = server.psql(
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '\"Place\"'::regclass "
        "AND attnum > 0 AND NOT attisdropped AND attgenerated = ''").strip()
    file = f"{folder}/rows.copy"
    server.psql(f'\\copy (SELECT {columns} FROM "Place") TO \'{file}\' (FORMAT binary)')
    theirs = []
    for _ in range(3):
        server.psql('DROP TABLE IF EXISTS copied')
        server.psql('CREATE TABLE copied (LIKE "Place" INCLUDING GENERATED)')
        begin = time.perf_counter()
        server.psql(f"\\copy copied ({columns}) FROM '{file}' (FORMAT binary)")
        theirs.append(time.perf_counter() - begin)
    server.psql("DROP TABLE copied")
    os.remove(file)
    print(f"{'  of which COPY':28}{copy:10.2f}\n{'psql, copy of these rows':28}{median(theirs):10.2f}"
          f"\n{'rate beside psql':28}{median(theirs) / copy:10.2f}")
    begin = time.perf_counter()
    run([program, "pull", server.url, f"{folder}/pulled.cadastre"])
    elapsed = time.perf_counter() - begin
    print(f"{'pull':28}{elapsed:10.1f}   {rows / elapsed:,.0f} objects/s", flush=True)


def distribute(coordinator, servers, store, single):
    addresses = [part for server in servers for part in ("--server", server.url)]
    for expression in ["hash(id)", "cell(location, 10)"]:
        begin = time.perf_counter()
        run([program, "push", store, coordinator.url, "Place", "--partition-by", expression] + addresses)
        print(f"\npush by {expression} to three servers: {time.perf_counter() - begin:.1f} s")
        print(f"{'query':28}{'one':>10}{'three':>10}{'scans':>7}")
        for name, command, _ in queries + others:
            times = []
            for _ in range(rounds + 1):
                elapsed, found = timed([program, command[0], coordinator.url] + command[1:])
                times.append(elapsed)
            alone, expected = single[name]
            if found != expected:
                print(f"{name}: other results on three servers")
            scans = ""
            if command[0] == "query":
                plan = run([program, "explain", coordinator.url] + [a for a in command[1:] if a not in count + ["csv", "--select", "id,name"]])
                scans = sum("Foreign Scan" in line for line in plan.split("\n"))
            print(f"{name:28}{alone:10.1f}{median(times[1:]):10.1f}{scans:>7}", flush=True)
    servers[0].stop()
    for name, command, _ in queries[:1] + queries[5:6]:
        output = subprocess.run([program, command[0], coordinator.url] + command[1:], capture_output=True, text=True)
        print(f"without the first server, {name}: status {output.returncode} {output.stdout.strip()} {output.stderr.strip()}")
    servers[0].start()


os.makedirs(folder)
if user:
    shutil.chown(folder, "postgres")
servers = []
try:
    servers = [Server(f"server{number}") for number in range(4)]
    store = f"{folder}/places.cadastre"
    places(f"{folder}/places.csv")
    run([program, "import", f"{folder}/places.csv", "--store", store, "--into", "Place", "--pk", "id", "--index", "population"])
    version = servers[0].psql("SELECT split_part(version(), ' ', 2) || ', PostGIS ' || postgis_lib_version()").strip()
    print(f"PostgreSQL {version}, {rows:,} places, {os.cpu_count()} processors")
    copies(servers[0], store)
    single = compare(servers[0])
    distribute(servers[0], servers[1:], store, single)
finally:
    for server in servers:
        server.stop()
