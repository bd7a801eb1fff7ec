/**
 * Which requests of a compact form are fenced, solicited and without a completion: `+FENCE`, `+SOLICITED` and `+UNSIGNALED_PCT`
 * percent of those that can be.
 */
import { hash32 } from '../../../uvm/random/hash.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { WorkPlan } from '../workPlan.ts';

/** Opcodes that use up a receive, whose completion a solicited one wakes up. */
const MESSAGES: readonly number[] = [WR_OPCODE.send, WR_OPCODE.sendWithImm, WR_OPCODE.rdmaWriteWithImm];

export class OrderFlags {
  readonly #fence: number;
  readonly #solicited: number;
  readonly #unsignaled: number;
  readonly #keys: { readonly fence: number; readonly solicited: number; readonly unsignaled: number };

  /** @param key key of the draws @param fence @param solicited @param unsignaled shares in percent */
  constructor(key: number, fence: number, solicited: number, unsignaled: number) {
    this.#fence = fence;
    this.#solicited = solicited;
    this.#unsignaled = unsignaled;
    this.#keys = {
      fence: hash32(key, 0x66656e, 0),
      solicited: hash32(key, 0x736f6c, 0),
      unsignaled: hash32(key, 0x756e73, 0),
    };
  }

  /** Whether any request has one of the flags. */
  get any(): boolean {
    return this.#fence > 0 || this.#solicited > 0 || this.#unsignaled > 0;
  }

  /**
   * Marks the requests of a plan.
   * @param place any number that is that of this host, queue pair and doorbell only
   * @param mayFence the service has requests that others can be fenced from (roce-transport.md 3.6)
   */
  mark(plan: WorkPlan, place: number, mayFence: boolean): void {
    for (let k = 0; k < plan.count; k++) {
      const request = plan.at(k);
      // The last one tells of all.
      if (k < plan.count - 1 && isIn(this.#keys.unsignaled, place, k, this.#unsignaled)) request.signaled = false;
      if (mayFence && isIn(this.#keys.fence, place, k, this.#fence)) request.flags |= SEND_FLAG.fence;
      if (!MESSAGES.includes(request.opcode)) continue;
      if (isIn(this.#keys.solicited, place, k, this.#solicited)) request.flags |= SEND_FLAG.solicited;
    }
  }
}

function isIn(key: number, place: number, k: number, percent: number): boolean {
  return percent > 0 && (hash32(key, place, k) >>> 0) % 100 < percent;
}
