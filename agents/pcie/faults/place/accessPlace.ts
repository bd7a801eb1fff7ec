/** What an address of host memory holds, for fault rules and for who judges them. Each kind of NIC brings its own finder. */

/** Areas that rules may name. `context`: of queue pairs. `results`: what a responder keeps of atomics. `other`: what the kind of NIC does not say. */
export const ACCESS_AREAS = [
  'data',
  'queue',
  'cq',
  'event',
  'context',
  'cq_context',
  'results',
  'translation',
  'command',
  'msix',
  'other',
] as const;
export type AccessArea = (typeof ACCESS_AREAS)[number];

/** What translation entries may be for: regions of software, and rings of work queues, completion queues and event queues. */
export const HELD_KINDS = ['data', 'queue', 'cq', 'event'] as const;
export type HeldKind = (typeof HELD_KINDS)[number];

/** Of a number: there is none, or it is not known. */
const NOT_KNOWN = -1;

/** Where an access goes. Reused: valid until the next look. */
export class AccessPlace {
  area: AccessArea = 'other';
  /** Queue pairs whose contexts, work queue or results the access touches, by their numbers, both ends included; -1 = none. */
  firstQpn = NOT_KNOWN;
  lastQpn = NOT_KNOWN;
  /** Completion queues whose contexts it touches, likewise. */
  firstCqn = NOT_KNOWN;
  lastCqn = NOT_KNOWN;
  /** Of a work queue: it is that of receives. */
  receives = false;

  /** Back to "nothing is known". */
  clear(): void {
    this.area = 'other';
    this.firstQpn = NOT_KNOWN;
    this.lastQpn = NOT_KNOWN;
    this.firstCqn = NOT_KNOWN;
    this.lastCqn = NOT_KNOWN;
    this.receives = false;
  }
}

/** What translation entries are for. */
export interface HeldEntries {
  /** Regions of software, by their keys. */
  readonly keys: readonly number[];
  /** Work queues. */
  readonly queues: readonly { readonly qpn: number; readonly receives: boolean }[];
  /** Completion queues, by number. */
  readonly cqns: readonly number[];
  /** An event queue. */
  readonly events: boolean;
}

/** Finds what the addresses of one host hold. */
export interface PlaceFinder {
  /** Fills in `place`, which is cleared, for `length` bytes at a physical address. */
  find(hi: number, lo: number, length: number, place: AccessPlace): void;
  /** What the translation entries there are for, as software has written them; slow. Default: nobody says. */
  readonly held?: (hi: number, lo: number, length: number) => HeldEntries | undefined;
}
