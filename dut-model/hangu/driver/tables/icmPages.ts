import { ICM_BASE_HI, ICM_PHYSICAL_OFFSET_HI, type IcmTable } from '../../layout/addressMap.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { Event } from '../../../../uvm/kernel/event.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { DONE } from '../../../../env/verbs/done.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { HanguCommands } from '../commands/commands.ts';
import { IcmAllocator, type IcmChunk, pageOf } from './icmAllocator.ts';
import type { IcmMapper } from './mrTable.ts';

/** Pages of a table that take several commands to map, from the first to the last of them. */
interface Mapping {
  readonly table: IcmTable;
  readonly first: number;
  readonly last: number;
  readonly done: Event;
}

/** Maps ICM pages when a table entry needs them, and unmaps all of them at the end. */
export class IcmPages implements IcmMapper {
  readonly #commands: Pick<HanguCommands, 'mapIcm' | 'unmapIcm'>;
  readonly #host: Pick<ProviderHost, 'area'>;
  readonly #pages = new IcmAllocator();
  readonly #underWay = new Set<Mapping>();

  constructor(commands: Pick<HanguCommands, 'mapIcm' | 'unmapIcm'>, host: Pick<ProviderHost, 'area'>) {
    this.#commands = commands;
    this.#host = host;
  }

  /** Pages mapped now. */
  get mapped(): number {
    return this.#pages.pages;
  }

  /**
   * Takes effect at once, so it must be run at once: what it is to map counts as mapped. Commands are carried out in
   * order, so that what one command maps may be used by the next; what takes several is waited for.
   */
  ensure(table: IcmTable, index: number, count: number): Proc<void> {
    const chunks = this.#pages.need(table, index, count);
    if (this.#underWay.size === 0) return chunks.length === 0 ? DONE : this.#map(chunks);
    return this.#mapBehind(chunks, this.#mapping(table, pageOf(table, index), pageOf(table, index + count - 1)));
  }

  /** The NIC was reset: what was to be mapped will never be, and nobody waits for it. */
  lose(): void {
    for (const { done } of this.#underWay) done.trigger();
    this.#underWay.clear();
  }

  /** Nothing is mapped any more. */
  forget(): void {
    for (const chunk of this.#pages.releaseAll()) this.#area(chunk, false);
  }

  *unmapAll(): Proc<void> {
    for (const chunk of this.#pages.releaseAll()) {
      yield* this.#commands.unmapIcm(chunk);
      this.#area(chunk, false);
    }
  }

  /** Mappings under way that have some of these pages. */
  #mapping(table: IcmTable, first: number, last: number): readonly Mapping[] {
    return [...this.#underWay].filter((m) => m.table === table && m.first <= last && m.last >= first);
  }

  *#mapBehind(chunks: readonly IcmChunk[], others: readonly Mapping[]): Proc<void> {
    yield* this.#map(chunks);
    for (const { done } of others) yield* done.waitOn();
  }

  *#map(chunks: readonly IcmChunk[]): Proc<void> {
    const mapping = mappingOf(chunks);
    if (mapping !== null) this.#underWay.add(mapping);
    for (const chunk of chunks) {
      this.#area(chunk, true);
      yield* this.#commands.mapIcm(chunk);
    }
    if (mapping === null) return;
    this.#underWay.delete(mapping);
    mapping.done.trigger();
  }

  #area(chunk: IcmChunk, allowed: boolean): void {
    const hi = ICM_BASE_HI[chunk.table] + ICM_PHYSICAL_OFFSET_HI;
    this.#host.area('icm', hi, chunk.first * PAGE_BYTES, chunk.pages * PAGE_BYTES, allowed);
  }
}

/** Null where one command is enough. */
function mappingOf(chunks: readonly IcmChunk[]): Mapping | null {
  const [from, to] = [chunks[0], chunks.at(-1)];
  if (chunks.length < 2 || from === undefined || to === undefined) return null;
  const last = to.first + to.pages - 1;
  return { table: from.table, first: from.first, last, done: new Event(`ICM pages of ${from.table} mapped`) };
}
