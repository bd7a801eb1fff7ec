/** Software that uses memory again as soon as it may (roce-transport.md 4.5): what was there before is not wrong data. */

import { expect } from 'chai';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { oneWay } from '../../../sequences/user/oneWay.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { type Played, play } from '../tests/harness.ts';

const ROUNDS = 5;
/** Several pages. */
const BYTES = 9000;
const INLINE = 50;
/** A completion comes long before the data that it is of, or after. */
const SLOW = '+PCIE_GBPS=2';

class RefilledSource extends UserSequence {
  static readonly typeName: string = 'reuse';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];
  override *connection({ left, right }: Connection): Proc<void> {
    const { source, target } = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < ROUNDS; i++) {
      yield* left.write(source, target);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      left.fill(source, new Uint8Array(BYTES).fill(i + 1));
    }
  }
}

class RefilledTarget extends UserSequence {
  static readonly typeName: string = 'reuse';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];
  override *connection({ left, right }: Connection): Proc<void> {
    const { source, target, sink } = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < ROUNDS; i++) {
      yield* right.receive(sink);
      yield* left.write(source, target);
      yield* left.send(source);
      this.expectSuccess(yield* right.received(), 'receive');
      right.fill(target, new Uint8Array(BYTES).fill(i + 1));
      for (let k = 0; k < 2; k++) this.expectSuccess(yield* left.sent(), 'request');
    }
  }
}

class RefilledInline extends UserSequence {
  static readonly typeName: string = 'reuse';
  override *connection({ left, right }: Connection): Proc<void> {
    const [source, sink] = [yield* left.source(INLINE), yield* right.sink(INLINE)];
    for (let i = 0; i < ROUNDS; i++) {
      yield* right.receive(sink);
      yield* left.send(source, { inline: true });
      left.fill(source, new Uint8Array(INLINE).fill(i + 1));
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}

function playReuse(sequence: new (name: string) => UserSequence, line: string): Promise<Played> {
  const all = `+UVM_TEST_SEQ=reuse +RC_QP_NUM=2 +UC_QP_NUM=2 ${line}`;
  return play('test_sequence', all, 1, ({ factory }) => factory.register('reuse', sequence));
}

const REUSED: readonly (readonly [what: string, sequence: new (name: string) => UserSequence])[] = [
  ['the source of a WRITE that has completed', RefilledSource],
  ['the target of a WRITE, once a message behind it was received', RefilledTarget],
  ['the source of inline data, once they are posted', RefilledInline],
];

describe('software that fills', () => {
  for (const [what, sequence] of REUSED) {
    it(`${what}, gives no false alarm, on fast buses and on slow ones`, async () => {
      for (const line of ['+UD_QP_NUM=1', SLOW]) {
        const run = await playReuse(sequence, line);
        expect(run.verdict, run.log).to.equal('passed');
      }
    });

    it(`${what}, does not hide wrong data`, async () => {
      const inline = sequence === RefilledInline;
      const run = await playReuse(sequence, `+DUT_FAULT=${inline ? 'inline_rest_lost' : 'payload_dropped'}`);
      expect(run.verdict, run.log).to.equal('failed');
    });
  }
});
