// The grammar on the files of the project, by the library that VS Code uses. What it paints as words of the language is
// compared with what the lexer of lmc takes for words in the same places (semantic tokens of `lmc lsp`).
import assert from "node:assert";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = process.env.LMC_ROOT ?? path.resolve(here, "../../..");
const lmc = process.env.LMC ?? path.join(root, "build/bin/lmc");

await oniguruma.loadWASM(fs.readFileSync(path.join(here, "../node_modules/vscode-oniguruma/release/onig.wasm")).buffer);
const file = path.join(here, "../syntaxes/lie.tmLanguage.json");
const registry = new textmate.Registry({
  onigLib: Promise.resolve({ createOnigScanner: (p) => new oniguruma.OnigScanner(p), createOnigString: (s) => new oniguruma.OnigString(s) }),
  loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
});
const grammar = await registry.loadGrammar("source.lie");

/** All models, libraries and methods of the project that are right. */
function models() {
  const wrong = ["tests/fuzz/", "tests/acceptance/errors/", "tests/editor/sessions/wrong.lie"];
  return ["docs", "examples", "runtime", "stdlib", "tests"]
    .flatMap((folder) => fs.readdirSync(path.join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`))
    .filter((name) => name.endsWith(".lie") && !wrong.some((w) => name.startsWith(w)))
    .sort()
    .map((name) => path.join(root, name));
}

/** The words of a text as the grammar paints them: "line:column word". */
function painted(text) {
  const words = new Set();
  let state = textmate.INITIAL;
  text.split("\n").forEach((line, row) => {
    const result = grammar.tokenizeLine(line.replace(/\r$/, ""), state);
    state = result.ruleStack;
    for (const t of result.tokens) {
      const scope = t.scopes[t.scopes.length - 1];
      const isWord = /^(storage\.type|keyword\.(control|declaration|other)|keyword\.operator\.logical)/.test(scope);
      const word = line.slice(t.startIndex, t.endIndex);
      if (isWord && word.trim() !== "") words.add(`${row}:${t.startIndex + (word.length - word.trimStart().length)} ${word.trim()}`);
    }
  });
  return words;
}

class Server {
  constructor() {
    this.process = spawn(lmc, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.number = 0;
    let buffer = Buffer.alloc(0);
    this.process.stdout.on("data", (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (;;) {
        const end = buffer.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, end).toString())[1]);
        if (buffer.length < end + 4 + length) return;
        const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
        buffer = buffer.subarray(end + 4 + length);
        if (this.waiting.has(message.id)) this.waiting.get(message.id)(message.result);
      }
    });
  }
  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }
  ask(method, params) {
    const id = ++this.number;
    this.send({ id, method, params });
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }
}

test("words are painted where the lexer has words", async () => {
  const server = new Server();
  const start = await server.ask("initialize", {});
  const keyword = start.capabilities.semanticTokensProvider.legend.tokenTypes.indexOf("keyword");
  let words = 0;
  const wrong = [];
  for (const name of models()) {
    const text = fs.readFileSync(name, "utf8");
    const uri = pathToFileURL(name).href;
    server.send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "lie", version: 1, text } } });
    const { data } = await server.ask("textDocument/semanticTokens/full", { textDocument: { uri } });
    server.send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
    const lines = text.split("\n");
    const expected = new Set();
    let row = 0, column = 0;
    for (let k = 0; k < data.length; k += 5) {
      column = data[k] === 0 ? column + data[k + 1] : data[k + 1];
      row += data[k];
      if (data[k + 3] === keyword) expected.add(`${row}:${column} ${lines[row].slice(column, column + data[k + 2])}`);
    }
    words += expected.size;
    const found = painted(text);
    for (const w of expected) if (!found.has(w)) wrong.push(`${path.relative(root, name)}:${w} is not painted`);
    for (const w of found) if (!expected.has(w)) wrong.push(`${path.relative(root, name)}:${w} is painted and no word`);
  }
  await server.ask("shutdown", {});
  server.send({ method: "exit" });
  assert.ok(words > 2000, `${words} words`);
  assert.deepEqual(wrong.slice(0, 20), []);
});

test("reserved words are words of the grammar", () => {
  const lexer = fs.readFileSync(path.join(root, "grammar/Lie.g4"), "utf8");
  const reserved = [...lexer.matchAll(/^[A-Z]+\s*:\s*'([a-z]+)'\s*;/gm)].map((m) => m[1]);
  assert.ok(reserved.length > 15);
  for (const word of reserved) assert.deepEqual([...painted(`${word} x`)], [`0:0 ${word}`]);
});

test("strings, comments and numbers", () => {
  const scopes = (line) => grammar.tokenizeLine(line, textmate.INITIAL).tokens.map((t) => [line.slice(t.startIndex, t.endIndex), t.scopes.at(-1)]);
  assert.ok(scopes('let a = "model"; // param').some(([text, scope]) => text === '"model"' && scope.startsWith("string")));
  assert.ok(scopes("x; // param b").some(([text, scope]) => text.includes("param b") && scope.startsWith("comment")));
  assert.ok(scopes("1..2").some(([text, scope]) => text === ".." && scope.includes("range")));
  assert.ok(scopes("a1 + 1.5e-3").some(([text, scope]) => text === "1.5e-3" && scope.startsWith("constant.numeric")));
  assert.ok(!scopes("a1").some(([, scope]) => scope.startsWith("constant.numeric")));
  assert.ok(scopes("\u03b1model").every(([, scope]) => !scope.startsWith("storage")));
});
