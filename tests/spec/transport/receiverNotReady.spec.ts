/**
 * Receives that are posted too late for a sender of limited patience: what it gives up is the test's doing, not the
 * NIC's; a NIC that gives up sooner, or that refuses what it could receive, is to blame (roce-transport.md 3.8; T-029, T-030).
 */

import { expect } from 'chai';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { HanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import { SendCompletion } from '../../../dut-model/hangu/model/transport/sendCompletion.ts';
import type { NicContext } from '../../../dut-model/nic.ts';
import { WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';
import { US } from '../../../uvm/kernel/time.ts';

const LENGTH = 3000;
const MESSAGES = 4;

/** Sends again at once, whatever the receiver asks for. */
class Hasty extends SendCompletion {
  override receiverNotReady(...refusal: Parameters<SendCompletion['receiverNotReady']>): void {
    const [slot, c, psn] = refusal;
    super.receiverNotReady(slot, c, psn, 0);
  }
}

/** Gives up at the first refusal. */
class Despairing extends SendCompletion {
  override receiverNotReady(...refusal: Parameters<SendCompletion['receiverNotReady']>): void {
    const [slot, c] = refusal;
    this.fail(slot, c, GAVE_UP);
  }
}
/** Syndrome of a completion. */
const GAVE_UP = 0x16;

type Ends = typeof SendCompletion;

/** Messages whose receives come `late` us after they were sent; every refusal asks for 10 us. */
class LateReceives extends RcConnection {
  static plan: { readonly late: number; readonly retries: number; readonly sends: Ends };
  readonly statuses: number[] = [];
  protected override readonly rnrRetry = LateReceives.plan.retries;
  protected readonly settings = {};

  protected override makeNic(context: NicContext, config: HanguConfig): HanguNic {
    return new HanguNic(context, config, { sendCompletion: LateReceives.plan.sends });
  }

  protected override *traffic(a: End, b: End): Proc {
    const list = Array.from({ length: MESSAGES }, (_, i) => i);
    const sends = list.map((i) => Object.assign(entry(new SendWr(), a.source, i), { opcode: WR_OPCODE.send }));
    yield* a.api.postSend(a.qp, sends, MESSAGES);
    yield* delay(LateReceives.plan.late * US);
    const recvs = list.map((i) => entry(new RecvWr(), b.target, i));
    yield* b.api.postRecv(b.qp, recvs, MESSAGES);
    this.statuses.push(...(yield* this.take(a, MESSAGES, (wc) => wc.status)));
    yield* delay(30 * US);
    this.env.quiet();
  }
}

function entry<T extends SendWr | RecvWr>(wr: T, at: End['source'], i: number): T {
  wr.wrId = i;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: at.hi, lo: at.lo + 4096 * i, length: LENGTH, lkey: at.key });
  return wr;
}

/** Completion statuses in order, and the ids of all errors. */
function play(late: number, retries: number, sends: Ends = SendCompletion): { statuses: number[]; errors: string[] } {
  const errors: string[] = [];
  const sink = (text: string): void => {
    for (const match of text.matchAll(/^UVM_(?:ERROR|FATAL) @.*?\[(.*?)\]/gm)) errors.push(match[1] as string);
  };
  LateReceives.plan = { late, retries, sends };
  const run = new Run({ seed: 1, testName: 'late_receives', sink });
  run.factory.register('late_receives', LateReceives);
  run.runTest();
  return { statuses: (run.root.find('uvm_test_top') as LateReceives).statuses, errors };
}

const DELIVERED = Array.from({ length: MESSAGES }, () => WC_STATUS.success);
const GIVEN_UP = [WC_STATUS.rnrRetryExcErr, ...DELIVERED.slice(1).map(() => WC_STATUS.wrFlushErr)];

describe('receives that are posted too late', () => {
  it('cost a sender its connection when they come after its last try, and nobody is to blame', () => {
    expect(play(50, 3)).to.deep.equal({ statuses: GIVEN_UP, errors: [] });
    expect(play(5, 0)).to.deep.equal({ statuses: GIVEN_UP, errors: [] });
  });

  it('cost nothing when they come before the last try', () => {
    expect(play(25, 3)).to.deep.equal({ statuses: DELIVERED, errors: [] });
    expect(play(200, 7)).to.deep.equal({ statuses: DELIVERED, errors: [] });
  });

  it('are no excuse for a NIC that does not wait between its tries', () => {
    const { statuses, errors } = play(25, 3, Hasty);
    expect(statuses).to.deep.equal(GIVEN_UP);
    expect(new Set(errors)).to.deep.equal(new Set(['WIRE_RNR', 'SCB_STATUS']));
  });

  it('are no excuse for a NIC that does not try as often as it may', () => {
    for (const retries of [1, 3, 7]) {
      const { statuses, errors } = play(25, retries, Despairing);
      expect(statuses).to.deep.equal(GIVEN_UP);
      expect(errors).to.deep.equal(['SCB_STATUS']);
    }
    expect(play(25, 0, Despairing)).to.deep.equal({ statuses: GIVEN_UP, errors: [] });
  });
});
