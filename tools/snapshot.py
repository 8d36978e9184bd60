#!/usr/bin/env python3
"""What the compiler makes of the examples, as hashes: a restructuring leaves them as they are.

For every model and every method of the library that steps it: the listing of the tape and the bits of a short run.
For every model: its diagnostics, equations, every intermediate, the linearization, an ensemble, exported C.
Bits of runs depend on the processor, so a record belongs to one machine.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STEPS = 12


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Tool:
    def __init__(self, program, root, cache):
        self.program, self.root, self.cache = program, root, cache

    def run(self, *arguments, folder=None):
        environment = dict(os.environ, LMC_CACHE_DIR=self.cache, LC_ALL="C")
        return subprocess.run([self.program, *arguments], cwd=folder or self.root, env=environment,
                              capture_output=True, timeout=600, check=False)

    def said(self, *arguments):
        """Hash of what a command prints, and its status. A refusal counts by its messages."""
        done = self.run(*arguments)
        return f"{done.returncode} {digest(self.anywhere(done.stdout + done.stderr))}"

    def anywhere(self, text):
        """Messages without the folders of this checkout and this build."""
        build = os.path.dirname(os.path.dirname(self.program))
        return text.replace(build.encode(), b"BUILD").replace(self.root.encode(), b"ROOT")

    def written(self, names, *arguments):
        """Hash of the files that a command writes into an empty folder."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.run(*arguments, folder=folder)
            data = b"".join(pathlib.Path(folder, n).read_bytes() for n in names if os.path.exists(os.path.join(folder, n)))
            return f"{done.returncode} {digest(data)}"


def of_model(tool, path):
    facts = {}
    name = path.stem
    file = str(path.resolve())
    for command in (["check"], ["derive"], ["derive", "--format", "latex"], ["derive", "--format", "json"]):
        facts[f"{name} {' '.join(command)}"] = tool.said(*command, file)
    for stage in ("ast", "program", "model", "system"):
        facts[f"{name} dump {stage}"] = tool.said("dump", "--stage", stage, file)
    facts[f"{name} linearize"] = tool.said("linearize", file)
    facts[f"{name} linearize --discrete"] = tool.said("linearize", "--discrete", file)
    summary = tool.run("run", file, "--json", "--quiet", "--max-steps", "1")
    try:
        step = json.loads(summary.stdout).get("step") or 1e-3
    except ValueError:
        step = 1e-3
    facts[f"{name} ensemble"] = tool.written(
        ["e.csv"], "ensemble", file, "--samples", "5", "--lanes", "4", "--threads", "1", "--quiet", "--keep", "all",
        "--time", f"0..{(STEPS + 0.5) * step}", "--every", repr(step), "--output", "e.csv")
    facts[f"{name} export"] = tool.written(["m.c", "m.h"], "export", "--c", "-o", "m.c", file)
    return facts


def of_method(tool, path, method):
    name = path.stem
    file = str(path.resolve())
    tape = tool.run("dump", "--stage", "tape", "--method", method, file)
    if tape.returncode != 0:
        return {f"{name} {method}": f"refused {digest(tool.anywhere(tape.stderr))}"}
    run = tool.written(["r.csv"], "run", file, "--method", method, "--max-steps", str(STEPS), "--quiet", "--no-cache",
                       "--output", "r.csv")
    return {f"{name} {method} tape": digest(tape.stdout), f"{name} {method} run": run}


def record(tool, models, only, jobs):
    methods = [m["name"] for m in json.loads(tool.run("methods", "--json").stdout)["methods"]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(of_model, tool, m) for m in models]
        waiting += [pool.submit(of_method, tool, m, x) for m in models for x in methods if not only or x in only]
        facts = {}
        for done in concurrent.futures.as_completed(waiting):
            facts.update(done.result())
    return dict(sorted(facts.items()))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program", help="the tool")
    options.add_argument("file", help="the record")
    options.add_argument("--record", action="store_true", help="write the record instead of comparing with it")
    options.add_argument("--methods", default="", help="only these methods, with commas between")
    options.add_argument("models", nargs="+", type=pathlib.Path)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        tool = Tool(os.path.abspath(chosen.program), os.getcwd(), cache)
        facts = record(tool, chosen.models, set(filter(None, chosen.methods.split(","))), os.cpu_count() or 1)
    if chosen.record:
        pathlib.Path(chosen.file).write_text("".join(f"{k}\t{v}\n" for k, v in facts.items()))
        print(f"{len(facts)} facts recorded")
        return 0
    old = dict(line.split("\t", 1) for line in pathlib.Path(chosen.file).read_text().splitlines())
    if chosen.methods:
        old = {k: v for k, v in old.items() if k in facts}
    differ = [k for k in sorted(old.keys() | facts.keys()) if old.get(k) != facts.get(k)]
    for key in differ:
        print(f"{key}: {old.get(key, 'not there')} -> {facts.get(key, 'not there')}")
    print(f"{len(facts)} facts, {len(differ)} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
