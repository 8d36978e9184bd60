"""A client of `lmc lsp` for tests: where the words of the language stand in a text."""
import json
import subprocess

#: Folders of texts that are wrong on purpose, or no models of people.
WRONG = ("tests/fuzz/", "tests/acceptance/errors/", "tests/editor/sessions/wrong.lie", "tests/editor/sessions/typing.lie")


def models(root):
    """All models, libraries and methods of the project that are right."""
    folders = ("docs", "examples", "runtime", "stdlib", "tests")
    return [f for folder in folders for f in sorted((root / folder).rglob("*.lie"))
            if not f.relative_to(root).as_posix().startswith(WRONG)]


class Server:
    """The server over pipes: requests and their answers, one after the other."""

    def __init__(self, lmc):
        self._process = subprocess.Popen([lmc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})

    def _send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self._process.stdin.flush()

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params):
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            size = 0
            while (line := self._process.stdout.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            if not size:
                raise RuntimeError("the server has ended")
            message = json.loads(self._process.stdout.read(size))
            if message.get("id") == self._number:
                return message["result"]

    def words(self, path, text):
        """(line from 1, column from 0 in characters, word) of each word of the language in a text."""
        document = {"uri": path.as_uri(), "languageId": "lie", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        data = self.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": document["uri"]}})["data"]
        self.tell("textDocument/didClose", {"textDocument": {"uri": document["uri"]}})
        lines, found, row, column = text.splitlines(), [], 0, 0
        for rows, columns, length, kind, _ in zip(*[iter(data)] * 5):
            row, column = row + rows, columns if rows else column + columns
            if kind == 0:  # places are counted in units of UTF-16
                units = lines[row].encode("utf-16-le")
                before, word = units[:2 * column].decode("utf-16-le"), units[2 * column:2 * (column + length)].decode("utf-16-le")
                found.append((row + 1, len(before), word))
        return found

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.communicate(timeout=20)
