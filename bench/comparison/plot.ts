/** Lines over points, as an SVG file. */

/** `y` of each line by point; null where there is no figure. */
export interface Series {
  readonly x: string;
  readonly points: readonly number[];
  readonly lines: readonly { readonly name: string; readonly y: readonly (number | null)[] }[];
}

const WIDTH = 640;
const HEIGHT = 400;
const EDGE = { left: 60, right: 20, top: 30, bottom: 50 } as const;
const COLOURS = ['#0b6e4f', '#c1440e', '#3454d1', '#6d597a'] as const;
const TICKS = 5;

/** @param log points are spread by their logarithm */
export function plotOf({ x, points, lines }: Series, yTitle: string, log: boolean): string {
  const spread = (point: number): number => (log ? Math.log2(point) : point);
  const [low, high] = [Math.min(...points.map(spread)), Math.max(...points.map(spread))];
  const most = Math.max(1, ...lines.flatMap(({ y }) => y.map((value) => value ?? 0)));
  const atX = (point: number): number =>
    EDGE.left + ((spread(point) - low) / (high - low || 1)) * (WIDTH - EDGE.left - EDGE.right);
  const atY = (value: number): number => HEIGHT - EDGE.bottom - (value / most) * (HEIGHT - EDGE.top - EDGE.bottom);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(WIDTH / 2, HEIGHT - 10, 'middle', x),
    text(EDGE.left, 18, 'middle', yTitle),
  ];
  for (let i = 0; i <= TICKS; i++) {
    const value = (most * i) / TICKS;
    const y = atY(value).toFixed(1);
    parts.push(`<path d="M${EDGE.left} ${y}H${WIDTH - EDGE.right}" stroke="#ddd"/>`);
    parts.push(text(EDGE.left - 6, Number(y) + 4, 'end', value.toFixed(0)));
  }
  for (const point of points) parts.push(text(atX(point), HEIGHT - EDGE.bottom + 16, 'middle', String(point)));
  for (const [i, { name, y }] of lines.entries()) {
    const colour = COLOURS[i % COLOURS.length] as string;
    const known = points.flatMap((point, n) => {
      const value = y[n];
      return value === null || value === undefined ? [] : [`${atX(point).toFixed(1)},${atY(value).toFixed(1)}`];
    });
    parts.push(`<polyline fill="none" stroke="${colour}" stroke-width="2" points="${known.join(' ')}"/>`);
    parts.push(`<rect x="${WIDTH - 190}" y="${EDGE.top + 18 * i}" width="12" height="12" fill="${colour}"/>`);
    parts.push(text(WIDTH - 172, EDGE.top + 11 + 18 * i, 'start', name));
  }
  return `${[...parts, '</svg>'].join('\n')}\n`;
}

function text(x: number, y: number, anchor: string, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${content}</text>`;
}
