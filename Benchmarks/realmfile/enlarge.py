#!/usr/bin/env python3
"""Writes a Realm file with the objects of a class many times, for measurements of the import.

    enlarge.py INPUT CLASS COPIES OUTPUT

The nodes of INPUT are kept. The objects of CLASS, which needs a primary key of type int, get COPIES - 1
copies with keys and primary keys of their own; their links lead to the objects of INPUT. The format is
described in Realm's core library, which is not used.
"""
import struct
import sys

KEY_SHIFT = 32
PRIMARY_KEY_STEP = 1 << 24


class Source:
    """The nodes of a file in the streaming form or with a selected slot."""

    def __init__(self, data):
        self.data = data
        slot = data[23] & 1
        (self.top,) = struct.unpack_from("<Q", data, slot * 8)
        self.end = len(data)
        if slot == 0 and self.top == 2**64 - 1:
            self.end -= 16
            (self.top,) = struct.unpack_from("<Q", data, self.end)

    def header(self, ref):
        flags = self.data[ref + 4]
        count = int.from_bytes(self.data[ref + 5 : ref + 8], "big")
        return flags, count

    def length(self, ref):
        flags, count = self.header(ref)
        width = (1 << (flags & 7)) >> 1
        layout = flags >> 3 & 3
        return [(count * width + 7) // 8, count * width, count][layout]

    def numbers(self, ref):
        """The elements of an array of integers."""
        flags, count = self.header(ref)
        width = (1 << (flags & 7)) >> 1
        start = ref + 8
        if width >= 8:
            code = {8: "b", 16: "h", 32: "i", 64: "q"}[width]
            return list(struct.unpack_from(f"<{count}{code}", self.data, start))
        per = 8 // width if width else 1
        mask = (1 << width) - 1
        return [
            self.data[start + i // per] >> (i % per * width) & mask if width else 0
            for i in range(count)
        ]

    def strings(self, ref):
        """The elements of an array of short strings."""
        flags, count = self.header(ref)
        width = (1 << (flags & 7)) >> 1
        result = []
        for i in range(count):
            cell = self.data[ref + 8 + i * width : ref + 8 + (i + 1) * width]
            result.append(cell[: width - 1 - cell[-1]].decode() if width else "")
        return result


class Target:
    """A file that is written from its start to its end."""

    def __init__(self, file, start):
        self.file = file
        self.position = start

    def node(self, flags, count, payload):
        ref = self.position
        padding = -len(payload) % 8
        self.file.write(b"AAAA" + bytes([flags]) + count.to_bytes(3, "big") + payload + bytes(padding))
        self.position += 8 + len(payload) + padding
        return ref

    def array(self, values, flags=0):
        """Writes an array of 64-bit integers."""
        values = [v & (2**64 - 1) for v in values]
        return self.node(flags | 7, len(values), struct.pack(f"<{len(values)}Q", *values))


def tagged(number):
    return number * 2 + 1


def copy(source, target, ref, primary_key_leaf=None, addition=0):
    """Copies a tree of nodes. In clusters, the values of the primary key are increased."""
    flags, count = source.header(ref)
    if not flags & 0x40:
        return target.node(flags, count, source.data[ref + 8 : ref + 8 + source.length(ref)])
    elements = source.numbers(ref)
    is_cluster = primary_key_leaf is not None and not flags & 0x80
    for i, element in enumerate(elements):
        if element == 0 or element & 1:
            continue
        if is_cluster and i == primary_key_leaf + 1:
            elements[i] = target.array([v + addition for v in source.numbers(element)])
        elif is_cluster or (primary_key_leaf is not None and i == 0):
            elements[i] = copy(source, target, element)
        else:
            elements[i] = copy(source, target, element, primary_key_leaf, addition)
    return target.array(elements, flags & 0xE0)


def main():
    path, name, copies, output = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    with open(path, "rb") as file:
        source = Source(file.read())
    group = source.numbers(source.top)
    names = source.strings(group[0])
    tables = source.numbers(group[1])
    index = names.index("class_" + name)
    table = source.numbers(tables[index])
    primary_key_leaf = table[11] >> 1 & 0xFFFF
    root = table[2]
    flags, _ = source.header(root)
    if flags & 0x80:
        elements = source.numbers(root)
        depth, objects = elements[1] >> 1, elements[2] >> 1
    else:
        keys = source.numbers(root)[0]
        depth, objects = 0, keys >> 1 if keys & 1 else source.header(keys)[1]
    with open(output, "wb") as file:
        header = struct.pack("<QQ", 2**64 - 1, 0) + b"T-DB" + bytes([source.data[20 + (source.data[23] & 1)]]) + bytes(3)
        file.write(header + source.data[24 : source.end])
        target = Target(file, source.end)
        level = [(0, root)]
        for i in range(1, copies):
            ref = copy(source, target, root, primary_key_leaf, i * PRIMARY_KEY_STEP)
            level.append((i << KEY_SHIFT, ref))
        counts = [objects] * copies
        while len(level) > 1:
            depth += 1
            parents, sums = [], []
            for start in range(0, len(level), 200):
                children = level[start : start + 200]
                base = children[0][0]
                keys = target.array([key - base for key, _ in children])
                total = sum(counts[start : start + 200])
                parents.append(
                    (base, target.array([keys, tagged(depth), tagged(total)] + [ref for _, ref in children], 0xC0))
                )
                sums.append(total)
            level, counts = parents, sums
        table[2] = level[0][1]
        tables[index] = target.array(table, 0x40)
        group[1] = target.array(tables, 0x40)
        # The logical size ends with the top node.
        if len(group) > 2:
            group[2] = tagged(target.position + 8 + 8 * len(group))
        top = target.array(group, 0x40)
        file.write(struct.pack("<QQ", top, 0x3034125237E526C8))
    print(f"{output}: {sum(counts)} objects of {name}")


main()
