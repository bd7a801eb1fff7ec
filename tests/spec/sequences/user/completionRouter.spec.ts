import { expect } from 'chai';
import { SendWr } from '../../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { Cq, Qp } from '../../../../env/verbs/verbsObjects.ts';
import type { Connection } from '../../../../sequences/user/connection.ts';
import type { QpSide } from '../../../../sequences/user/qpSide.ts';
import { UserSequence } from '../../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import { play } from '../../tests/harness.ts';

interface Own {
  readonly cq: Cq;
  readonly qp: Qp;
}

/** A completion queue and a queue pair of a sequence's own, beside those of its connection. */
function* makeOwn({ api, qp }: QpSide): Proc<Own> {
  const cq = yield* api.createCq(qp.process, { entries: 16 });
  const init = { type: QP_TYPE.rc, sendCq: cq, recvCq: cq, maxSendWr: 8, maxRecvWr: 8, maxSge: 4 };
  return { cq, qp: yield* api.createQp(qp.pd, init) };
}

function* destroyOwn({ api }: QpSide, { cq, qp }: Own): Proc<void> {
  yield* api.destroyQp(qp);
  yield* api.destroyCq(cq);
}

describe('CompletionRouter', () => {
  it('leaves a queue alone that its sequence destroys before it is polled, and polls the others', async () => {
    class Destroying extends UserSequence {
      static readonly typeName = 'destroying';
      override pollDelay(): number {
        return 40 * US;
      }
      override *connection({ left, right }: Connection): Proc<void> {
        const [source, target] = [yield* left.source(64), yield* right.sink(64)];
        const [near, far] = [yield* makeOwn(left), yield* makeOwn(right)];
        yield* left.api.connectQp(near.qp, { host: right.host, qpn: far.qp.qpn, psn: 0 });
        yield* right.api.connectQp(far.qp, { host: left.host, qpn: near.qp.qpn, psn: 0 });
        const wr = new SendWr();
        wr.setNumSge(1);
        const remote = { remoteHi: target.hi, remoteLo: target.lo, rkey: target.key };
        Object.assign(wr, { opcode: WR_OPCODE.rdmaWrite, ...remote });
        Object.assign(wr.sges[0] as object, { hi: source.hi, lo: source.lo, length: source.length, lkey: source.key });
        yield* left.api.postSend(near.qp, [wr], 1);
        yield* delay(10 * US);
        expect(near.cq.arrived).to.equal(1);
        yield* destroyOwn(left, near);
        yield* destroyOwn(right, far);
        yield* left.write(source, target);
        this.expectSuccess(yield* left.sent(), 'WRITE of the connection');
      }
    }
    const line = '+UVM_TEST_SEQ=destroying +RC_QP_NUM=1';
    const run = await play('test_sequence', line, 1, ({ factory }) => factory.register('destroying', Destroying));
    expect(run.verdict, run.log).to.equal('passed');
  });
});
