/**
 * The language of race tables: what a reliable connection goes through, line by line, and what the judge finds there.
 *
 *     0    write 0..2, lost 1
 *     2    nak 1, arrives at 9
 *     3    again 1..2             => WIRE_UNPROVOKED
 *
 * A line begins with its time in us. PSNs count from the first one of the connection. What is sent arrives 1 us later, but for
 * the PSNs that are `lost`, come `twice`, or `arrive at` another time; what a fault rule keeps on its way is `delayed to` a time.
 * `others`: frames of other queue pairs pass, so that both NICs can be seen to rest. Behind `=>` stands the id of what the judge finds, and where it is of interest a part of its text in quotes; a line
 * without it is one where the judge finds nothing. `#` begins a comment.
 */

/** Host 0 sends these for the first time, and posts what they belong to. */
const REQUESTS = ['write', 'send', 'read', 'add'] as const;
/** Host 1 answers with these. */
const ANSWERS = ['ack', 'nak', 'rnr', 'refuse', 'data', 'value'] as const;
const OTHERS = ['again', 'receive', 'completes', 'fails', 'gone', 'connect', 'change', 'others'] as const;
const VERBS: readonly string[] = [...REQUESTS, ...ANSWERS, ...OTHERS];

export type Request = (typeof REQUESTS)[number];
export type Answer = (typeof ANSWERS)[number];
export type Verb = Request | Answer | (typeof OTHERS)[number];

/** What becomes of a packet on the link. */
export interface Way {
  /** Of these packets; empty = of all in the line. */
  readonly psns: readonly number[];
  readonly how: 'lost' | 'twice' | 'arrives' | 'delayed';
  /** When it arrives, ps. */
  readonly at: number;
}

export interface RaceLine {
  /** The line as it is written. */
  readonly text: string;
  /** ps. */
  readonly at: number;
  readonly verb: Verb;
  /** PSNs of a packet or a range; of `receive` their number. */
  readonly first: number;
  readonly last: number;
  /** Words behind: a status, attributes. */
  readonly words: readonly string[];
  readonly ways: readonly Way[];
  /** Ids that are found, in order. */
  readonly found: readonly string[];
  /** What the first text must contain; '' = anything. */
  readonly says: string;
}

const PS_PER_US = 1_000_000;
const TIME = /^([\d.]+)\s+/;
const RANGE = /^(\d+)(?:\.\.(\d+))?$/;
const WAY = /^(lost|twice|arrives at|delayed to)\s*([\d.]*)(?:\s+(\d+(?:\.\.\d+)?))?$/;

/** The lines of a script. @throws Error that names a line which cannot be read */
export function raceLines(script: string): readonly RaceLine[] {
  const lines = script.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.filter((line) => line !== '').map(raceLine);
}

function raceLine(text: string): RaceLine {
  const [what = '', finding = ''] = text.split('=>').map((part) => part.trim());
  const time = TIME.exec(what);
  const wrong = (why: string): Error => new Error(`'${text}': ${why}`);
  if (time === null) throw wrong('begins with no time in us');
  const [head = '', ...ways] = what
    .slice(time[0].length)
    .split(',')
    .map((part) => part.trim());
  const [verb = '', ...words] = head.split(/\s+/);
  if (!VERBS.includes(verb)) throw wrong(`'${verb}' is none of ${VERBS.join(', ')}`);
  const range = RANGE.exec(words[0] ?? '');
  const first = range === null ? -1 : Number(range[1]);
  const [, ids = '', says = ''] = /^([\w\s]*)(?:'(.*)')?$/.exec(finding) ?? [];
  return {
    text,
    at: Number(time[1]) * PS_PER_US,
    verb: verb as Verb,
    first,
    last: range?.[2] === undefined ? first : Number(range[2]),
    words: range === null ? words : words.slice(1),
    ways: ways.map((way) => wayOf(way, wrong)),
    found: ids.split(/\s+/).filter((id) => id !== ''),
    says,
  };
}

function wayOf(text: string, wrong: (why: string) => Error): Way {
  const [, how, first = '', second] = WAY.exec(text) ?? [];
  if (how === undefined) throw wrong(`'${text}' is no way of a packet`);
  const isTimed = how.includes(' ');
  const psns = isTimed ? second : first;
  return {
    psns: psnsOf(psns ?? ''),
    how: how.split(' ')[0] as Way['how'],
    at: isTimed ? Number(first) * PS_PER_US : 0,
  };
}

function psnsOf(text: string): readonly number[] {
  const range = RANGE.exec(text);
  if (range === null) return [];
  const first = Number(range[1]);
  return Array.from({ length: Number(range[2] ?? first) - first + 1 }, (_, i) => first + i);
}

export function isRequest(verb: Verb): verb is Request {
  return (REQUESTS as readonly string[]).includes(verb);
}

export function isAnswer(verb: Verb): verb is Answer {
  return (ANSWERS as readonly string[]).includes(verb);
}
