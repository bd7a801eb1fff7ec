/** Names of packets that a rule may select: every opcode, and classes of them (roce-transport.md 1.6, 3.4). */

import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../../../rdma/bth.ts';
import { MESSAGE, OPCODE, WireOpcodes, messageOf } from '../../../wire/wireOpcodes.ts';

/** What an ACKNOWLEDGE says, by its AETH syndrome. */
const ANSWER = { ack: 1, rnr: 2, nak: 4, sequence: 8 } as const;

/** Classes of answers, by what their syndrome may be. */
const ANSWERS: Readonly<Record<string, number>> = {
  acknowledge: ANSWER.ack | ANSWER.rnr | ANSWER.nak | ANSWER.sequence,
  ack: ANSWER.ack,
  nak: ANSWER.nak | ANSWER.sequence,
  seq_nak: ANSWER.sequence,
  rnr_nak: ANSWER.rnr,
};

/** Classes by what the opcode table says of an opcode. */
const CLASSES: Readonly<Record<string, (flags: number) => boolean>> = {
  request: (flags) => (flags & OPCODE.request) !== 0,
  response: (flags) => (flags & OPCODE.response) !== 0,
  send: (flags) => isRequest(flags, MESSAGE.send),
  write: (flags) => isRequest(flags, MESSAGE.write),
  atomic: (flags) => isRequest(flags, MESSAGE.atomic),
  read_response: (flags) => (flags & OPCODE.response) !== 0 && kindOf(flags) === MESSAGE.read,
};

/** Operations by name: `send_first`, `read_request`, `compare_swap`. */
const OPERATIONS = new Map<string, number>(
  Object.entries(BTH_OP)
    .filter(([name]) => name !== 'acknowledge')
    .map(([name, operation]) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), operation]),
);

const OPERATION_BITS = 0x1f;

/** Names of single operations, and of the two that need no service. */
export const OPERATION_NAMES: readonly string[] = [...OPERATIONS.keys(), 'acknowledge', 'cnp'];

/** Operation of a name of `OPERATION_NAMES`, without its service; undefined for another text. */
export function operationNamed(name: string): number | undefined {
  if (name === 'acknowledge') return BTH_OP.acknowledge;
  return name === 'cnp' ? OPCODE_CNP : OPERATIONS.get(name);
}

/** Name of the operation of an opcode, as `OPERATION_NAMES` has it; undefined for one that has none. */
export function operationNameOf(opcode: number): string | undefined {
  if (opcode === OPCODE_CNP) return 'cnp';
  const operation = opcode & OPERATION_BITS;
  if (operation === BTH_OP.acknowledge) return 'acknowledge';
  return [...OPERATIONS].find(([, value]) => value === operation)?.[0];
}

/** Every name that may be written, classes first. */
export const OPCODE_NAMES: readonly string[] = [
  ...Object.keys(CLASSES),
  ...Object.keys(ANSWERS),
  'cnp',
  ...OPERATIONS.keys(),
];

/** Which packets some names mean: a look-up for each. */
export class OpcodeSet {
  /** By opcode: which answers are meant, all bits for other packets. */
  readonly #meant = new Uint8Array(256);

  /** @param names of `OPCODE_NAMES` */
  constructor(names: readonly string[]) {
    const { flags } = new WireOpcodes();
    for (const name of names) this.#add(name, flags);
  }

  /** @param syndrome of its AETH; any number for a packet that has none */
  has(opcode: number, syndrome: number): boolean {
    const meant = this.#meant[opcode] as number;
    if (meant === 0 || opcode !== (BTH_CLASS.rc | BTH_OP.acknowledge)) return meant !== 0;
    return (meant & answerOf(syndrome)) !== 0;
  }

  #add(name: string, flags: Int32Array): void {
    const answers = ANSWERS[name];
    const ofClass = CLASSES[name];
    const operation = OPERATIONS.get(name);
    if (answers !== undefined) this.#mean(BTH_CLASS.rc | BTH_OP.acknowledge, answers);
    else if (name === 'cnp') this.#mean(OPCODE_CNP, 0xff);
    else if (ofClass !== undefined) {
      for (let opcode = 0; opcode < 256; opcode++) if (ofClass(flags[opcode] as number)) this.#mean(opcode, 0xff);
    } else if (operation !== undefined) {
      for (const service of [BTH_CLASS.rc, BTH_CLASS.uc, BTH_CLASS.ud]) {
        if (flags[service | operation] !== 0) this.#mean(service | operation, 0xff);
      }
    }
  }

  #mean(opcode: number, bits: number): void {
    this.#meant[opcode] = (this.#meant[opcode] as number) | bits;
  }
}

/** Opcodes of services that are not reliable. */
const OTHER_SERVICES = Array.from({ length: BTH_CLASS.cnp - BTH_CLASS.uc }, (_, i) => BTH_CLASS.uc + i);

/** Whether all packets that some names mean belong to reliable connections, or to no queue pair's messages. */
export function areReliable(names: readonly string[]): boolean {
  const set = new OpcodeSet(names);
  return !OTHER_SERVICES.some((opcode) => set.has(opcode, 0));
}

function answerOf(syndrome: number): number {
  const type = (syndrome >> 5) & 3;
  if (type === 0) return ANSWER.ack;
  if (type === 1) return ANSWER.rnr;
  return syndrome === 0x60 ? ANSWER.sequence : ANSWER.nak;
}

function isRequest(flags: number, kind: number): boolean {
  return (flags & OPCODE.request) !== 0 && kindOf(flags) === kind;
}

function kindOf(flags: number): number {
  return messageOf(flags);
}
