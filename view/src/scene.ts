// The picture: camera, light, shapes, what is written over it.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { cssColor, isDark, paletteColor } from "./colors";
import { type PageData, find, unpackTimes } from "./data";
import { element, roundLength } from "./format";
import { axisColors, Ground, Label, makeShape, type Placed, type Shape, Trail } from "./shapes";
import { vectorPicture, type Written } from "./vector";

export type View = "fit" | "front" | "side" | "top";

const cornerSize = 96; // pixels

type SceneData = NonNullable<PageData["scene"]>;

/** A text over the picture: the middle of its box, in pixels. */
interface PlacedLabel {
  shape: Label;
  box: HTMLElement;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Moves texts down that would cover others, in the order of their heights. */
function apart(labels: PlacedLabel[]): void {
  const done: PlacedLabel[] = [];
  for (const l of [...labels].sort((a, b) => a.y - b.y)) {
    for (const o of done)
      if (Math.abs(l.x - o.x) < (l.width + o.width) / 2 && Math.abs(l.y - o.y) < (l.height + o.height) / 2)
        l.y = o.y + (l.height + o.height) / 2;
    done.push(l);
  }
}

/** Colours of shapes: their own, else of the palette in their order. */
export function shapeColor(scene: SceneData, index: number): string {
  const own = scene.shapes[index]?.color;
  if (own !== undefined && own !== "") return own;
  let used = 0;
  for (let i = 0; i < index; ++i) {
    const s = scene.shapes[i];
    if (s?.color === undefined && s?.kind !== "frame" && s?.kind !== "ground" && s?.kind !== "label") ++used;
  }
  return paletteColor(used);
}

export class Scene {
  readonly shapes: Shape[];
  readonly times: Float64Array;
  readonly canvas: HTMLCanvasElement;
  /** Of the scene, 1, 2 or 5 times a power of ten. */
  readonly mesh: number;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera: THREE.Camera & { up: THREE.Vector3 };
  private readonly perspective: THREE.PerspectiveCamera;
  private readonly controls: OrbitControls;
  private readonly centre = new THREE.Vector3();
  private readonly upward: THREE.Vector3;
  private radius = 1;
  private readonly ground: Ground[] = [];
  private readonly labels: PlacedLabel[] = [];
  private readonly axes = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.9);
  private readonly corner = new THREE.OrthographicCamera(-1.6, 1.6, 1.6, -1.6, 0.1, 10);
  private readonly axisLabels: { along: THREE.Vector3; box: HTMLElement; x: number; y: number }[] = [];
  private queued = false;
  time: number;

  /** Throws where there is no WebGL. */
  constructor(
    private readonly data: SceneData,
    readonly holder: HTMLElement,
  ) {
    this.times = unpackTimes(data.times);
    this.time = this.times[0] ?? 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The scene; drag to look round, space plays");
    holder.append(this.canvas);
    this.upward = new THREE.Vector3().fromArray(data.flat === true ? [0, 1, 0] : (data.up ?? [0, 0, 1])).normalize();
    this.shapes = data.shapes.map((s, i) => makeShape(s, shapeColor(data, i), this.times));
    for (const s of this.shapes) this.scene.add(s.object);
    this.measure();
    const scale = 0.4 * this.radius;
    for (const s of this.shapes) s.setScale(scale);
    this.measure(); // with arrows that have got their lengths
    this.mesh = roundLength(this.radius / 2);
    this.perspective = new THREE.PerspectiveCamera(32, 1, this.radius / 100, this.radius * 100);
    this.camera = this.perspective;
    this.camera.up.copy(this.upward);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.light();
    this.addGround();
    this.addAxes();
    for (const s of this.shapes) if (s instanceof Label) this.addLabel(s, s.data.text ?? s.data.name);
    this.look("fit");
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
    this.show(this.time);
  }

  private measure(): void {
    const box = new THREE.Box3();
    const p = new THREE.Vector3();
    const n = this.times.length;
    const points: THREE.Vector3[] = [];
    let reach = 0;
    for (const s of this.shapes) {
      const step = Math.max(1, Math.floor(n / 200));
      for (let i = 0; i < n; i += step)
        s.extent(i, (v) => {
          p.fromArray(v);
          if (!Number.isFinite(p.x + p.y + p.z)) return;
          box.expandByPoint(p);
          if (points.length < 200000) points.push(p.clone());
        });
      reach = Math.max(reach, s.reach());
    }
    if (box.isEmpty()) box.expandByPoint(p.set(0, 0, 0));
    box.getCenter(this.centre);
    let half = 0;
    for (const q of points) half = Math.max(half, p.copy(q).sub(this.centre).length());
    this.radius = half + reach > 0 ? Math.max(half + reach, 1e-9) : 1;
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 2.1));
    const sun = this.sun;
    const side = new THREE.Vector3(1, 0, 0).cross(this.upward);
    if (side.lengthSq() < 0.1) side.set(0, 1, 0).cross(this.upward);
    sun.position.copy(this.upward).multiplyScalar(2).addScaledVector(side, 1.3).add(new THREE.Vector3(0.8, -0.4, 0.3));
    this.scene.add(sun);
  }

  private addGround(): void {
    for (const s of this.shapes) if (s instanceof Ground) this.ground.push(s);
    if (this.ground.length === 0) {
      const low = this.data.flat === true ? 0 : this.centre.dot(this.upward) - this.radius;
      const floor = new Ground(
        { name: "", kind: "ground", count: 1, arguments: { height: { width: 1, values: [low], constant: true } } },
        "#888888",
      );
      this.ground.push(floor);
      this.scene.add(floor.object);
    }
    this.layGround();
  }
  private layGround(): void {
    const plane = this.data.flat === true ? new THREE.Vector3(0, 0, 1) : this.upward;
    for (const g of this.ground) g.lay(this.centre, plane, 1.5 * this.radius, this.mesh, cssColor("--grid") || "#999999");
  }

  /** The axes of space, in a corner of the picture. */
  private addAxes(): void {
    this.corner.up.copy(this.upward);
    axisColors.forEach((color, k) => {
      const along = new THREE.Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0);
      this.axes.add(new THREE.ArrowHelper(along, new THREE.Vector3(), 1, color, 0.28, 0.15));
      const box = element("div", { class: "label axis" }, `e${k + 1}`);
      this.holder.append(box);
      this.axisLabels.push({ along, box, x: 0, y: 0 });
    });
  }

  private drawAxes(): void {
    this.corner.quaternion.copy(this.camera.quaternion);
    this.corner.position.set(0, 0, 4).applyQuaternion(this.camera.quaternion);
    this.corner.updateMatrixWorld();
    this.renderer.autoClear = false;
    this.renderer.setViewport(0, 0, cornerSize, cornerSize);
    this.renderer.clearDepth();
    this.renderer.render(this.axes, this.corner);
    this.renderer.setViewport(0, 0, this.holder.clientWidth, this.holder.clientHeight);
    this.renderer.autoClear = true;
    const p = new THREE.Vector3();
    for (const a of this.axisLabels) {
      p.copy(a.along).multiplyScalar(1.3).project(this.corner);
      a.x = ((p.x + 1) / 2) * cornerSize;
      a.y = this.holder.clientHeight - ((p.y + 1) / 2) * cornerSize;
      a.box.style.transform = `translate(-50%,-50%) translate(${a.x}px,${a.y}px)`;
    }
  }

  private addLabel(shape: Label, text: string): void {
    const box = element("div", { class: "label" }, text);
    this.holder.append(box);
    this.labels.push({ shape, box, x: 0, y: 0, width: box.offsetWidth, height: box.offsetHeight });
  }

  /** Looks at the scene from a side. */
  look(view: View): void {
    const flat = this.data.flat === true;
    const right = new THREE.Vector3(1, 0, 0);
    if (Math.abs(right.dot(this.upward)) > 0.9) right.set(0, 1, 0);
    right.addScaledVector(this.upward, -right.dot(this.upward)).normalize();
    const back = right.clone().cross(this.upward); // away from who looks from the front
    const from = new THREE.Vector3();
    if (flat) from.set(0, 0, 1);
    else if (view === "top") from.copy(this.upward).addScaledVector(back, 0.001);
    else if (view === "side") from.copy(right);
    else if (view === "front") from.copy(back);
    else from.copy(back).multiplyScalar(0.8).addScaledVector(right, 0.55).addScaledVector(this.upward, 0.42);
    if (flat && view !== "fit" && view !== "top") from.addScaledVector(view === "front" ? back : right, 1.2);
    const aspect = Math.min(1, this.perspective.aspect || 1);
    const distance = (1.06 * this.radius) / Math.sin((this.perspective.fov * Math.PI) / 360) / aspect;
    this.camera.position.copy(this.centre).addScaledVector(from.normalize(), distance);
    this.controls.target.copy(this.centre);
    this.controls.update();
    this.draw();
  }

  resize(): void {
    const width = Math.max(1, this.holder.clientWidth);
    const height = Math.max(1, this.holder.clientHeight);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height);
    const before = this.perspective.aspect;
    this.perspective.aspect = width / height;
    this.perspective.updateProjectionMatrix();
    for (const s of this.shapes) if (s instanceof Trail) s.lines.material.resolution.set(width, height);
    const was = Math.min(1, before);
    const is = Math.min(1, this.perspective.aspect);
    if (was !== is) {
      const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(was / is);
      this.camera.position.copy(this.controls.target).add(offset);
      this.controls.update();
    }
    this.drawNow();
  }

  /** The page has other colours now. */
  recolor(): void {
    this.layGround();
    this.draw();
  }

  setVisible(index: number, visible: boolean): void {
    const s = this.shapes[index];
    if (s === undefined) return;
    s.visible = s.object.visible = visible;
    this.draw();
  }

  /** Moves all shapes to a time. */
  show(t: number): void {
    this.time = t;
    const { sample, f } = find(this.times, t);
    for (const s of this.shapes) if (s.visible) s.update(sample, f, t);
    this.draw();
  }

  private draw(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => this.drawNow());
  }
  drawNow(): void {
    this.queued = false;
    this.renderer.render(this.scene, this.camera);
    this.drawAxes();
    const { sample, f } = find(this.times, this.time);
    const p = new THREE.Vector3();
    const seen: PlacedLabel[] = [];
    for (const l of this.labels) {
      l.shape.point(sample, f, p).project(this.camera);
      const hidden = p.z > 1 || Math.abs(p.x) > 1.05 || Math.abs(p.y) > 1.05 || !l.shape.visible;
      l.box.style.display = hidden ? "none" : "block";
      if (hidden) continue;
      l.x = ((p.x + 1) / 2) * this.holder.clientWidth;
      l.y = ((1 - p.y) / 2) * this.holder.clientHeight;
      seen.push(l);
    }
    apart(seen);
    for (const l of seen) l.box.style.transform = `translate(-50%,-50%) translate(${l.x}px,${l.y}px)`;
  }

  /** What is written over the picture at this time, and where its middle is. */
  private written(): Written[] {
    const color = cssColor("--ink") || "#000000";
    const shown = this.labels.filter((l) => l.box.style.display !== "none");
    const texts = shown.map((l) => ({ text: l.box.textContent, x: l.x, y: l.y, color, size: 13 }));
    const soft = cssColor("--soft") || "#555555";
    for (const a of this.axisLabels) texts.push({ text: a.box.textContent, x: a.x, y: a.y, color: soft, size: 13 });
    return texts;
  }

  /** What each shape is at a time; the picture stays as it is. */
  report(t: number): { name: string; kind: string; color: string; members: Placed[] }[] {
    const { sample, f } = find(this.times, t);
    return this.shapes.map((s) => ({
      name: s.data.name,
      kind: s.data.kind,
      color: s.color,
      members: Array.from({ length: s.count }, (_, m) => s.placed(sample, f, m)),
    }));
  }

  /** Pixels that show each shape, nothing in front of it: each is drawn alone in one colour. */
  pixels(): Record<string, number> {
    const out: Record<string, number> = {};
    const gl = this.renderer.getContext();
    const flat = new THREE.MeshBasicMaterial({ color: 0xff0000 });
    const all = this.scene.children.map((o) => ({ o, visible: o.visible }));
    const background = this.renderer.getClearAlpha();
    this.renderer.setClearAlpha(0);
    const width = gl.drawingBufferWidth;
    const height = gl.drawingBufferHeight;
    const data = new Uint8Array(4 * width * height);
    for (const s of this.shapes) {
      for (const { o } of all) o.visible = o === s.object || (o as THREE.Light).isLight === true;
      this.scene.overrideMaterial = s instanceof Trail ? null : flat;
      this.renderer.render(this.scene, this.camera);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
      let n = 0;
      for (let i = 3; i < data.length; i += 4) if ((data[i] ?? 0) > 128) ++n;
      out[s.data.name] = (out[s.data.name] ?? 0) + n;
    }
    this.scene.overrideMaterial = null;
    for (const { o, visible } of all) o.visible = visible;
    this.renderer.setClearAlpha(background);
    this.drawNow();
    return out;
  }

  /** The picture as the text of an SVG file, with a caption; or why there is none. */
  vector(caption: string): { svg?: string; reason?: string } {
    this.drawNow();
    const width = this.holder.clientWidth;
    const height = this.holder.clientHeight;
    const ink = cssColor("--ink") || "#000000";
    const texts = [{ text: caption, x: width / 2, y: 22, color: ink, size: Math.max(13, 0.026 * height) }, ...this.written()];
    const background = cssColor("--stage") || "#ffffff";
    return vectorPicture(this.scene, this.camera, this.sun.position, { scene: this.axes, camera: this.corner, size: cornerSize }, width, height, background, texts);
  }

  /** The picture with a caption, on the page's colour. */
  still(caption: string): HTMLCanvasElement {
    this.drawNow();
    const canvas = element("canvas");
    canvas.width = this.canvas.width;
    canvas.height = this.canvas.height;
    const pen = canvas.getContext("2d");
    if (pen === null) return canvas;
    pen.fillStyle = cssColor("--stage") || (isDark() ? "#14171c" : "#ffffff");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(this.canvas, 0, 0);
    const size = Math.max(12, Math.round(canvas.height / 40));
    pen.font = `${size}px system-ui, sans-serif`;
    pen.fillStyle = cssColor("--ink") || "#000000";
    pen.fillText(caption, size, canvas.height - size);
    const ratio = canvas.width / Math.max(1, this.holder.clientWidth);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const t of this.written()) {
      pen.font = `${t.size * ratio}px system-ui, sans-serif`;
      pen.fillStyle = t.color;
      pen.fillText(t.text, t.x * ratio, t.y * ratio);
    }
    return canvas;
  }
}
