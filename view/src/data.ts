// The data of a page, as the tool writes them (README.md), and their numbers unpacked.

/** Numbers: written out, or as base64 of little-endian float32. */
export type Packed = number[] | string;

/** One argument of a shape: constant (one value for all members or one each), or a row for each sample. */
export interface Argument {
  /** Numbers of one value: 1 of a radius, 3 of a place, 4 of an orientation (x, y, z, w). */
  width: number;
  /** Samples times members times width; of a constant argument members times width. */
  values: Packed;
  constant?: boolean;
}

export type Kind =
  | "frame"
  | "box"
  | "ellipsoid"
  | "cylinder"
  | "ball"
  | "sphere"
  | "rod"
  | "arrow"
  | "trail"
  | "ground"
  | "label";

export interface ShapeData {
  name: string;
  kind: Kind;
  /** Members of a family; 1 of a single shape. */
  count: number;
  /** The first member's index, of a family. */
  first?: number;
  color?: string;
  opacity?: number;
  text?: string;
  /** Of a trail: seconds of model time that it shows. */
  last?: number;
  arguments: Record<string, Argument>;
}

export interface PlotData {
  title: string;
  /** Logarithmic; zeros are left out. */
  log?: boolean;
  note?: string;
  /** Times of its own, where they are not those of the samples. */
  times?: Packed;
  /** Values are `from` (0 where there is none) + `unit` (1) times the numbers. */
  series: { name: string; from?: number; unit?: number; values: Packed }[];
}

export interface Pair {
  name: string;
  value: string;
}

/** An event at which the state has jumped; without a name where that is not known. */
export interface Happened {
  name: string;
  time: number;
}

export interface PageData {
  version: number;
  title: string;
  file: string;
  verdict: { good: boolean; text: string; facts: Pair[] };
  /** The run ended here, for this reason. */
  failure?: { time: number; text: string };
  notes?: string[];
  /** The first of those at which the state has jumped, by time. */
  events?: Happened[];
  scene?: {
    /** Which way is up in the picture. */
    up?: [number, number, number];
    /** All happens in the plane of the first two axes. */
    flat?: boolean;
    /** Times of the samples, as float64 in base64 or as numbers. */
    times: Packed;
    /** Model seconds that pass in one second of showing. */
    speed: number;
    fps: number;
    shapes: ShapeData[];
    caption?: string;
  };
  plots?: PlotData[];
  /** Times of the plots' points. */
  plotTimes?: Packed;
  /** As `lmc derive --format latex` prints them: titles after `%`, each before its block. */
  equations?: string;
  parameters?: Pair[];
  initial?: Pair[];
  sources?: { name: string; text: string }[];
  provenance?: Pair[];
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

export function unpack(packed: Packed): Float32Array {
  return typeof packed === "string" ? new Float32Array(bytes(packed)) : Float32Array.from(packed);
}

export function unpackTimes(packed: Packed): Float64Array {
  return typeof packed === "string" ? new Float64Array(bytes(packed)) : Float64Array.from(packed);
}

/** An argument with its numbers; `at` fills `out` with the value of a member at a time between two samples. */
export class Values {
  readonly width: number;
  readonly count: number;
  readonly numbers: Float32Array;
  private readonly stride: number;
  private readonly step: number;

  constructor(argument: Argument, count: number) {
    this.width = argument.width;
    this.numbers = unpack(argument.values);
    const own = this.numbers.length === this.width ? 1 : count;
    this.count = own;
    this.step = own === 1 && argument.constant === true ? 0 : this.width;
    this.stride = argument.constant === true ? 0 : count * this.width;
  }

  /** Numbers from `sample` (whole) on by the fraction `f` towards the next. */
  at(sample: number, f: number, member: number, out: number[]): number[] {
    const a = sample * this.stride + member * this.step;
    const b = f > 0 && this.stride > 0 ? a + this.stride : a;
    for (let k = 0; k < this.width; ++k) {
      const x = this.numbers[a + k] ?? NaN;
      out[k] = f > 0 && b !== a ? x + f * ((this.numbers[b + k] ?? NaN) - x) : x;
    }
    return out;
  }

  /** The same of a unit quaternion: along the shortest arc. */
  turn(sample: number, f: number, member: number, out: number[]): number[] {
    const a = sample * this.stride + member * this.step;
    const b = f > 0 && this.stride > 0 ? a + this.stride : a;
    let dot = 0;
    for (let k = 0; k < 4; ++k) dot += (this.numbers[a + k] ?? 0) * (this.numbers[b + k] ?? 0);
    const sign = dot < 0 ? -1 : 1;
    const angle = Math.acos(Math.min(1, dot * sign));
    const small = angle < 1e-4;
    const wa = small ? 1 - f : Math.sin((1 - f) * angle) / Math.sin(angle);
    const wb = (small ? f : Math.sin(f * angle) / Math.sin(angle)) * sign;
    for (let k = 0; k < 4; ++k)
      out[k] = a === b ? (this.numbers[a + k] ?? 0) : wa * (this.numbers[a + k] ?? 0) + wb * (this.numbers[b + k] ?? 0);
    return out;
  }
}

/** The sample at or before a time, and the fraction of the way to the next. */
export function find(times: Float64Array, t: number): { sample: number; f: number } {
  let lo = 0;
  let hi = times.length - 1;
  if (hi < 0) return { sample: 0, f: 0 };
  if (t >= (times[hi] ?? 0)) return { sample: hi, f: 0 };
  if (t <= (times[0] ?? 0)) return { sample: 0, f: 0 };
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if ((times[mid] ?? 0) <= t) lo = mid;
    else hi = mid;
  }
  const a = times[lo] ?? 0;
  const b = times[hi] ?? 0;
  return { sample: lo, f: b > a ? (t - a) / (b - a) : 0 };
}
