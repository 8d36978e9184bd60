// Plots over time with one cursor, which is that of the scene too.
import uPlot from "uplot";
import { cssColor, dashes, paletteColor } from "./colors";
import { type PageData, type PlotData, unpack, unpackTimes } from "./data";
import { element, shown, ticks } from "./format";
import type { Player } from "./player";

const height = 190;

interface Drawn {
  plot: uPlot;
  cursor: HTMLElement;
  holder: HTMLElement;
  values: (number | null)[][];
  outputs: HTMLElement[];
  times: Float64Array;
}

export class Plots {
  private readonly drawn: Drawn[] = [];

  constructor(
    private readonly data: PageData,
    private readonly holder: HTMLElement,
    private readonly player: Player,
  ) {
    this.build();
    player.onTime((t) => this.show(t));
    new ResizeObserver(() => this.resize()).observe(holder);
  }

  get count(): number {
    return this.drawn.length;
  }

  private build(): void {
    this.holder.replaceChildren();
    this.drawn.length = 0;
    const common = this.data.plotTimes === undefined ? new Float64Array() : unpackTimes(this.data.plotTimes);
    const events = this.data.events ?? [];
    if (events.length > 0) {
      // Of a run that comes from a file nobody knows the names.
      const names = [...new Set(events.map((e) => e.name))].filter((name) => name !== "");
      const which = names.length > 0 ? ` (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""})` : "";
      this.holder.append(element("p", { class: "note events" }, `Dotted lines: the state jumps${which}.`));
    }
    for (const plot of this.data.plots ?? []) this.add(plot, plot.times === undefined ? common : unpackTimes(plot.times));
    this.show(this.player.time);
  }

  /** Again, in other colours. */
  recolor(): void {
    for (const d of this.drawn) d.plot.destroy();
    this.build();
  }

  private add(data: PlotData, times: Float64Array): void {
    const box = element("figure", { class: "plot" });
    const caption = element("figcaption", {}, element("span", { class: "plot-title" }, data.title));
    const outputs: HTMLElement[] = [];
    const values = data.series.map((s) =>
      Array.from(unpack(s.values), (y) => {
        const x = (s.from ?? 0) + (s.unit ?? 1) * y;
        return Number.isFinite(x) && (data.log !== true || x > 0) ? x : null;
      }),
    );
    data.series.forEach((s, i) => {
      const value = element("output", {});
      outputs.push(value);
      const key = element("span", { class: "key" });
      key.innerHTML = keyLine(i);
      caption.append(element("span", { class: "series" }, key, s.name, " ", value));
    });
    if (data.note !== undefined) caption.append(element("span", { class: "note" }, data.note));
    const stage = element("div", { class: "plot-stage" });
    box.append(caption, stage);
    this.holder.append(box);
    const empty = values.every((v) => v.every((x) => x === null));
    if (empty && data.log === true) {
      stage.append(element("p", { class: "note" }, "zero to all digits at all times"));
      return;
    }
    const scale = scaleOf(values, data.log === true);
    const given = values.map((v) => v.map((x) => (x === null ? x : (x - scale.from) / scale.unit)));
    const plot = new uPlot(this.options(data, stage, scale), [Array.from(times), ...given] as uPlot.AlignedData, stage);
    const cursor = element("div", { class: "plot-cursor" });
    plot.over.append(cursor);
    this.drawn.push({ plot, cursor, holder: stage, values, outputs, times });
    this.hover(plot);
  }

  private options(data: PlotData, stage: HTMLElement, { from, unit }: Scale): uPlot.Options {
    const ink = cssColor("--soft") || "#555";
    const grid = { stroke: cssColor("--grid") || "#ddd", width: 1 };
    const axis: uPlot.Axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui, sans-serif" };
    const format = (_: uPlot, splits: (number | null)[]): string[] => ticks(splits);
    return {
      width: Math.max(200, stage.clientWidth),
      height,
      legend: { show: false },
      hooks: { draw: [(u) => this.marks(u)] },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false }, y: data.log === true ? { distr: 3, range: decades } : { range: around } },
      axes: [
        { ...axis, values: format, size: 34, space: 60 },
        data.log === true
          ? { ...axis, ...logarithmic, size: 66 }
          : { ...axis, values: (_, v) => ticks(v.map((x) => (x === null ? x : from + unit * x))), size: 66, space: 28 },
      ],
      series: [
        {},
        ...data.series.map((s, i) => ({
          label: s.name,
          stroke: paletteColor(i),
          width: 1.8,
          dash: dashes[i % dashes.length] ?? [],
          points: { show: false },
          spanGaps: data.log === true,
        })),
      ],
    };
  }

  /** Thin lines where the state has jumped. */
  private marks(u: uPlot): void {
    const events = this.data.events ?? [];
    if (events.length === 0) return;
    const { left, top, width, height: tall } = u.bbox;
    u.ctx.save();
    u.ctx.strokeStyle = cssColor("--soft") || "#555";
    u.ctx.globalAlpha = 0.55;
    u.ctx.lineWidth = 1;
    u.ctx.setLineDash([2, 4]);
    u.ctx.beginPath();
    let last = -Infinity;
    for (const e of events) {
      const x = Math.round(u.valToPos(e.time, "x", true)) + 0.5;
      if (x < left || x > left + width || x - last < 2) continue;
      last = x;
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + tall);
    }
    u.ctx.stroke();
    u.ctx.restore();
  }

  private hover(plot: uPlot): void {
    const move = (e: PointerEvent): void => {
      if (e.type === "pointermove" && e.pointerType !== "mouse" && e.buttons === 0) return;
      const box = plot.over.getBoundingClientRect();
      this.player.pause();
      this.player.seek(plot.posToVal(e.clientX - box.left, "x"));
    };
    plot.over.addEventListener("pointermove", move);
    plot.over.addEventListener("pointerdown", move);
  }

  private show(t: number): void {
    for (const d of this.drawn) {
      const x = d.plot.valToPos(t, "x");
      d.cursor.style.transform = `translateX(${x}px)`;
      const at = nearest(d.times, t);
      d.outputs.forEach((output, i) => {
        const value = d.values[i]?.[at];
        output.textContent = value === undefined || value === null ? "" : shown(value, 4);
      });
    }
  }

  private resize(): void {
    for (const d of this.drawn) d.plot.setSize({ width: Math.max(200, d.holder.clientWidth), height });
    this.show(this.player.time);
  }
}

/** Numbers as uPlot is given them, and back. */
interface Scale {
  from: number;
  unit: number;
}

/**
 * uPlot calculates ticks to 24 decimals and 1e32, and takes what differs by less than 1e-10 for one number. So numbers of
 * a linear axis that hardly differ are given as differences, and large and small ones in a power of ten.
 */
function scaleOf(values: (number | null)[][], log: boolean): Scale {
  let lo = Infinity;
  let hi = -Infinity;
  for (const series of values)
    for (const x of series) {
      if (x === null) continue;
      lo = Math.min(lo, x);
      hi = Math.max(hi, x);
    }
  const scale: Scale = { from: 0, unit: 1 };
  if (log || !(lo <= hi)) return scale;
  const half = hi / 2 - lo / 2;
  if (half > 0 && half < 5e-5 * Math.max(Math.abs(lo), Math.abs(hi))) {
    const middle = lo + half;
    const digits = Math.ceil(Math.log10(Math.abs(middle) / (2 * half)));
    scale.from = Number(middle.toPrecision(Math.min(17, Math.max(1, digits))));
  }
  const size = Math.max(Math.abs(lo - scale.from), Math.abs(hi - scale.from));
  if (size > 1e12 || (size > 0 && size < 1e-9)) scale.unit = Number(`1e${Math.floor(Math.log10(size))}`);
  return scale;
}

/** An axis of powers of ten; of the distance of ticks uPlot wants to know then that there is room. */
const logarithmic: uPlot.Axis = {
  incrs: (_u, _axis, min, max) => [Math.max(5, max - min)],
  splits: (u) => powers(u),
  filter: (_, v) => v,
  values: (_, v) => v.map((x) => shown(x, 2)),
};

/** Whole decades around the values. */
function decades(_: uPlot, min: number | null, max: number | null): [number, number] {
  const lo = min === null || min <= 0 ? 1e-17 : min;
  const hi = max === null || max <= 0 ? 1 : max;
  return [10 ** Math.floor(Math.log10(lo)), 10 ** Math.ceil(Math.log10(hi * 1.0001))];
}

/** Round numbers around the values; of what stays zero one on either side. */
function around(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === 0 && max === 0) return [-1, 1];
  return min === null || max === null ? [null, null] : uPlot.rangeNum(min, max, 0.1, true);
}

/** Powers of ten, six at most. */
function powers(u: uPlot): number[] {
  const lo = Math.round(Math.log10(u.scales["y"]?.min ?? 1e-17));
  const hi = Math.round(Math.log10(u.scales["y"]?.max ?? 1));
  const step = Math.max(1, Math.ceil((hi - lo) / 5));
  return Array.from({ length: Math.floor((hi - lo) / step) + 1 }, (_, k) => Number(`1e${lo + k * step}`));
}

function nearest(times: Float64Array, t: number): number {
  let lo = 0;
  let hi = times.length - 1;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if ((times[mid] ?? 0) <= t) lo = mid;
    else hi = mid;
  }
  return hi >= 0 && Math.abs((times[hi] ?? 0) - t) < Math.abs((times[lo] ?? 0) - t) ? hi : lo;
}

function keyLine(i: number): string {
  const dash = (dashes[i % dashes.length] ?? []).join(" ");
  return `<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="${paletteColor(i)}" stroke-width="2.4" stroke-dasharray="${dash}"/></svg>`;
}
