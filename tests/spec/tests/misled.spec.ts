import { expect } from 'chai';
import { registryOf } from '../../../bin/registry.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { endOnRefusal } from '../../../tests/commandRefusal.ts';
import { Component } from '../../../uvm/base/component.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { play, playOn } from './harness.ts';

/** Software that posts more than its queue takes; `findings` of the judge come before. */
abstract class Posts extends Component {
  protected abstract readonly findings: number;

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    for (let n = 0; n < this.findings; n++) this.error('SCB_DUPLICATE', 'a completion came twice');
    yield* endOnRefusal(this, this.#work());
  }

  *#work(): Proc {
    yield* delay(1000);
    throw new HostApiError('QUEUE_FULL', 'host 1 RC QP 15', '1 outstanding request and 8 more exceed 8', 'poll');
  }
}

class Misled extends Posts {
  static readonly typeName = 'misled';
  protected readonly findings = 1;
}

class Mistaken extends Posts {
  static readonly typeName = 'mistaken';
  protected readonly findings = 0;
}

const registry = registryOf([{ folder: 'tests', name: 'posts', exports: { Misled, Mistaken } }]);

describe('a call that software must not make', () => {
  it('ends a run that has failed, without an exception, when the NIC has been found to tell wrong things', () => {
    const { verdict, signature, endedBy } = playOn(registry, 'misled');
    expect([verdict, signature?.id, endedBy?.id]).to.deep.equal(['failed', 'SCB_DUPLICATE', 'SEQ_MISLED']);
    expect(endedBy?.message).to.contain('host 1 RC QP 15: 1 outstanding request and 8 more exceed 8; poll.');
  });

  it('is a mistake in the test when nothing has been found', () => {
    const { verdict, signature } = playOn(registry, 'mistaken');
    expect([verdict, signature?.id]).to.deep.equal(['error', 'EXCEPTION']);
  });

  it('is what completions of the wrong requests lead to', async () => {
    const run = await play('test_random', '+DUT_FAULT=cqe_wqe_offset', 1_142_072_648);
    expect([run.verdict, run.signature?.id]).to.deep.equal(['failed', 'SCB_DUPLICATE']);
    expect(run.endedBy?.id ?? '').not.to.equal('EXCEPTION');
  });
});
