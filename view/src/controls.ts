// The bar under the picture, keys, the legend, pictures and films for saving.
import type { Happened, PageData } from "./data";
import { element, shown } from "./format";
import type { Player } from "./player";
import { axisColors } from "./shapes";
import type { Scene, View } from "./scene";

export function save(blob: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function button(text: string, title: string, action: () => void): HTMLButtonElement {
  const b = element("button", { type: "button", title }, text);
  b.addEventListener("click", action);
  return b;
}

/** Play, time, speed. */
export function bar(player: Player, events: readonly Happened[]): HTMLElement {
  const play = button("▶", "Play or pause (space)", () => player.toggle());
  play.classList.add("play");
  const scrub = element("input", { type: "range", class: "scrub", min: "0", max: "1", step: "any", "aria-label": "Time" });
  const time = element("output", { class: "time" });
  const marks = eventMarks(player, events);
  if (marks !== null) scrub.setAttribute("list", marks.id);
  const speed = element("select", { class: "speed", title: "Speed", "aria-label": "Speed" });
  const base = player.speed;
  for (const factor of [0.1, 0.25, 0.5, 1, 2, 4, 10]) {
    const option = element("option", { value: String(base * factor) }, `${shown(base * factor, 3)} × real time`);
    option.selected = factor === 1;
    speed.append(option);
  }
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  scrub.addEventListener("input", () => {
    player.pause();
    player.seek(player.from + Number(scrub.value) * (player.to - player.from));
  });
  const digits = Math.min(8, Math.max(3, Math.ceil(Math.log10(Math.max(1, (player.to - player.from) / Math.max(player.speed / player.fps, 1e-12)))) + 1));
  player.onTime((t) => {
    scrub.value = String(player.to > player.from ? (t - player.from) / (player.to - player.from) : 0);
    time.textContent = `t = ${shown(t, digits)}`;
  });
  player.onState(() => {
    play.textContent = player.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
  });
  return element("div", { class: "bar" }, play, scrub, ...(marks === null ? [] : [marks]), time, speed);
}

/** Where events lie on the bar, as far as they can be told apart. */
function eventMarks(player: Player, events: readonly Happened[]): HTMLDataListElement | null {
  if (events.length === 0 || !(player.to > player.from)) return null;
  const marks = element("datalist", { id: "lmc-events" });
  let last = -1;
  for (const e of events) {
    const at = (e.time - player.from) / (player.to - player.from);
    if (at < 0 || at > 1 || at - last < 0.004) continue;
    last = at;
    marks.append(element("option", { value: String(at), label: e.name }));
  }
  return marks;
}

export function tools(data: PageData, scene: Scene, player: Player): HTMLElement {
  const views: [View, string][] = [
    ["fit", "Fit"],
    ["front", "Front"],
    ["side", "Side"],
    ["top", "Top"],
  ];
  const row = element("div", { class: "tools" });
  for (const [view, text] of views) row.append(button(text, `Look: ${text.toLowerCase()}`, () => scene.look(view)));
  row.append(element("span", { class: "gap" }));
  row.append(
    button("PNG", "Save this picture", () => {
      scene.still(captionAt(data, player.time)).toBlob((blob) => blob !== null && save(blob, `${data.title}.png`));
    }),
  );
  const film = button("WebM", "Save a film of the whole run", () => record(data, scene, player, film));
  if (typeof MediaRecorder === "undefined") film.disabled = true;
  row.append(film);
  return row;
}

export function captionAt(data: PageData, t: number): string {
  return `${data.title}   t = ${shown(t, 5)}`;
}

/** Leaves the picture alone on the page, with its title and the time. */
export function filmed(data: PageData, scene: Scene, player: Player): void {
  document.documentElement.classList.add("film");
  document.documentElement.dataset["theme"] = "light";
  const text = element("div", { class: "film-caption" });
  scene.holder.append(text);
  player.onTime((t) => {
    text.textContent = captionAt(data, t);
  });
  scene.recolor();
  scene.resize();
  scene.look("fit");
  player.seek(player.time);
}

/** Plays once from the begin and keeps what is seen. */
function record(data: PageData, scene: Scene, player: Player, film: HTMLButtonElement): void {
  const stage = scene.still(captionAt(data, player.time));
  const pen = stage.getContext("2d");
  if (pen === null) return;
  const recorder = new MediaRecorder(stage.captureStream(player.fps), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  const parts: Blob[] = [];
  let running = true;
  const paint = (): void => {
    if (!running) return;
    pen.drawImage(scene.still(captionAt(data, player.time)), 0, 0, stage.width, stage.height);
    requestAnimationFrame(paint);
  };
  recorder.addEventListener("dataavailable", (e) => parts.push(e.data));
  recorder.addEventListener("stop", () => save(new Blob(parts, { type: "video/webm" }), `${data.title}.webm`));
  player.pause();
  player.seek(player.from);
  film.disabled = true;
  recorder.start();
  paint();
  player.play();
  player.onState(() => {
    if (player.playing || !running) return;
    running = false;
    film.disabled = false;
    recorder.stop();
  });
}

/** Names and colours; a click hides a shape. */
export function legend(scene: Scene): HTMLElement {
  const list = element("div", { class: "legend", role: "group", "aria-label": "Shapes" });
  scene.shapes.forEach((s, i) => {
    if (s.data.kind === "label" || s.data.name === "") return;
    const swatch = element("span", { class: `swatch ${s.data.kind}` });
    if (s.data.kind === "frame") {
      for (const c of axisColors) swatch.append(element("i", { style: `background:${c}` }));
    } else swatch.style.background = s.color;
    const name = s.count > 1 ? `${s.data.name} (${s.count})` : s.data.name;
    const item = element("button", { type: "button", "aria-pressed": "true", title: `Show or hide ${s.data.name}` }, swatch, name);
    item.addEventListener("click", () => {
      const visible = item.getAttribute("aria-pressed") !== "true";
      item.setAttribute("aria-pressed", String(visible));
      scene.setVisible(i, visible);
      scene.show(scene.time);
    });
    list.append(item);
  });
  return list;
}

/** Keys of the whole page; not where something is typed or chosen. */
export function keys(player: Player): void {
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement | null;
    const tag = target?.tagName ?? "";
    if (e.ctrlKey || e.metaKey || e.altKey || tag === "SELECT" || tag === "TEXTAREA") return;
    if (e.key === " " && (tag === "BUTTON" || tag === "SUMMARY") && target?.classList.contains("play") !== true) return;
    const many = e.shiftKey ? 10 : 1;
    if (e.key === " ") player.toggle();
    else if (e.key === "ArrowRight") player.step(many);
    else if (e.key === "ArrowLeft") player.step(-many);
    else if (e.key === "Home") player.seek(player.from);
    else if (e.key === "End") player.seek(player.to);
    else return;
    e.preventDefault();
  });
}
