"""Checks the server with clients that open many connections, send slowly, read nothing, or send invalid HTTP.

    Scripts/check-server connections

Linux only: counts the descriptors and the processor time of the server in /proc. The store has the bundled airports and is in a
temporary folder; the server has a free port of this machine. Takes about 90 seconds, most of which is the time that clients are given.
"""
import contextlib
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"failed: {text}")


def programs():
    """Returns the programs, which Scripts/check-server builds."""
    return os.environ["CADASTRE"], os.environ["CADASTRE_SERVE"]


def wait_until(condition, seconds, text):
    """Waits for a condition; the time is generous, so that other work on the machine does not matter."""
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"{text} after {seconds} s")
        time.sleep(0.1)


class Server:
    """A running server, which ends with the context."""

    def __init__(self, program, store, *options, descriptors=None):
        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            [program, store, "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            preexec_fn=limit)
        self.port = urllib.parse.urlparse(self.process.stdout.readline().strip()).port
        check(self.port, "the server starts")
        self.folder = pathlib.Path(f"/proc/{self.process.pid}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            status = self.process.wait(60)
        finally:
            self.process.kill()
        if kind is None:
            check(status == 0, f"the server ends with status 0 after SIGTERM, and not {status}")

    def connect(self, receive_buffer=None):
        stream = socket.socket()
        if receive_buffer:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        stream.settimeout(60)
        stream.connect(("127.0.0.1", self.port))
        return stream

    def descriptors(self):
        return len(os.listdir(self.folder / "fd"))

    def sockets(self):
        """The number of sockets, without other descriptors."""
        count = 0
        for name in os.listdir(self.folder / "fd"):
            with contextlib.suppress(OSError):
                count += os.readlink(self.folder / "fd" / name).startswith("socket:")
        return count

    def processor_seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def get(self, target="/", *fields, method="GET", version="HTTP/1.1", host=True, body=b""):
        """Sends a request, and returns the status, the header fields in their order, and the stream."""
        lines = [f"{method} {target} {version}"] + [f"Host: 127.0.0.1:{self.port}"] * host + list(fields)
        stream = self.connect()
        stream.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        return *read_head(stream), stream


def read_head(stream):
    """The status and the header fields of a reply, with names in lower case."""
    text = b""
    while b"\r\n\r\n" not in text:
        part = stream.recv(1)
        check(part, f"a reply has a head, and not {text!r}")
        text += part
    first, *lines = text.decode("latin-1").strip().split("\r\n")
    return int(first.split()[1]), [(name.lower(), value.strip()) for name, value in (line.split(":", 1) for line in lines)]


def replies(server):
    """Each kind of reply has the fields that protect a browser; invalid requests have their status."""
    tile = "/collections/Airport/tiles/WebMercatorQuad/5/11/16"
    host = f"127.0.0.1:{server.port}"
    cases = [
        (200, dict(target="/"), ["Accept: text/html"]), (200, dict(target="/explorer/assets/app.js"), []),
        (200, dict(target="/"), []), (200, dict(target="/collections"), []), (200, dict(target="/collections?f=html"), []),
        (200, dict(target="/collections", method="HEAD"), []), (200, dict(target=tile), []),
        (200, dict(target="/explorer/download?class=Airport"), []), (200, dict(target="/explorer/changes"), []),
        (404, dict(target="/nothing"), []), (400, dict(target="/conformance?a=b"), []), (400, dict(target="/%ff"), []),
        (405, dict(target="/collections", method="POST"), ["Content-Length: 0"]),
        (414, dict(target="/" + "a" * 70_000), []), (400, dict(target="/" + "a" * 200_000), []),
        (400, dict(version="HTTP/9.9"), []), (400, dict(method="NOTHING"), []), (400, dict(), ["No colon"]),
        (400, dict(), ["Name : value"]), (400, dict(), [f"X-{number}: a" for number in range(2000)]),
        # Hosts, and fields that two programs could read differently.
        (400, dict(host=False), []), (400, dict(), [f"Host: {host}"]), (400, dict(), ["Host: other.example"]),
        (403, dict(host=False), ["Host: other.example"]), (403, dict(host=False), ["Host:"]),
        (400, dict(), [f"Origin: http://{host}"] * 2), (400, dict(), ["Authorization: Bearer a"] * 2),
        (400, dict(method="POST"), ["Content-Length: 1", "Content-Length: 2"]),
        (400, dict(method="POST"), ["Content-Length: 1", "Transfer-Encoding: chunked"]),
        (400, dict(target="/collections/Airport/items", method="POST", body=b"zz\r\n{}\r\n0\r\n\r\n"),
         ["Content-Type: application/geo+json", "Transfer-Encoding: chunked"]),
        # Forms of the target.
        (200, dict(target=f"http://{host}/collections"), []), (403, dict(target="http://other.example/collections"), []),
        (200, dict(target=f"http://{host}/collections", host=False), ["Host: other.example"]),
        (204, dict(target="*", method="OPTIONS"), []),
        # Other protocols.
        (405, dict(target=host, method="CONNECT"), []),
        (200, dict(target="/collections"), ["Connection: Upgrade", "Upgrade: h2c"]),
    ]
    for status, request, fields in cases:
        found, headers, stream = server.get(request.pop("target", "/"), *fields, **request)
        stream.close()
        text = f"{request} {[field[:60] for field in fields[:3]]}: {found}"
        check(found == status, f"{text}, and not {status}")
        for name, value in (("x-content-type-options", "nosniff"), ("content-security-policy", "default-src '")):
            values = [value for one, value in headers if one == name]
            check(len(values) == 1 and values[0].startswith(value), f"{text} has one field {name}, and not {values}")
    print(f"{len(cases)} kinds of replies")


def other_protocols(server):
    """Bytes after a request for another protocol are not collected."""
    status, headers, stream = server.get("/collections", "Connection: Upgrade", "Upgrade: h2c")
    check(status == 200 and ("connection", "close") in headers, "a request for another protocol is the last one")
    most, sent = 64 << 20, 0
    stream.settimeout(5)
    with contextlib.suppress(OSError):
        while sent < most:
            sent += stream.send(b"x" * 65_536)
    stream.close()
    check(sent < most, f"the server took {sent} bytes after a request for another protocol")
    print(f"after a request for another protocol, {sent} bytes were taken by buffers of the system")


def connection_limit(program, store):
    """Connections beyond the limit wait until one is closed."""
    with Server(program, store, "--connections", "4") as server:
        before = server.sockets()
        request = f"GET /explorer/store HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        streams = [server.connect() for _ in range(6)]
        for stream in streams:
            stream.sendall(request)
        for stream in streams[:4]:
            check(read_head(stream)[0] == 200, "a connection within the limit")
        check(server.sockets() == before + 4, f"{server.sockets() - before} connections with a limit of 4")
        for stream in streams[4:]:
            stream.settimeout(1)
            try:
                check(not stream.recv(1), "a connection beyond the limit gets a reply")
            except TimeoutError:
                pass
            stream.settimeout(60)
        for one, other in zip(streams, streams[4:]):
            one.close()
            check(read_head(other)[0] == 200, "a connection that has waited")
        for stream in streams:
            stream.close()
    print("4 of 6 connections are served, and the others when these are closed")


def no_descriptors(server, text):
    """The server neither runs without an end nor stops when it has no descriptors for connections."""
    streams = [server.connect() for _ in range(120)]
    time.sleep(1)
    start, seconds = server.processor_seconds(), 5
    time.sleep(seconds)
    used = server.processor_seconds() - start
    check(server.process.poll() is None, f"{text}: the server runs")
    check(used < seconds / 5, f"{text}: the server used {used:.2f} s of the processor in {seconds} s without a request")
    for stream in streams:
        stream.close()
    status, _, stream = server.get("/explorer/store")
    stream.close()
    check(status == 200, f"{text}: a request afterwards: {status}")
    print(f"{text}: {used:.2f} s of the processor in {seconds} s, and a reply afterwards")


def descriptors(program, store):
    few = 64 + 8 * max(0, os.cpu_count() - 2)
    with Server(program, store, descriptors=few) as server:
        check(server.get()[0] == 200, "a request with few descriptors")
        no_descriptors(server, f"started with {few} descriptors")
    with Server(program, store) as server:
        before = server.sockets()
        for stream in [server.get("/explorer/store")[2] for _ in range(4)]:
            stream.close()
        wait_until(lambda: server.sockets() <= before, 60, "closed connections have descriptors")
        limit = server.descriptors() + 16
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
        no_descriptors(server, "without descriptors for connections below the limit")


def slow_clients(program, store):
    """Clients that send or read too slowly lose their connections, and a stream of changes keeps its own."""
    with Server(program, store, "--writable") as server:
        head = f"Host: 127.0.0.1:{server.port}\r\n".encode()
        first = b"GET /explorer/store HTTP/1.1\r\n" + head
        before = server.sockets()
        changes = server.get("/explorer/changes")[2]
        senders, silent = [], []
        for number in range(10):
            # A head without an end, alone and after a complete request; a body without an end.
            for bytes in (first, first + b"\r\n" + first,
                          b"POST /collections/Airport/items HTTP/1.1\r\n" + head
                          + b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n[",
                          b"POST /nothing HTTP/1.1\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n"):
                stream = server.connect()
                stream.sendall(bytes)
                senders.append((stream, b"5\r\nxxxxx\r\n" if b"chunked" in bytes else b"x" if b"POST" in bytes else b"X: a\r\n"))
            # Nothing at all; replies that nobody reads.
            silent.append(server.connect())
            reader = server.connect(receive_buffer=4096)
            reader.sendall((b"GET /explorer/download?class=Airport&format=geojson HTTP/1.1\r\n" + head + b"\r\n") * 20)
            silent.append(reader)
        start, report = time.monotonic(), 0
        while server.sockets() > before + 1:
            check(time.monotonic() < start + 300, f"{server.sockets() - before - 1} slow connections after 300 s")
            for stream, bytes in senders:
                with contextlib.suppress(OSError):
                    stream.send(bytes, socket.MSG_DONTWAIT)
            if (count := server.sockets() - before - 1) != report:
                report = count
                print(f"{time.monotonic() - start:.0f} s: {count} slow connections", flush=True)
            status, _, stream = server.get()
            stream.close()
            check(status == 200, "another client beside slow ones")
            time.sleep(1)
        check(server.sockets() == before + 1, "a stream of changes stays open")
        for stream in [changes, *silent, *(stream for stream, _ in senders)]:
            stream.close()


def main():
    if sys.platform != "linux":
        raise SystemExit("Scripts/check-server connections needs /proc of Linux.")
    cadastre, program = programs()
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/airports.cadastre"
        subprocess.run(
            [cadastre, "import", ROOT / "Datasets/airports/airports.csv", "--store", store, "--into", "Airport", "--pk", "icao",
             "--index", "country", "--quiet"], check=True)
        with Server(program, store, "--writable") as server:
            replies(server)
            other_protocols(server)
        connection_limit(program, store)
        descriptors(program, store)
        slow_clients(program, store)
    print(f"{checks} checks passed.")


if __name__ == "__main__":
    main()
