#!/usr/bin/env python3
"""Sends random requests to a running server: valid ones with changes, and bytes that are no HTTP.

    Fuzzing/requests.py PROGRAM STORE [--seconds 10] [--seed 1]

PROGRAM is cadastre-serve, STORE a store with the class Airport, which is copied, because some requests change objects. Properties: each response has a status from 200 to 499, or 503
or 504; each error is JSON with a code and a message; no request takes longer than its limit; the server still runs and answers
at the end. A violation prints the seed and the request.
"""
import argparse
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

LIMIT = 15
PATHS = [
    "/", "/conformance", "/api", "/collections", "/collections/Airport", "/collections/Airport/queryables",
    "/collections/Airport/schema", "/collections/Airport/items", "/collections/Airport/items/LFPG", "/collections/Airport/tiles",
    "/collections/Airport/tiles/WebMercatorQuad", "/collections/Airport/tiles/WebMercatorQuad/3/3/4",
    "/collections/Airport/tiles/WebMercatorQuad/0/0/0", "/tileMatrixSets", "/tileMatrixSets/WebMercatorQuad",
    "/explorer/store", "/explorer/check", "/explorer/complete", "/explorer/query", "/explorer/explain",
    "/explorer/aggregate", "/explorer/values", "/explorer/download", "/explorer/assets/app.js", "/favicon.ico",
]
NAMES = [
    "f", "limit", "bbox", "bbox-crs", "datetime", "filter", "filter-lang", "filter-crs", "sortby", "properties", "cursor", "crs",
    "token", "class", "predicate", "sort", "order", "by", "function", "of", "field", "prefix", "format", "country", "elevation",
    "version",
]
# Parameters by the last segment of the path.
SELECTION = ["predicate", "predicate", "sort", "order", "bbox"]
PARAMETERS = {
    "items": ["f", "limit", "bbox", "datetime", "filter", "filter", "filter-lang", "sortby", "properties", "cursor", "country"],
    "query": SELECTION + ["limit", "cursor"], "explain": SELECTION + ["limit"], "download": SELECTION + ["format"],
    "aggregate": SELECTION + ["by", "by", "function", "of"], "check": SELECTION, "complete": ["predicate"],
    "values": ["field", "prefix", "limit"], "4": ["filter", "filter-lang", "properties"], "0": ["filter", "properties"],
}
VALUES = {
    "class": ["Airport"], "f": ["json", "html"], "format": ["csv", "geojson"], "order": ["asc", "desc"],
    "filter-lang": ["cql2-text", "cadastre"], "function": ["count", "sum", "avg", "min", "max"],
    "limit": ["1", "10", "10000", "0", "-1", "99999999999999999999"], "cursor": ["5.1", "9.8.7", "0", "3"],
    "bbox": ["0,40,10,50", "170,-10,-170,10", "1,2,3,4,5,6", "nan,0,1,1", "0,90,0,-90"],
    "datetime": ["2020-01-01/..", "../2020-01-01T00:00:00Z", "2020-13-45"],
    "by": ["country", "elevation", "tile(location, 6)", "year(country)"], "of": ["elevation", "country"],
    "field": ["country", "location", "elevation"], "sort": ["country", "elevation", "location"],
    "sortby": ["-country,elevation", "+icao", ",,,"], "properties": ["country", "elevation,name", "location", "elevation * 2"],
    "country": ["FR", ""], "elevation": ["100", "x", "1e999"], "prefix": ["F"], "version": ["1"],
}
CONDITIONS = [
    "elevation > 300", "country = 'FR'", "NOT (country = 'FR' OR elevation < 10)", "name LIKE 'San %'",
    "elevation BETWEEN 1 AND 2", "country IN ('FR', 'DE')", "CASEI(name) LIKE 'san%'", "city IS NULL",
    "S_INTERSECTS(location, BBOX(0, 40, 10, 50))", "S_WITHIN(location, POLYGON((0 0, 10 0, 10 10, 0 0)))",
    "country == 'FR' AND elevation > 300", "location GEOWITHIN geoCircle([2, 48], 100 km)", "name MATCHES 'a.*b'",
    "location GEOWITHIN geoPolygon({[0, 0], [10, 0], [10, 10], [0, 0]})", "name CONTAINS[c] 'san' AND NOT city == nil",
    "TIMESTAMP('2020-01-01')", "elevation * 2 > 3", "SUBQUERY(a, $x, $x.b == 1).@count > 0",
]
FEATURES = [
    '{"type":"Feature","id":"XXAA","geometry":{"type":"Point","coordinates":[2.5,48.5]},"properties":{"name":"New","country":"FR","elevation":1,"tz":"UTC"}}',
    '{"type":"Feature","geometry":null,"properties":{"icao":"XXAB","name":"é","country":"FR","elevation":1.5,"tz":"UTC"}}',
    '{"properties":{"elevation":null,"city":"Paris"}}', '{"geometry":{"type":"Point","coordinates":[1,2,3]}}', "{}", "[]", "null",
    '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},"properties":{"country":"\\ud83d\\ude00"}}',
]
WORDS = ["(", ")", "'", '"', "NOT ", " AND ", " OR ", "nil", "NULL", ",", "{", "}", "[", "]", "%", "\\", "\0", "\n", "é", "😀", "1e308",
         "-", "9" * 40, "geoBox([", "ANY ", "$0", ".", "@count", ";", "--", "/*", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]


class Requests:
    """Random requests of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def changed(self, text):
        """The text with up to three random changes."""
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 3])):
            at = self.random.randrange(len(text) + 1)
            end = min(len(text), at + self.random.randrange(6))
            change = self.random.randrange(4)
            if change == 0:
                text = text[:at] + self.random.choice(WORDS) + text[at:]
            elif change == 1:
                text = text[:at] + text[end:]
            elif change == 2:
                text = text[:at] + text[at:end] * self.random.choice([2, 3, 50]) + text[end:]
            else:
                text = text[:at] + chr(self.random.choice([0, 9, 37, 39, 92, 127, 160, 0x2028, 0x10FFFF])) + text[end:]
        return text

    def condition(self):
        parts = [self.changed(self.random.choice(CONDITIONS)) for _ in range(self.random.choice([1, 1, 2, 3]))]
        text = self.random.choice([" AND ", " OR ", " "]).join(parts)
        if self.random.random() < 0.02:
            text = self.random.choice(["(", "NOT ", "NOT("]) * self.random.choice([99, 101, 4000]) + text
        return text

    def address(self):
        path = self.random.choice(PATHS)
        if self.random.random() < 0.3:
            path = self.changed(path)
        names = ["class"] if path.startswith("/explorer") and self.random.random() < 0.9 else []
        known = PARAMETERS.get(path.split("/")[-1], [])
        if known and self.random.random() < 0.8:
            names += self.random.sample(known, self.random.randrange(1 + min(3, len(known))))
        elif self.random.random() < 0.5:
            names += self.random.sample(NAMES, self.random.choice([1, 1, 2, 3]))
        pairs = []
        for name in names:
            value = self.condition() if name in ("predicate", "filter") else self.random.choice(VALUES.get(name, ["x"]))
            if self.random.random() < 0.3:
                value = self.changed(value)
            quote = urllib.parse.quote if self.random.random() < 0.97 else (lambda text, safe="": text.replace(" ", "+"))
            pairs.append(f"{name if self.random.random() < 0.95 else self.changed(name)}={quote(value, safe='')}")
        query = "&".join(pairs)
        return urllib.parse.quote(path, safe="/%") + (f"?{query}" if query else "")

    def change(self, host):
        """A request that creates, replaces, updates or deletes an object, or is refused."""
        method, path = self.random.choice([
            ("POST", "/collections/Airport/items"), ("PUT", "/collections/Airport/items/XXAA"),
            ("PATCH", "/collections/Airport/items/LFPO"), ("DELETE", "/collections/Airport/items/XXAB")])
        if self.random.random() < 0.1:
            path = self.random.choice(PATHS)
        body = self.random.choice(FEATURES)
        if self.random.random() < 0.6:
            body = self.changed(body)
        if self.random.random() < 0.02:
            body = self.random.choice(["[", '{"a":']) * self.random.choice([100, 200, 50_000])
        body = body.encode("utf-8", "replace")
        type = self.random.choice(["application/geo+json"] * 4 + ["application/json", "application/merge-patch+json", "text/plain", ""])
        headers = [f"Host: {host}", f"Content-Type: {type}", f"Content-Length: {len(body)}", "Connection: close"]
        if self.random.random() < 0.3:
            headers.append(self.random.choice(['If-Match: "x"', "If-Match: *", "If-Match: ,,", f"Origin: http://{host}", "Origin: null"]))
        return f"{method} {path} HTTP/1.1\r\n".encode() + "\r\n".join(headers).encode() + b"\r\n\r\n" + body

    def bytes(self, port):
        """A request, and whether it is one of HTTP."""
        host = f"127.0.0.1:{port}"
        if self.random.random() < 0.9:
            address = self.address().encode("utf-8", "replace")
            if self.random.random() < 0.2:
                return self.change(host)
            method = self.random.choice([b"GET"] * 12 + [b"HEAD", b"POST", b"OPTIONS", b"X" * 40])
            headers = [f"Host: {host}".encode()]
            for _ in range(self.random.choice([0, 0, 1, 2])):
                name = self.random.choice([b"Accept", b"Origin", b"Cookie", b"Authorization", b"X-Long", b"Range", b"Content-Length"])
                value = self.random.choice([b"text/html", b"null", b"a=b; ; =", b"Bearer ", b"y" * 9000, b"bytes=0-", b"0",
                                            "é".encode(), b"http://[::1", b"*/*;q=x"])
                headers.append(name + b": " + value)
            return method + b" " + address + b" HTTP/1.1\r\n" + b"\r\n".join(headers) + b"\r\nConnection: close\r\n\r\n"
        raw = self.random.choice([
            b"\0" * 50, b"GET", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"POST / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"GET " + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x99" * 80,
            b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"GET //.. HTTP/1.1\r\nHost:\r\n\r\n",
            b"GET /explorer/assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ])
        if self.random.random() < 0.5:
            at = self.random.randrange(len(raw))
            raw = raw[:at] + bytes(self.random.randrange(256) for _ in range(self.random.randrange(1, 9))) + raw[at + 1:]
        return raw


def response(port, request):
    """The response to a request; empty where the server closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as stream:
        try:
            stream.sendall(request)
            # A server may treat a client that closes its half as gone.
            if b"\r\nConnection: close" not in request or b"Content-Length" in request:
                stream.shutdown(socket.SHUT_WR)
            while True:
                part = stream.recv(1 << 16)
                if not part:
                    break
                received += part
        except (ConnectionResetError, BrokenPipeError):
            pass
    return received


def violation(request, received):
    """What is wrong with a response; None for a good one."""
    if not received:
        is_plain = request.startswith((b"GET /", b"HEAD /")) and b"\r\nConnection: close" in request
        return "no response" if is_plain and b"Content-Length" not in request else None
    try:
        status = int(received.split(b" ", 2)[1])
    except (IndexError, ValueError):
        return "no status"
    if not (200 <= status < 500 or status in (503, 504)):
        return f"status {status}"
    head, _, body = received.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
    body = body[:int(length or 0)]  # A second response may follow.
    if status >= 400 and body:
        try:
            error = json.loads(body)["error"]
            if not (error["code"] and error["message"]):
                return "an error without a code or message"
        except (ValueError, KeyError, TypeError):
            return f"an error that is no JSON: {body[:100]}"
        if status == 503 and error["code"] not in ("timeout", "busy"):
            return f"status 503 for another reason: {body[:300]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("store")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    store = shutil.copy(options.store, folder.name)
    server = subprocess.Popen(
        [options.program, store, "--port", "0", "--timeout", "5", "--writable"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True)
    port = urllib.parse.urlparse(server.stdout.readline().strip()).port
    requests = Requests(options.seed)
    print(f"Fuzzing requests with seed {options.seed}.", flush=True)
    statuses, slowest, count = {}, 0, 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        request = requests.bytes(port)
        start = time.monotonic()
        try:
            received = response(port, request)
            problem = violation(request, received)
        except (TimeoutError, ConnectionRefusedError) as error:
            received, problem = b"", f"{error}"
        slowest = max(slowest, time.monotonic() - start)
        if server.poll() is not None:
            problem = f"the server ended with status {server.returncode}"
        if problem:
            server.kill()
            sys.exit(f"seed {options.seed}, request {count}: {problem}\n{request[:3000]!r}\n{received[:1000]!r}")
        status = received.split(b" ", 2)[1].decode() if received else "closed"
        statuses[status] = statuses.get(status, 0) + 1
        count += 1
    if b" 200 " not in response(port, f"GET /conformance HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()):
        sys.exit(f"seed {options.seed}: the server does not answer at the end")
    server.terminate()
    if server.wait(20) != 0:
        sys.exit(f"seed {options.seed}: the server ended with status {server.returncode}")
    print(f"{count} requests, {count / options.seconds:.0f} per second, slowest {slowest:.2f} s: {dict(sorted(statuses.items()))}")


if __name__ == "__main__":
    main()
