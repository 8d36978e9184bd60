// What the page says besides scene and plots.
import katex from "katex";
import type { PageData, Pair } from "./data";
import { element } from "./format";

export function verdict(data: PageData): HTMLElement {
  const v = data.verdict;
  const line = element("p", { class: v.good ? "verdict good" : "verdict bad" });
  line.append(element("span", { class: "mark", "aria-hidden": "true" }, v.good ? "✓" : "!"), element("strong", {}, v.text));
  for (const fact of v.facts)
    line.append(element("span", { class: "fact" }, element("span", { class: "fact-name" }, fact.name), " ", fact.value));
  return line;
}

export function banner(data: PageData): HTMLElement | null {
  if (data.failure === undefined) return null;
  return element("p", { class: "banner", role: "alert" }, data.failure.text);
}

export function notes(list: string[] | undefined): HTMLElement | null {
  if (list === undefined || list.length === 0) return null;
  return element("ul", { class: "notes" }, ...list.map((text) => element("li", {}, text)));
}

function section(title: string, id: string, open: boolean, ...content: Node[]): HTMLElement {
  const box = element("details", { id, class: "section" }, element("summary", {}, element("h2", {}, title)), ...content);
  box.open = open;
  return box;
}

function table(pairs: Pair[]): HTMLElement {
  const body = element("tbody");
  for (const p of pairs) body.append(element("tr", {}, element("th", { scope: "row" }, p.name), element("td", {}, p.value)));
  return element("div", { class: "scroll" }, element("table", {}, body));
}

/** The blocks of a listing in LaTeX with the remarks (`% …`) before each. */
function blocks(listing: string): { title: string; latex: string }[] {
  const out: { title: string; latex: string }[] = [];
  let title = "";
  let lines: string[] = [];
  let inside = false;
  for (const line of listing.split("\n")) {
    if (inside) {
      lines.push(line);
      if (!line.startsWith("\\end{")) continue;
      out.push({ title, latex: lines.join("\n") });
      inside = false;
      lines = [];
      title = "";
    } else if (line.startsWith("\\begin{")) {
      inside = true;
      lines.push(line);
    } else if (line.startsWith("%")) {
      if (title !== "") out.push({ title, latex: "" });
      title = line.slice(1).trim();
    }
  }
  if (title !== "") out.push({ title, latex: "" });
  return out;
}

function typeset(latex: string): HTMLElement {
  const line = element("div", { class: "equation" });
  try {
    katex.render(latex, line, { displayMode: true, throwOnError: true, strict: false, trust: false, output: "html", maxSize: 50, maxExpand: 10000 });
  } catch {
    line.replaceChildren(element("pre", {}, latex)); // as it is written
    line.classList.add("plain");
  }
  return line;
}

/** Typeset when it is opened for the first time where there is much of it. */
function equations(data: PageData): HTMLElement | null {
  const text = data.equations ?? "";
  if (text === "") return null;
  const holder = element("div", { class: "equations" });
  const open = text.length < 20000;
  let done = false;
  const set = (): void => {
    if (done) return;
    done = true;
    blocks(text).forEach((b, i) => {
      if (b.title !== "" && i > 0) holder.append(element(b.latex === "" ? "p" : "h3", { class: "remark" }, b.title));
      if (b.latex !== "") holder.append(typeset(b.latex));
    });
  };
  const box = section("Equations", "equations", open, holder);
  if (open) set();
  box.addEventListener("toggle", set);
  return box;
}

export function sections(data: PageData): HTMLElement[] {
  const out: HTMLElement[] = [];
  const math = equations(data);
  if (math !== null) out.push(math);
  const numbers = element("div", { class: "columns" });
  if ((data.parameters ?? []).length > 0) numbers.append(element("div", {}, element("h3", {}, "Parameters"), table(data.parameters ?? [])));
  if ((data.initial ?? []).length > 0) numbers.append(element("div", {}, element("h3", {}, "Initial values"), table(data.initial ?? [])));
  if (numbers.childElementCount > 0) out.push(section("Parameters and initial values", "values", true, numbers));
  for (const [i, source] of (data.sources ?? []).entries())
    out.push(section(i === 0 ? `Source: ${source.name}` : source.name, `source-${i}`, i === 0, element("pre", { class: "source" }, source.text)));
  if ((data.provenance ?? []).length > 0) out.push(section("Provenance", "provenance", true, table(data.provenance ?? [])));
  return out;
}
