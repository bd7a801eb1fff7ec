/**
 * Regions of a host: keys, page-table entries and pinned pages (blue-rdma.md sections 9 and 13). Entries of the page table
 * are written before the region's, and the region's is invalidated before its pages are given back.
 */
import { BLUE_LIMITS, INDEX_SHIFT, PAGE_BYTES, PAGE_SHIFT } from '../layout/limits.ts';
import { PAGE_ARRAY_ALIGNMENT, PAGES_PER_COMMAND } from '../layout/descriptors.ts';
import { PAGE_ARRAYS_LO } from '../layout/addressMap.ts';
import { carried, TWO_32 } from '../../../uvm/bytes/words.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import { RangeAllocator } from '../../../env/memory/rangeAllocator.ts';
import type { MrRequest } from '../../../env/verbs/hostApi.ts';
import { startsAtZero } from '../../../env/verbs/hostChecks.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { Mr } from '../../../env/verbs/verbsObjects.ts';
import type { Pd } from '../../../env/verbs/verbsObjects.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { CommandQueue } from './rings/commandQueue.ts';

/** `ACCESS` bits that hardware knows. */
const HARDWARE_ACCESS = 0xf;
const PAGE_ENTRY_BYTES = 8;
/** Arrays of page addresses that may be on their way to the NIC at once. */
const ARRAYS = 64;

interface Entry {
  readonly mr: Mr;
  readonly firstPage: number;
  readonly pages: number;
}

export class Regions {
  readonly #host: ProviderHost;
  readonly #commands: CommandQueue;
  #keys = new IndexAllocator(1, BLUE_LIMITS.maxMrs - 1);
  #pages = new RangeAllocator(BLUE_LIMITS.pageEntries);
  readonly #entries = new Map<number, Entry>();
  /** Last eight bits of the next key, by index. */
  readonly #lives = new Uint8Array(1 << (24 - INDEX_SHIFT));
  #array = 0;

  constructor(host: ProviderHost, commands: CommandQueue) {
    this.#host = host;
    this.#commands = commands;
  }

  /** Sizes of the NIC's tables. */
  open(mrEntries: number, pageEntries: number): void {
    this.#keys = new IndexAllocator(1, mrEntries - 1);
    this.#pages = new RangeAllocator(pageEntries);
    this.#host.area('inbox', 0, PAGE_ARRAYS_LO, ARRAYS * PAGE_ARRAY_ALIGNMENT, true);
  }

  close(): void {
    this.#host.area('inbox', 0, PAGE_ARRAYS_LO, ARRAYS * PAGE_ARRAY_ALIGNMENT, false);
  }

  get keysInUse(): number {
    return this.#keys.inUse;
  }

  get pagesInUse(): number {
    return this.#pages.inUse;
  }

  *register(pd: Pd, request: MrRequest): Proc<Mr> {
    const where = `host ${this.#host.host}`;
    const { hi, lo, length, access } = request;
    if (startsAtZero(request)) {
      throw new HostApiError('UNSUPPORTED', where, 'a zero-based region', 'use one with virtual addresses');
    }
    if (length > BLUE_LIMITS.maxRegionBytes) {
      const what = `a region of ${length} bytes, the NIC has 31 bits for its length`;
      throw new HostApiError('LIMIT', where, what, `register at most ${BLUE_LIMITS.maxRegionBytes} bytes`, length);
    }
    const index = this.#keys.alloc();
    if (index < 0) throw new HostApiError('LIMIT', where, 'all regions are in use', 'deregister some first');
    const pages = Math.ceil(((lo & (PAGE_BYTES - 1)) + length) / PAGE_BYTES);
    const firstPage = this.#pages.alloc(pages);
    if (firstPage < 0) {
      this.#keys.free(index);
      throw new HostApiError('LIMIT', where, `${pages} page entries are not free`, 'register less', pages);
    }
    const key = (index << INDEX_SHIFT) | (this.#lives[index] as number);
    this.#lives[index] = (this.#lives[index] as number) + 1;
    const mr = new Mr(pd, key, hi, lo, length, access, false);
    this.#entries.set(key, { mr, firstPage, pages });
    yield* this.#fillPages(pd.process, hi, lo, firstPage, pages);
    yield* this.#commands.updateMr(key, hi, lo, length, access & HARDWARE_ACCESS, firstPage, pd.pdn);
    return mr;
  }

  *deregister(mr: Mr): Proc<void> {
    const entry = this.#entries.get(mr.key) as Entry;
    this.#entries.delete(mr.key);
    yield* this.#commands.updateMr(mr.key, mr.hi, mr.lo, 0, 0, entry.firstPage, mr.pd.pdn);
    this.#pages.free(entry.firstPage, entry.pages);
    this.#keys.free(mr.key >>> INDEX_SHIFT);
  }

  /** Whether a key opens a range to a protection domain, with all of the given `ACCESS` bits. */
  allows(key: number, pd: Pd, hi: number, lo: number, length: number, access: number): boolean {
    const mr = this.#entries.get(key)?.mr;
    if (mr === undefined || mr.pd !== pd || (mr.access & access) !== access) return false;
    const offset = ((hi >>> 0) - (mr.hi >>> 0)) * TWO_32 + ((lo >>> 0) - (mr.lo >>> 0));
    return offset >= 0 && offset <= mr.length - length;
  }

  *#fillPages(process: number, hi: number, lo: number, first: number, pages: number): Proc<void> {
    const { memory, map } = this.#host;
    const start = (lo >>> PAGE_SHIFT) * PAGE_BYTES;
    for (let done = 0; done < pages; done += PAGES_PER_COMMAND) {
      const count = Math.min(PAGES_PER_COMMAND, pages - done);
      const array = PAGE_ARRAYS_LO + (this.#array++ % ARRAYS) * PAGE_ARRAY_ALIGNMENT;
      for (let i = 0; i < count; i++) {
        const at = start + (done + i) * PAGE_BYTES;
        map.translate(process, carried(hi, at), at | 0);
        memory.write32(0, array + i * PAGE_ENTRY_BYTES, map.physLo);
        memory.write32(0, array + i * PAGE_ENTRY_BYTES + 4, map.physHi);
      }
      yield* this.#commands.updatePages(first + done, count, array);
    }
  }
}
