// The picture as lines and faces, for papers: what WebGL draws, given to three's renderer of SVG.
import * as THREE from "three";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { SVGRenderer } from "three/examples/jsm/renderers/SVGRenderer.js";
import { type Flat, paintersOrder, type Piece } from "./order";

/** More would make a file that no program likes to open. */
const mostFaces = 60000;

/** A text at a place of the picture, in pixels. */
export interface Written {
  text: string;
  x: number;
  y: number;
  color: string;
  size: number;
}

/** The triangles of a geometry, its convex parts apart: of a cylinder with a spoke, of an axis with its head. */
function convexParts(geometry: THREE.BufferGeometry): { points: THREE.Vector3[]; color?: THREE.Color }[][] {
  const round = geometry instanceof THREE.SphereGeometry;
  const whole = (round ? new THREE.SphereGeometry(geometry.parameters.radius, 22, 14) : geometry).toNonIndexed();
  const place = whole.getAttribute("position");
  const tint = whole.getAttribute("color") as THREE.BufferAttribute | undefined;
  const triangles: { points: THREE.Vector3[]; color?: THREE.Color }[] = [];
  const parent: number[] = [];
  const root = (k: number): number => {
    while (parent[k] !== undefined && parent[k] !== k) k = parent[k] ?? k;
    return k;
  };
  const at = new Map<string, number>(); // a triangle at each place
  for (let i = 0; i + 2 < place.count; i += 3) {
    const points = [0, 1, 2].map((k) => new THREE.Vector3().fromBufferAttribute(place, i + k));
    const [a, b, c] = points as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    if (new THREE.Triangle(a, b, c).getArea() < 1e-12) continue; // at the poles of a sphere
    const own = triangles.length;
    parent.push(own);
    triangles.push(tint === undefined ? { points } : { points, color: new THREE.Color().fromBufferAttribute(tint, i) });
    for (const p of points) {
      const key = p.toArray().map((x) => Math.round(1e5 * x)).join();
      const other = at.get(key);
      if (other === undefined) at.set(key, own);
      else parent[root(own)] = root(other);
    }
  }
  const parts = new Map<number, { points: THREE.Vector3[]; color?: THREE.Color }[]>();
  triangles.forEach((t, k) => parts.set(root(k), [...(parts.get(root(k)) ?? []), t]));
  return [...parts.values()];
}

/** What is seen of each member; the number of its faces. */
function members(mesh: THREE.InstancedMesh, eye: THREE.Vector3, into: Piece[]): number {
  const parts = convexParts(mesh.geometry);
  const each = parts.reduce((n, p) => n + p.length, 0);
  if (mesh.count * each > mostFaces) return mesh.count * each;
  const matrix = new THREE.Matrix4();
  const surface = mesh.material as THREE.Material;
  for (let i = 0; i < mesh.count; ++i) {
    mesh.getMatrixAt(i, matrix);
    for (const part of parts) {
      const piece: Piece = { flats: [], planes: [] };
      for (const t of part) {
        const points = t.points.map((p) => p.clone().applyMatrix4(matrix));
        const plane = new THREE.Plane().setFromCoplanarPoints(...(points as [THREE.Vector3, THREE.Vector3, THREE.Vector3]));
        if (!(plane.distanceToPoint(eye) > 0)) continue;
        piece.flats.push({ points, paint: t.color === undefined ? { material: surface } : { material: surface, color: t.color } });
        const known = piece.planes.some((p) => p.normal.distanceTo(plane.normal) < 1e-5 && Math.abs(p.distanceToPoint(points[0] ?? eye)) < 1e-6 * eye.length());
        if (!known) piece.planes.push(plane);
      }
      if (piece.flats.length > 0) into.push(piece);
    }
  }
  return mesh.count * each;
}

function lines(points: THREE.Vector3[], material: THREE.Material): Piece {
  const flats: Flat[] = [];
  for (let k = 0; k + 1 < points.length; k += 2) flats.push({ points: points.slice(k, k + 2), paint: { material } });
  return { flats, planes: [] };
}

function path(own: LineSegments2): Piece {
  const start = own.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute;
  const shown = 6 * Math.min(own.geometry.instanceCount, start.count);
  const numbers = (start.data.array as Float32Array).subarray(0, shown);
  const points: THREE.Vector3[] = [];
  for (let k = 0; k + 2 < numbers.length; k += 3) points.push(new THREE.Vector3().fromArray(numbers, k));
  const { color, linewidth, opacity } = own.material;
  return lines(points, new THREE.LineBasicMaterial({ color, linewidth, opacity, transparent: true }));
}

/** What is seen, as faces and lines; the number of faces. */
function plain(scene: THREE.Scene, eye: THREE.Vector3, into: Piece[]): number {
  let count = 0;
  scene.updateMatrixWorld();
  scene.traverseVisible((o) => {
    if (o instanceof THREE.InstancedMesh) count += members(o, eye, into);
    else if (o instanceof LineSegments2) {
      if (o.geometry.instanceCount > 0) into.push(path(o));
    } else if (o instanceof THREE.LineSegments) {
      const own = o as THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
      const color = new THREE.Color().fromArray(own.geometry.getAttribute("color").array);
      const place = own.geometry.getAttribute("position");
      const points = Array.from({ length: place.count }, (_, k) => new THREE.Vector3().fromBufferAttribute(place, k).applyMatrix4(o.matrixWorld));
      into.push(lines(points, new THREE.LineBasicMaterial({ color, opacity: own.material.opacity, transparent: true })));
    }
  });
  return count;
}

/** Objects that three draws one after the other: neighbours that look alike are one. */
function objects(flats: Flat[], into: THREE.Scene): void {
  for (let first = 0; first < flats.length; ) {
    const of = flats[first] as Flat;
    const line = of.points.length === 2;
    const positions: number[] = [];
    const colors: number[] = [];
    let last = first;
    for (; last < flats.length; ++last) {
      const f = flats[last] as Flat;
      if (f.paint.material !== of.paint.material || (f.points.length === 2) !== line) break;
      const corners = line ? f.points : f.points.slice(2).flatMap((p, k) => [f.points[0] as THREE.Vector3, f.points[k + 1] as THREE.Vector3, p]);
      for (const p of corners) {
        positions.push(p.x, p.y, p.z);
        if (f.paint.color !== undefined) colors.push(...f.paint.color.toArray());
      }
    }
    first = last;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    if (colors.length > 0) geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    if (!line) geometry.computeVertexNormals();
    into.add(line ? new THREE.LineSegments(geometry, of.paint.material) : new THREE.Mesh(geometry, of.paint.material));
  }
}

function drawn(scene: THREE.Scene, camera: THREE.Camera, width: number, height: number, sorted: boolean): SVGElement {
  const renderer = new SVGRenderer();
  renderer.sortObjects = renderer.sortElements = !sorted;
  renderer.setQuality("high");
  renderer.setPrecision(2);
  renderer.setSize(width, height);
  renderer.render(scene, camera);
  // A line in its own colour round each face closes the seams between them.
  for (const face of renderer.domElement.querySelectorAll("path")) {
    const fill = face.style.fill;
    if (fill !== "" && fill !== "none" && face.style.fillOpacity === "1") face.style.stroke = fill;
  }
  return renderer.domElement;
}

function node(name: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value));
  return e;
}

/** The text of an SVG file, or why there is none. `corner`: the axes of space, in the corner below on the left. */
export function vectorPicture(
  scene: THREE.Scene,
  camera: THREE.Camera,
  sun: THREE.Vector3,
  corner: { scene: THREE.Scene; camera: THREE.Camera; size: number },
  width: number,
  height: number,
  background: string,
  texts: Written[],
): { svg?: string; reason?: string } {
  const copy = new THREE.Scene();
  const pieces: Piece[] = [];
  const count = plain(scene, camera.position, pieces);
  if (count > mostFaces) return { reason: `it has ${Math.round(count)} faces, more than ${mostFaces}` };
  objects(paintersOrder(pieces, camera.position), copy);
  copy.add(new THREE.AmbientLight(0xa8a8a8));
  const light = new THREE.DirectionalLight(0xffffff, 0.62);
  light.position.copy(sun);
  copy.add(light);
  copy.updateMatrixWorld();
  const picture = node("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(node("rect", { width, height, fill: background }));
  const main = drawn(copy, camera, width, height, true);
  const axes = drawn(corner.scene, corner.camera, corner.size, corner.size, false);
  axes.setAttribute("y", String(height - corner.size));
  for (const part of [main, axes]) {
    part.removeAttribute("style");
    picture.append(part);
  }
  for (const t of texts) {
    const written = node("text", { x: t.x.toFixed(1), y: t.y.toFixed(1), fill: t.color, "font-size": t.size, "font-family": "system-ui, sans-serif", "text-anchor": "middle", "dominant-baseline": "middle" });
    written.textContent = t.text;
    picture.append(written);
  }
  return { svg: new XMLSerializer().serializeToString(picture) };
}
