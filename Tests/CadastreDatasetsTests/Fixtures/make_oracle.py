#!/usr/bin/env python3
"""Writes oracle.csv, a table of random fields, and oracle.json, the rows that Python's csv module reads."""

import csv
import io
import json
import random
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SEED = 4180
COLUMNS = 5
PIECES = ["a", "Zürich", "漢字", "😀", '"', '""', ",", ";", "\n", "\r\n", "\r", "\t", " ", "0.5", ""]

numbers = random.Random(SEED)
text = io.StringIO(newline="")
text.write(",".join(f"column{number}" for number in range(COLUMNS)) + "\r\n")
for _ in range(400):
    fields = []
    for _ in range(COLUMNS):
        value = "".join(numbers.choice(PIECES) for _ in range(numbers.randrange(6)))
        needs_quotes = any(sign in value for sign in ',"\r\n')
        if needs_quotes or numbers.random() < 0.3:
            value = '"' + value.replace('"', '""') + '"'
        fields.append(value)
    text.write(",".join(fields) + numbers.choice(["\n", "\r\n"]))

(FOLDER / "oracle.csv").write_bytes(text.getvalue().encode())
rows = list(csv.reader(io.StringIO(text.getvalue(), newline=""), strict=True))
assert all(len(row) == COLUMNS for row in rows)
(FOLDER / "oracle.json").write_text(
    "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n",
    encoding="utf-8")
