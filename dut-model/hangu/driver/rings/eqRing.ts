/**
 * Event queues: one for completion events, one for asynchronous ones, each with its MSI-X vector. The rings lie in
 * kernel memory (hangu-interface.md has none; layouts in dut-model/hangu/layout/queues.ts).
 */

import type { EventQueueSubject } from '../../../../rdma/subject.ts';
import { anEventQueue, bytesOfHost } from '../../../../rdma/subjectParts.ts';
import { BAR, EQ_AREA_LO, MSIX_AREA_LO, MSIX_ENTRY, MSIX_MASKED, REG } from '../../layout/addressMap.ts';
import { CQ_OVERFLOW, EQE, EQE_BYTES, EQE_OWNER_HW, EVENT_TYPE } from '../../layout/queues.ts';
import { ASYNC_EVENT } from '../../../../rdma/verbs.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { hex, hexAddress } from '../../../../uvm/report/hexTexts.ts';
import type { Doorbells } from './doorbells.ts';

/** Event queue numbers, which are MSI-X vectors too. */
export const EQN = { completion: 0, async: 1 } as const;
export const EQ_COUNT = 2;
/** Entries of a ring fill its 64 KiB window. */
export const EQ_LOG_ENTRIES = 11;
export const EQ_WINDOW = EQE_BYTES << EQ_LOG_ENTRIES;

const OWNER_BITS = EQE_OWNER_HW << 24;
const ENTRIES = 1 << EQ_LOG_ENTRIES;

/** `ASYNC_EVENT` of each event type of the NIC. */
const ASYNC_OF_TYPE: Readonly<Record<number, number>> = {
  [EVENT_TYPE.commEstablished]: ASYNC_EVENT.commEst,
  [EVENT_TYPE.sqDrained]: ASYNC_EVENT.sqDrained,
  [EVENT_TYPE.cqError]: ASYNC_EVENT.cqErr,
  [EVENT_TYPE.wqCatastrophic]: ASYNC_EVENT.qpFatal,
  [EVENT_TYPE.localCatastrophic]: ASYNC_EVENT.deviceFatal,
  [EVENT_TYPE.portChange]: ASYNC_EVENT.portActive,
  [EVENT_TYPE.invalidRequest]: ASYNC_EVENT.qpReqErr,
  [EVENT_TYPE.accessViolation]: ASYNC_EVENT.qpAccessErr,
};

/** The same of shared receive queues, where there are any. */
const SHARED_OF_TYPE: Readonly<Record<number, number>> = {
  [EVENT_TYPE.srqError]: ASYNC_EVENT.srqErr,
  [EVENT_TYPE.lastWqe]: ASYNC_EVENT.lastWqeReached,
  [EVENT_TYPE.srqLimit]: ASYNC_EVENT.srqLimitReached,
};

/** Masks of MAP_EQ for everything that goes to the asynchronous queue. */
export const ASYNC_MASK = maskOf(ASYNC_OF_TYPE);
export const SHARED_MASK = maskOf(SHARED_OF_TYPE);

/** Receives what an event queue held. */
export interface EventSink {
  completion(cqn: number): void;
  async(event: number, number: number): void;
}

/** The two event queues of a host. */
export class EqRings {
  readonly #host: ProviderHost;
  readonly #doorbells: Doorbells;
  readonly #sink: EventSink;
  readonly #consumed: number[] = [0, 0];
  /** Messages in a row for which there was no entry. */
  readonly #empty: number[] = [0, 0];
  /** Whether its vector is masked, as far as the NIC knows that. */
  readonly #masked: boolean[] = [false, false];
  readonly #maskCalls: number[] = [0, 0];
  /** Whether a ring is there; and how often entries were taken that a message may still tell of. */
  readonly #open: boolean[] = [false, false];
  readonly #polled: number[] = [0, 0];

  constructor(host: ProviderHost, doorbells: Doorbells, sink: EventSink) {
    this.#host = host;
    this.#doorbells = doorbells;
    this.#sink = sink;
  }

  /** First byte of a ring; kernel addresses are below 4 GiB. */
  address(eqn: number): number {
    return EQ_AREA_LO + eqn * EQ_WINDOW;
  }

  /** Gives every entry of a ring to the NIC. */
  initialise(eqn: number): void {
    for (let i = 0; i < ENTRIES; i++) this.#host.memory.write32(0, this.#entryAddress(eqn, i), OWNER_BITS);
    this.#consumed[eqn] = 0;
    this.#empty[eqn] = 0;
    this.#masked[eqn] = false;
    this.#open[eqn] = true;
    this.#polled[eqn] = 0;
  }

  /** The rings are there no more, and no event in them is looked at. */
  close(): void {
    this.#open.fill(false);
  }

  /** Asks for an interrupt at the next event, or at once when there is one that has not been taken. */
  arm(eqn: number): void {
    this.#doorbells.armEq(eqn, this.#consumed[eqn] as number);
  }

  /** Masks the vector of a queue, or takes the mask back: its events wait until then. */
  *mask(eqn: number, masked: boolean): Proc<void> {
    const { bus } = this.#host;
    const at = REG.msix + eqn * MSIX_ENTRY.bytes + MSIX_ENTRY.control;
    if (!masked) this.#masked[eqn] = false;
    const call = (this.#maskCalls[eqn] as number) + 1;
    this.#maskCalls[eqn] = call;
    bus.barWrite(BAR.registers, at, [masked ? MSIX_MASKED : 0]);
    if (!masked) return;
    // The answer comes behind all messages that were sent before the mask had arrived.
    yield* bus.barRead32(BAR.registers, at);
    // Others may have taken it back meanwhile.
    if (call === this.#maskCalls[eqn]) this.#masked[eqn] = true;
  }

  /**
   * An MSI-X message: takes everything out of its queue and arms it again. An entry is written before its message, and
   * nobody else takes entries: there must be one. A message without is answered by arming only if the one before had
   * something, so that a NIC that sends too many gets no more doorbells than it sends events.
   */
  interrupt(hi: number, lo: number, data: number): void {
    const vector = (lo - MSIX_AREA_LO) / MSIX_ENTRY.bytes;
    if (hi !== 0 || (vector !== EQN.completion && vector !== EQN.async) || data !== vector) {
      const right = [EQN.completion, EQN.async].map((eqn) => `${hex(eqn)} at ${hexAddress(0, vectorAddress(eqn))}`);
      const found = `message ${hex(data)} was written at ${hexAddress(hi, lo)}`;
      this.#host.error(
        'HCA_MSIX',
        `${found}; ${right.join(' and ')} are right: the data is the number of the vector`,
        bytesOfHost(this.#host.host, hi, lo, 4),
      );
      return;
    }
    if (this.#masked[vector] === true) {
      this.#host.error(
        'HCA_MSIX',
        `host ${this.#host.host} EQ ${vector}: an interrupt, although its vector is masked`,
        this.#subject(vector),
      );
    }
    const taken = this.#drain(vector);
    if (!taken && (this.#polled[vector] as number) > 0) {
      // Who took the entries has armed the queue.
      this.#polled[vector] = (this.#polled[vector] as number) - 1;
      return;
    }
    const empty = taken ? 0 : (this.#empty[vector] as number) + 1;
    this.#empty[vector] = empty;
    if (empty > 0) this.#nothingThere(vector);
    if (empty <= 1) this.arm(vector);
  }

  /** Takes out what no message has told of, and arms the queues anew. */
  poll(): void {
    for (const eqn of [EQN.completion, EQN.async]) {
      if (this.#open[eqn] !== true || this.#masked[eqn] === true || !this.#drain(eqn)) continue;
      this.#polled[eqn] = (this.#polled[eqn] as number) + 1;
      this.arm(eqn);
    }
  }

  #nothingThere(eqn: number): void {
    const slot = (this.#consumed[eqn] as number) % ENTRIES;
    const what = `host ${this.#host.host} EQ ${eqn}: an interrupt, but entry ${slot}, the next one, has not been written`;
    const other = this.#writtenBehind(eqn);
    const why = other < 0 ? 'it came before its entry, or once too often' : this.#misplaced(eqn, other);
    this.#host.error('HCA_MSIX', `${what}; ${why}`, this.#subject(eqn));
  }

  /** The first entry behind the next one that holds an event, going round the ring; -1 when there is none. */
  #writtenBehind(eqn: number): number {
    const next = this.#consumed[eqn] as number;
    for (let i = 1; i < ENTRIES; i++) {
      const entry = (next + i) % ENTRIES;
      if ((this.#host.memory.read32(0, this.#entryAddress(eqn, entry)) & OWNER_BITS) === 0) return entry;
    }
    return -1;
  }

  #misplaced(eqn: number, entry: number): string {
    const at = this.#entryAddress(eqn, entry);
    const type = (this.#host.memory.read32(0, at) >>> 16) & 0xff;
    const number = this.#host.memory.read32(0, at + EQE.number);
    return `entry ${entry} has been instead, with event type ${hex(type)} for number ${number}: it is in the wrong slot`;
  }

  #entryAddress(eqn: number, entry: number): number {
    return this.address(eqn) + entry * EQE_BYTES;
  }

  /** @returns whether there was anything */
  #drain(eqn: number): boolean {
    const memory = this.#host.memory;
    const before = this.#consumed[eqn];
    for (;;) {
      const at = this.#entryAddress(eqn, (this.#consumed[eqn] as number) % ENTRIES);
      const head = memory.read32(0, at);
      if ((head & OWNER_BITS) !== 0) return this.#consumed[eqn] !== before;
      const number = memory.read32(0, at + EQE.number);
      const unused = this.#unusedWord(at);
      memory.write32(0, at, OWNER_BITS);
      this.#consumed[eqn] = (this.#consumed[eqn] as number) + 1;
      if (unused > 0 && !isSyndrome(head, unused, memory.read32(0, at + unused)))
        this.#error(eqn, `reserved dword ${unused >> 2} is not 0`);
      this.#dispatch(eqn, head, number);
    }
  }

  /** Offset of the first word behind the number that holds something, 0 when there is none. */
  #unusedWord(at: number): number {
    for (let offset = EQE.number + 4; offset < EQE_BYTES; offset += 4)
      if (this.#host.memory.read32(0, at + offset) !== 0) return offset;
    return 0;
  }

  /** Something is wrong with the entry that was taken last. */
  #error(eqn: number, what: string): void {
    const entry = ((this.#consumed[eqn] as number) - 1) % ENTRIES;
    this.#host.error('HCA_EQE', `host ${this.#host.host} EQ ${eqn} entry ${entry}: ${what}`, this.#subject(eqn));
  }

  #subject(eqn: number): EventQueueSubject {
    return anEventQueue(this.#host.host, eqn);
  }

  #dispatch(eqn: number, head: number, number: number): void {
    const type = (head >>> 16) & 0xff;
    if (head >>> 24 !== 0) this.#error(eqn, `owner byte ${hex(head >>> 24)}, 0x0 is right`);
    if (eqn === EQN.completion && type === EVENT_TYPE.completion) {
      this.#sink.completion(number);
      return;
    }
    const event = ASYNC_OF_TYPE[type] ?? SHARED_OF_TYPE[type];
    const known = eqn === EQN.completion ? 'the queue of completion events' : 'the queue of asynchronous events';
    if (eqn === EQN.async && event !== undefined) this.#sink.async(event, number);
    else this.#error(eqn, `event type ${hex(type)} for number ${number}, which is not for ${known}`);
  }
}

/** Whether a word behind the number is what an event of a completion queue says of its reason. */
function isSyndrome(head: number, offset: number, word: number): boolean {
  return ((head >>> 16) & 0xff) === EVENT_TYPE.cqError && offset === EQE.syndrome && word === CQ_OVERFLOW;
}

function maskOf(types: Readonly<Record<number, number>>): number {
  return Object.keys(types).reduce((mask, type) => mask | (1 << Number(type)), 0);
}

/** Where the message of a vector goes. */
function vectorAddress(eqn: number): number {
  return MSIX_AREA_LO + eqn * MSIX_ENTRY.bytes;
}
