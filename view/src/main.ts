// Puts the page together from the data that the tool has left in it.
import { isDark } from "./colors";
import { bar, captionAt, filmed, keys, legend, tools } from "./controls";
import { type PageData, unpackTimes } from "./data";
import { element, shown } from "./format";
import { Player } from "./player";
import { Plots } from "./plots";
import { Scene } from "./scene";
import { banner, notes, sections, verdict } from "./sections";

/** What tests ask the page. */
interface Probe {
  shapes(t?: number): ReturnType<Scene["report"]>;
  pixels(): Record<string, number>;
  seek(t: number): void;
  time(): number;
  playing(): boolean;
  plots(): number;
  webgl: boolean;
  /** The picture alone, as large as the window: for films and stills. False where there is none. */
  film(): boolean;
  /** Draws the picture of a time at once. */
  frame(t: number): void;
  /** The picture of the present time as SVG, or why there is none. */
  vector(): { svg?: string; reason?: string };
  /** How many events the plots mark. */
  events(): number;
  /** What a film of the whole run shows. */
  range(): { from: number; to: number; speed: number; fps: number };
}

function span(data: PageData): { from: number; to: number } {
  const times = data.scene !== undefined ? unpackTimes(data.scene.times) : data.plotTimes !== undefined ? unpackTimes(data.plotTimes) : new Float64Array();
  return { from: times[0] ?? 0, to: times[times.length - 1] ?? 0 };
}

function addScene(data: PageData, page: HTMLElement, player: Player): Scene | null {
  if (data.scene === undefined) return null;
  const stage = element("div", { class: "stage" });
  const figure = element("figure", { class: "scene" }, stage);
  page.append(figure);
  let scene: Scene;
  try {
    scene = new Scene(data.scene, stage);
  } catch {
    stage.replaceChildren(element("p", { class: "note" }, "The picture needs WebGL, which this browser does not offer here. Plots and equations follow."));
    stage.classList.add("empty");
    return null;
  }
  figure.append(tools(data, scene, player), legend(scene));
  const large = scene.shapes.filter((s) => s.enlarged).map((s) => s.data.name);
  const scale = `${large.length > 0 ? `Larger than in the model, to be seen: ${large.join(", ")}. ` : ""}Grid: ${shown(scene.mesh)} wide. Drag to look round, scroll to come closer; space plays, arrows step.`;
  figure.append(element("figcaption", { class: "caption" }, data.scene.caption === undefined ? scale : `${data.scene.caption} ${scale}`));
  player.onTime((t) => scene.show(t));
  return scene;
}

function themeButton(recolor: () => void): HTMLElement {
  const b = element("button", { type: "button", class: "theme", title: "Light or dark" }, "◐");
  b.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    recolor();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
  return b;
}

function main(): void {
  const data = JSON.parse(document.getElementById("lmc-data")?.textContent ?? "{}") as PageData;
  const page = document.getElementById("page");
  if (page === null) return;
  document.title = data.title;
  const { from, to } = span(data);
  const player = new Player(from, to, data.scene?.speed ?? Math.max(1e-9, (to - from) / 12), data.scene?.fps ?? 30);
  const header = element("header", {}, element("h1", {}, data.title), element("span", { class: "file" }, data.file));
  page.append(header, verdict(data));
  const failure = banner(data);
  if (failure !== null) page.append(failure);
  const remarks = notes(data.notes);
  if (remarks !== null) page.append(remarks);
  const scene = addScene(data, page, player);
  if (to > from) page.append(bar(player, data.events ?? []));
  const plots = element("div", { class: "plots" });
  page.append(plots);
  const drawn = new Plots(data, plots, player);
  page.append(...sections(data));
  header.append(
    themeButton(() => {
      scene?.recolor();
      drawn.recolor();
    }),
  );
  keys(player);
  player.seek(from);
  const probe: Probe = {
    shapes: (t) => scene?.report(t ?? player.time) ?? [],
    pixels: () => scene?.pixels() ?? {},
    seek: (t) => player.seek(t),
    time: () => player.time,
    playing: () => player.playing,
    plots: () => drawn.count,
    webgl: scene !== null,
    film: () => {
      if (scene === null) return false;
      filmed(data, scene, player);
      return true;
    },
    frame: (t) => {
      player.pause();
      player.seek(t);
      scene?.drawNow();
    },
    vector: () => scene?.vector(captionAt(data, player.time)) ?? { reason: "there is no picture" },
    events: () => data.events?.length ?? 0,
    range: () => ({ from, to, speed: player.speed, fps: player.fps }),
  };
  Object.assign(window, { lmc: probe });
}

main();
