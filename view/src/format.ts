// Numbers as people read them.

/** A number with `digits` significant ones, 1e-9 as such: never as 0. */
export function shown(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e6) return x.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e");
  const text = x.toPrecision(digits);
  return text.includes("e") ? String(Math.round(x)) : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Ticks of an axis: all with the digits that tell neighbours apart. */
export function ticks(values: (number | null)[]): string[] {
  const numbers = values.filter((v): v is number => v !== null);
  let gap = Infinity;
  for (let i = 1; i < numbers.length; ++i) gap = Math.min(gap, Math.abs((numbers[i] ?? 0) - (numbers[i - 1] ?? 0)));
  const largest = Math.max(0, ...numbers.map(Math.abs));
  const digits = gap > 0 && Number.isFinite(gap) ? Math.min(16, Math.max(2, Math.ceil(Math.log10(largest / gap)) + 1)) : 4;
  return values.map((v) => (v === null ? "" : Math.abs(v) < gap * 1e-6 ? "0" : shown(v, digits)));
}

/** 1, 2 or 5 times a power of ten, not above x. */
export function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}
