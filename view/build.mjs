// Makes dist/page.html: one shell with the code, the styles and the fonts in it, and a place for the data of a run.
//   node build.mjs [FILE]     default dist/page.html
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const file = process.argv[2] ?? join(here, "dist", "page.html");
const limit = 1.2e6; // bytes

// Of KaTeX's fonts the ones that equations of mechanics need, in one format.
const fonts = ["Main-Regular", "Main-Bold", "Main-Italic", "Math-Italic", "AMS-Regular", "Caligraphic-Regular", "Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular"];

async function styles() {
  const folder = join(here, "node_modules", "katex", "dist");
  const text = await readFile(join(folder, "katex.min.css"), "utf8");
  const faces = [];
  for (const face of text.match(/@font-face\{[^}]*\}/g) ?? []) {
    const name = /fonts\/KaTeX_([A-Za-z0-9-]+)\.woff2/.exec(face)?.[1];
    if (name === undefined || !fonts.includes(name)) continue;
    const data = await readFile(join(folder, "fonts", `KaTeX_${name}.woff2`));
    faces.push(face.replace(/src:[^}]*/, `src:url(data:font/woff2;base64,${data.toString("base64")}) format("woff2")`));
  }
  const plots = await readFile(join(here, "node_modules", "uplot", "dist", "uPlot.min.css"), "utf8");
  const own = await readFile(join(here, "src", "page.css"), "utf8");
  return faces.join("") + text.replace(/@font-face\{[^}]*\}/g, "") + plots + own;
}

const code = await build({
  entryPoints: [join(here, "src", "main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "ascii", // a page may be read in any encoding before its own is known
  legalComments: "eof",
  write: false,
});
const css = await build({ stdin: { contents: await styles(), loader: "css" }, minify: true, write: false });
const shell = await readFile(join(here, "src", "shell.html"), "utf8");
// A function as replacement: `$&` in the code stays what it is.
const put = (text, place, what) => text.replace(place, () => what);
let page = put(shell, "/*styles*/", css.outputFiles[0].text.trim());
page = put(page, "/*code*/", code.outputFiles[0].text.trim().replaceAll("</script", "<\\/script"));
const size = Buffer.byteLength(page);
if (size > limit) throw new Error(`the shell has ${size} bytes, more than ${limit}`);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, page);
