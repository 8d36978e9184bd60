// Where the program is.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

export interface Search {
  setting: string; // as the user wrote it; empty: nothing
  folders: string[]; // that are open
  environment: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What the setting means: `~` is the home folder, other relative names are of the first open folder. */
function fromSetting(setting: string, folders: string[]): string {
  if (setting === "~" || setting.startsWith("~/")) return path.join(os.homedir(), setting.slice(1));
  const first = folders[0];
  if (path.isAbsolute(setting) || !setting.includes(path.sep) || first === undefined) return setting;
  return path.join(first, setting);
}

/** The program: by the setting, else on PATH, else in the usual places; or what to tell the user. */
export function findProgram(search: Search): { program: string } | { message: string } {
  const name = (search.platform ?? process.platform) === "win32" ? "lmc.exe" : "lmc";
  const onPath = (file: string) =>
    (search.environment.PATH ?? "")
      .split(path.delimiter)
      .filter((folder) => folder !== "")
      .map((folder) => path.join(folder, file))
      .find(runs);
  if (search.setting !== "") {
    const wanted = fromSetting(search.setting, search.folders);
    const program = wanted.includes(path.sep) ? (runs(wanted) ? wanted : undefined) : onPath(wanted);
    return program
      ? { program }
      : { message: `The setting lmc.path says '${search.setting}', and there is no such program.` };
  }
  const usual = [
    ...search.folders.map((folder) => path.join(folder, "build", "bin", name)),
    path.join(os.homedir(), ".local", "bin", name),
    path.join("/usr/local/bin", name),
    path.join("/usr/bin", name),
  ];
  const program = onPath(name) ?? usual.find(runs);
  return program
    ? { program }
    : { message: "The program lmc was not found on PATH or in the usual places: install it, or set lmc.path. Colours work without it." };
}
