/** Which completion queues there are and which queue pairs use which: dealt out by process, shared as asked. */

import type { ParameterValues } from '../../table/parameterTable.ts';

/** How completion queues are placed. */
export interface CqPlacementOptions {
  /** Queue pairs of a host, and processes that may own them. */
  readonly qps: number;
  readonly processes: number;
  /** Queue pairs of a process that share one; 0 = all of them. */
  readonly shared: number;
  /** Separate queues for sends and receives. */
  readonly split: boolean;
}

/** Fewest entries of a completion queue, as published (hangu-interface.md 8.2). */
const MIN_ENTRIES = 64;

/** The parameters that decide. */
type Placing = Pick<ParameterValues, 'RC_QP_NUM' | 'UC_QP_NUM' | 'UD_QP_NUM' | 'PROC_NUM' | 'SHARED_CQ' | 'SPLIT_CQ'>;

export class CqPlacement {
  /** What the parameters of a run ask for. @param maxProcesses that a host of its NIC has */
  static of(v: Placing, maxProcesses: number): CqPlacement {
    const qps = v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM;
    const processes = Math.min(v.PROC_NUM, maxProcesses);
    return new CqPlacement({ qps, processes, shared: v.SHARED_CQ, split: v.SPLIT_CQ });
  }

  /** Completion queues of a host. */
  readonly count: number;
  readonly #options: CqPlacementOptions;
  /** Of one direction. */
  readonly #half: number;

  constructor(options: CqPlacementOptions) {
    this.#options = options;
    this.#half = this.#groups();
    this.count = options.split ? 2 * this.#half : this.#half;
  }

  /** Processes that may own something. */
  get processes(): number {
    return this.#options.processes;
  }

  /** Process number (1 ..) of queue pair `qp`. */
  process(qp: number): number {
    return 1 + (qp % this.#options.processes);
  }

  /** Completion queue of the sends of queue pair `qp`. */
  sendCq(qp: number): number {
    const { processes, shared } = this.#options;
    const rank = Math.floor(qp / processes);
    const group = shared === 0 ? 0 : Math.floor(rank / shared);
    return group * processes + (qp % processes);
  }

  /** Completion queue of its receives. */
  recvCq(qp: number): number {
    return this.sendCq(qp) + (this.#options.split ? this.#half : 0);
  }

  /** Process number of completion queue `cq`. */
  cqProcess(cq: number): number {
    return 1 + ((cq % this.#half) % this.#options.processes);
  }

  /** Entries that completion queue `cq` needs when each queue pair may complete `perQp` requests a batch. */
  entries(cq: number, perQp: number): number {
    const { qps, processes, shared } = this.#options;
    const member = cq % this.#half;
    const first = Math.floor(member / processes) * shared;
    const ranks = Math.floor((qps - 1 - (member % processes)) / processes) + 1;
    const users = shared === 0 ? ranks : Math.min(shared, ranks - first);
    return Math.max(MIN_ENTRIES, users * perQp);
  }

  #groups(): number {
    return this.#options.qps === 0 ? 0 : highest(this.#options.qps, (qp) => this.sendCq(qp)) + 1;
  }
}

function highest(count: number, value: (i: number) => number): number {
  let best = 0;
  for (let i = 0; i < count; i++) best = Math.max(best, value(i));
  return best;
}
