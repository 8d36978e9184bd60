#!/usr/bin/env python3
"""Makes the package lmc-mpi of a build: the module of `lmc ensemble --mpi`, which the package lmc does without.

    tools/mpi_package.py BUILD OUTPUT    lmc-mpi_VERSION_ARCHITECTURE.deb, which needs the package lmc
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(lmc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def run(*command, cwd=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd).stdout


def libraries(module, work):
    """The packages of the libraries that the module needs, as dpkg-shlibdeps finds them."""
    (work / "debian").mkdir()
    (work / "debian/control").write_text("Source: lmc\n\nPackage: lmc-mpi\nArchitecture: any\n")
    return re.search(r"shlibs:Depends=(.*)", run("dpkg-shlibdeps", "-O", str(module), cwd=work)).group(1)


def make_deb(build, output):
    with tempfile.TemporaryDirectory() as folder:
        work, root = Path(folder), Path(folder) / "root"
        run("cmake", "--install", str(build), "--prefix", str(root / "usr"), "--component", "mpi")
        module = root / "usr/lib/lmc/liblmc_mpi.so"
        run("strip", "--strip-unneeded", str(module))
        copyright_of = root / "usr/share/doc/lmc-mpi/copyright"
        copyright_of.parent.mkdir(parents=True)
        copyright_of.write_bytes((ROOT / "LICENSE").read_bytes())
        architecture = run("dpkg", "--print-architecture").strip()
        needed = libraries(module, work)
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(
            f"Package: lmc-mpi\nVersion: {VERSION}\nArchitecture: {architecture}\n"
            f"Maintainer: lmc developers <lmc@example.org>\nSection: science\nPriority: optional\n"
            f"Depends: lmc (= {VERSION}), openmpi-bin, {needed}\n"
            f"Description: Ensembles of lmc on many machines, by MPI\n"
            f" The module that `lmc ensemble --mpi` loads, for Open MPI.\n")
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        file = Path(output) / f"lmc-mpi_{VERSION}_{architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "--build", str(root), str(file))
        return file


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_deb(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
