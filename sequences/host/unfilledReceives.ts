/**
 * Ends the wait for messages that a faulty link has swallowed.
 *
 * Nobody sends a message of UC or UD again, and a requester of RC that has given up tells its peer nothing. So when all
 * requests are done and nothing moves any more, the receives that are left cannot be filled: software takes their queue pairs to
 * ERR, and polls what is flushed. Between batches such connections are made anew.
 */
import type { HostApi } from '../../env/verbs/hostApi.ts';
import { QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { MS, US } from '../../uvm/kernel/time.ts';
import type { Endpoint } from './endpoint.ts';
import type { PlayEnv } from './playEnv.ts';
import { lookTime } from './settle.ts';
import { Stillness } from './stillness.ts';

/** Longest silence of NICs that have something to do and nothing to wait for: more than work inside and a way to memory. */
const SILENCE = 100 * US;
/** Stall times in which something that is owed must come, as the judge waits for it. */
const STALLS = 3;
/** While nothing moves it is looked for less and less often. */
const SELDOM = MS;

export class UnfilledReceives {
  readonly #api: HostApi;
  readonly #env: PlayEnv;
  readonly #ends: readonly Endpoint[];
  readonly #window: number;
  /** Queue pairs that were taken to ERR, and not connected again yet. */
  readonly #released = new Set<Endpoint>();

  /**
   * @param ends of the host
   * @param settle see `PlayOptions`
   */
  constructor(api: HostApi, env: PlayEnv, ends: readonly Endpoint[], settle: number) {
    this.#api = api;
    this.#env = env;
    this.#ends = ends;
    this.#window = lookTime(settle);
  }

  /** Whether what is flushed of a queue pair was asked for here. */
  isReleased(end: Endpoint): boolean {
    return this.#released.has(end);
  }

  /** Takes queue pairs to ERR whose receives nobody fills; ends when something is owed and does not come. */
  *watch(clock: Pick<Scheduler, 'now'>): Proc<void> {
    const stillness = new Stillness(this.#env);
    let look = this.#window;
    for (;;) {
      yield* delay(look);
      const still = stillness.look(clock.now);
      look = still === 0 ? this.#window : Math.min(2 * look, SELDOM);
      if (still > STALLS * this.#env.stallTime) return;
      if (still < SILENCE + this.#window || this.#env.owesCompletion()) continue;
      for (const end of this.#ends) {
        if (end.qp.recvOutstanding === 0 || this.#released.has(end)) continue;
        this.#released.add(end);
        if (end.qp.state !== QP_STATE.err) yield* this.#api.modifyQp(end.qp, { state: QP_STATE.err });
      }
    }
  }

  /** Ends whose connection is broken, on this side or, of a connected one, on the other. Nothing is under way. */
  broken(): Endpoint[] {
    return this.#ends.filter(({ qp, peer }) => {
      const isConnected = qp.type !== QP_TYPE.ud;
      return peer !== null && (isOut(qp.state) || (isConnected && isOut(peer.qp.state)));
    });
  }

  /** Resets queue pairs, so that they can be connected again. */
  *reset(ends: readonly Endpoint[]): Proc<void> {
    for (const end of ends) {
      yield* this.#api.modifyQp(end.qp, { state: QP_STATE.reset });
      this.#released.delete(end);
    }
  }
}

function isOut(state: number): boolean {
  return state === QP_STATE.err || state === QP_STATE.sqe;
}
