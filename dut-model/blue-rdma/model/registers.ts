/** BAR 0 (blue-rdma.md section 3): rings, counters and what the NIC was built with. */
import {
  CHANNEL_STRIDE,
  BLUE_BAR,
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  COUNTER_OFFSET,
  COUNTERS,
  COUNTERS_STRIDE,
  type CounterName,
  RAW_RECEIVE_RING,
  RAW_SEND_RING,
  REGISTER,
  REPORT_RING,
  RING_ALIGNMENT,
  RING_REGISTER,
  RING_REGISTER_BYTES,
  SEND_RING,
} from '../layout/registers.ts';
import type { Tlp } from '../../nic.ts';
import type { BlueCore } from './core.ts';
import type { FetchRing } from './fetchRing.ts';
import type { ReportRing } from './reportRing.ts';

/** The rings of the NIC. */
export interface BlueRings {
  /** By channel. */
  readonly send: readonly FetchRing[];
  readonly report: readonly ReportRing[];
  readonly commandRequest: FetchRing;
  readonly commandResponse: ReportRing;
  readonly rawSend: FetchRing;
  readonly rawReceive: ReportRing;
}

/** Settings that are no ring's. */
export interface DebugSettings {
  loopback: number;
  lossSeed: number;
  lossThreshold: number;
}

const REGISTER_BYTES = 4;
const COUNTER_AT = new Map<number, CounterName>(
  (Object.keys(COUNTER_OFFSET) as CounterName[]).map((name) => [COUNTER_OFFSET[name], name]),
);

export class Registers {
  readonly debug: DebugSettings = { loopback: 0, lossSeed: 0, lossThreshold: 0 };
  readonly #core: BlueCore;
  readonly #rings = new Map<number, FetchRing | ReportRing>();
  readonly #toCard = new Set<FetchRing | ReportRing>();

  constructor(core: BlueCore, rings: BlueRings) {
    this.#core = core;
    for (const [i, ring] of rings.send.entries()) this.#rings.set(CHANNEL_STRIDE * i + SEND_RING, ring);
    for (const [i, ring] of rings.report.entries()) this.#rings.set(CHANNEL_STRIDE * i + REPORT_RING, ring);
    this.#rings.set(COMMAND_REQUEST_RING, rings.commandRequest);
    this.#rings.set(COMMAND_RESPONSE_RING, rings.commandResponse);
    this.#rings.set(RAW_SEND_RING, rings.rawSend);
    this.#rings.set(RAW_RECEIVE_RING, rings.rawReceive);
    for (const ring of [...rings.send, rings.commandRequest, rings.rawSend]) this.#toCard.add(ring);
  }

  reset(): void {
    Object.assign(this.debug, { loopback: 0, lossSeed: 0, lossThreshold: 0 });
  }

  write(tlp: Tlp): void {
    if (tlp.bar !== BLUE_BAR || tlp.length !== REGISTER_BYTES || (tlp.lo & (REGISTER_BYTES - 1)) !== 0) {
      this.#core.badAccesses++;
      return;
    }
    const value = this.#core.bytes.i32[tlp.data >>> 2] as number;
    const ring = this.#rings.get(tlp.lo & -RING_REGISTER_BYTES);
    if (ring !== undefined) this.#writeRing(ring, tlp.lo & (RING_REGISTER_BYTES - 1), value);
    else if (tlp.lo === REGISTER.loopback) this.debug.loopback = value;
    else if (tlp.lo === REGISTER.lossSeed) this.debug.lossSeed = value;
    else if (tlp.lo === REGISTER.lossThreshold) this.debug.lossThreshold = value;
    else this.#core.badAccesses++;
  }

  /** Value of a register; 0 where there is none. */
  read(bar: number, address: number): number {
    if (bar !== BLUE_BAR) return 0;
    const ring = this.#rings.get(address & -RING_REGISTER_BYTES);
    if (ring !== undefined) return readRing(ring, address & (RING_REGISTER_BYTES - 1));
    if (address >= COUNTERS) return this.#readCounter(address - COUNTERS);
    const { config } = this.#core;
    switch (address) {
      case REGISTER.loopback:
        return this.debug.loopback;
      case REGISTER.lossSeed:
        return this.debug.lossSeed;
      case REGISTER.lossThreshold:
        return this.debug.lossThreshold;
      case REGISTER.channels:
        return config.channels;
      case REGISTER.ringDepth:
        return config.ringDepth;
      case REGISTER.qpEntries:
        return config.qpEntries;
      case REGISTER.mrEntries:
        return config.mrEntries;
      case REGISTER.pageEntries:
        return config.pageEntries;
      default:
        return 0;
    }
  }

  #readCounter(offset: number): number {
    const name = COUNTER_AT.get(offset % COUNTERS_STRIDE);
    const counts = this.#core.counters[Math.floor(offset / COUNTERS_STRIDE)];
    return name === undefined || counts === undefined ? 0 : counts[name];
  }

  #writeRing(ring: FetchRing | ReportRing, register: number, value: number): void {
    const p = ring.pointers;
    const ownsHead = this.#toCard.has(ring);
    if (register === RING_REGISTER.head && ownsHead) (ring as FetchRing).setHead(value);
    else if (register === RING_REGISTER.tail && !ownsHead) (ring as ReportRing).setTail(value);
    else if (p.used !== 0) this.#core.badAccesses++;
    else if (register === RING_REGISTER.baseLow && (value & (RING_ALIGNMENT - 1)) === 0) p.baseLo = value;
    else if (register === RING_REGISTER.baseHigh) p.baseHi = value;
    else this.#core.badAccesses++;
  }
}

function readRing({ pointers: p }: FetchRing | ReportRing, register: number): number {
  switch (register) {
    case RING_REGISTER.baseLow:
      return p.baseLo;
    case RING_REGISTER.baseHigh:
      return p.baseHi;
    case RING_REGISTER.head:
      return p.head;
    default:
      return p.tail;
  }
}
