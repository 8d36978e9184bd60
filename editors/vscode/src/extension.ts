// The client of `lmc lsp`, and the commands of its lenses.
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { findProgram } from "./find";

let client: LanguageClient | undefined;
let told = false;
/** Panes with pages, by the model's file. */
const panes = new Map<string, vscode.WebviewPanel>();

function program(): string | undefined {
  const found = findProgram({
    setting: vscode.workspace.getConfiguration("lmc").get<string>("path", ""),
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    environment: process.env,
  });
  if ("program" in found) return found.program;
  if (!told) {
    told = true; // one message
    void vscode.window.showErrorMessage(found.message, "Open settings").then((choice) => {
      if (choice) void vscode.commands.executeCommand("workbench.action.openSettings", "lmc.path");
    });
  }
  return undefined;
}

async function start(): Promise<void> {
  const command = program();
  if (!command) return;
  const log = vscode.workspace.getConfiguration("lmc").get<string>("log", "");
  const args = ["lsp", ...(log === "" ? [] : ["--log", log])];
  client = new LanguageClient("lmc", "lmc", { command, args }, { documentSelector: [{ scheme: "file", language: "lie" }, { scheme: "untitled", language: "lie" }] });
  await client.start();
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.stop();
}

/** Runs lmc to its end. */
function output(args: string[]): Promise<{ status: number; text: string; errors: string }> {
  const command = program();
  if (!command) return Promise.resolve({ status: -1, text: "", errors: "" });
  return new Promise((resolve) => {
    childProcess.execFile(command, [...args, "--color", "never"], { maxBuffer: 1 << 28 }, (error, text, errors) => {
      const status = error ? (typeof error.code === "number" ? error.code : -1) : 0;
      resolve({ status, text, errors: errors || (error && status < 0 ? error.message : "") });
    });
  });
}

function fileOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  if (argument instanceof vscode.Uri) return argument.fsPath;
  const editor = vscode.window.activeTextEditor;
  return editor?.document.languageId === "lie" ? editor.document.uri.fsPath : undefined;
}

/** The text of a file is on the disk afterwards: lmc reads it there. */
async function saved(file: string): Promise<void> {
  const document = vscode.workspace.textDocuments.find((d) => d.uri.fsPath === file);
  if (document?.isDirty) await document.save();
}

async function inTerminal(subcommand: string, argument: unknown): Promise<void> {
  const file = fileOf(argument);
  const command = program();
  if (!file || !command) return;
  await saved(file);
  const task = new vscode.Task(
    { type: "lmc", subcommand },
    vscode.TaskScope.Workspace,
    `${subcommand} ${path.basename(file)}`,
    "lmc",
    new vscode.ProcessExecution(command, [subcommand, file], { cwd: path.dirname(file) }),
  );
  await vscode.tasks.executeTask(task);
}

async function show(language: string, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language, content: text });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}

async function derive(argument: unknown): Promise<void> {
  const file = fileOf(argument);
  if (!file) return;
  await saved(file);
  const result = await output(["derive", file]);
  if (result.status === 0) await show("plaintext", result.text);
  else if (result.errors !== "") void vscode.window.showErrorMessage(result.errors.split("\n", 1).join(""));
}

async function explain(argument: unknown): Promise<void> {
  const code = typeof argument === "string" ? argument : await vscode.window.showInputBox({ prompt: "Which message? (LIE0100)" });
  if (!code) return;
  const result = await output(["explain", code]);
  await show("plaintext", result.text || result.errors);
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}

/** Makes the page of a model and puts it into its pane. */
async function refresh(file: string): Promise<void> {
  const pane = panes.get(file);
  if (!pane) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lmc-"));
  try {
    const page = path.join(folder, "page.html");
    const result = await output(["view", file, "-o", page]);
    if (!panes.has(file)) return;
    // What is wrong is said; a run that ended early still has its page.
    pane.webview.html = fs.existsSync(page)
      ? fs.readFileSync(page, "utf8")
      : `<!DOCTYPE html><html><body><pre>${escaped(result.errors || "lmc was not found")}</pre></body></html>`;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function view(argument: unknown): Promise<void> {
  const file = fileOf(argument);
  if (!file) return;
  await saved(file);
  const known = panes.get(file);
  if (known) {
    known.reveal(vscode.ViewColumn.Beside, true);
  } else {
    const pane = vscode.window.createWebviewPanel("lmc.view", path.basename(file), { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
    pane.onDidDispose(() => panes.delete(file));
    panes.set(file, pane);
  }
  await refresh(file);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const commands: Record<string, (argument: unknown) => Promise<void>> = {
    "lmc.run": (argument) => inTerminal("run", argument),
    "lmc.verify": (argument) => inTerminal("verify", argument),
    "lmc.derive": derive,
    "lmc.view": view,
    "lmc.explain": explain,
    "lmc.restart": async () => {
      told = false;
      await stop();
      await start();
    },
  };
  for (const [name, action] of Object.entries(commands)) context.subscriptions.push(vscode.commands.registerCommand(name, action));
  context.subscriptions.push(
    vscode.workspace.onDidSaveTextDocument((document) => void refresh(document.uri.fsPath)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("lmc")) void vscode.commands.executeCommand("lmc.restart");
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
