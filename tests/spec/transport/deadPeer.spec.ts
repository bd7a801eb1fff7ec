/** A peer that answers nothing: the sender tries as often again as it may, and no more (roce-transport.md 3.8). */

import { expect } from 'chai';
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { HanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import type { QpSlot } from '../../../dut-model/hangu/model/transport/qpSlot.ts';
import { SendCompletion } from '../../../dut-model/hangu/model/transport/sendCompletion.ts';
import type { NicContext } from '../../../dut-model/nic.ts';
import { QP_STATE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';

/** Forgets once that it has tried before. */
class OneMore extends SendCompletion {
  #forgotten = false;
  override retry(slot: QpSlot, c: number, psn: number): void {
    if (!this.#forgotten && slot.retries > 0) {
      this.#forgotten = true;
      slot.retries--;
    }
    super.retry(slot, c, psn);
  }
}

/** Counts every retry twice. */
class OneLess extends SendCompletion {
  override retry(slot: QpSlot, c: number, psn: number): void {
    slot.retries++;
    super.retry(slot, c, psn);
  }
}

type Ends = typeof SendCompletion;

class DeadPeer extends RcConnection {
  static plan: { readonly retryCnt: number; readonly sends: Ends };
  status = -1;
  protected override readonly attributes = { retryCnt: DeadPeer.plan.retryCnt };
  protected readonly settings = {};

  protected override makeNic(context: NicContext, config: HanguConfig): HanguNic {
    return new HanguNic(context, config, { sendCompletion: DeadPeer.plan.sends });
  }

  protected override *traffic(a: End, b: End): Proc {
    yield* b.api.modifyQp(b.qp, { state: QP_STATE.reset });
    const wr = Object.assign(new SendWr(), { opcode: WR_OPCODE.send });
    wr.setNumSge(1);
    Object.assign(wr.sges[0] as object, { hi: a.source.hi, lo: a.source.lo, length: 3000, lkey: a.source.key });
    yield* a.api.postSend(a.qp, [wr], 1);
    this.status = (yield* this.take(a, 1, (wc) => wc.status))[0] as number;
  }
}

function play(retryCnt: number, sends: Ends = SendCompletion): { status: number; frames: number; errors: string[] } {
  const errors: string[] = [];
  const sink = (text: string): void => {
    for (const match of text.matchAll(/^UVM_(?:ERROR|FATAL) @.*?\[(.*?)\]/gm)) errors.push(match[1] as string);
  };
  DeadPeer.plan = { retryCnt, sends };
  const run = new Run({ seed: 1, testName: 'dead_peer', sink });
  run.factory.register('dead_peer', DeadPeer);
  run.runTest();
  const test = run.root.find('uvm_test_top') as DeadPeer;
  const frames = test.nics[0]?.core.counters.framesSent ?? 0;
  return { status: test.status, frames, errors };
}

describe('a peer that answers nothing', () => {
  it('is sent each packet as often again as the sender may try', () => {
    for (const retryCnt of [0, 3, 7]) {
      const right = { status: WC_STATUS.retryExcErr, frames: 3 * (1 + retryCnt), errors: [] };
      expect(play(retryCnt)).to.deep.equal(right);
    }
  });

  it('makes the wire monitor report a sender that tries once more', () => {
    expect([...new Set(play(3, OneMore).errors)]).to.deep.equal(['WIRE_RETRY']);
  });

  it('makes the scoreboard report a sender that tries less often', () => {
    expect(play(3, OneLess).errors).to.deep.equal(['SCB_STATUS']);
  });
});
