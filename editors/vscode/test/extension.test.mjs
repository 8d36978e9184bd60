// The extension against a stub of the editor's interface: VS Code itself cannot be run in the tests.
import assert from "node:assert";
import fs from "node:fs";
import Module from "node:module";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = process.env.LMC_ROOT ?? path.resolve(here, "../../..");
const lmc = process.env.LMC ?? path.join(root, "build/bin/lmc");

const settings = { path: "/nothing/of/this/name", log: "" };
const commands = new Map();
const messages = [];
const panes = [];
const shown = [];
const tasks = [];
const onSave = [];

/** Whatever the client's library looks for when it is loaded: classes and enumerations of any name. */
const anything = (known) =>
  new Proxy(known, {
    get: (target, name) => (name in target ? target[name] : typeof name === "string" && /^[A-Z]/.test(name) ? class {} : undefined),
  });
const stub = anything({
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    workspaceFolders: [],
    textDocuments: [],
    onDidSaveTextDocument: (f) => (onSave.push(f), { dispose() {} }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
    openTextDocument: async (d) => d,
  },
  window: {
    activeTextEditor: undefined,
    showErrorMessage: (text) => (messages.push(text), Promise.resolve(undefined)),
    showTextDocument: async (d) => shown.push(d.content),
    createWebviewPanel: (kind, title) => {
      const pane = { kind, title, webview: { html: "" }, reveal() {}, onDidDispose: (f) => (pane.close = f) };
      panes.push(pane);
      return pane;
    },
  },
  commands: { registerCommand: (name, f) => (commands.set(name, f), { dispose() {} }), executeCommand: async () => undefined },
  tasks: { executeTask: async (t) => tasks.push(t) },
  Task: class { constructor(...args) { this.execution = args[4]; } },
  ProcessExecution: class { constructor(program, args) { this.program = program; this.args = args; } },
  TaskScope: { Workspace: 2 },
  ViewColumn: { Beside: -2 },
  Uri: class {},
});

const load = Module._load;
Module._load = function (name, ...rest) {
  return name === "vscode" ? stub : load.call(this, name, ...rest);
};
const require = Module.createRequire(import.meta.url);
const extension = require("../out/extension.js");
const manifest = JSON.parse(fs.readFileSync(path.join(here, "../package.json"), "utf8"));

test("without the program there is one message, and the commands are there", async () => {
  await extension.activate({ subscriptions: [] });
  assert.equal(messages.length, 1);
  assert.match(messages[0], /lmc\.path says '\/nothing\/of\/this\/name'/);
  await commands.get("lmc.derive")(path.join(root, "examples/heavy_top.lie"));
  assert.equal(messages.length, 1);
  assert.deepEqual([...commands.keys()].sort(), manifest.contributes.commands.map((c) => c.command).sort());
});

test("equations, explanations and runs", async () => {
  settings.path = lmc;
  const file = path.join(root, "examples/heavy_top.lie");
  await commands.get("lmc.derive")(file);
  assert.match(shown.at(-1), /J\*Omega'/);
  await commands.get("lmc.explain")("LIE0100");
  assert.match(shown.at(-1), /LIE0100/);
  await commands.get("lmc.run")(file);
  assert.equal(tasks.at(-1).execution.program, lmc);
  assert.deepEqual(tasks.at(-1).execution.args, ["run", file]);
});

const page = path.join(path.dirname(lmc), "../share/lmc/view");
const skip = fs.existsSync(page) ? false : "the page of lmc view was not made (./dev page)";
test("the pane has the page, and it is made again when the file is saved", { skip }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lmc-test-"));
  const file = path.join(folder, "top.lie");
  fs.copyFileSync(path.join(root, "examples/heavy_top.lie"), file);
  await commands.get("lmc.view")(file);
  assert.equal(panes.length, 1);
  const first = panes[0].webview.html;
  assert.match(first, /<html/i);
  fs.writeFileSync(file, "model Broken {");
  panes[0].webview.html = "";
  onSave[0]({ uri: { fsPath: file } });
  for (let k = 0; k < 200 && panes[0].webview.html === ""; ++k) await new Promise((r) => setTimeout(r, 50));
  assert.match(panes[0].webview.html, /LIE00/);
  panes[0].close();
  onSave[0]({ uri: { fsPath: file } });
  fs.rmSync(folder, { recursive: true });
});

test("the lenses of the server have commands", () => {
  for (const name of ["run", "view", "derive", "verify", "explain"]) assert.ok(commands.has("lmc." + name));
});
