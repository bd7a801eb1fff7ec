/** Bugs of the completion unit and of how requests are completed. */
import { CQE } from '../../rdma/hangu/queues.ts';
import { CompletionEntry } from '../hangu/completionEntry.ts';
import { CompletionUnit } from '../hangu/completionUnit.ts';
import type { QpSlot, SendRequest } from '../hangu/qpSlot.ts';
import { SendCompletion } from '../hangu/sendCompletion.ts';
import { Every, planted } from './fault.ts';
import type { Fault } from './fault.ts';

type Build = (w: Int32Array, d: number, e: CompletionEntry) => void;

/** A NIC whose CQEs are changed after they have been built. */
function withCqe(
  name: string,
  description: string,
  caughtBy: readonly string[],
  makeChange: () => Build,
  needs?: readonly string[],
): Fault {
  class Unit extends CompletionUnit {
    readonly #change = makeChange();
    protected override build(w: Int32Array, d: number, e: CompletionEntry): void {
      super.build(w, d, e);
      this.#change(w, d, e);
    }
  }
  const fault = {
    name,
    block: 'completion',
    description,
    caughtBy,
    create: planted({ completions: Unit }),
  } satisfies Fault;
  return needs === undefined ? fault : { ...fault, needs };
}

/** Changes a dword of every n-th entry that passes the filter. */
function every(n: number, wanted: (e: CompletionEntry) => boolean, change: Build): () => Build {
  return () => {
    const turn = new Every(n);
    return (w, d, e) => {
      if (wanted(e) && turn.hit()) change(w, d, e);
    };
  };
}

class LosingUnit extends CompletionUnit {
  readonly #turn = new Every(9);
  override post(e: CompletionEntry): void {
    if (!this.#turn.hit()) super.post(e);
  }
}

class RepeatingUnit extends CompletionUnit {
  readonly #turn = new Every(7);
  override post(e: CompletionEntry): void {
    const again = this.#turn.hit() ? Object.assign(new CompletionEntry(), e, { next: null }) : null;
    super.post(e);
    if (again !== null) super.post(again);
  }
}

class MisplacingUnit extends CompletionUnit {
  protected override slotOffset(k: number, logSize: number): number {
    return super.slotOffset(k % 6 === 5 ? k + 1 : k, logSize);
  }
}

/** Every fifth send completion waits until the next one of the same CQ has been written. */
class SwappingUnit extends CompletionUnit {
  readonly #turn = new Every(5);
  #held: CompletionEntry | null = null;
  override post(e: CompletionEntry): void {
    const held = this.#held;
    if (held === null && e.isSend && this.#turn.hit()) {
      this.#held = e;
      return;
    }
    super.post(e);
    if (held !== null && held.cqn === e.cqn) {
      this.#held = null;
      super.post(held);
    }
  }
}

class SilentUnreliable extends SendCompletion {
  override unacknowledged(slot: QpSlot, r: SendRequest): void {
    if (slot.head !== r) return;
    slot.head = r.next;
    if (slot.head === null) slot.tail = null;
    if (slot.cursor === r) slot.cursor = r.next;
    this.sendQueue.release(r);
  }
}

/** Drops requests that it fetches after the failure of their queue pair. */
class ForgetfulFlush extends SendCompletion {
  override flushFetched(r: SendRequest): void {
    const { slot } = r;
    this.sendQueue.release(r);
    if (this.sendQueue.hasMore(slot)) this.requester.schedule(slot);
  }
}

const always = (): boolean => true;

export const COMPLETION_FAULTS: readonly Fault[] = [
  withCqe(
    'cqe_wqe_offset',
    'every fourth CQE names the WQE before its own',
    ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE'],
    every(4, always, (w, d, e) => {
      w[d + (CQE.wqe >> 2)] = Math.max(0, e.wqe - 128);
    }),
  ),
  withCqe(
    'cqe_byte_count',
    'every fifth CQE reports one byte too few',
    ['SCB_BYTE_LEN'],
    every(
      5,
      (e) => e.byteCount > 0,
      (w, d, e) => {
        w[d + (CQE.byteCount >> 2)] = e.byteCount - 1;
      },
    ),
  ),
  withCqe(
    'cqe_immediate_zero',
    'the immediate never reaches the CQE',
    ['SCB_IMM'],
    every(
      1,
      (e) => e.imm !== 0,
      (w, d) => {
        w[d + (CQE.immediate >> 2)] = 0;
      },
    ),
    ['+IMM=100'],
  ),
  withCqe(
    'cqe_immediate_shifted',
    'the immediate arrives shifted right by one bit',
    ['SCB_IMM'],
    every(
      1,
      (e) => e.imm !== 0,
      (w, d, e) => {
        w[d + (CQE.immediate >> 2)] = e.imm >>> 1;
      },
    ),
    ['+IMM=100'],
  ),
  withCqe(
    'cqe_remote_qpn',
    'every sixth CQE names the wrong remote queue pair',
    ['SCB_REMOTE_QPN'],
    every(6, always, (w, d, e) => {
      w[d + (CQE.remoteQpn >> 2)] = e.remoteQpn ^ 1;
    }),
  ),
  withCqe(
    'cqe_my_qpn',
    'every eighth CQE names another queue pair of the host',
    ['SCB_QPN', 'SCB_CQ', 'HCA_CQE_UNKNOWN_QP'],
    every(8, always, (w, d, e) => {
      w[d] = e.qpn ^ 0x1000;
    }),
  ),
  withCqe(
    'cqe_false_error',
    'every tenth CQE reports a remote access error',
    ['SCB_STATUS'],
    every(10, always, (w, d) => {
      w[d + (CQE.immediate >> 2)] = 0x13;
      w[d + (CQE.opcode >> 2)] = ((w[d + (CQE.opcode >> 2)] as number) & ~0xff) | 0xff;
    }),
  ),
  withCqe(
    'cqe_direction',
    'every seventh receive CQE is marked as a send completion',
    ['SCB_SURPLUS', 'SCB_ORDER', 'SCB_OPCODE', 'SCB_WR_ID'],
    every(
      7,
      (e) => !e.isSend,
      (w, d) => {
        w[d + (CQE.opcode >> 2)] = (w[d + (CQE.opcode >> 2)] as number) | 0x100;
      },
    ),
  ),
  {
    name: 'cqe_lost',
    block: 'completion',
    description: 'every ninth completion is not written',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SCB_ORDER', 'SCB_WR_ID'],
    create: planted({ completions: LosingUnit }),
  },
  {
    name: 'cqe_repeated',
    block: 'completion',
    description: 'every seventh completion is written twice',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS'],
    create: planted({ completions: RepeatingUnit }),
  },
  {
    name: 'cqe_slot',
    block: 'completion',
    description: 'every sixth completion lands one slot too far',
    caughtBy: ['SCB_CQE_ADDR'],
    create: planted({ completions: MisplacingUnit }),
  },
  {
    name: 'cqe_swapped',
    block: 'completion',
    description: 'two completions of a queue change places',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STUCK', 'SCB_DATA'],
    create: planted({ completions: SwappingUnit }),
  },
  {
    name: 'uc_completion_missing',
    block: 'completion',
    description: 'unreliable sends never complete',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    create: planted({ sendCompletion: SilentUnreliable }),
  },
  {
    name: 'flush_unfetched_lost',
    block: 'completion',
    description: 'requests that are fetched after the failure of their queue pair are never flushed',
    caughtBy: ['SCB_MISSING'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=7', '+MAX_SEND_WR=30'],
    create: planted({ sendCompletion: ForgetfulFlush }),
  },
];
