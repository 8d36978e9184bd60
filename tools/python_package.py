#!/usr/bin/env python3
"""Makes the packages for Python from an installation of lmc.

    tools/python_package.py deb OUTPUT             python3-lmc_VERSION_all.deb, which needs the package lmc
    tools/python_package.py wheel PREFIX OUTPUT    a wheel that contains the libraries of the installation in PREFIX
"""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(lmc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
SUMMARY = "Mechanical systems on manifolds: models compiled at run time"
# What every Linux of the wheel's tag has.
SYSTEM = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so)")


def sources():
    """The files of the package, with their names in it."""
    folder = ROOT / "python/lmc"
    return [(f, "lmc/" + f.relative_to(folder).as_posix()) for f in sorted(folder.rglob("*"))
            if f.is_file() and (f.suffix == ".py" or f.name == "py.typed")]


def make_deb(output):
    """python3-lmc: the package alone; it opens the library of the package lmc."""
    with tempfile.TemporaryDirectory() as work:
        root = Path(work) / "root"
        for file, name in sources():
            target = root / "usr/lib/python3/dist-packages" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
        copyright_of = root / "usr/share/doc/python3-lmc/copyright"
        copyright_of.parent.mkdir(parents=True)
        copyright_of.write_bytes((ROOT / "LICENSE").read_bytes())
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(
            f"Package: python3-lmc\nVersion: {VERSION}\nArchitecture: all\nMaintainer: lmc developers <lmc@example.org>\n"
            f"Section: python\nPriority: optional\nDepends: lmc (>= {VERSION}), python3 (>= 3.9), python3-numpy\n"
            f"Suggests: python3-scipy, python3-matplotlib, python3-pandas, python3-xarray, python3-ipython\n"
            f"Description: {SUMMARY}\n The interface of lmc for Python, with NumPy arrays of the library's memory.\n")
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        file = Path(output) / f"python3-lmc_{VERSION}_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(root), str(file)], check=True, stdout=subprocess.DEVNULL)
        return file


def needed(files):
    """The libraries that some files need and a system need not have: their real files by name."""
    found = {}
    for file in files:
        said = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", said, flags=re.M):
            if not SYSTEM.match(name) and not name.startswith("liblmc"):
                found[name] = Path(path).resolve()
        missing = re.findall(r"(\S+) => not found", said)
        if missing:
            sys.exit(f"{file} needs {missing[0]}, which was not found")
    return found


def make_wheel(prefix, output):
    """A wheel with the library, its modules, the tool, the standard library and what they need of others."""
    prefix = Path(prefix).resolve()
    library = sorted(prefix.glob("lib/**/liblmc.so.0"))
    if not library:
        sys.exit(f"there is no liblmc.so.0 in {prefix}: install there first (cmake --install BUILD --prefix {prefix})")
    inside = "lmc/_installation/"
    modules = sorted((prefix / "lib/lmc").glob("*.so"))
    tool = prefix / "bin/lmc"
    files = [*sources(), (library[0].resolve(), inside + "lib/liblmc.so.0"), (tool, inside + "bin/lmc")]
    files += [(m, inside + "lib/lmc/" + m.name) for m in modules]
    files += [(f, inside + "share/lmc/" + f.relative_to(prefix / "share/lmc").as_posix())
              for f in sorted((prefix / "share/lmc").rglob("*")) if f.is_file()]
    files += [(path, inside + "lib/bundled/" + name) for name, path in sorted(needed([library[0], tool, *modules]).items())]
    glibc = "_".join(platform.libc_ver()[1].split(".")[:2])
    tag = f"py3-none-manylinux_{glibc}_{platform.machine()}"
    info = f"lmc-{VERSION}.dist-info/"
    texts = {
        info + "METADATA": f"Metadata-Version: 2.1\nName: lmc\nVersion: {VERSION}\nSummary: {SUMMARY}\n"
                           "Requires-Python: >=3.9\nRequires-Dist: numpy>=1.21\n",
        info + "WHEEL": f"Wheel-Version: 1.0\nGenerator: lmc\nRoot-Is-Purelib: false\nTag: {tag}\n",
        info + "LICENSE": (ROOT / "LICENSE").read_text(),
    }
    wheel = Path(output) / f"lmc-{VERSION}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # equal files make equal bytes
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")
        for file, name in files:
            add(name, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        for name, text in texts.items():
            add(name, text.encode(), 0o644)
        record.append(f"{info}RECORD,,")
        archive.writestr(info + "RECORD", "\n".join(record) + "\n")
    return wheel


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "deb":
        print(make_deb(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "wheel":
        print(make_wheel(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
