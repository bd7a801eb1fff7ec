/**
 * What is left of connections when the device of a host is gone: nothing that its sides wait for comes any more, nor does a message for
 * their peers. Requests of the peers end, as their retries allow, and so does what they flush.
 */

import type { Qp } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';
import type { ProcessManager } from '../../../uvm/kernel/process.ts';

/** The part of a side that matters. */
interface Ended {
  readonly qp: Pick<Qp, 'state' | 'recvOutstanding'>;
}

/** A side of a connection of which one end is dead. */
export class DeadSide {
  readonly #error: Error;
  readonly #isOwn: boolean;
  readonly #processes: ProcessManager;

  /** @param isOwn it is the device of the side itself that is gone, and not that of its peer */
  constructor(error: Error, isOwn: boolean, processes: ProcessManager) {
    this.#error = error;
    this.#isOwn = isOwn;
    this.#processes = processes;
  }

  /**
   * To be asked where a side has nothing of what is waited for. Who only takes what comes, a daemon, may go on waiting.
   * @throws DeviceFatalError where none will come
   */
  check(side: Ended, call: 'sent' | 'received'): void {
    if (this.#processes.current?.daemon === true || !this.isVain(side, call)) return;
    throw this.#error;
  }

  /** A call needs what is gone. @throws DeviceFatalError */
  end(): never {
    throw this.#error;
  }

  /** Whether a wait of a side is in vain. */
  isVain({ qp }: Ended, call: 'sent' | 'received'): boolean {
    if (this.#isOwn) return true;
    return call === 'received' && !(qp.state === QP_STATE.err && qp.recvOutstanding > 0);
  }
}
