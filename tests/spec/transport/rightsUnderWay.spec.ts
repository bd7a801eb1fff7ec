/** Rights that are changed while requests which need them are on their way (roce-transport.md 4.2, 6.2). */

import { expect } from 'chai';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import type { OneWay } from '../../../sequences/user/oneWay.ts';
import { oneWay } from '../../../sequences/user/oneWay.ts';
import type { QpSide } from '../../../sequences/user/qpSide.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../tests/harness.ts';

const ALL = ACCESS.remoteWrite | ACCESS.remoteRead;
const NONE = { state: QP_STATE.rts, accessFlags: 0 };
const AGAIN = { state: QP_STATE.rts, accessFlags: ALL };
const BYTES = 600;
/** Between the changes of two connections, ns. */
const STEP = 75;

/** One after the other, so that each connection meets its change at another moment. */
class InTurn extends UserSequence {
  override *body(): Proc {
    for (const connection of this.connections) yield* this.connection(connection);
  }
}

function playSequence(type: typeof InTurn, line: string): Promise<Played> {
  const name = 'in_turn';
  return play('test_sequence', `+UVM_TEST_SEQ=${name} ${line}`, 1, ({ factory }) => factory.register(name, type));
}

/** Posts a WRITE with immediate data, and changes the rights of its receiver after `wait` ns. */
function* changedAfter(wait: number, { from, to, source, target }: OneWay, change: typeof NONE): Proc<void> {
  yield* from.write(source, target, { imm: 7 });
  yield* delay(wait * NS);
  yield* changed(to, change);
  (yield* from.sent()).expected();
}

/** A refusal may have broken the queue pair before. */
function* changed({ api, qp }: QpSide, change: typeof NONE): Proc<void> {
  try {
    yield* api.modifyQp(qp, change);
  } catch (error) {
    if (!(error instanceof HostApiError && error.kind === 'STATE')) throw error;
  }
}

function expectClean(run: Played): void {
  expect([run.verdict, run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0]);
}

describe('rights that change under requests on their way', () => {
  it('leave a NIC that has found no receive with nothing of that: a message behind takes the one that is posted later', async () => {
    class Looks extends InTurn {
      override readonly services = [QP_TYPE.uc];
      override *connection({ index, left, right }: Connection): Proc<void> {
        const way = yield* oneWay(left, right, BYTES);
        yield* changedAfter(index * STEP, way, NONE);
        yield* delay(20 * US);
        yield* right.receive(way.sink);
        yield* left.send(way.source);
        this.expectSuccess(yield* left.sent(), 'SEND');
        this.expectSuccess(yield* right.received(), 'receive');
      }
    }
    expectClean(await playSequence(Looks, '+RC_QP_NUM=0 +UC_QP_NUM=64 +PCIE_MEMORY_NS=1000'));
  });

  it('may be met as they were or as they are, and what they forbid now must be refused', async () => {
    let refused = 0;
    class Changes extends InTurn {
      override *connection({ index, left, right }: Connection): Proc<void> {
        const way = yield* oneWay(left, right, BYTES);
        const grants = index % 2 === 0;
        yield* right.receive([]);
        if (grants) yield* right.api.modifyQp(right.qp, NONE);
        yield* left.write(way.source, way.target);
        yield* changedAfter(index * STEP, way, grants ? AGAIN : NONE);
        const first = yield* left.sent();
        first.expected();
        refused += first.status === 0 ? 0 : 1;
        yield* delay(20 * US);
      }
    }
    const run = await playSequence(Changes, '+RC_QP_NUM=32 +UC_QP_NUM=32');
    expectClean(run);
    expect(refused).to.be.within(1, 31);
  });
});
