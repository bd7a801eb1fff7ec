/**
 * The time line of a finding as SVG: for each queue pair that sends requests an axis of its PSNs, with the packets and the
 * answers that fly; below it a lane for the work of each queue pair, one for the PCIe of each host, and one for what else
 * happens. Marks are shapes, not colours alone; what each is stands in its title.
 */

import { formatTime } from '../../uvm/kernel/time.ts';
import { xmlText } from '../report/junit.ts';
import { type TimeAxis, timeAxis } from './timeAxis.ts';
import type { MarkKind, TimeLine, TimeMark } from './timeLine.ts';

const MARGIN = { left: 132, right: 24, top: 34 } as const;
const ROW = { most: 16, panel: 380, lane: 20 } as const;
const TICK_PITCH = 120;
/** Labels of PSNs and of breaks are not drawn closer, px. */
const LABEL_PITCH = 11;
const BREAK_PITCH = 46;

/** Of what is not drawn in an axis of PSNs. */
type Lane = 'work' | 'pcie' | 'run';
const LANE: Partial<Record<MarkKind, Lane>> = {
  post: 'work',
  receive: 'work',
  completion: 'work',
  errorCompletion: 'work',
  doorbell: 'work',
  read: 'pcie',
  write: 'pcie',
  stored: 'pcie',
  readAnswer: 'pcie',
  barAccess: 'pcie',
  state: 'run',
  command: 'run',
  event: 'run',
  report: 'run',
};
/** Packets of requests; the others of an axis of PSNs answer them. */
const LEAVING: ReadonlySet<MarkKind> = new Set(['request', 'retransmission', 'answer', 'nak']);

interface Placed {
  readonly svg: string;
  readonly height: number;
}

/** @returns the whole element; text of readers of screens is its title */
export function timeLineSvg(line: TimeLine): string {
  const axis = timeAxis([...line.marks.map(({ time }) => time), line.finding.time]);
  const parts: string[] = [];
  let y = MARGIN.top;
  const add = ({ svg, height }: Placed): void => {
    parts.push(`<g transform="translate(0 ${fixed(y)})">${svg}</g>`);
    y += height;
  };
  for (const [flow, pair] of line.pairs.entries()) {
    const marks = line.marks.filter((mark) => mark.flow === flow && mark.psn !== undefined);
    if (marks.some(({ kind }) => kind !== 'post')) add(psnPanel(pairName(pair), marks, axis));
  }
  for (const { name, marks } of lanesOf(line)) add(laneOf(name, marks, axis));
  const height = y + 26;
  const width = MARGIN.left + axis.width + MARGIN.right;
  const x = MARGIN.left + axis.at(line.finding.time);
  return [
    `<svg class="time-line" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${fixed(width)} ${fixed(height)}" width="${fixed(width)}" height="${fixed(height)}" role="img">`,
    `<title>${xmlText(`Time line of ${line.finding.id} at ${formatTime(line.finding.time)}`)}</title>`,
    ...axis.breaks.map(
      (each) =>
        `<rect class="break" x="${fixed(MARGIN.left + each.x - 3)}" y="${MARGIN.top}" width="6" height="${fixed(y - MARGIN.top)}"/>`,
    ),
    ...parts,
    ...breakLabels(axis, y),
    ...ticks(axis, y),
    `<line class="finding" x1="${fixed(x)}" x2="${fixed(x)}" y1="${MARGIN.top - 8}" y2="${fixed(y)}"/>`,
    `<text class="finding" x="${fixed(x)}" y="${MARGIN.top - 13}" text-anchor="${anchorAt(x, width)}">${xmlText(`${line.finding.id} at ${formatTime(line.finding.time)}`)}</text>`,
    '</svg>',
  ].join('\n');
}

/** The PSNs of a queue pair from top to bottom, in the order in which they are used. */
function psnPanel(name: string, marks: readonly TimeMark[], axis: TimeAxis): Placed {
  const psns = psnsOf(marks);
  const row = Math.min(ROW.most, ROW.panel / psns.length);
  const height = row * psns.length;
  const rowOf = (psn: number): number => psns.indexOf(psn) * row + row / 2;
  const every = Math.ceil(LABEL_PITCH / row);
  const labels = psns.map((psn, i) =>
    i % every === 0
      ? `<text class="label" x="${MARGIN.left - 8}" y="${fixed(rowOf(psn) + 4)}" text-anchor="end">${psnText(psn)}</text>`
      : '',
  );
  const body = [
    `<text class="head" x="4" y="12">${xmlText(`PSNs of ${name}`)}</text>`,
    `<g transform="translate(0 18)">`,
    `<rect class="panel" x="${MARGIN.left - 4}" y="0" width="${fixed(axis.width + 8)}" height="${fixed(height)}"/>`,
    ...labels,
    ...flights(marks, axis, rowOf),
    ...marks.map((mark) =>
      mark.kind === 'post' ? postedBar(mark, axis, psns, row) : shapeOf(mark, axis, rowOf(mark.psn as number)),
    ),
    '</g>',
  ];
  return { svg: body.join('\n'), height: height + 30 };
}

/** As findings write them, which can be searched for then. */
function psnText(psn: number): string {
  return `0x${psn.toString(16).padStart(6, '0')}`;
}

/** From one that was used first: PSNs go round. */
function psnsOf(marks: readonly TimeMark[]): readonly number[] {
  const first = marks[0]?.psn ?? 0;
  const place = (psn: number): number => (psn - first + 2 ** 23 + 2 ** 24) % 2 ** 24;
  const flying = marks.filter(({ kind }) => kind !== 'post').map(({ psn }) => psn as number);
  return [...new Set(flying)].sort((a, b) => place(a) - place(b));
}

/** From where a packet leaves to where it ends. */
function flights(marks: readonly TimeMark[], axis: TimeAxis, rowOf: (psn: number) => number): string[] {
  return marks.flatMap((mark, i) => {
    if (!LEAVING.has(mark.kind)) return [];
    const end = marks.slice(i + 1).find((other) => other.psn === mark.psn && isEndOf(other, mark));
    if (end === undefined) return [];
    const y = fixed(rowOf(mark.psn as number));
    const of = mark.kind === 'answer' || mark.kind === 'nak' ? 'answer' : 'request';
    return [`<line class="flight ${of}" x1="${placeOf(mark, axis)}" x2="${placeOf(end, axis)}" y1="${y}" y2="${y}"/>`];
  });
}

function isEndOf(other: TimeMark, { host }: TimeMark): boolean {
  return other.host === host && (other.kind === 'arrival' || other.kind === 'loss' || other.kind === 'duplicate');
}

/** A request over the PSNs that it will have. */
function postedBar(mark: TimeMark, axis: TimeAxis, psns: readonly number[], row: number): string {
  const { psn = 0, count = 1 } = mark;
  const own = psns.flatMap((each, i) => ((each - psn + 2 ** 24) % 2 ** 24 < count ? [i] : []));
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return '';
  const height = (last - first + 1) * row - 2;
  return `<rect class="${classOf(mark)}" x="${fixed(MARGIN.left + axis.at(mark.time) - 2)}" y="${fixed(first * row + 1)}" width="4" height="${fixed(height)}"><title>${titleOf(mark)}</title></rect>`;
}

interface NamedLane {
  readonly name: string;
  readonly marks: readonly TimeMark[];
}

function lanesOf({ marks, pairs }: TimeLine): readonly NamedLane[] {
  const of = (lane: Lane): readonly TimeMark[] => marks.filter(({ kind }) => LANE[kind] === lane);
  const work = [...pairs.map(pairName), 'other work'].map((name, i) => ({
    name,
    marks: of('work').filter(({ pair }) => pair === (i < pairs.length ? i : -1)),
  }));
  const hosts = [...new Set(of('pcie').map(({ host }) => host))].sort((a, b) => a - b);
  const pcie = hosts.map((host) => ({
    name: `PCIe of host ${host}`,
    marks: of('pcie').filter((mark) => mark.host === host),
  }));
  return [...work, ...pcie, { name: 'commands, events', marks: of('run') }].filter((lane) => lane.marks.length > 0);
}

function laneOf(name: string, marks: readonly TimeMark[], axis: TimeAxis): Placed {
  const middle = ROW.lane / 2;
  const body = [
    `<line class="lane" x1="${MARGIN.left - 4}" x2="${fixed(MARGIN.left + axis.width + 4)}" y1="${middle}" y2="${middle}"/>`,
    `<text class="label" x="${MARGIN.left - 8}" y="${middle + 4}" text-anchor="end">${xmlText(name)}</text>`,
    ...marks.map((mark) => shapeOf(mark, axis, middle)),
  ];
  return { svg: body.join('\n'), height: ROW.lane + 4 };
}

function pairName({ host, qpn }: TimeLine['pairs'][number]): string {
  return `host ${host} QP ${qpn}`;
}

/** Half of a shape, px. */
const R = 4;
type Drawn = (x: number, y: number) => string;
const circle: Drawn = (x, y) => `M${fixed(x - R)} ${fixed(y)}a${R} ${R} 0 1 0 ${2 * R} 0a${R} ${R} 0 1 0 ${-2 * R} 0z`;
const square: Drawn = (x, y) => `M${fixed(x - R)} ${fixed(y - R)}h${2 * R}v${2 * R}h${-2 * R}z`;
const up: Drawn = (x, y) => `M${fixed(x)} ${fixed(y - R)}l${R} ${2 * R}h${-2 * R}z`;
const down: Drawn = (x, y) => `M${fixed(x)} ${fixed(y + R)}l${R} ${-2 * R}h${-2 * R}z`;
const right: Drawn = (x, y) => `M${fixed(x - R)} ${fixed(y - R)}l${2 * R} ${R}l${-2 * R} ${R}z`;
const left: Drawn = (x, y) => `M${fixed(x + R)} ${fixed(y - R)}l${-2 * R} ${R}l${2 * R} ${R}z`;
const diamond: Drawn = (x, y) => `M${fixed(x)} ${fixed(y - R)}l${R} ${R}l${-R} ${R}l${-R} ${-R}z`;
const cross: Drawn = (x, y) => `M${fixed(x - R)} ${fixed(y - R)}l${2 * R} ${2 * R}m0 ${-2 * R}l${-2 * R} ${2 * R}`;
const bar: Drawn = (x, y) => `M${fixed(x)} ${fixed(y - R)}v${2 * R}`;

/** What each kind looks like, and how a key calls it. */
export const SHAPES: Readonly<Record<MarkKind, { readonly shape: Drawn; readonly name: string }>> = {
  post: { shape: down, name: 'request posted' },
  receive: { shape: square, name: 'receive posted' },
  completion: { shape: circle, name: 'completion' },
  errorCompletion: { shape: cross, name: 'completion with error' },
  doorbell: { shape: bar, name: 'doorbell' },
  request: { shape: right, name: 'request leaves' },
  retransmission: { shape: right, name: 'request leaves again' },
  answer: { shape: left, name: 'answer leaves' },
  nak: { shape: left, name: 'NAK leaves' },
  arrival: { shape: bar, name: 'arrives' },
  duplicate: { shape: diamond, name: 'arrives once more' },
  loss: { shape: cross, name: 'is lost' },
  change: { shape: square, name: 'changed or held back by the link' },
  read: { shape: up, name: 'PCIe read' },
  write: { shape: down, name: 'PCIe write' },
  stored: { shape: circle, name: 'data in memory' },
  readAnswer: { shape: bar, name: 'PCIe read answered' },
  barAccess: { shape: diamond, name: 'access to a BAR' },
  state: { shape: square, name: 'change of state' },
  command: { shape: bar, name: 'command' },
  event: { shape: diamond, name: 'asynchronous event' },
  report: { shape: cross, name: 'error' },
};

function shapeOf(mark: TimeMark, axis: TimeAxis, y: number): string {
  const x = MARGIN.left + axis.at(mark.time);
  const ring =
    mark.side === undefined ? '' : `<circle class="${sideOf(mark)}" cx="${fixed(x)}" cy="${fixed(y)}" r="8"/>`;
  return `${ring}<path class="${classOf(mark)}" d="${SHAPES[mark.kind].shape(x, y)}"><title>${titleOf(mark)}</title></path>`;
}

/** The shape of a kind, as a key shows it. */
export function keyShape(kind: MarkKind): string {
  return `<svg class="key" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"><path class="m ${kind}" d="${SHAPES[kind].shape(7, 7)}"/></svg>`;
}

function classOf({ kind, side }: TimeMark): string {
  return side === undefined ? `m ${kind}` : `m ${kind} decides`;
}

function sideOf({ side }: TimeMark): string {
  return side === 0 ? 'accused' : 'against';
}

function titleOf(mark: TimeMark): string {
  const side = mark.side === undefined ? '' : mark.side === 0 ? ' (accused)' : ' (against it)';
  return xmlText(`${formatTime(mark.time)}${side}: ${mark.text}`);
}

function breakLabels({ breaks }: TimeAxis, bottom: number): string[] {
  let last = -BREAK_PITCH;
  return breaks.flatMap(({ x, length }) => {
    if (x - last < BREAK_PITCH) return [];
    last = x;
    return [
      `<text class="gap" x="${fixed(MARGIN.left + x)}" y="${fixed(bottom + 20)}" text-anchor="middle">+${xmlText(formatTime(length))}</text>`,
    ];
  });
}

function ticks({ moments, at }: TimeAxis, bottom: number): string[] {
  let last = -TICK_PITCH;
  return moments.flatMap((time) => {
    const x = at(time);
    if (x - last < TICK_PITCH) return [];
    last = x;
    const place = fixed(MARGIN.left + x);
    return [
      `<line class="tick" x1="${place}" x2="${place}" y1="${fixed(bottom - 2)}" y2="${fixed(bottom + 3)}"/>`,
      `<text class="label" x="${place}" y="${fixed(bottom + 10)}" text-anchor="middle">${xmlText(formatTime(time))}</text>`,
    ];
  });
}

function placeOf({ time }: TimeMark, axis: TimeAxis): string {
  return fixed(MARGIN.left + axis.at(time));
}

/** A text in the middle would be cut off at an edge. */
function anchorAt(x: number, width: number): string {
  if (x < width / 4) return 'start';
  return x > (width * 3) / 4 ? 'end' : 'middle';
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
