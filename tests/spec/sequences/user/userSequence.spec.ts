import { expect } from 'chai';
import { QP_STATE, WC_STATUS } from '../../../../rdma/verbs.ts';
import type { Connection } from '../../../../sequences/user/connection.ts';
import type { UserContext } from '../../../../sequences/user/userContext.ts';
import { type Refuser, UserSequence } from '../../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { type Played, play } from '../../tests/harness.ts';

type Made = new () => UserSequence;

function playSequence(made: Made, queuePairs = '+RC_QP_NUM=1'): Promise<Played> {
  const line = `+UVM_TEST_SEQ=ad_hoc ${queuePairs} +SETTLE=1us`;
  return play('test_sequence', line, 1, ({ factory }) => factory.register('ad_hoc', made));
}

function queuePairs(type: 'RC' | 'UC'): string {
  return `+RC_QP_NUM=${type === 'RC' ? 1 : 0} +UC_QP_NUM=${type === 'UC' ? 1 : 0}`;
}

/** Two SENDs: one that succeeds, and one without the right to read its own buffer. */
abstract class TwoSends extends UserSequence {
  override *connection({ left, right }: Connection): Proc<void> {
    const [near, far] = [yield* left.source(100), yield* right.sink(200)];
    for (const part of far.split(2)) yield* right.receive(part);
    yield* left.send(near);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'receive');
    yield* left.deregister(near);
    yield* left.send(near.unchecked());
    this.#second(yield* left.sent());
    yield* left.api.destroyQp(left.qp);
    yield* right.api.destroyQp(right.qp);
  }

  #second(completion: Parameters<UserSequence['expectSuccess']>[0]): void {
    this.expectStatus(completion, this.wanted, 'SEND of a region that is gone');
  }

  protected abstract readonly wanted: number;
}

describe('what a user sequence expects of a completion', () => {
  it('passes unseen when it is so', async () => {
    class Right extends TwoSends {
      protected readonly wanted = WC_STATUS.locProtErr;
    }
    const run = await playSequence(Right);
    expect(run.counts, run.log).to.include({ UVM_ERROR: 0, error_completions: 1 });
    expect(run.log).not.to.contain('ERROR_COMPLETIONS');
  });

  it('is a warning where nobody expects the error, and names the first such request', async () => {
    class Careless extends TwoSends {
      protected readonly wanted = WC_STATUS.locProtErr;
      override expectStatus(): void {}
    }
    const run = await playSequence(Careless);
    expect(run.log).to.contain(
      '[ERROR_COMPLETIONS] 1 request ended with an error status, first ' +
        'request 1 of the send queue of host 0 RC QP 14 with LOC_PROT_ERR; look for a wrong key or range, or a ' +
        'receive that is too short or posted too late, unless that was meant',
    );
  });

  it('is reported as SEQ_STATUS when it is not, with both statuses', async () => {
    class Wrong extends TwoSends {
      protected readonly wanted = WC_STATUS.success;
    }
    const run = await playSequence(Wrong);
    const text =
      'SEND of a region that is gone: request 1 of the send queue of host 0 RC QP 14 ended with LOC_PROT_ERR, expected SUCCESS';
    expect(run.log).to.match(new RegExp(`UVM_ERROR .*\\[SEQ_STATUS\\] ${text}`));
    expect([run.verdict, run.log.split('[SEQ_STATUS] SEND').length]).to.deep.equal(['failed', 2]);
  });
});

describe('a user sequence on a link that loses frames', () => {
  /** The log of a run whose only WRITE has no answer. */
  async function refused(lossAllowed: boolean): Promise<string> {
    class Refused extends UserSequence {
      override *connection({ left, right }: Connection): Proc<void> {
        const { context } = this;
        if (context !== undefined) this.context = { ...context, env: { ...context.env, lossAllowed } };
        yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
        yield* left.write(yield* left.source(8), yield* right.sink(8));
        this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'WRITE');
      }
    }
    return (await playSequence(Refused, '+RC_QP_NUM=1 +ACK_TIMEOUT=2')).log;
  }

  it('takes a sender that gave up for one that did not hear the answer', async () => {
    expect(await refused(false)).to.contain('ended with RETRY_EXC_ERR, expected REM_ACCESS_ERR');
    expect(await refused(true)).to.not.contain('SEQ_STATUS');
  });
});

describe('a user sequence that expects a request to be refused', () => {
  /** A WRITE to memory without its key, and what is expected to refuse it. */
  function writeRefusedBy(refuser: Refuser, type: 'RC' | 'UC'): Promise<Played> {
    class Refused extends UserSequence {
      override *connection(connection: Connection): Proc<void> {
        const { left, right } = connection;
        const [near, far] = [yield* left.source(100), yield* right.sink(100)];
        yield* left.write(near, far.withKey(0x7777));
        yield* this.expectRefused(connection, refuser, 'WRITE');
        yield* left.api.destroyQp(left.qp);
        yield* right.api.destroyQp(right.qp);
      }
    }
    return playSequence(Refused, queuePairs(type));
  }

  it('passes when it is, with what each service tells the requester, and a receive flushed on each side of RC', async () => {
    for (const [type, broken] of [
      ['RC', 3],
      ['UC', 0],
    ] as const) {
      const run = await writeRefusedBy('responder', type);
      expect([run.counts['UVM_ERROR'], run.counts['error_completions']], run.log).to.deep.equal([0, broken]);
    }
  });

  it('passes with immediate data, too: the receive ends with LOC_ACCESS_ERR on RC, and stays on UC', async () => {
    for (const type of ['RC', 'UC'] as const) {
      class Refused extends UserSequence {
        override *connection(connection: Connection): Proc<void> {
          const { left, right } = connection;
          const [near, far] = [yield* left.source(100), yield* right.sink(100)];
          yield* right.receive([]);
          yield* left.write(near, far.withKey(0x7777), { imm: 5 });
          yield* this.expectRefused(connection, 'responder', 'WRITE');
          if (type === 'RC') this.expectStatus(yield* right.received(), WC_STATUS.locAccessErr, 'receive');
        }
      }
      const run = await playSequence(Refused, queuePairs(type));
      expect([run.verdict, run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0]);
    }
  });

  it('reports SEQ_STATUS when another refused it', async () => {
    const run = await writeRefusedBy('requester', 'RC');
    expect(run.log).to.match(/\[SEQ_STATUS\] WRITE: request 0 .* ended with REM_ACCESS_ERR, expected LOC_PROT_ERR/);
  });
});

describe('a user sequence that waits for quiet', () => {
  it('goes on when nothing moves any more', async () => {
    class Quiet extends UserSequence {
      override *body(): Proc {
        yield* this.quiet();
      }
    }
    expect((await playSequence(Quiet)).counts).to.include({ UVM_ERROR: 0 });
  });

  it('reports SEQ_NOT_QUIET when NICs do not come to rest', async () => {
    class Restless extends UserSequence {
      override *body(): Proc {
        const { env, ...rest } = this.context as UserContext;
        let moved = 0;
        this.context = { ...rest, env: { ...env, activity: () => ++moved } };
        yield* this.quiet();
      }
    }
    const run = await playSequence(Restless);
    expect(run.log).to.match(/UVM_ERROR .*\[SEQ_NOT_QUIET\] the NICs do not come to rest/);
    expect(run.verdict).to.equal('failed');
  });
});
