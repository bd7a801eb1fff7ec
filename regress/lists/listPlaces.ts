/** Where in a list stands what a message about one of its runs is about. */

import type { Job } from '../job.ts';
import type { ListDocument } from './listDocument.ts';
import type { ListEntry } from './listSchema.ts';

type Path = readonly (string | number)[];

/** Part of a list with its path: an entry, or the defaults. */
interface Part {
  readonly base: Path;
  readonly data: Partial<ListEntry>;
}

/** A name in a message, with its value: `+RC_QP_NUM=99`. */
const MENTION = /(?:\+([A-Za-z_]\w*)|\b([A-Z][A-Z0-9_]+)\b)(?:=([^\s:;,]*))?/g;

export class ListPlaces {
  readonly #entries = new Map<string, { document: ListDocument; parts: readonly Part[] }>();

  /** Remembers an entry; its jobs say where it stands. */
  add(document: ListDocument, index: number, entry: ListEntry): void {
    this.#entries.set(document.where(['tests', index]), { document, parts: partsOf(document, index, entry) });
  }

  /** `file:line:column` of the value or flag that a message about a run names first, or else of the entry. */
  of(job: Job, message: string): string {
    const found = this.#entries.get(job.where);
    if (found === undefined) return job.where;
    const path = message.startsWith('-') ? flagPath(found.parts, message) : plusargPath(found.parts, message);
    return path === undefined ? job.where : found.document.where(path);
  }
}

/**
 * `file:line:column` of a rule or computed value by its text, or else of the entry, and whether the entry itself says it
 * rather than the defaults.
 */
export function expressionPlace(
  document: ListDocument,
  index: number,
  entry: ListEntry,
  text: string,
): { place: string; isOwn: boolean } {
  for (const { base, data } of partsOf(document, index, entry)) {
    const isOwn = base[0] === 'tests';
    const rule = (data.skip ?? []).indexOf(text);
    if (rule >= 0) return { place: document.where([...base, 'skip', rule]), isOwn };
    const computed = Object.entries(data.plusargs ?? {}).find(([, value]) => value === `=${text}`);
    if (computed !== undefined) return { place: document.where([...base, 'plusargs', computed[0]]), isOwn };
  }
  return { place: document.where(['tests', index]), isOwn: true };
}

/** What the entry says counts before what the defaults say. */
function partsOf(document: ListDocument, index: number, entry: ListEntry): readonly Part[] {
  return [
    { base: ['tests', index], data: entry },
    { base: ['defaults'], data: document.data.defaults ?? {} },
  ];
}

function flagPath(parts: readonly Part[], message: string): Path | undefined {
  const [flag = ''] = message.split(/[\s=:]/);
  for (const { base, data } of parts) {
    const at = (data.flags ?? []).findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    if (at >= 0) return [...base, 'flags', at];
  }
  return undefined;
}

function plusargPath(parts: readonly Part[], message: string): Path | undefined {
  for (const [, plusarg, bare = '', value] of message.matchAll(MENTION)) {
    for (const part of parts) {
      const path = valuePath(part, plusarg ?? bare, value);
      if (path !== undefined) return path;
    }
  }
  return undefined;
}

/** @param value of the plusarg as the message has it; undefined = any */
function valuePath({ base, data }: Part, name: string, value: string | undefined): Path | undefined {
  if (name === 'UVM_TESTNAME' && data.test !== undefined) return [...base, 'test'];
  const isIt = (given: unknown): boolean => value === undefined || String(given) === value;
  for (const [axis, steps] of Object.entries(data.sweep ?? {})) {
    for (const [k, step] of steps.entries()) {
      const isGroup = step !== null && typeof step === 'object';
      if (isGroup && Object.hasOwn(step, name) && isIt(step[name])) return [...base, 'sweep', axis, k, name];
      if (!isGroup && axis === name && isIt(step)) return [...base, 'sweep', axis, k];
    }
  }
  return Object.hasOwn(data.plusargs ?? {}, name) ? [...base, 'plusargs', name] : undefined;
}
