/** A receive that no message used, with and without the teardown that flushes it. */

import { expect } from 'chai';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { play } from '../../unit/tests/harness.ts';

class Leftover extends UserSequence {
  static readonly typeName = 'leftover';

  override *connection({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(100);
    const target = yield* right.sink(200);
    for (const part of target.split(2)) yield* right.receive(part);
    yield* left.send(source);
    yield* left.sent();
    yield* right.received();
  }
}

describe('a receive that is left over', () => {
  for (const teardown of [0, 1]) {
    it(`is reported as that and as nothing else, with +TEARDOWN=${teardown}`, async () => {
      for (const type of ['RC', 'UC', 'UD']) {
        const numbers = ['RC', 'UC', 'UD'].map((t) => `+${t}_QP_NUM=${t === type ? 1 : 0}`).join(' ');
        const line = `+UVM_TEST_SEQ=leftover ${numbers} +TEARDOWN=${teardown}`;
        const played = await play('test_sequence', line, 1, ({ factory }) => {
          factory.register(Leftover.typeName, Leftover);
        });
        expect(played.verdict).to.equal('failed');
        expect(played.counts).to.include({ UVM_ERROR: 1, UVM_WARNING: 0, error_completions: 0 });
        expect(played.log).to.match(/\[SCB_LEFTOVER_RECV\] host 1 .*: 1 receives are left over/);
      }
    });
  }
});
