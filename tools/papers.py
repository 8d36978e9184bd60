#!/usr/bin/env python3
"""Makes the figures and tables of docs/papers again.

    tools/papers.py LMC [PAGE…]

A page is Markdown. Its blocks of `sh` are run, one after the other, in docs/papers with `lmc` in the search path; a block of `text`
that follows one directly is replaced by what it printed. Files of samples that blocks leave behind (.csv, .h5) are removed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "papers"
BLOCK = re.compile(r"```sh\n(.*?)```\n(\n```text\n.*?```\n)?", re.S)


def run(page, block, environment):
    begin = time.monotonic()
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=FOLDER, env=environment, text=True, check=False,
                          capture_output=True)
    first = block.strip().splitlines()[0]
    print(f"{page.name}: {time.monotonic() - begin:7.1f} s  {first[:100]}", file=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"{page.name}: this failed with {done.returncode}:\n{block}{done.stderr}")
    return done.stdout


def main():
    lmc = pathlib.Path(sys.argv[1]).resolve()
    pages = [FOLDER / f"{name}.md" for name in sys.argv[2:]] or sorted(FOLDER.glob("*.md"))
    (FOLDER / "images").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(lmc, pathlib.Path(folder) / "lmc")
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"], LMC_HOME=str(lmc.parent.parent / "share" / "lmc"))
        for page in pages:
            text = page.read_text(encoding="utf-8")

            def again(match):
                printed = run(page, match.group(1), environment)
                kept = f"```sh\n{match.group(1)}```\n"
                return kept + (f"\n```text\n{printed.rstrip()}\n```\n" if match.group(2) else "")

            page.write_text(BLOCK.sub(again, text), encoding="utf-8")
    for pattern in ("*.csv", "*.h5"):
        for file in FOLDER.glob(pattern):
            file.unlink()


if __name__ == "__main__":
    main()
