#!/usr/bin/env python3
"""Ensembles by the graphics processor of this machine against its processor.

    tools/measure_device.py [--lmc build/bin/lmc] [--samples 100000] [--threads N]

For each study: whether the two files have the same bytes (they must), nanoseconds a step and sample of both, their
ratio, what the driver says of the code (registers, local memory), and how many samples were left to the processor. The
processor's time is that of all its threads working together. Exits with 1 where bytes differ or a run fails.
"""

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")

# name, file, arguments: short and long steps, iterations, adaptive steps, a family, statistics and whole trajectories
STUDIES = [
    ("top", "heavy_top", ["--vary", "m ~ normal(15, 1)"]),
    ("top, statistics", "heavy_top", ["--vary", "m ~ normal(15, 1)", "--keep", "statistics"]),
    ("top, Gauss-Legendre", "energy_test", ["--method", "RKMKGL4", "--time", "0..10", "--vary",
                                            "alpha ~ normal(0.3, 0.01)"]),
    ("quadrotors", "two_quadrotors", ["--time", "0..0.5", "--vary", "my ~ normal(0.5, 0.01)"]),
    ("pendulum, adaptive", "spherical_pendulum", ["--method", "RKMK54", "--tolerance", "1e-8", "--vary",
                                                  "g ~ linspace(1, 300)"]),
    ("chain of 12", "pendulum_chain", ["--method", "RKMK4", "--step", "0.01", "--set", "N=12", "--time", "0..1",
                                       "--vary", "g ~ uniform(9, 10)"]),
]


def run(lmc, example, arguments, device, threads, output):
    command = [lmc, "ensemble", os.path.join(EXAMPLES, example + ".lie"), *arguments, "--device", device,
               "--threads", str(threads), "--json", "--output", output]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lmc", default=os.path.join(os.path.dirname(EXAMPLES), "build", "bin", "lmc"))
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    wrong = 0
    print(f"{options.samples} samples, {options.threads} threads")
    print(f"{'study':22} {'bytes':8} {'cpu ns':>9} {'gpu ns':>9} {'ratio':>7} {'left':>6}  device")
    with tempfile.TemporaryDirectory() as folder:
        for name, example, arguments in STUDIES:
            files = {device: os.path.join(folder, device + ".npz") for device in ("cpu", "gpu")}
            arguments = [*arguments, "--samples", str(options.samples)]
            try:
                # The second run of each counts: code is in the caches of lmc and of the driver.
                told = {}
                for device, file in files.items():
                    for _ in range(2):
                        told[device] = run(options.lmc, example, arguments, device, options.threads, file)
            except RuntimeError as error:
                print(f"{name:22} fails: {error}")
                wrong += 1
                continue
            same = filecmp.cmp(files["cpu"], files["gpu"], shallow=False)
            wrong += not same
            cpu, gpu = (told[d]["nanoseconds_per_step"] for d in ("cpu", "gpu"))
            print(f"{name:22} {'same' if same else 'DIFFER':8} {cpu:9.3g} {gpu:9.3g} {cpu / gpu:7.3g} "
                  f"{told['gpu']['handed_back']:6}  {told['gpu']['device']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
