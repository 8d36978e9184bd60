#!/usr/bin/env python3
"""Code and cold starts of every example with every method of the library that fits it, the worst first.

    bench/starts.py [--examples A,B] [--methods C,D] [--adaptive] [--over KB] [--json FILE] [--lmc PROGRAM]
    bench/starts.py --functions EXAMPLE METHOD

Each pair runs twice, one step with an empty cache and once more: bytes of optimised code, the time from the start of
the process to the first step, and to the end of the process, which waits until optimised code is in the cache. Pairs
that the tool refuses are left out. `--functions`: the bytes of each function of the optimised code (`core` is the loop
over steps with the step in it, `fN` the function N of `lmc dump --stage tape`).
"""
import argparse
import glob
import json
import os
import re
import subprocess
import tempfile
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(BENCH, "..", "examples")


def run(options, example, method, cache):
    """The summary of one step, and the seconds of the process; nothing where the tool refuses the pair."""
    words = [options.lmc, "run", os.path.join(EXAMPLES, example + ".lie"), "--json", "--method", method,
             "--step", "1e-6", "--time", "0..1e-6"]
    words += ["--tolerance", "1e-6"] if options.adaptive else ["--tolerance", "none"]
    begin = time.perf_counter()
    try:
        process = subprocess.run(words, capture_output=True, timeout=options.limit, check=False,
                                 env={**os.environ, "LMC_CACHE_DIR": cache})
    except subprocess.TimeoutExpired:
        return {"too long": True}, options.limit
    seconds = time.perf_counter() - begin
    try:
        summary = json.loads(process.stdout)
    except json.JSONDecodeError:
        return None, seconds
    return (summary if summary.get("compile_seconds") is not None else None), seconds


def measure(options, example, method):
    with tempfile.TemporaryDirectory() as cache:
        cold, whole = run(options, example, method, cache)
        if cold is None:
            return None
        result = {"example": example, "method": method, "optimised_seconds": whole}
        if "too long" in cold:
            return result | {"first_seconds": options.limit, "code_bytes": 0}
        warm, _ = run(options, example, method, cache)
        return result | {"first_seconds": cold["compile_seconds"], "code_bytes": (warm or cold)["code_bytes"]}


def functions(options, example, method):
    """Bytes of the functions in the object that the cache keeps of optimised code."""
    with tempfile.TemporaryDirectory() as cache:
        if run(options, example, method, cache)[0] is None:
            raise SystemExit(f"{method} does not step {example}")
        for file in glob.glob(os.path.join(cache, "*.lmco")):
            with open(file, "rb") as stored:
                data = stored.read()
            for part in re.split(b"(?=\x7fELF\x02\x01\x01)", data)[1:]:  # one object, or several
                code = os.path.join(cache, "code.o")
                with open(code, "wb") as out:
                    out.write(part)
                listing = subprocess.run(["nm", "-S", "--size-sort", "--reverse-sort", code], capture_output=True,
                                         text=True, check=True).stdout
                for line in listing.splitlines():
                    if (words := line.split())[-2] in "tT":
                        print(f"{int(words[1], 16):>9}  {words[-1]}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--examples", help="some of them, by commas")
    options.add_argument("--methods", help="some of them, by commas")
    options.add_argument("--adaptive", action="store_true", help="steps with an estimate of their error")
    options.add_argument("--over", type=float, default=80, help="kB of code that are counted as too many")
    options.add_argument("--lines", type=int, default=40, help="of the list that is printed")
    options.add_argument("--limit", type=float, default=60, help="seconds after which a run is given up")
    options.add_argument("--functions", nargs=2, metavar=("EXAMPLE", "METHOD"))
    options.add_argument("--json", help="a file for the numbers")
    options.add_argument("--lmc", default=os.path.join(BENCH, "..", "build", "bin", "lmc"))
    options = options.parse_args()
    if options.functions:
        functions(options, *options.functions)
        return
    listed = json.loads(subprocess.run([options.lmc, "methods", "--json"], capture_output=True, check=True).stdout)
    methods = options.methods.split(",") if options.methods else [m["name"] for m in listed["methods"]]
    examples = (options.examples.split(",") if options.examples else
                sorted(os.path.basename(f)[:-4] for f in glob.glob(os.path.join(EXAMPLES, "*.lie"))))
    results = [r for e in examples for m in methods if (r := measure(options, e, m))]
    results.sort(key=lambda r: -r["code_bytes"])
    print(f"{'example':<26}{'method':<20}{'code':>10}{'first step':>13}{'optimised':>12}")
    for r in results[:options.lines]:
        print(f"{r['example']:<26}{r['method']:<20}{r['code_bytes'] / 1e3:>7.0f} kB"
              f"{r['first_seconds'] * 1e3:>10.0f} ms{r['optimised_seconds'] * 1e3:>9.0f} ms")
    many = [r for r in results if r["code_bytes"] > options.over * 1e3]
    print(f"{len(many)} of {len(results)} pairs have more than {options.over:g} kB of code")
    for key, name in (("first_seconds", "first step"), ("optimised_seconds", "optimised code")):
        worst = sorted(results, key=lambda r: -r[key])[:5]
        print(f"longest to {name}: " + ", ".join(
            f"{r['example']} {r['method']} {r[key]:.2f} s" for r in worst))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
