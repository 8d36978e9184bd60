// Faces and lines in the order in which a painter needs them: what is drawn later hides what is drawn before, and never
// the wrong way round, since what crosses a plane of another body is cut there.
//
// Bodies are convex and have only faces that look at the eye. Of a body A and the planes of its faces: what lies in front
// of one of them is never hidden by A, what lies behind all of them never hides A. So the order is: what is behind all
// planes, A, what is in front of the last plane (and behind those before), …, what is in front of the first. Bodies
// that a plane across an axis separates are ordered by the side on which the eye is, without cuts.
// Source: H. Fuchs, Z. Kedem, B. Naylor, "On visible surface generation by a priori tree structures", 1980.
import * as THREE from "three";

/** A flat convex face (three points or more), or a line (two). */
export interface Flat {
  points: THREE.Vector3[];
  paint: Paint;
}

/** What faces and lines look like. */
export interface Paint {
  material: THREE.Material;
  color?: THREE.Color;
}

/** The visible faces of a convex body, and the planes in which they lie; without planes: lines. */
export interface Piece {
  flats: Flat[];
  planes: THREE.Plane[];
}

/** The eye and what counts as nothing, by the size of the scene. */
interface Look {
  eye: THREE.Vector3;
  small: number;
  left: number; // cuts that may still be made
}

type Extent = { piece: Piece; low: number; high: number };

/** All in painter's order. */
export function paintersOrder(pieces: Piece[], eye: THREE.Vector3): Flat[] {
  const size = new THREE.Box3().setFromPoints(pieces.flatMap((p) => p.flats.flatMap((f) => f.points))).getSize(new THREE.Vector3()).length();
  return ordered(pieces, { eye, small: 1e-7 * size, left: 200000 });
}

function ordered(pieces: Piece[], look: Look): Flat[] {
  const bodies = pieces.filter((p) => p.planes.length > 0);
  if (bodies.length === 0 || pieces.length === 1 || look.left <= 0) return byDistance(pieces, look);
  const plane = bodies.length > 1 ? between(bodies, look) : null;
  if (plane !== null) {
    const { front, back } = split(pieces, plane, look);
    const [far, near] = plane.distanceToPoint(look.eye) >= 0 ? [back, front] : [front, back];
    // Not so of bodies that lie in the plane.
    if ([far, near].every((side) => side.filter((p) => p.planes.length > 0).length < bodies.length)) return [...ordered(far, look), ...ordered(near, look)];
  }
  const first = bodies.reduce((a, b) => (b.planes.length < a.planes.length ? b : a));
  let rest = pieces.filter((p) => p !== first);
  const before: Piece[][] = [];
  for (const p of first.planes) {
    const { front, back } = split(rest, p, look);
    before.push(front);
    rest = back;
  }
  const out = rest.length > 0 ? ordered(rest, look) : [];
  out.push(...first.flats);
  for (const front of before.reverse()) if (front.length > 0) out.push(...ordered(front, look));
  return out;
}

/** Lines; and bodies where so many cut each other that an order costs too much. */
function byDistance(pieces: Piece[], look: Look): Flat[] {
  const away = (f: Flat): number => f.points.reduce((d, p) => d + p.distanceTo(look.eye), 0) / f.points.length;
  return pieces
    .flatMap((p) => p.flats.map((flat) => ({ flat, distance: away(flat) })))
    .sort((a, b) => b.distance - a.distance)
    .map((f) => f.flat);
}

/** A plane across an axis with bodies on both sides, as evenly as can be; of many it may cut some. */
function between(bodies: Piece[], look: Look): THREE.Plane | null {
  let best: THREE.Plane | null = null;
  let least = Infinity;
  for (let axis = 0; axis < 3; ++axis) {
    const along: Extent[] = bodies.map((piece) => {
      let low = Infinity;
      let high = -Infinity;
      for (const f of piece.flats)
        for (const p of f.points) {
          const x = p.getComponent(axis);
          low = Math.min(low, x);
          high = Math.max(high, x);
        }
      return { piece, low, high };
    });
    along.sort((a, b) => a.low - b.low);
    let reach = -Infinity;
    const at = (x: number): THREE.Plane => new THREE.Plane(new THREE.Vector3().setComponent(axis, 1), -x);
    along.forEach((e, k) => {
      if (k > 0 && e.low >= reach - look.small && Math.abs(k - bodies.length / 2) < least) {
        least = Math.abs(k - bodies.length / 2);
        best = at((e.low + reach) / 2);
      }
      reach = Math.max(reach, e.high);
    });
    const middle = along[along.length >> 1];
    if (bodies.length < 12 || middle === undefined) continue;
    const cut = along.filter((e) => e.low < middle.low - look.small && e.high > middle.low + look.small).length;
    const before = along.filter((e) => e.high <= middle.low + look.small).length;
    const costs = bodies.length / 2 + cut;
    if (before > 0 && cut < bodies.length / 4 && costs < least) {
      least = costs;
      best = at(middle.low);
    }
  }
  return best;
}

/** What is on either side of a plane; what lies in it is in front. */
function split(pieces: Piece[], plane: THREE.Plane, look: Look): { front: Piece[]; back: Piece[] } {
  const front: Piece[] = [];
  const back: Piece[] = [];
  for (const piece of pieces) {
    const ahead: Flat[] = [];
    const behind: Flat[] = [];
    for (const f of piece.flats) {
      const d = f.points.map((p) => plane.distanceToPoint(p));
      const most = Math.max(...d);
      const least = Math.min(...d);
      if (least >= -look.small) ahead.push(f);
      else if (most <= look.small) behind.push(f);
      else {
        look.left -= 1;
        ahead.push({ points: part(f.points, d, 1), paint: f.paint });
        behind.push({ points: part(f.points, d, -1), paint: f.paint });
      }
    }
    if (ahead.length > 0) front.push({ flats: ahead, planes: piece.planes });
    if (behind.length > 0) back.push({ flats: behind, planes: piece.planes });
  }
  return { front, back };
}

/** The part of a face or a line where `side` times the distance is positive. */
function part(points: THREE.Vector3[], d: number[], side: number): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  points.forEach((p, k) => {
    const own = side * (d[k] ?? 0);
    const next = (k + 1) % points.length;
    const other = side * (d[next] ?? 0);
    const q = points[next] ?? p;
    if (own >= 0) out.push(p);
    if (own * other < 0 && !(points.length === 2 && k === 1)) out.push(p.clone().lerp(q, own / (own - other)));
  });
  return out;
}
