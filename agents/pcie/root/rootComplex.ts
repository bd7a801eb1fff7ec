/**
 * What lies between the processors of a host and its NIC: a bridge that moves the storage domain of the processors to the addresses of the
 * bus and back, and the firmware that finds the BARs of the NIC, sizes them, and gives each its place on the bus.
 *
 *   CPU address - cpuBase + busBase = bus address          address of host memory + inbound = bus address of a DMA access
 */
import type { Nic, Tlp } from '../../../dut-model/nic.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

/** A BAR that was found. */
export interface FoundBar {
  readonly bar: number;
  readonly bytes: number;
  readonly is64: boolean;
  readonly prefetchable: boolean;
}

/** One access to the configuration space, which the master makes. */
export interface ConfigAccess {
  readonly register: number;
  /** What is written; left out for a read. */
  readonly value?: number;
}

/** Offsets in the configuration space. */
const COMMAND_AT = 4;
const BARS_AT = 0x10;
const BARS = 6;
const CAPABILITIES_AT = 0x34;
const MOST_CAPABILITIES = 48;
/** Identifier of the PCI Express capability, and where in it the device control is. */
const EXPRESS = 0x10;
const DEVICE_CONTROL = 8;
const MEMORY_AND_MASTER = 6;
const TYPE_64 = 4;
const PREFETCHABLE = 8;
const FLAGS = 0xf;
/** The range of the bus that BARs of 64 bits are put into, and where processors have it. */
const BUS_BITS = 44;
const CPU_BITS = 47;
/** Beyond what a window or a BAR can have. */
const PLACES = 64;

export class RootComplex {
  readonly #random: FastStream;
  readonly #cpuBase: number;
  readonly #busBase: number;
  #bars: readonly FoundBar[] = [];
  /** By BAR: CPU address at which it begins. */
  readonly #cpu = new Map<number, number>();

  constructor(random: FastStream) {
    this.#random = random;
    this.#cpuBase = 2 ** CPU_BITS + random.below(PLACES) * 2 ** 36;
    this.#busBase = 2 ** BUS_BITS + random.below(PLACES) * 2 ** 38;
  }

  /** BARs as they were found. */
  get bars(): readonly FoundBar[] {
    return this.#bars;
  }

  /** Sizes the BARs and gives each a place, by configuration accesses that `access` makes. */
  *enumerate(): Generator<ConfigAccess, void, number> {
    yield { register: COMMAND_AT, value: 0 };
    this.#bars = yield* this.#find();
    yield* this.#assign();
  }

  /** Writes that `relocate` asks for. */
  get writesToRelocate(): number {
    return this.#bars.reduce((count, { is64 }) => count + (is64 ? 2 : 1), 2);
  }

  /** Gives the BARs other places, by writes only. */
  *relocate(): Generator<ConfigAccess, void, unknown> {
    yield { register: COMMAND_AT, value: 0 };
    yield* this.#assign();
  }

  /** Where an access to a BAR is on the bus: the number and offset in it give way to the bus address. */
  toBus(t: Tlp): void {
    const cpu = (this.#cpu.get(t.bar) ?? this.#cpuBase) + t.hi * TWO_32 + (t.lo >>> 0);
    const bus = cpu - this.#cpuBase + this.#busBase;
    t.bar = -1;
    t.hi = Math.floor(bus / TWO_32);
    t.lo = bus | 0;
  }

  /** Writes ones to each BAR: bits of its size stay 0. */
  *#find(): Generator<ConfigAccess, FoundBar[], number> {
    const found: FoundBar[] = [];
    for (let bar = 0; bar < BARS; bar++) {
      const register = BARS_AT + 4 * bar;
      yield { register, value: -1 };
      const low = yield { register };
      if (low === 0) continue;
      const is64 = (low & TYPE_64) !== 0;
      let high = -1;
      if (is64) {
        yield { register: register + 4, value: -1 };
        high = yield { register: register + 4 };
      }
      const mask = (high >>> 0) * TWO_32 + ((low & ~FLAGS) >>> 0);
      found.push({ bar, bytes: 2 ** 64 - mask, is64, prefetchable: (low & PREFETCHABLE) !== 0 });
      if (is64) bar++;
    }
    return found;
  }

  /** A place for each, naturally aligned, none across another; then accesses are let through. */
  *#assign(): Generator<ConfigAccess, void, unknown> {
    let next = 0;
    for (const { bar, bytes, is64 } of [...this.#bars].sort((a, b) => b.bytes - a.bytes)) {
      const skipped = this.#random.below(PLACES);
      next = (Math.ceil(next / bytes) + skipped) * bytes;
      this.#cpu.set(bar, this.#cpuBase + next);
      const bus = this.#busBase + next;
      yield { register: BARS_AT + 4 * bar, value: bus | 0 };
      if (is64) yield { register: BARS_AT + 4 * bar + 4, value: Math.floor(bus / TWO_32) };
      next += bytes;
    }
    yield { register: COMMAND_AT, value: MEMORY_AND_MASTER };
  }
}

/** A NIC with a configuration space: it decodes bus addresses itself. */
export type EnumerableNic = Nic & Required<Pick<Nic, 'configRead' | 'configWrite'>>;

/** Whether a NIC has a configuration space. */
export function isEnumerable(nic: Nic | null): nic is EnumerableNic {
  return nic?.configRead !== undefined && nic.configWrite !== undefined;
}

/** Register of the device control of PCI Express, found by the list of capabilities; undefined where the NIC has none. */
export function deviceControl(nic: EnumerableNic): number | undefined {
  let at = nic.configRead(CAPABILITIES_AT) & 0xff;
  // A list has no more entries than the space has room for: one that leads back to itself ends too.
  for (let left = MOST_CAPABILITIES; at !== 0 && left > 0; left--) {
    const head = nic.configRead(at);
    if ((head & 0xff) === EXPRESS) return at + DEVICE_CONTROL;
    at = (head >>> 8) & 0xff;
  }
  return undefined;
}
