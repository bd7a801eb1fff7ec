/** What a NIC can do according to its provider, and the refusal of what it cannot. */

import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { QP_STATE, QP_TYPE, QP_TYPE_NAME, SEND_FLAG, WR_OPCODE, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import type { QpType } from '../../rdma/verbs.ts';
import { HostApiError } from './hostErrors.ts';
import type { QpAttributes } from './qpAttributes.ts';
import { describe } from './qpTransitions.ts';
import type { Qp, QpInit } from './verbsObjects.ts';

/** What a NIC, through its provider, can do. The host API refuses what needs the others (`UNSUPPORTED`). @public */
export interface ProviderCapabilities {
  readonly rc: boolean;
  readonly uc: boolean;
  readonly ud: boolean;
  readonly rdmaRead: boolean;
  readonly atomics: boolean;
  readonly inline: boolean;
  /** Send requests without a completion: queue pairs with `signalAll: false`. */
  readonly unsignaled: boolean;
  /** Completion events. */
  readonly events: boolean;
  /** A completion queue that overflows is in error, and so is who needs it; without, queues must never be full. */
  readonly cqOverflow: boolean;
  /** Other sizes for completion queues in use. */
  readonly resizeCq: boolean;
  /** RoCEv2 over IPv6. */
  readonly ipv6: boolean;
  /** Send-queue-drained and return from it. */
  readonly sqd: boolean;
  /** Responders answer what they refuse, or are not ready for, with a NAK; without, its sender tries until it gives up. */
  readonly naks: boolean;
  /** A key opens its region to queue pairs of its protection domain only. */
  readonly domains: boolean;
  /** Raw packet queue pairs: software builds whole Ethernet frames. */
  readonly raw: boolean;
  /** Memory regions whose remote addresses count from 0. */
  readonly zeroBased: boolean;
  /** Memory regions of no bytes. */
  readonly emptyRegions: boolean;
  /** Receive queues that several queue pairs share. */
  readonly sharedReceives: boolean;
  /** The NIC says what it knows of a completion queue. */
  readonly queryCq: boolean;
  /** The NIC says what it knows of a memory region. */
  readonly queryMr: boolean;
  /** Memory on the card, in which data may lie. */
  readonly cardMemory: boolean;
  /** Keys have tags: one that an index had before opens nothing. */
  readonly taggedKeys: boolean;
  /** Memory windows of type 1 and type 2, and SENDs and requests that invalidate them. */
  readonly memoryWindows: boolean;
  /** Regions that requests register with a list of pages, and invalidate. */
  readonly fastRegistration: boolean;
}

/** Capability that queue pairs of a type need. */
export const SERVICE_CAPABILITY: Readonly<Record<QpType, keyof ProviderCapabilities>> = {
  [QP_TYPE.rc]: 'rc',
  [QP_TYPE.uc]: 'uc',
  [QP_TYPE.ud]: 'ud',
  [QP_TYPE.raw]: 'raw',
};

const ATOMICS: readonly number[] = [WR_OPCODE.atomicCmpAndSwp, WR_OPCODE.atomicFetchAndAdd];
const INVALIDATIONS: readonly number[] = [WR_OPCODE.localInv, WR_OPCODE.sendWithInv];

/** Capability that a request needs; SEND and WRITE need none. */
const OPCODE_CAPABILITY: Readonly<Record<number, keyof ProviderCapabilities>> = {
  [WR_OPCODE.rdmaRead]: 'rdmaRead',
  [WR_OPCODE.atomicCmpAndSwp]: 'atomics',
  [WR_OPCODE.atomicFetchAndAdd]: 'atomics',
  [WR_OPCODE.bindMw]: 'memoryWindows',
  [WR_OPCODE.regMr]: 'fastRegistration',
  [WR_OPCODE.localInv]: 'memoryWindows',
  [WR_OPCODE.sendWithInv]: 'memoryWindows',
};

/**
 * Holds what software asks of a NIC against the capabilities of its provider.
 * All methods throw `HostApiError` of kind UNSUPPORTED, naming the provider and the capability; nothing has happened.
 */
export class CapabilityChecks {
  readonly #where: string;
  readonly #name: string;
  readonly #can: ProviderCapabilities;
  /** 1 for each `WR_OPCODE` that must not be posted, and the `SEND_FLAG` bits that must not. */
  readonly #deniedOpcodes = new Uint8Array(WR_OPCODE_NAME.length);
  readonly #deniedFlags: number;

  /** @param name of the provider */
  constructor(host: number, name: string, capabilities: ProviderCapabilities) {
    this.#where = `host ${host}`;
    this.#name = name;
    this.#can = capabilities;
    if (!capabilities.rdmaRead) this.#deniedOpcodes[WR_OPCODE.rdmaRead] = 1;
    if (!capabilities.atomics) for (const opcode of ATOMICS) this.#deniedOpcodes[opcode] = 1;
    if (!capabilities.memoryWindows) this.#deniedOpcodes[WR_OPCODE.bindMw] = 1;
    if (!capabilities.fastRegistration) this.#deniedOpcodes[WR_OPCODE.regMr] = 1;
    const invalidates = capabilities.memoryWindows || capabilities.fastRegistration;
    if (!invalidates) for (const opcode of INVALIDATIONS) this.#deniedOpcodes[opcode] = 1;
    this.#deniedFlags = capabilities.inline ? 0 : SEND_FLAG.inline;
  }

  queuePair(init: QpInit): void {
    const service = QP_TYPE_NAME[init.type];
    this.#need(SERVICE_CAPABILITY[init.type], `a queue pair of type ${service}`, 'use another type');
    if (init.signalAll === false) this.#need('unsignaled', 'signalAll: false', 'leave it on: every request completes');
    if ((init.maxInline ?? 0) > 0) this.#need('inline', `maxInline of ${init.maxInline}`, 'leave it 0');
  }

  modify(qp: Qp, attr: QpAttributes): void {
    const where = describe(qp);
    if (attr.state === QP_STATE.sqd) this.#need('sqd', 'the state SQD', 'go to ERR or RESET', where);
    if (attr.av?.ipv6 === true) this.#need('ipv6', 'an IPv6 address vector', 'use IPv4', where);
  }

  sharedReceives(): void {
    this.#need('sharedReceives', 'a shared receive queue', 'give each queue pair receives of its own');
  }

  cardMemory(): void {
    this.#need('cardMemory', 'device memory', 'use memory of the host');
  }

  taggedKeys(): void {
    this.#need('taggedKeys', 'keys with tags', 'open the device without');
  }

  memoryWindow(): void {
    this.#need('memoryWindows', 'a memory window', 'use a region');
  }

  fastRegistration(): void {
    this.#need('fastRegistration', 'a region that requests register', 'use regMr');
  }

  addressHandle(ipv6: boolean): void {
    if (ipv6) this.#need('ipv6', 'an IPv6 address handle', 'use IPv4');
  }

  resize(): void {
    this.#need('resizeCq', 'another size of a completion queue', 'create it as large as it must ever be');
  }

  /** A memory region. */
  region(zeroBased: boolean, length: number): void {
    if (zeroBased) this.#need('zeroBased', 'a zero-based region', 'use one with virtual addresses');
    if (length === 0) this.#need('emptyRegions', 'a region of no bytes', 'use one of at least one byte');
  }

  cqQuery(): void {
    this.#need('queryCq', 'a query of a completion queue', 'ask for it where the NIC can say');
  }

  mrQuery(): void {
    this.#need('queryMr', 'a query of a memory region', 'ask for it where the NIC can say');
  }

  event(): void {
    this.#need('events', 'arming a completion queue', 'poll instead');
  }

  /** The first `count` requests. Hot. */
  posting(qp: Qp, wrs: readonly SendWr[], count: number): void {
    for (let i = 0; i < count; i++) {
      const wr = wrs[i] as SendWr;
      if (this.#deniedOpcodes[wr.opcode] === 1 || (wr.flags & this.#deniedFlags) !== 0) this.#refuse(qp, wr, i);
    }
  }

  #refuse(qp: Qp, wr: SendWr, i: number): void {
    const where = describe(qp);
    const what = `request ${i}: ${WR_OPCODE_NAME[wr.opcode]}`;
    if (this.#deniedOpcodes[wr.opcode] !== 1) this.#need('inline', `${what} with inline data`, 'clear the flag', where);
    const capability = OPCODE_CAPABILITY[wr.opcode] ?? 'atomics';
    this.#need(capability, what, this.#can.rdmaRead ? 'use SEND, WRITE or READ' : 'use SEND or WRITE', where);
  }

  #need(capability: keyof ProviderCapabilities, what: string, hint: string, where = this.#where): void {
    if (this.#can[capability]) return;
    const text = `${what} needs the capability ${capability}, which the provider ${this.#name} denies`;
    throw new HostApiError('UNSUPPORTED', where, text, hint, capability);
  }
}
