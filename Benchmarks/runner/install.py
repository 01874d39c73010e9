"""Builds Cadastre's engines, and finds or installs the peers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "shapely": "shapely", "scipy": "scipy", "duckdb": "duckdb==1.5.5",
    "duckdb_extension_spatial": "duckdb-extension-spatial==1.5.5", "psycopg": "psycopg[binary]",
    "sqlite_utils": "sqlite-utils", "apsw": "apsw", "numpy": "numpy",
}
DEBIAN = {
    "gdal": "gdal-bin", "spatialite": "libsqlite3-mod-spatialite",
    "postgis": "postgresql postgis postgresql-postgis",
}


class Missing(Exception):
    """A missing requirement of a peer; the message says how to install it."""


class Installer:
    """Builds and installs engines; the Python packages of peers have an environment of their own."""

    def __init__(self, benchmarks, install):
        self.benchmarks, self.install = Path(benchmarks), install
        self.cache = self.benchmarks / ".cache"
        self.cache.mkdir(exist_ok=True)
        self.python = self.cache / "venv" / "bin" / "python"
        self.updated = False

    def setup(self):
        """Installs the libraries that Cadastre needs, as for any other build."""
        subprocess.run(["bash", self.benchmarks.parent / "Scripts" / "setup"], check=True,
                       stdout=sys.stderr)

    def swift(self, product):
        """Builds an engine of the nested package and returns its path."""
        return self._product(self.benchmarks, product)

    def command_line(self):
        """Builds `cadastre`, whose imports and cold starts are measured."""
        return self._product(self.benchmarks.parent, "cadastre")

    def _product(self, package, product):
        """Builds a product of a package, and returns its path in the build folder that SwiftPM uses."""
        build = ["swift", "build", "-c", "release", "--package-path", package]
        self._run(*build, "--quiet", "--product", product)
        folder = subprocess.run([*build, "--show-bin-path"], capture_output=True, text=True, check=True)
        return Path(folder.stdout.strip()) / product

    def c(self, source):
        """Builds an engine that is one C file with SQLite and GEOS."""
        program = self.cache / Path(source).stem
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "sqlite3", "geos"],
                               capture_output=True, text=True)
        if flags.returncode != 0:
            raise Missing("pkg-config finds no SQLite or GEOS; run Scripts/setup")
        # Every installation of GEOS has its C interface, geos_c.
        words = [word for word in flags.stdout.split() if word != "-lgeos"]
        self._run("cc", "-O3", "-std=c17", "-o", program, source, *words, "-lgeos_c", "-lpthread", "-lm")
        return program

    def packages(self, *modules):
        """Installs modules for the peers' Python if needed, and returns the path of that Python."""
        if not self.python.exists():
            if not self.install:
                raise Missing(f"pip: {' '.join(PACKAGES[module] for module in modules)}; "
                              "run again with --install")
            self._run(sys.executable, "-m", "venv", self.cache / "venv")
        if not self._has(modules):
            expected = [PACKAGES[module] for module in modules]
            if not self.install:
                raise Missing(f"pip: {' '.join(expected)}; run again with --install")
            self._run(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                      "--only-binary=:all:", *expected)
        return self.python

    def _has(self, modules):
        return subprocess.run([self.python, "-c", f"import {', '.join(modules)}"],
                              capture_output=True).returncode == 0

    def debian(self, what, is_installed):
        """Installs a system package if `is_installed()` is false."""
        if is_installed():
            return
        if self.install and shutil.which("apt-get"):
            root = [] if os.geteuid() == 0 else ["sudo"]
            if not self.updated:
                self._run(*root, "apt-get", "update", "-qq")
                self.updated = True
            self._run(*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq",
                      *DEBIAN[what].split())
        if not is_installed():
            raise Missing(f"apt: {DEBIAN[what]}" + ("" if self.install else "; run again with --install"))

    def gdal(self):
        self.debian("gdal", lambda: shutil.which("ogr2ogr"))

    def spatialite(self):
        python = self.packages("apsw")
        self.debian("spatialite", lambda: subprocess.run(
            [python, "-c", "import apsw; c = apsw.Connection(':memory:'); c.enable_load_extension(True); "
             "c.load_extension('mod_spatialite')"], capture_output=True).returncode == 0)
        return python

    def postgis(self):
        python = self.packages("psycopg")
        self.debian("postgis", lambda: list(Path("/").glob("usr/share/postgresql/*/extension/postgis.control"))
                    or _homebrew_postgis())
        return python

    def _run(self, *command):
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        if done.returncode != 0:
            lines = done.stdout.strip().splitlines() or ["no output"]
            raise Missing(f"`{' '.join(map(str, command[:4]))} …` failed: "
                          + next((line for line in lines if "error" in line.lower()), lines[-1])[:200])


def _homebrew_postgis():
    program = shutil.which("pg_config")
    if not program:
        return False
    shared = subprocess.run([program, "--sharedir"], capture_output=True, text=True).stdout.strip()
    return (Path(shared) / "extension" / "postgis.control").exists()
