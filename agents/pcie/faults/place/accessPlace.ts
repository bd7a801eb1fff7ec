/** What an address of host memory holds, for fault rules and for who judges them. Each kind of NIC brings its own finder. */

/** Areas that rules may name. `results`: what a responder keeps of atomics. `other`: what the kind of NIC does not say. */
export const ACCESS_AREAS = [
  'data',
  'queue',
  'cq',
  'event',
  'context',
  'results',
  'translation',
  'command',
  'msix',
  'other',
] as const;
export type AccessArea = (typeof ACCESS_AREAS)[number];

/** Of a number: there is none, or it is not known. */
const NOT_KNOWN = -1;

/** Where an access goes. Reused: valid until the next look. */
export class AccessPlace {
  area: AccessArea = 'other';
  /** Queue pairs whose contexts, work queue or results the access touches, by their numbers, both ends included; -1 = none. */
  firstQpn = NOT_KNOWN;
  lastQpn = NOT_KNOWN;
  /** Of a work queue: it is that of receives. */
  receives = false;

  /** Back to "nothing is known". */
  clear(): void {
    this.area = 'other';
    this.firstQpn = NOT_KNOWN;
    this.lastQpn = NOT_KNOWN;
    this.receives = false;
  }
}

/** Finds what the addresses of one host hold. */
export interface PlaceFinder {
  /** Fills in `place`, which is cleared, for `length` bytes at a physical address. */
  find(hi: number, lo: number, length: number, place: AccessPlace): void;
}
