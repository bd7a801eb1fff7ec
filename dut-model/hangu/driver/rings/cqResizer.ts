import { CQ_AREA } from '../../layout/addressMap.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { CQE_BYTES } from '../../layout/queues.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { HostApiError } from '../../../../env/verbs/hostErrors.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { HanguCommands } from '../commands/commands.ts';
import { CQ_HALF, type CqRing } from './cqRing.ts';
import type { HanguCq } from '../hanguObjects.ts';
import type { MrTable } from '../tables/mrTable.ts';
import { announceCq } from './ringAreas.ts';
import { powerOfTwo } from './ringPlan.ts';

/** Entries of a ring at most, two of which share a window. */
const MOST_ENTRIES = CQ_HALF / CQE_BYTES;

/** Gives completion queues in use rings of another size: RESIZE_CQ with a ring in the other half of their window. */
export class CqResizer {
  readonly #host: ProviderHost;
  readonly #commands: HanguCommands;
  readonly #mrs: MrTable;
  readonly #ring: CqRing;

  constructor(host: ProviderHost, commands: HanguCommands, mrs: MrTable, ring: CqRing) {
    this.#host = host;
    this.#commands = commands;
    this.#mrs = mrs;
    this.#ring = ring;
  }

  /** @throws HostApiError of kind LIMIT when two such rings do not fit into the window */
  *resize(cq: HanguCq, entries: number): Proc<void> {
    const granted = powerOfTwo(entries);
    this.#check(cq, granted, entries);
    const next = { start: cq.start ^ CQ_HALF, entries: granted };
    cq.next = next;
    const hi = CQ_AREA.hi | (cq.cqn >>> 12);
    const lo = (cq.cqn << CQ_AREA.cqnShift) | next.start;
    const { localWrite } = MPT_PERMISSION;
    const key = yield* this.#mrs.registerRing(cq.process, hi, lo, granted * CQE_BYTES, cq.pdn, localWrite);
    this.#ring.initialise(cq, next);
    announceCq(this.#host, cq, true, next);
    yield* this.#commands.resizeCq(cq.cqn, Math.log2(granted), key);
    const former = { start: cq.start, entries: cq.entries, key: cq.key };
    this.#ring.goOver(cq, next);
    cq.key = key;
    announceCq(this.#host, cq, false, former);
    yield* this.#mrs.deregister([former.key]);
  }

  #check(cq: HanguCq, granted: number, entries: number): void {
    if (granted <= MOST_ENTRIES && cq.entries <= MOST_ENTRIES) return;
    const what = `CQ ${cq.cqn} from ${cq.entries} to ${entries} entries; a queue that is resized has ${MOST_ENTRIES} at most`;
    throw new HostApiError('LIMIT', `host ${this.#host.host}`, what, 'stay below that', entries);
  }
}
