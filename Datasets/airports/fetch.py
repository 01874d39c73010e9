#!/usr/bin/env python3
"""Writes airports.csv, byte for byte as published, and checks it against the manifest."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import package_files  # noqa: E402

REQUIREMENT = "airportsdata==20260905"

[table] = package_files.members(REQUIREMENT, "airportsdata/airports.csv")
(FOLDER / "airports.csv").write_bytes(table)
package_files.check(FOLDER)
