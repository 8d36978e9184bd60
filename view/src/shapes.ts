// The shapes of a scene: one drawing call for all members of a family.
import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { type ShapeData, Values } from "./data";

export type Vector = [number, number, number];

/** What a shape is at a time, for tests: one entry for each member. */
export interface Placed {
  at?: number[];
  turned?: number[];
  to?: number[];
  along?: number[];
}

/** A colour as CSS knows it; three's own names are the same. */
export function colorOf(text: string): THREE.Color {
  return new THREE.Color().setStyle(text, THREE.SRGBColorSpace);
}

/** One shape: drawn, and asked where it is. */
export abstract class Shape {
  readonly data: ShapeData;
  readonly color: string;
  readonly object = new THREE.Group();
  protected readonly values: Record<string, Values> = {};
  visible = true;

  constructor(data: ShapeData, color: string) {
    this.data = data;
    this.color = color;
    for (const [name, argument] of Object.entries(data.arguments)) this.values[name] = new Values(argument, data.count);
  }

  get count(): number {
    return this.data.count;
  }

  protected vector(name: string, standard: number[], s: number, f: number, member: number, out: number[]): number[] {
    const v = this.values[name];
    if (v !== undefined) return v.at(s, f, member, out);
    for (let k = 0; k < standard.length; ++k) out[k] = standard[k] ?? 0;
    return out;
  }
  protected quaternion(name: string, s: number, f: number, member: number, out: number[]): number[] {
    const v = this.values[name];
    if (v !== undefined) return v.turn(s, f, member, out);
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    return out;
  }

  /** Moves the drawing to a time between two samples. */
  abstract update(s: number, f: number, t: number): void;
  /** The length of what has none of its own: frames, heads of arrows. */
  abstract setScale(length: number): void;
  placed(s: number, f: number, member: number): Placed {
    const out: Placed = {};
    for (const name of ["at", "from"])
      if (this.values[name] !== undefined) out.at = this.vector(name, [0, 0, 0], s, f, member, []);
    if (out.at === undefined) out.at = [0, 0, 0];
    for (const name of ["to", "along"] as const)
      if (this.values[name] !== undefined) out[name] = this.vector(name, [0, 0, 0], s, f, member, []);
    if (this.values["turned"] !== undefined) out.turned = this.quaternion("turned", s, f, member, []);
    return out;
  }
  /** Whether it is drawn larger than it is. */
  get enlarged(): boolean {
    return false;
  }
  /** The largest extent beyond its place. */
  reach(): number {
    let largest = 0;
    for (const x of this.values["radius"]?.numbers ?? []) largest = Math.max(largest, Math.abs(x));
    return largest;
  }
  /** Places of a sample that a picture should hold. */
  extent(s: number, add: (p: number[]) => void): void {
    const p: number[] = [];
    for (let m = 0; m < this.count; ++m) {
      for (const name of ["at", "from", "to", "of"])
        if (this.values[name] !== undefined) add(this.vector(name, [0, 0, 0], s, 0, m, p));
    }
  }
}

const matrix = new THREE.Matrix4();
const place = new THREE.Vector3();
const turn = new THREE.Quaternion();
const local = new THREE.Quaternion();
const sizes = new THREE.Vector3();
const up = new THREE.Vector3(0, 1, 0);
const direction = new THREE.Vector3();
const scratch: number[][] = [[], [], [], []];

function material(data: ShapeData, color: string): THREE.MeshStandardMaterial {
  const opacity = data.opacity ?? 1;
  return new THREE.MeshStandardMaterial({
    color: colorOf(color),
    roughness: 0.55,
    metalness: 0.05,
    opacity,
    transparent: opacity < 1,
    depthWrite: opacity >= 0.5,
  });
}

/** A bar from the origin along y of length 1. */
function bar(radius: number, sides: number): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(radius, radius, 1, sides).translate(0, 0.5, 0);
}

/** Members with a place, an orientation and three lengths. */
export class Solid extends Shape {
  private readonly mesh: THREE.InstancedMesh;
  private scale = 1;
  /** Balls are drawn at least so large, some pixels, however large the scene is. */
  private least = 0;

  constructor(data: ShapeData, color: string) {
    super(data, color);
    this.mesh = new THREE.InstancedMesh(this.geometry(), this.surface(), data.count);
    this.mesh.frustumCulled = false;
    this.object.add(this.mesh);
  }

  private geometry(): THREE.BufferGeometry {
    const many = this.data.count > 200;
    switch (this.data.kind) {
      case "box":
        return new THREE.BoxGeometry(1, 1, 1);
      case "cylinder": {
        // A spoke on the caps and a line along the side show that it turns.
        const round = new THREE.CylinderGeometry(0.5, 0.5, 1, many ? 12 : 40).rotateX(Math.PI / 2);
        const spoke = new THREE.BoxGeometry(0.5, 0.06, 1.02).translate(0.252, 0, 0);
        return marked(round, spoke);
      }
      case "frame":
        return axes();
      default:
        return new THREE.SphereGeometry(this.data.kind === "ellipsoid" ? 0.5 : 1, many ? 12 : 32, many ? 8 : 20);
    }
  }

  private surface(): THREE.Material {
    if (this.data.kind === "frame") return new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.6 });
    const surface = material(this.data, this.color);
    if (this.data.kind === "cylinder") surface.vertexColors = true;
    return surface;
  }

  setScale(length: number): void {
    this.scale = length;
    this.least = this.data.kind === "ball" ? 0.015 * length : 0;
  }
  override get enlarged(): boolean {
    return this.reach() < this.least && this.values["radius"] !== undefined;
  }
  /** As far as corners, edges of caps, and tips of axes. */
  override reach(): number {
    const size = this.values["size"];
    if (size === undefined) return super.reach();
    let largest = 0;
    for (let k = 0; k < size.numbers.length; k += size.width) {
      const x = Math.abs(size.numbers[k] ?? 0);
      const y = size.width > 1 ? Math.abs(size.numbers[k + 1] ?? 0) : x;
      const z = size.width > 2 ? Math.abs(size.numbers[k + 2] ?? 0) : x;
      const most = Math.max(x, y, z);
      if (this.data.kind === "frame") largest = Math.max(largest, most);
      else if (this.data.kind === "box") largest = Math.max(largest, Math.hypot(x, y, z) / 2);
      else if (this.data.kind === "cylinder") largest = Math.max(largest, Math.hypot(Math.max(x, y), z) / 2);
      else largest = Math.max(largest, most / 2);
    }
    return largest;
  }

  private lengths(s: number, f: number, m: number): void {
    const kind = this.data.kind;
    if (kind === "ball" || kind === "sphere") {
      const r = this.values["radius"] === undefined ? 0.12 * this.scale : Math.max(this.vector("radius", [1], s, f, m, scratch[2] ?? [])[0] ?? 1, this.least);
      sizes.set(r, r, r);
    } else if (this.values["size"] === undefined) {
      const length = kind === "frame" ? this.scale : this.scale / 2;
      sizes.set(length, length, length);
    } else {
      const v = this.vector("size", [1, 1, 1], s, f, m, scratch[2] ?? []);
      sizes.set(v[0] ?? 1, v[1] ?? v[0] ?? 1, v[2] ?? v[0] ?? 1);
    }
  }

  update(s: number, f: number): void {
    for (let m = 0; m < this.count; ++m) {
      place.fromArray(this.vector("at", [0, 0, 0], s, f, m, scratch[0] ?? []));
      turn.fromArray(this.quaternion("turned", s, f, m, scratch[1] ?? []) as [number, number, number, number]);
      if (this.values["local"] !== undefined)
        turn.multiply(local.fromArray(this.quaternion("local", s, 0, m, scratch[3] ?? []) as [number, number, number, number]));
      this.lengths(s, f, m);
      this.mesh.setMatrixAt(m, matrix.compose(place, turn, sizes));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** A body with a part in another shade. */
function marked(body: THREE.BufferGeometry, mark: THREE.BufferGeometry): THREE.BufferGeometry {
  return mergeGeometries([tinted(body, 1, 1, 1), tinted(mark, 0.25, 0.25, 0.25)]);
}

function tinted(g: THREE.BufferGeometry, red: number, green: number, blue: number): THREE.BufferGeometry {
  const n = g.getAttribute("position").count;
  const colors = new Float32Array(3 * n);
  for (let i = 0; i < n; ++i) colors.set([red, green, blue], 3 * i);
  g.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  g.deleteAttribute("uv");
  return g;
}

/** Three axes of length 1, of the colours that the legend names. */
export const axisColors: [string, string, string] = ["#D55E00", "#009E73", "#0072B2"];
function axes(): THREE.BufferGeometry {
  const parts: THREE.BufferGeometry[] = [];
  axisColors.forEach((text, k) => {
    const c = colorOf(text);
    const shaft = new THREE.CylinderGeometry(0.03, 0.03, 0.82, 10).translate(0, 0.41, 0);
    const head = new THREE.ConeGeometry(0.085, 0.2, 14).translate(0, 0.9, 0);
    for (const g of [shaft, head]) {
      if (k === 0) g.rotateZ(-Math.PI / 2);
      if (k === 2) g.rotateX(Math.PI / 2);
      parts.push(tinted(g, c.r, c.g, c.b));
    }
  });
  return mergeGeometries(parts);
}

/** Bars between two places. */
export class Rod extends Shape {
  private readonly mesh: THREE.InstancedMesh;
  private thickness = 0.02;

  constructor(data: ShapeData, color: string) {
    super(data, color);
    this.mesh = new THREE.InstancedMesh(bar(1, data.count > 200 ? 6 : 14), material(data, color), data.count);
    this.mesh.frustumCulled = false;
    this.object.add(this.mesh);
  }
  setScale(length: number): void {
    this.thickness = 0.035 * length;
  }
  update(s: number, f: number): void {
    for (let m = 0; m < this.count; ++m) {
      place.fromArray(this.vector("from", [0, 0, 0], s, f, m, scratch[0] ?? []));
      direction.fromArray(this.vector("to", [0, 0, 0], s, f, m, scratch[1] ?? [])).sub(place);
      const length = direction.length();
      const r = this.vector("radius", [this.thickness], s, f, m, scratch[2] ?? [])[0] ?? this.thickness;
      turn.setFromUnitVectors(up, length > 0 ? direction.divideScalar(length) : up);
      this.mesh.setMatrixAt(m, matrix.compose(place, turn, sizes.set(r, Math.max(length, 1e-9), r)));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** Arrows: shafts that stretch and heads that do not. */
export class Arrow extends Shape {
  private readonly shaft: THREE.InstancedMesh;
  private readonly head: THREE.InstancedMesh;
  private thickness = 0.03;
  private factor: number;

  constructor(data: ShapeData, color: string) {
    super(data, color);
    this.factor = data.arguments["unscaled"] === undefined ? 1 : 0;
    const sides = data.count > 200 ? 6 : 14;
    this.shaft = new THREE.InstancedMesh(bar(1, sides), material(data, color), data.count);
    this.head = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, sides).translate(0, 0.5, 0), material(data, color), data.count);
    for (const mesh of [this.shaft, this.head]) {
      mesh.frustumCulled = false;
      this.object.add(mesh);
    }
  }
  /** Arrows without a scale of their own (forces) are as long as half the scene's unit at their largest. */
  setScale(length: number): void {
    this.thickness = 0.03 * length;
    if (this.values["scale"] !== undefined || this.data.arguments["unscaled"] === undefined) return;
    const numbers = this.values["along"]?.numbers ?? new Float32Array();
    let largest = 0;
    for (let i = 0; i + 2 < numbers.length; i += 3)
      largest = Math.max(largest, Math.hypot(numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0));
    this.factor = largest > 0 ? length / largest : 1;
  }
  /** With the tips; those of arrows without a scale of their own once it is set. */
  override extent(s: number, add: (p: number[]) => void): void {
    super.extent(s, add);
    for (let m = 0; m < this.count; ++m) {
      const at = this.vector("at", [0, 0, 0], s, 0, m, []);
      const along = this.vector("along", [0, 0, 0], s, 0, m, []);
      const scale = this.vector("scale", [this.factor], s, 0, m, [])[0] ?? 1;
      add(at.map((x, k) => x + scale * (along[k] ?? 0)));
    }
  }
  update(s: number, f: number): void {
    for (let m = 0; m < this.count; ++m) {
      place.fromArray(this.vector("at", [0, 0, 0], s, f, m, scratch[0] ?? []));
      direction.fromArray(this.vector("along", [0, 0, 0], s, f, m, scratch[1] ?? []));
      const scale = this.vector("scale", [this.factor], s, f, m, scratch[2] ?? [])[0] ?? 1;
      direction.multiplyScalar(scale);
      const length = direction.length();
      const r = this.thickness;
      const headLength = Math.min(length * 0.4, 5 * r);
      const width = length > 0 ? Math.min(1, length / (8 * r)) * r : 0;
      turn.setFromUnitVectors(up, length > 0 ? direction.divideScalar(length) : up);
      this.shaft.setMatrixAt(m, matrix.compose(place, turn, sizes.set(width, Math.max(length - headLength, 1e-9), width)));
      place.addScaledVector(direction, length - headLength);
      this.head.setMatrixAt(m, matrix.compose(place, turn, sizes.set(2.4 * width, Math.max(headLength, 1e-9), 2.4 * width)));
    }
    this.shaft.instanceMatrix.needsUpdate = true;
    this.head.instanceMatrix.needsUpdate = true;
  }
}

/** Paths: all of the past, or the last part of it, up to the present place. */
export class Trail extends Shape {
  readonly lines: LineSegments2;
  private readonly full: Float32Array;
  private readonly segments: number;
  private readonly buffer: THREE.InstancedInterleavedBuffer;

  constructor(
    data: ShapeData,
    color: string,
    private readonly times: Float64Array,
  ) {
    super(data, color);
    const of = this.values["of"];
    const samples = times.length;
    this.segments = Math.max(1, samples - 1);
    this.full = new Float32Array(6 * this.segments * data.count);
    const p: number[] = [];
    if (of !== undefined)
      for (let s = 0; s + 1 < samples; ++s)
        for (let m = 0; m < data.count; ++m)
          for (let end = 0; end < 2; ++end) {
            // Two samples of one time are a jump, which is no path.
            const jumps = (times[s + 1] ?? 0) <= (times[s] ?? 0);
            this.full.set(of.at(jumps ? s + 1 : s + end, 0, m, p), 6 * (s * data.count + m) + 3 * end);
          }
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(this.full.slice());
    this.buffer = (geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute).data as THREE.InstancedInterleavedBuffer;
    this.buffer.setUsage(THREE.DynamicDrawUsage);
    const opacity = data.opacity ?? 0.9;
    this.lines = new LineSegments2(geometry, new LineMaterial({ color: colorOf(color).getHex(), linewidth: data.count > 20 ? 1.2 : 2.2, opacity, transparent: opacity < 1 }));
    this.lines.frustumCulled = false;
    this.object.add(this.lines);
  }
  setScale(): void {
    // Lines have a width in pixels.
  }
  update(s: number, f: number, t: number): void {
    const n = this.count;
    const last = this.data.last;
    let first = 0;
    if (last !== undefined) while (first < s && (this.times[first + 1] ?? 0) < t - last) ++first;
    const whole = s - first;
    const out = this.buffer.array as Float32Array;
    out.set(this.full.subarray(6 * first * n, 6 * s * n), 0);
    let shown = whole * n;
    if (f > 0) {
      const p: number[] = [];
      for (let m = 0; m < n; ++m, ++shown) {
        out.set(this.vector("of", [0, 0, 0], s, 0, m, p), 6 * shown);
        out.set(this.vector("of", [0, 0, 0], s, f, m, p), 6 * shown + 3);
      }
    }
    this.buffer.needsUpdate = true;
    this.lines.geometry.instanceCount = shown;
    this.lines.visible = shown > 0;
  }
  override placed(s: number, f: number, member: number): Placed {
    return { at: this.vector("of", [0, 0, 0], s, f, member, []) };
  }
}

/** A grid at a height; the caption tells its mesh. */
export class Ground extends Shape {
  private grid: THREE.GridHelper | null = null;
  mesh = 1;

  setScale(): void {
    // See `lay`.
  }
  /** Makes the grid around a centre, perpendicular to `upward`. */
  lay(centre: THREE.Vector3, upward: THREE.Vector3, half: number, mesh: number, line: string): void {
    this.mesh = mesh;
    if (this.grid !== null) this.object.remove(this.grid);
    const cells = 2 * Math.max(2, Math.ceil(half / mesh));
    this.grid = new THREE.GridHelper(cells * mesh, cells, colorOf(line), colorOf(line));
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.6;
    this.grid.quaternion.setFromUnitVectors(up, upward);
    const height = this.vector("height", [0], 0, 0, 0, [])[0] ?? 0;
    const along = centre.clone().addScaledVector(upward, -centre.dot(upward));
    along.set(Math.round(along.x / mesh) * mesh, Math.round(along.y / mesh) * mesh, Math.round(along.z / mesh) * mesh);
    along.addScaledVector(upward, -along.dot(upward) + height);
    this.grid.position.copy(along);
    this.object.add(this.grid);
  }
  update(): void {
    // It does not move.
  }
}

/** A text at a place: the scene writes it over the picture. */
export class Label extends Shape {
  update(): void {
    // See the scene.
  }
  setScale(): void {
    // Its size is that of the page's text.
  }
  point(s: number, f: number, out: THREE.Vector3): THREE.Vector3 {
    return out.fromArray(this.vector("at", [0, 0, 0], s, f, 0, []));
  }
}

export function makeShape(data: ShapeData, color: string, times: Float64Array): Shape {
  switch (data.kind) {
    case "rod":
      return new Rod(data, color);
    case "arrow":
      return new Arrow(data, color);
    case "trail":
      return new Trail(data, color, times);
    case "ground":
      return new Ground(data, color);
    case "label":
      return new Label(data, color);
    default:
      return new Solid(data, color);
  }
}
