#!/usr/bin/env python3
"""Writes gzip files of the kinds that RFC 1952 allows; most decompress to table.csv."""
import gzip
import pathlib
import struct
import zlib

here = pathlib.Path(__file__).parent
table = "".join(f"{i},Ort {i % 7} é,{i * 0.5}\n" for i in range(40))
content = ("id,name,size\n" + table).encode()


def member(data, level=9, flags=0, extra=b"", name=b"", comment=b""):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    head = b"\x1f\x8b\x08" + bytes([flags]) + struct.pack("<IBB", 1_600_000_000, 2, 3)
    if flags & 4:
        head += struct.pack("<H", len(extra)) + extra
    if flags & 8:
        head += name + b"\0"
    if flags & 16:
        head += comment + b"\0"
    if flags & 2:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    return head + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


half = len(content) // 2
files = {
    "table.csv": content,
    "plain.gz": gzip.compress(content, mtime=0),
    "stored.gz": member(content, level=0),
    "header.gz": member(
        content, flags=2 | 4 | 8 | 16, extra=b"AB\x02\x00xy", name=b"table.csv", comment=b"Orte"),
    "members.gz": member(content[:half]) + member(b"") + member(content[half:], flags=8, name=b"b"),
    "padded.gz": member(content) + bytes(1000),
    "zeros.gz": member(bytes(16 << 20)),
}
for name, data in files.items():
    (here / name).write_bytes(data)
