/**
 * Device memory: memory on the card that software takes by handle, as `ibv_alloc_dm` and its kin have it. Software reaches it through
 * the NIC, by `copyToDm` and `copyFromDm`; the NIC by a zero-based region.
 */
import { CARD_SPACE_HI } from '../../../agents/ddr/cardGeometry.ts';
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { carried, TWO_32 } from '../../../uvm/bytes/words.ts';
import type { BankBytes, DeviceMemoryDriver } from '../../providers/deviceMemoryDriver.ts';
import type { HostMemory } from '../../memory/hostMemory.ts';
import type { CapabilityChecks } from '../capabilities.ts';
import type { MrRequest } from '../hostApi.ts';
import { HostApiError } from '../hostErrors.ts';
import { Dm, type DmGeometry, type DmOptions, type DmRange } from './dm.ts';
import { ApertureSample, type ApertureSampleParts } from './apertureSample.ts';
import { DmThread } from './dmThread.ts';

export interface DeviceMemoryParts {
  readonly host: number;
  /** Of a provider with the capability `cardMemory`. */
  readonly driver: DeviceMemoryDriver | undefined;
  readonly monitor: VerbsMonitor;
  readonly bytes: ByteStore;
  readonly memory: HostMemory;
  /** What the chips of each bank were asked for. */
  readonly traffic: readonly BankBytes[];
  readonly allows: CapabilityChecks;
}

const USUAL_PAGE_LOG = 12;
const PAGE_BYTES = 2 ** USUAL_PAGE_LOG;

export class DeviceMemory {
  readonly #parts: DeviceMemoryParts;
  /** Byte-store offset of a page that is looked at; -1: none has been. */
  #peeked = -1;

  constructor(parts: DeviceMemoryParts) {
    this.#parts = parts;
  }

  alloc(process: number, length: number, { pageLog = USUAL_PAGE_LOG }: DmOptions = {}): Dm {
    const { host } = this.#parts;
    if (!(Number.isSafeInteger(length) && length >= 1))
      throw new HostApiError('ATTRIBUTE', `host ${host}`, `device memory of ${length} bytes`, 'use 1 or more', length);
    const { hi, lo } = this.#driver.alloc(process, length, pageLog);
    return new Dm(host, process, hi, lo, length);
  }

  free(dm: Dm): void {
    this.#check(dm, 0, 0);
    dm.alive = false;
    this.#driver.free(dm.process, dm.hi, dm.lo);
  }

  /** The request for a zero-based region of a piece. */
  region(dm: Dm, { offset = 0, length = dm.length - offset, access, byAddress = false, pageLog }: DmRange): MrRequest {
    this.#check(dm, offset, length);
    if (byAddress && this.#driver.windows > 0) {
      const what = 'a region of device memory by its address in the aperture';
      const why = 'an address in a window stands for another byte with each select: leave byAddress out';
      throw new HostApiError('ATTRIBUTE', `host ${this.#parts.host}`, what, why, offset);
    }
    const pages = pageLog === undefined ? {} : { pageLog };
    return { ...placeOf(dm, offset), length, access, zeroBased: !byAddress, ...pages };
  }

  *copyTo(dm: Dm, offset: number, data: Uint8Array, posted?: () => void): Proc<void> {
    this.#check(dm, offset, data.length);
    if (data.length === 0) return;
    const { host, monitor } = this.#parts;
    const { hi, lo } = placeOf(dm, offset);
    const item = { host, process: dm.process, hi, lo, length: data.length, throughNic: true };
    monitor.tell('dataWriting', item);
    yield* this.#driver.write(dm.process, hi, lo, data, posted);
    monitor.tell('dataWritten', item);
  }

  *copyFrom(dm: Dm, offset: number, length: number): Proc<Uint8Array> {
    this.#check(dm, offset, length);
    const { hi, lo } = placeOf(dm, offset);
    return yield* this.#driver.read(dm.process, hi, lo, length);
  }

  place(dm: Dm, offset: number): number {
    this.#check(dm, offset, 1);
    const { hi, lo } = placeOf(dm, offset);
    return this.#driver.place(dm.process, hi, lo);
  }

  get geometry(): DmGeometry {
    const { windows, windowBytes, apertureBytes, bytes, handleBytes, largeBytes } = this.#driver;
    return { windows, windowBytes, apertureBytes, bytes, handleBytes, largeBytes, traffic: this.#parts.traffic };
  }

  /** What the chips hold, by the back door. */
  peek(card: number, length: number): Uint8Array {
    const { bytes, memory } = this.#parts;
    if (this.#peeked < 0) this.#peeked = bytes.alloc(PAGE_BYTES, 16);
    const at = this.#peeked;
    memory.read(CARD_SPACE_HI | Math.floor(card / TWO_32), card | 0, length, at);
    return bytes.u8.slice(at, at + length);
  }

  /** Reads a sample of the card through the aperture, and says what differs from what its chips hold. */
  *sample(parts: Pick<ApertureSampleParts, 'random' | 'isUp' | 'differs'>): Proc<void> {
    const { driver, memory } = this.#parts;
    if (driver === undefined) return;
    yield* new ApertureSample({ ...parts, driver, memory, peek: (card, length) => this.peek(card, length) }).take();
  }

  thread(dm: Dm): DmThread {
    this.#check(dm, 0, 0);
    return new DmThread(dm, this.#driver, this.#parts.monitor);
  }

  get #driver(): DeviceMemoryDriver {
    this.#parts.allows.cardMemory();
    return this.#parts.driver as DeviceMemoryDriver;
  }

  #check(dm: Dm, offset: number, length: number): void {
    const where = `host ${this.#parts.host}`;
    if (!dm.alive) throw new HostApiError('GONE', where, 'device memory that has been freed', 'take some anew');
    if (Number.isSafeInteger(offset) && offset >= 0 && length >= 0 && offset + length <= dm.length) return;
    const what = `bytes ${offset} to ${offset + length} of device memory of ${dm.length}`;
    throw new HostApiError('ATTRIBUTE', where, what, `stay in 0 .. ${dm.length}`, offset);
  }
}

function placeOf(dm: Dm, offset: number): { readonly hi: number; readonly lo: number } {
  const at = (dm.lo >>> 0) + offset;
  return { hi: carried(dm.hi, at), lo: at | 0 };
}
