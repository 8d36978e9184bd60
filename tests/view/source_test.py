"""The page's code: TypeScript strict, linted, and each file imports what layers.txt lists.

    python3 tests/view/source_test.py ROOT BUILD

Ends with 77 where the compiler of TypeScript is not installed (the target lmc_view_page installs it in BUILD).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def rules(text):
    """(file, files, packages), from the ground up."""
    found = re.findall(r"^#   (\w+\.ts):([^|\n]*)(?:\|([^\n]*))?$", text, re.M)
    return [(name, set(files.split()), set(packages.split())) for name, files, packages in found]


def imports(text):
    """Files and packages that a file imports."""
    files, packages = set(), set()
    for name in re.findall(r'^(?:import|export)[^"\n]*(?:\{[^}]*\}[^"\n]*)?"([^"]+)";', text, re.M):
        if name.startswith("."):
            files.add(name.removeprefix("./") + ".ts")
        else:
            packages.add(name.split("/")[0])
    return files, packages


def violations(listed, sources):
    """What the sources (texts by name) do that is not listed, and what is listed in vain."""
    wrong, above = [], set()
    for name, files, packages in listed:
        wrong += [f"{name}: {f} does not stand above it" for f in sorted(files - above)]
        above.add(name)
        if name not in sources:
            wrong.append(f"{name} is not there")
            continue
        own_files, own_packages = imports(sources[name])
        for what, may, does in (("file", files, own_files), ("package", packages, own_packages)):
            wrong += [f"{name} imports the {what} {x}, which layers.txt does not list" for x in sorted(does - may)]
            wrong += [f"{name} does not import the {what} {x}, which layers.txt lists" for x in sorted(may - does)]
    return wrong + [f"{name} is not in layers.txt" for name in sorted(set(sources) - above)]


def check_the_checks():
    listed = rules("#   a.ts:\n#   b.ts: a.ts | three\n#   c.ts: d.ts | uplot\n#   d.ts:\n")
    sources = {"a.ts": 'import { x } from "./b";\n', "b.ts": 'import {\n  y,\n} from "./a";\nimport * as T from "three/x.js";\n',
               "c.ts": 'import type { z } from "./d";\n', "e.ts": ""}
    wanted = ["a.ts imports the file b.ts, which layers.txt does not list", "c.ts: d.ts does not stand above it",
              "c.ts does not import the package uplot, which layers.txt lists", "d.ts is not there", "e.ts is not in layers.txt"]
    found = violations(listed, sources)
    if found != wanted:
        sys.exit(f"the rules are read as {found}")


def main():
    check_the_checks()
    sources = {f.name: f.read_text(encoding="utf-8") for f in (ROOT / "view" / "src").glob("*.ts")}
    wrong = violations(rules((ROOT / "layers.txt").read_text(encoding="utf-8")), sources)
    for line in wrong:
        print(line)
    if wrong:
        return 1
    modules = BUILD / "view" / "node_modules"
    if shutil.which("node") is None or not (modules / ".bin" / "tsc").exists():
        print("skipped: there is no compiler of TypeScript; `./dev page` installs it")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(ROOT / "view" / "src", folder / "src")
        for file in ("package.json", "tsconfig.json", "eslint.config.mjs"):
            shutil.copy(ROOT / "view" / file, folder)
        (folder / "node_modules").symlink_to(modules.resolve())
        for command in (["tsc", "--noEmit"], ["eslint", "--max-warnings", "0", "src"]):
            done = subprocess.run([modules / ".bin" / command[0], *command[1:]], cwd=folder, capture_output=True, text=True,
                                  timeout=300, check=False)
            if done.returncode != 0:
                print(done.stdout, done.stderr)
                return 1
    print(f"{len(sources)} files are typed, linted and layered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
