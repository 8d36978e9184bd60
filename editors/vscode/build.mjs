// Bundles the extension into out/; with --package also makes lmc.vsix.
import { execFileSync } from "node:child_process";
import { build } from "esbuild";

await build({ entryPoints: ["src/extension.ts"], outfile: "out/extension.js", bundle: true, platform: "node", target: "node18", format: "cjs", external: ["vscode"], minify: true, legalComments: "none" });
if (process.argv.includes("--package")) execFileSync("npx", ["vsce", "package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", "lmc.vsix"], { stdio: "inherit" });
