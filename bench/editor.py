#!/usr/bin/env python3
"""How long an editor waits: keys typed into a model of 2,000 lines, each followed by what editors ask for.

    bench/editor.py [--keys N] [--json FILE] [--lmc PROGRAM]

The client is another process, over pipes. A key is one change of the text; behind it, at once, one request; the time is
from the change to the answer. Keys follow one another every 70 ms, as of a fast typist, so compilations in the
background begin between them and run beside the requests. The last line: from the last key to the diagnostics.
"""
import argparse
import contextlib
import glob
import json
import os
import subprocess
import threading
import time


def model(bodies):
    lines = ["model Big {"]
    for i in range(bodies):
        lines += [
            f"  // body {i}",
            f"  param m{i} = {1 + i / 10};",
            f"  param l{i} = 2;",
            f"  param J{i} : mat(3,3) = diag(0.2, 0.4, 0.3);",
            f"  config R{i} : SO(3) velocity w{i};",
            f"  let tip{i} = R{i}*(l{i}*e1);",
            f"  let en{i} = 0.5*dot(w{i}, J{i}*w{i}) - m{i}*9.81*dot(e3, tip{i});",
            f"  initial R{i} = eye(3);",
            f"  initial w{i} = [0, {i}, 1];",
            f"  observe place{i} = R{i}*e1;",
            f"  observe height{i} = dot(tip{i}, e3);",
            "",
        ]
    total = "\n             + ".join(f"en{i}" for i in range(bodies))
    return "\n".join(lines + [f"  lagrangian = {total};", "  simulate { method = RKMK4; time = 0..1; step = 1e-3; }", "}", ""])


class Client:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.answers = {}
        self.diagnostics = {}  # by version: when they came
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()):
                length = int(line.split(b":")[1])
            if not length:
                return
            body = self.process.stdout.read(length)
            now = time.perf_counter()
            message = json.loads(body)
            with self.changed:
                if "id" in message:
                    self.answers[message["id"]] = (now, message)
                elif message.get("method") == "textDocument/publishDiagnostics":
                    self.diagnostics[message["params"].get("version")] = (now, message["params"]["diagnostics"])
                self.changed.notify_all()

    def ask(self, method, params):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers, 60)
            return self.answers.pop(number)

    def _spent(self):
        """Seconds of processor time by thread."""
        found = {}
        for file in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            with contextlib.suppress(OSError), open(file, encoding="ascii") as stat:
                found[file] = int(stat.read().split()[0]) * 1e-9
        return found

    def find_answering(self, method, params):
        """The thread that answers: the one that works while nothing is compiled."""
        before = self._spent()
        for _ in range(20):
            self.ask(method, params)
        after = self._spent()
        self.answering = max(before, key=lambda file: after.get(file, 0) - before[file])

    def processor(self):
        """Seconds of processor time of the thread that answers, whatever else the machine does."""
        return self._spent()[self.answering]

    def tell(self, method, params):
        self.send({"method": method, "params": params})


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--keys", type=int, default=100, help="for each request")
    options.add_argument("--json", help="a file for the numbers")
    options.add_argument("--lmc", default=os.path.join(os.path.dirname(__file__), "..", "build", "bin", "lmc"))
    options = options.parse_args()
    options.keys += options.keys % 2  # what is typed is taken away again

    text = model(165)
    uri = "file:///tmp/big.lie"
    document = {"textDocument": {"uri": uri}}
    client = Client(options.lmc)
    client.ask("initialize", {})
    client.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "lie", "version": 0, "text": text}})
    client.ask("lmc/settle", {})

    lines = text.split("\n")
    row = next(i for i, line in enumerate(lines) if line.startswith("  let en80"))
    column = lines[row].index("9.81")
    place = {"line": row, "character": column}
    whole = {"start": {"line": row - 40, "character": 0}, "end": {"line": row + 40, "character": 0}}
    requests = {
        "hover": {**document, "position": {"line": row, "character": lines[row].index("tip80") + 1}},
        "completion": {**document, "position": place},
        "signatureHelp": {**document, "position": {"line": row, "character": lines[row].index("J80")}},
        "definition": {**document, "position": {"line": row, "character": lines[row].index("tip80") + 1}},
        "documentHighlight": {**document, "position": {"line": row, "character": lines[row].index("tip80") + 1}},
        "inlayHint": {**document, "range": whole},
        "semanticTokens/full": document,
        "documentSymbol": document,
        "foldingRange": document,
    }
    client.find_answering("textDocument/semanticTokens/full", document)
    print(f"{len(lines)} lines, {len(text)} bytes, {options.keys} keys for each request")
    print(f"{'request behind a key':<24}{'median':>10}{'p99':>10}{'largest':>10}{'processor: median':>22}{'p99':>10}")
    result, version, everything, work = {}, 0, [], []

    def line(name, times, spent):
        """The numbers of a request: of the clock, and of the processor."""
        times, spent = sorted(times), sorted(spent)

        def part(of, q):
            return of[min(len(of) - 1, int(q * len(of)))] * 1e3

        result[name] = {"median_ms": part(times, 0.5), "p99_ms": part(times, 0.99), "max_ms": times[-1] * 1e3,
                        "processor_median_ms": part(spent, 0.5), "processor_p99_ms": part(spent, 0.99)}
        print(f"{name:<24}{part(times, 0.5):>7.1f} ms{part(times, 0.99):>7.1f} ms{times[-1] * 1e3:>7.1f} ms"
              f"{part(spent, 0.5):>19.1f} ms{part(spent, 0.99):>7.1f} ms")

    for name, params in requests.items():
        times, spent = [], []
        for key in range(options.keys):
            version += 1
            # Types "1" and takes it away again, in turns.
            add = key % 2 == 0
            change = {"range": {"start": place, "end": {**place, "character": column + (0 if add else 1)}}, "text": "1" if add else ""}
            before, begin = client.processor(), time.perf_counter()
            client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
            end, message = client.ask("textDocument/" + name, params)
            assert message.get("result") is not None, message
            times.append(end - begin)
            spent.append(client.processor() - before)
            time.sleep(max(0, 0.07 - (time.perf_counter() - begin)))
        everything += times
        work += spent
        line(name, times, spent)
    line("all", everything, work)
    waits = []
    for _ in range(5):
        version += 1
        change = {"range": {"start": place, "end": place}, "text": " "}
        begin = time.perf_counter()
        client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
        with client.changed:
            client.changed.wait_for(lambda: version in client.diagnostics, 60)
        waits.append(client.diagnostics[version][0] - begin)
    result["diagnostics_s"] = sorted(waits)[2]
    print(f"diagnostics of the whole model, behind the last key: {result['diagnostics_s']:.2f} s")
    client.ask("shutdown", {})
    client.tell("exit", {})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)


if __name__ == "__main__":
    main()
