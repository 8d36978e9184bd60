// The picture as lines and faces, for papers: what WebGL draws, given to three's renderer of SVG.
import * as THREE from "three";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { SVGRenderer } from "three/examples/jsm/renderers/SVGRenderer.js";

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

/** Coarser where that is not seen, finer where faces are so large that their order would be wrong. */
function shape(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  if (geometry instanceof THREE.SphereGeometry) return new THREE.SphereGeometry(geometry.parameters.radius, 22, 14);
  if (geometry instanceof THREE.BoxGeometry) return new THREE.BoxGeometry(1, 1, 1, 3, 3, 3);
  return geometry.getAttribute("color") !== undefined ? finer(finer(geometry)) : geometry;
}

/** Each face as four: parts that touch are then drawn in the right order. */
function finer(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const whole = geometry.index === null ? geometry : geometry.toNonIndexed();
  const fine = new THREE.BufferGeometry();
  for (const name of ["position", "normal", "color"]) {
    const from = whole.getAttribute(name).array;
    const to: number[] = [];
    for (let i = 0; i + 8 < from.length; i += 9) {
      const corner = (k: number): number[] => [0, 1, 2].map((d) => from[i + 3 * k + d] ?? 0);
      const [a, b, c] = [corner(0), corner(1), corner(2)];
      const middle = (p: number[], q: number[]): number[] => p.map((x, d) => (x + (q[d] ?? 0)) / 2);
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      for (const p of [a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca]) to.push(...p);
    }
    fine.setAttribute(name, new THREE.BufferAttribute(new Float32Array(to), 3));
  }
  return fine;
}

function faces(geometry: THREE.BufferGeometry): number {
  return (geometry.index?.count ?? geometry.getAttribute("position").count) / 3;
}

/** Each member as a mesh of its own. */
function members(mesh: THREE.InstancedMesh, into: THREE.Object3D): number {
  const geometry = shape(mesh.geometry);
  const count = mesh.count * faces(geometry);
  if (count > mostFaces) return count;
  const matrix = new THREE.Matrix4();
  for (let i = 0; i < mesh.count; ++i) {
    mesh.getMatrixAt(i, matrix);
    const one = new THREE.Mesh(geometry, mesh.material);
    one.matrixAutoUpdate = false;
    one.matrix.copy(matrix);
    into.add(one);
  }
  return count;
}

function path(lines: LineSegments2): THREE.LineSegments {
  const shown = lines.geometry.instanceCount;
  const start = lines.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute;
  const numbers = (start.data.array as Float32Array).slice(0, 6 * Math.min(shown, start.count));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(numbers, 3));
  const color = new THREE.Color(lines.material.color);
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color, linewidth: lines.material.linewidth, opacity: lines.material.opacity, transparent: true }));
}

/** A copy of what is seen; the number of its faces. */
function plain(scene: THREE.Scene, into: THREE.Scene): number {
  let count = 0;
  scene.updateMatrixWorld();
  scene.traverseVisible((o) => {
    if (o instanceof THREE.InstancedMesh) count += members(o, into);
    else if (o instanceof LineSegments2) {
      if (o.geometry.instanceCount > 0) into.add(path(o));
    } else if (o instanceof THREE.LineSegments) {
      const own = o as THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
      const color = new THREE.Color().fromArray(own.geometry.getAttribute("color").array);
      const grid = new THREE.LineSegments(own.geometry, new THREE.LineBasicMaterial({ color, opacity: own.material.opacity, transparent: true }));
      grid.matrixAutoUpdate = false;
      grid.matrix.copy(o.matrixWorld);
      into.add(grid);
    }
  });
  return count;
}

function drawn(scene: THREE.Scene, camera: THREE.Camera, width: number, height: number): SVGElement {
  const renderer = new SVGRenderer();
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
  const count = plain(scene, copy);
  if (count > mostFaces) return { reason: `it has ${Math.round(count)} faces, more than ${mostFaces}` };
  copy.add(new THREE.AmbientLight(0xa8a8a8));
  const light = new THREE.DirectionalLight(0xffffff, 0.62);
  light.position.copy(sun);
  copy.add(light);
  copy.updateMatrixWorld();
  const picture = node("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(node("rect", { width, height, fill: background }));
  const main = drawn(copy, camera, width, height);
  const axes = drawn(corner.scene, corner.camera, corner.size, corner.size);
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
