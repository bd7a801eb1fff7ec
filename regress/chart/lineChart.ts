/**
 * Charts of lines as SVG: one panel or several side by side, with their axes, and a key below. Without scripts, fonts or addresses,
 * and the same bytes for the same figures.
 *
 * A library would draw them in a browser; those that draw without one weigh more than all else that is installed.
 */

/** What lies along an axis, and how its numbers are written. */
export interface Axis {
  readonly title: string;
  /** Default: from the least to the largest point of all lines. */
  readonly from?: number;
  readonly to?: number;
  /** Numbers that are marked. Default: six, spread evenly. */
  readonly marks?: readonly number[];
  /** Default: rounded to a tenth. */
  readonly text?: (value: number) => string;
  /** Numbers lie by their logarithm; all are above 0. */
  readonly log?: boolean;
}

/** Points of a line, in the order in which they are joined. */
export type Points = readonly (readonly [x: number, y: number])[];

export interface Panel {
  readonly x: Axis;
  readonly y: Axis;
  /** By line of the key; a line without points is not drawn. */
  readonly lines: readonly Points[];
}

export interface LineChart {
  readonly title: string;
  readonly panels: readonly Panel[];
  /** What each line is, in the order of `Panel.lines`. */
  readonly key: readonly string[];
  /** A dot at each point, for lines of few. Default false. */
  readonly dots?: boolean;
}

/** Half a mark of the axis stands beyond the right end. */
const PANEL = { width: 460, height: 280, left: 60, top: 40, right: 44, bottom: 58 } as const;
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a'];
const KEY_HEIGHT = 20;
const STEPS = 5;

/** The drawing as a file, with a final newline. */
export function lineChart({ title, panels, key, dots = false }: LineChart): string {
  const pitch = PANEL.left + PANEL.width + PANEL.right;
  const width = pitch * panels.length;
  const keyTop = PANEL.top + PANEL.height + PANEL.bottom;
  const height = keyTop + KEY_HEIGHT * key.length + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${PANEL.left}" y="20" font-size="14">${escaped(title)}</text>`,
    ...panels.flatMap((panel, i) => drawn(panel, pitch * i + PANEL.left, dots)),
    ...key.flatMap((name, i) => keyLine(name, colour(i), keyTop + KEY_HEIGHT * i)),
    '</svg>',
    '',
  ].join('\n');
}

function drawn({ x, y, lines }: Panel, left: number, dots: boolean): readonly string[] {
  const across = scaleOf(
    x,
    lines.flatMap((points) => points.map(([at]) => at)),
  );
  const up = scaleOf(
    y,
    lines.flatMap((points) => points.map(([, at]) => at)),
  );
  const right = left + PANEL.width;
  const bottom = PANEL.top + PANEL.height;
  const atX = (value: number): string => fixed(left + PANEL.width * across.share(value));
  const atY = (value: number): number => bottom - PANEL.height * up.share(value);
  return [
    ...up.marks.flatMap((value) => [
      `<line x1="${left}" x2="${right}" y1="${fixed(atY(value))}" y2="${fixed(atY(value))}" stroke="#d0d7de"/>`,
      `<text x="${left - 6}" y="${fixed(atY(value) + 4)}" text-anchor="end">${escaped(up.text(value))}</text>`,
    ]),
    ...across.marks.map(
      (value) =>
        `<text x="${atX(value)}" y="${bottom + 16}" text-anchor="middle">${escaped(across.text(value))}</text>`,
    ),
    `<text x="${left + PANEL.width / 2}" y="${bottom + 34}" text-anchor="middle">${escaped(x.title)}</text>`,
    ...(y.title === '' ? [] : [`<text x="${left}" y="${PANEL.top - 6}">${escaped(y.title)}</text>`]),
    ...lines.flatMap((points, i) => {
      if (points.length === 0) return [];
      const places = points.map(([a, b]) => [atX(a), fixed(atY(b))] as const);
      const line = places.map((place) => place.join(',')).join(' ');
      return [
        `<polyline fill="none" stroke="${colour(i)}" stroke-width="1.8" points="${line}"/>`,
        ...(dots ? places.map(([a, b]) => `<circle cx="${a}" cy="${b}" r="3" fill="${colour(i)}"/>`) : []),
      ];
    }),
  ];
}

interface Scale {
  readonly marks: readonly number[];
  readonly text: (value: number) => string;
  /** Where a number lies: 0 at one end, 1 at the other. Numbers beyond an end lie there. */
  readonly share: (value: number) => number;
}

function scaleOf({ from, to, marks, text = fixed, log = false }: Axis, values: readonly number[]): Scale {
  const place = (value: number): number => (log ? Math.log2(value) : value);
  const low = place(from ?? leastOf(values));
  const high = place(to ?? -leastOf(values.map((value) => -value)));
  const span = high > low ? high - low : 1;
  const even = Array.from({ length: STEPS + 1 }, (_, i) => low + (span * i) / STEPS);
  return {
    marks: marks ?? (log ? even.map((value) => 2 ** value) : even),
    text,
    share: (value) => Math.min(1, Math.max(0, (place(value) - low) / span)),
  };
}

/**
 * Marks at numbers that people count in, 1, 2 or 5 times a power of ten apart, with the ends of an axis that has them all.
 * @param least between two marks; 1 for what is counted
 */
export function roundAxis(from: number, to: number, least = 0): Required<Pick<Axis, 'from' | 'to' | 'marks'>> {
  const span = to > from ? to - from : 1;
  const power = 10 ** Math.floor(Math.log10(span / STEPS));
  const fitting = [1, 2, 5, 10].map((times) => times * power).find((step) => span / step <= STEPS) ?? span;
  const step = Math.max(least, fitting);
  const [low, high] = [Math.floor(from / step), Math.max(Math.ceil(to / step), Math.floor(from / step) + 1)];
  const marks = Array.from({ length: high - low + 1 }, (_, i) => Number(((low + i) * step).toPrecision(12)));
  return { from: marks[0] as number, to: marks.at(-1) as number, marks };
}

/** 0 of none. Not by `Math.min(...)`, which takes no more arguments than the stack holds. */
function leastOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), values[0] ?? 0);
}

function keyLine(name: string, stroke: string, y: number): readonly string[] {
  return [
    `<line x1="${PANEL.left}" x2="${PANEL.left + 24}" y1="${y - 4}" y2="${y - 4}" stroke="${stroke}" stroke-width="3"/>`,
    `<text x="${PANEL.left + 32}" y="${y}">${escaped(name)}</text>`,
  ];
}

function colour(i: number): string {
  return COLOURS[i % COLOURS.length] as string;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
