import { ICM_BASE_HI, ICM_PHYSICAL_OFFSET_HI, type IcmTable } from '../../../rdma/hangu/addressMap.ts';
import { PAGE_BYTES } from '../../../rdma/hangu/commands.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { DONE } from '../../done.ts';
import type { ProviderHost } from '../provider.ts';
import type { HanguCommands } from './commands.ts';
import { IcmAllocator, type IcmChunk } from './icmAllocator.ts';
import type { IcmMapper } from './mrTable.ts';

/** Maps ICM pages when a table entry needs them, and unmaps all of them at the end. */
export class IcmPages implements IcmMapper {
  readonly #commands: HanguCommands;
  readonly #host: ProviderHost;
  readonly #pages = new IcmAllocator();

  constructor(commands: HanguCommands, host: ProviderHost) {
    this.#commands = commands;
    this.#host = host;
  }

  /** Pages mapped now. */
  get mapped(): number {
    return this.#pages.pages;
  }

  /** Takes effect at once, so it must be run at once: what it is to map counts as mapped. */
  ensure(table: IcmTable, index: number, count: number): Proc<void> {
    const chunks = this.#pages.need(table, index, count);
    return chunks.length === 0 ? DONE : this.#map(chunks);
  }

  *unmapAll(): Proc<void> {
    for (const chunk of this.#pages.releaseAll()) {
      yield* this.#commands.unmapIcm(chunk);
      this.#area(chunk, false);
    }
  }

  *#map(chunks: readonly IcmChunk[]): Proc<void> {
    for (const chunk of chunks) {
      this.#area(chunk, true);
      yield* this.#commands.mapIcm(chunk);
    }
  }

  #area(chunk: IcmChunk, allowed: boolean): void {
    const hi = ICM_BASE_HI[chunk.table] + ICM_PHYSICAL_OFFSET_HI;
    this.#host.area('icm', hi, chunk.first * PAGE_BYTES, chunk.pages * PAGE_BYTES, allowed);
  }
}
