#!/usr/bin/env python3
"""What `method = auto` keeps of the accuracy that is asked for, over all examples: the page of this study goes to
standard output. The error of a run is that of `lmc run --certify`: against two methods that were not chosen, at
tolerances of 1e-12 or a hundredth of the run's.

usage: study_auto.py LMC [ACCURACY…]    (without accuracies: 1e-4 and 1e-8)
"""
import json
import pathlib
import subprocess
import sys

examples = pathlib.Path(__file__).resolve().parent.parent / "examples"
# One evaluation takes a millisecond or more: references at 1e-12 would take hours.
shorter = {"lennard_jones": "0..0.02", "energy_test": "0..1000", "closed_chain": "0..0.05"}
samples = 400
patience = 120  # seconds; of chains of hundreds of links references at 1e-12 take more


def run(lmc, file, accuracy):
    span = ["--time", shorter[file.stem]] if file.stem in shorter else []
    command = [lmc, "run", str(file), "--method", "auto", "--accuracy", accuracy, "--json", "--progress", "never"]
    chosen = subprocess.run(command + span, capture_output=True, text=True)
    if chosen.returncode != 0:
        return {"failed": json.loads(chosen.stdout)["diagnostics"][-1]["message"]}
    first = json.loads(chosen.stdout)
    every = ["--every", repr((first["final_time"] or 1) / samples)]
    try:
        certified = subprocess.run(command + span + every + ["--certify"], capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return {"run": first, "certificate": {"doubt": f"no references within {patience} s"}}
    result = json.loads(certified.stdout)
    return {"run": first, "certificate": result.get("certificate", {})}


def row(name, accuracy, r):
    """The cells of a line, and whether the error is within the accuracy; None: it is not known."""
    if "failed" in r:
        return [name, "", "", "", "", "", "refused: " + r["failed"]], None
    chosen, certificate = r["run"]["chosen"], r["certificate"]
    errors = certificate.get("errors", [])
    worst = max((e["difference"] / max(1, e["size"]) for e in errors), default=float("nan"))
    unsure = max((e["references_differ"] / max(1, e["size"]) for e in errors), default=float("nan"))
    asked = float(accuracy)
    if not errors:
        return [name, r["run"]["method"], f"{chosen['tolerance']:.1e}", str(r["run"]["steps"]),
                f"{chosen['expected_error']:.1e}", "", certificate.get("doubt") or "not known"], None
    within = True if worst + unsure <= asked else False if worst - unsure > asked else None
    verdict = {True: "within", False: "**missed**", None: "not known"}[within]
    if "until" in certificate and certificate.get("doubt"):
        verdict += f" (to t = {certificate['until']:.3g})"
    cells = [name, r["run"]["method"], f"{chosen['tolerance']:.1e}", str(r["run"]["steps"]),
             f"{chosen['expected_error']:.1e}" + ("" if not chosen["growth"] else "*"), f"{worst:.1e}", verdict]
    return cells, within


def main():
    lmc, accuracies = sys.argv[1], sys.argv[2:] or ["1e-4", "1e-8"]
    files = sorted(examples.glob("*.lie"))
    print("# A method that is chosen: what it keeps\n")
    print("Written by `./dev study`; every number comes from a run. All examples with `--method auto`, held")
    print("against two other methods (`--certify`, 400 samples). The error is the largest over samples and")
    print("variables, relative to max(1, the size of the variable), as the accuracy is; *expected* is what the")
    print("summary of the run tells before anybody knows better (with a star: extrapolated in time).")
    print("*Not known*: the references do not agree well enough. What is done is in")
    print("[tool.md](../tool.md#a-method-that-is-chosen).")
    spans = [f"`{name}.lie` over {span}" for name, span in sorted(shorter.items())]
    print("\nSo that references end in minutes, some run over a shorter time: " + spans[0] + ",")
    print(", ".join(spans[1:]) + ".\n")
    for accuracy in accuracies:
        rows, kept, known = [], 0, 0
        for f in files:
            cells, within = row(f.stem, accuracy, run(lmc, f, accuracy))
            rows.append(cells)
            known += within is not None
            kept += within is True
            print(f"{accuracy} {cells}", file=sys.stderr, flush=True)
        print(f"## Accuracy {accuracy}\n")
        print(f"Within the accuracy: {kept} of the {known} examples whose error is known; {len(files)} in all.\n")
        print("| example | method | tolerance | steps | expected | error | |")
        print("|---|---|---|---|---|---|---|")
        for cells in rows:
            print("| " + " | ".join(cells) + " |")
        print()


if __name__ == "__main__":
    main()
