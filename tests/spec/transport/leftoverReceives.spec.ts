/** A receive that no message used, with and without the teardown that flushes it. */

import { expect } from 'chai';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { TestSequence } from '../../testSequence.ts';
import { type Played, play } from '../tests/harness.ts';

/** A test of sequences that says that every receive is used. */
class AllUsed extends TestSequence {
  static override readonly typeName: string = 'all_used';

  protected override envOptions(): EnvOptions {
    return { ...super.envOptions(), receivesMayRemain: false };
  }
}

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

function playLeftover(test: string, type: string, teardown: number): Promise<Played> {
  const numbers = ['RC', 'UC', 'UD'].map((t) => `+${t}_QP_NUM=${t === type ? 1 : 0}`).join(' ');
  return play(test, `+UVM_TEST_SEQ=leftover ${numbers} +TEARDOWN=${teardown}`, 1, ({ factory }) => {
    factory.register(Leftover.typeName, Leftover);
    factory.register(AllUsed.typeName, AllUsed);
  });
}

describe('a receive that is left over', () => {
  for (const teardown of [0, 1]) {
    it(`is reported as that and as nothing else where a test says that all are used, with +TEARDOWN=${teardown}`, async () => {
      for (const type of ['RC', 'UC', 'UD']) {
        const played = await playLeftover('all_used', type, teardown);
        expect(played.verdict).to.equal('failed');
        expect(played.counts).to.include({ UVM_ERROR: 1, UVM_WARNING: 0, error_completions: 0 });
        expect(played.log).to.match(/\[SCB_LEFTOVER_RECV\] host 1 .*: 1 receive is left over/);
      }
    });
  }

  it('is the own affair of a sequence otherwise', async () => {
    for (const type of ['RC', 'UC', 'UD']) {
      const played = await playLeftover('test_sequence', type, 1);
      expect([played.verdict, played.counts['UVM_WARNING']], played.log).to.deep.equal(['passed', 0]);
    }
  });
});
