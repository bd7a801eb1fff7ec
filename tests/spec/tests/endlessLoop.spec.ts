import { expect } from 'chai';
import { Event } from '../../../uvm/kernel/event.ts';
import { DeltaLimitError } from '../../../uvm/kernel/schedulerErrors.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { endlessLoop } from '../../endlessLoop.ts';
import { expectClean, playConnection } from '../sequences/user/playConnection.ts';

const LIMIT = 10_000;

describe('a sequence that goes round without letting time pass', () => {
  it('is named with its processes, and the NIC is not judged', async () => {
    const run = await playConnection(function* ({ run: { scheduler, processes } }) {
      scheduler.deltaLimit = LIMIT;
      const [ping, pong] = [new Event('ping'), new Event('pong')];
      const play = function* (mine: Event, others: Event): Proc {
        for (;;) {
          others.trigger();
          others.reset();
          yield* mine.wait();
        }
      };
      processes.spawn('left', play(ping, pong));
      yield processes.spawn('right', play(pong, ping));
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_ENDLESS']);
    expect(run.message).to.match(/the sequence \w+ goes on for ever without time passing .*the NIC is not judged/);
    expect(run.message).to.contain('run_phase.connection0.left').and.to.contain('run_phase.connection0.right');
  });

  it('may take part in as many events of an instant as there may be', async () => {
    expectClean(
      await playConnection(function* (_, { left, right }) {
        for (let i = 0; i < 100; i++) yield 0;
        yield* right.receive(yield* right.sink(10));
        yield* left.send(yield* left.source(10));
        yield* right.received();
        yield* left.sent();
      }),
    );
  });

  it('is not blamed where anything but processes has a turn', () => {
    const handlers = new Set([{ fullName: 'uvm_test_top.env.hca0.nic', fire: () => {} }]);
    expect(endlessLoop(new DeltaLimitError(5, LIMIT, new Map(), handlers), 'the sequence x')).to.equal(undefined);
  });
});
