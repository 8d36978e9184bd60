#!/usr/bin/env python3
"""The server's stream: how it ends, and what it makes of frames that are none. lsp_test.py LMC"""
import json
import subprocess
import sys


def frame(message):
    text = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def serve(*parts):
    """The status, and the last answer; None: there was none."""
    done = subprocess.run([sys.argv[1], "lsp"], input=b"".join(parts), capture_output=True, timeout=60)
    assert done.stderr == b"", done.stderr
    answers = done.stdout.split(b"Content-Length: ")
    return done.returncode, json.loads(answers[-1].partition(b"\r\n\r\n")[2]) if len(answers) > 1 else None


def check(good, what):
    print("ok" if good else "FAIL", what)
    failed.extend([] if good else [what])


failed = []
begin = frame({"id": 1, "method": "initialize", "params": {}})
shutdown, leave = frame({"id": 9, "method": "shutdown"}), frame({"method": "exit"})
end = shutdown + leave
check(serve(begin, end) == (0, {"id": 9, "jsonrpc": "2.0", "result": None}), "exit behind shutdown: 0")
check(serve(begin, leave)[0] == 1, "exit without shutdown: 1, as the protocol says")
check(serve(begin)[0] == 1, "the end of the stream: 1")
check(serve(end)[1]["error"]["code"] == -32002, "a request before initialize")
status, answer = serve(begin, shutdown, frame({"id": 10, "method": "textDocument/hover", "params": {}}), leave)
check((status, answer["error"]["code"]) == (0, -32600), "a request behind shutdown")
lower = frame({"id": 1, "method": "initialize"}).replace(b"Content-Length", b"Content-Type: x; charset=utf-8\r\ncontent-length")
check(serve(lower, end)[0] == 0, "headers in other letters, and others")
for length in (b"99999999999999", b"99999999999999999999999", b"-5", b"abc"):
    check(serve(begin, b"Content-Length: " + length + b"\r\n\r\n{}", end)[0] == 1, f"a length {length.decode()} ends the stream")
check(serve(b"\x00\xff" * 5000, begin, end) == (1, None), "no headers at all")
deep = b'{"jsonrpc": "2.0", "id": 2, "method": "x", "params": ' + b"[" * 200000 + b"]" * 200000 + b"}"
check(serve(begin, frame(deep), end) == (0, {"id": 9, "jsonrpc": "2.0", "result": None}), "parameters of any depth")
uri = "file:///tmp/deep.lie"
for text in ("model M { let a = " + "(" * 100000 + "1" + ")" * 100000 + "; }", "{" * 100000, "model M { let a = " + "[" * 50000):
    opened = frame({"method": "textDocument/didOpen",
                    "params": {"textDocument": {"uri": uri, "languageId": "lie", "version": 1, "text": text}}})
    asked = [frame({"id": 3 + k, "method": "textDocument/" + method,
                    "params": {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5000}}})
             for k, method in enumerate(("hover", "completion", "documentSymbol", "foldingRange", "semanticTokens/full"))]
    check(serve(begin, opened, *asked, end)[0] == 0, f"a text of depth {len(text) // 2}")
sys.exit(bool(failed))
