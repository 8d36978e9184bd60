// Colours that differ for colour-blind readers (Okabe and Ito) and, neighbours in the order, as greys too.

export const palette = ["#0072B2", "#E69F00", "#007A5A", "#CC79A7", "#56B4E9", "#A8431A", "#B9A900", "#5B4E8C"];
/** Of lines in plots, so that they differ without colours. */
export const dashes: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4], [12, 4], [6, 2, 1, 2, 1, 2]];

export function paletteColor(index: number): string {
  return palette[index % palette.length] ?? "#0072B2";
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen !== undefined) return chosen === "dark";
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The value of a custom property of the page's style. */
export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
