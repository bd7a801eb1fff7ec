/** Shared receive queues of the HanGu provider. */
import type { RecvWr } from '../../../agents/verbs/verbsItems.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { SrqDriver } from '../../../env/providers/srqDriver.ts';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import { DONE } from '../../../env/verbs/done.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { DeviceRequest, SrqAttributes, SrqRequest } from '../../../env/verbs/srq/srqRequests.ts';
import type { Pd, Srq } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { HANGU_LIMITS } from '../layout/limits.ts';
import { SRQ_AREA, SRQ_COUNT_MASK, SRQC_FIELD } from '../layout/sharedReceives.ts';
import type { HanguCommands } from './commands/commands.ts';
import { getField } from './commands/image.ts';
import type { Doorbells } from './rings/doorbells.ts';
import { NO_CELLS, type RequestIds } from './rings/requestIds.ts';
import { announceSrq } from './rings/ringAreas.ts';
import { orGiveBack } from './orGiveBack.ts';
import { planShared } from './rings/ringPlan.ts';
import { HanguSrq } from './hanguObjects.ts';
import { SrqWriter } from './rings/srqWriter.ts';
import type { IcmPages } from './tables/icmPages.ts';
import type { MrTable } from './tables/mrTable.ts';

/** Numbers begin here: 0 is not one that anybody would get by chance. */
const FIRST_SRQN = 1;

/** What it works with. */
export interface HanguSrqsParts {
  readonly host: ProviderHost;
  readonly commands: HanguCommands;
  readonly mrs: MrTable;
  readonly icm: IcmPages;
  readonly ids: RequestIds;
  readonly doorbells: Doorbells;
}

export class HanguSrqs implements SrqDriver {
  readonly #parts: HanguSrqsParts;
  readonly #where: string;
  readonly #writer: SrqWriter;
  #numbers = new IndexAllocator(0, 0, 0, 0);
  readonly #open = new Set<HanguSrq>();

  constructor(parts: HanguSrqsParts) {
    this.#parts = parts;
    this.#where = `host ${parts.host.host}`;
    this.#writer = new SrqWriter(parts.host);
  }

  /** The device is opened. @returns log2 of the queues that the NIC is asked for, 0 = none. @throws HostApiError of kind LIMIT for too many */
  opens({ srqs = 0 }: DeviceRequest): number {
    const { maxSrqs } = HANGU_LIMITS;
    if (!(Number.isInteger(srqs) && srqs >= 0 && srqs <= maxSrqs))
      throw new HostApiError('LIMIT', this.#where, `${srqs} shared receive queues`, `use 0 .. ${maxSrqs}`, srqs);
    if (srqs === 0) return 0;
    // A table of one entry cannot be asked for.
    const log = Math.max(1, Math.ceil(Math.log2(srqs)));
    this.#numbers = new IndexAllocator(0, 2 ** log - 1, FIRST_SRQN, srqs);
    return log;
  }

  /** Those that there are. */
  get open(): ReadonlySet<HanguSrq> {
    return this.#open;
  }

  *create(pd: Pd, request: SrqRequest): Proc<Srq> {
    const { host, commands, mrs, icm } = this.#parts;
    const plan = planShared(request, this.#where);
    const srqn = this.#numbers.alloc();
    if (srqn < 0) {
      const hint = 'destroy some, or ask for more of them when the device is opened';
      throw new HostApiError('LIMIT', this.#where, 'all shared receive queues are in use', hint);
    }
    const hi = SRQ_AREA.hi | (srqn >>> 8);
    const lo = srqn << SRQ_AREA.srqnShift;
    const key = yield* orGiveBack(mrs.registerRing(pd.process, hi, lo, plan.slots << plan.strideLog, pd.pdn, 0), () => {
      this.#numbers.free(srqn);
      return DONE;
    });
    yield* icm.ensure('srqc', srqn, 1);
    const srq = new HanguSrq(pd, srqn, plan, request.maxSge, key);
    announceSrq(host, srq, true);
    this.#open.add(srq);
    yield* commands.sw2hwSrq(srq);
    return srq;
  }

  setLimit({ srqn }: Srq, limit: number): Proc<void> {
    return this.#parts.commands.armSrq(srqn, limit);
  }

  query({ srqn, maxWr, maxSge }: Srq): Proc<SrqAttributes> {
    const { commands, host } = this.#parts;
    return commands.querySrq(srqn, (outbox) => {
      const slots = 1 << ((getField(host.bytes, outbox, SRQC_FIELD.stateSize) >>> 24) & 15);
      const limit = getField(host.bytes, outbox, SRQC_FIELD.limit);
      return { maxWr: slots - 1 === maxWr ? maxWr : slots - 1, maxSge, limit };
    });
  }

  *destroy(srq: Srq): Proc<void> {
    const { host, commands, mrs, ids } = this.#parts;
    const own = srq as HanguSrq;
    yield* commands.hw2swSrq(own.srqn);
    yield* mrs.deregister([own.key]);
    announceSrq(host, own, false);
    ids.free(own.rqCells, own.rqSlots);
    this.#open.delete(own);
    this.#numbers.free(own.srqn);
  }

  post(srq: Srq, wrs: Parameters<SrqDriver['post']>[1], count: number): Proc<void> {
    const { host, ids, doorbells } = this.#parts;
    const own = srq as HanguSrq;
    if (own.rqCells === NO_CELLS) own.rqCells = ids.alloc(own.rqSlots);
    const slots: number[] = [];
    for (let i = 0; i < count; i++) {
      const wr = wrs[i] as RecvWr;
      const slot = own.advance();
      this.#writer.write(own, slot, own.next, wr);
      ids.put(own.rqCells + slot, wr.wrId);
      slots.push(slot);
    }
    host.sharedPosted(own, wrs, count, slots);
    doorbells.shared(own.process, own.srqn, own.posted & SRQ_COUNT_MASK);
    return DONE;
  }

  /** The NIC was reset, and has none of them. */
  forget(): void {
    for (const srq of this.#open) announceSrq(this.#parts.host, srq, false);
    this.#open.clear();
    this.#numbers.clear();
  }
}
