#!/usr/bin/env python3
"""`lmc fmt` on files: statuses, what is written and what is not."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

lmc = os.path.abspath(sys.argv[1])
failed = 0


def call(*arguments, text=None):
    done = subprocess.run([lmc, "fmt", *arguments], input=text, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def expect(good, what):
    global failed
    if not good:
        failed += 1
        print("FAIL", what)


bad = b"model M {\r\n\tparam a=1;\r\n}\r\n"
good = b"model M {\r\n  param a = 1;\r\n}\r\n"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    model, other = pathlib.Path("a.lie"), pathlib.Path("b.lie")
    model.write_bytes(bad)
    other.write_bytes(good)
    model.chmod(0o640)
    expect(call("--check", "a.lie", "b.lie")[:2] == (1, b"a.lie\n"), "--check names the files that would change")
    expect(model.read_bytes() == bad, "--check writes nothing")
    status, difference, _ = call("--diff", "a.lie")
    expect(status == 0 and model.read_bytes() == bad, "--diff writes nothing")
    expect(call("--diff", "--check", "a.lie")[0] == 1, "--diff and --check")
    if shutil.which("patch"):
        shutil.copy("a.lie", "c.lie")
        subprocess.run(["patch", "-s", "--binary", "c.lie"], input=difference, check=True)
        expect(pathlib.Path("c.lie").read_bytes() == good, "what --diff shows is a patch")
    before = other.stat()
    expect(call("a.lie", "b.lie")[0] == 0 and model.read_bytes() == good, "files are formatted in place")
    expect(other.stat().st_mtime_ns == before.st_mtime_ns and other.stat().st_ino == before.st_ino, "what is in order is not written")
    expect(model.stat().st_mode & 0o777 == 0o640, "permissions stay")
    expect(call("--check", "a.lie", "b.lie")[:2] == (0, b""), "afterwards all is in order")
    expect(call("-", text=bad)[:2] == (0, good), "standard input")
    expect(call("--check", "-", text=bad)[:2] == (1, b"<standard input>\n"), "--check of standard input")
    model.write_bytes(bad)
    os.symlink("a.lie", "link.lie")
    expect(call("link.lie")[0] == 0 and os.path.islink("link.lie") and model.read_bytes() == good, "links are followed")
    wrong = b"model M { param a = ; }\n  "
    other.write_bytes(wrong)
    model.write_bytes(bad)
    status, _, message = call("b.lie", "a.lie")
    expect(status == 1 and other.read_bytes() == wrong and "LIE00" in message, "a file with errors stays, and the errors are told")
    expect(model.read_bytes() == good, "the other files are formatted")
    expect(call("none.lie")[0] == 2 and call()[0] == 2, "wrong usage")
    names = "model \u0394 {\n  param \u03b1   = 1;  // \u03b1\n  param \u03b2\u03b2\u03b2 = 2;  // \u03b2\n}\n".encode()
    expect(call("-", text=names)[1] == names, "names of letters beyond ASCII stand in columns")
    expect(call("-", text=b"\xef\xbb\xbf" + bad)[1] == b"\xef\xbb\xbf" + good, "a mark stays")
    expect(call("-", text=b"\xff\xfe")[0] == 1, "what is no text")
sys.exit(1 if failed else 0)
