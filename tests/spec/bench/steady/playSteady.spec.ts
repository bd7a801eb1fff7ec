import { expect } from 'chai';
import { playSteady } from '../../../../bench/steady/playSteady.ts';
import { type SteadyShape, steadySpec } from '../../../../bench/steady/steadySpec.ts';
import type { SteadyCounts } from '../../../../bench/steady/steadyTest.ts';

const SHAPE: SteadyShape = { kind: 'write', pairs: 4, perDoorbell: 3, perRound: 1 };

async function play(shape: SteadyShape) {
  const seen: SteadyCounts[] = [];
  const { run, pageBytes } = await playSteady(steadySpec(shape), (counts) => {
    seen.push(counts);
    return counts.batch < 3;
  });
  return { run, seen, pageBytes };
}

describe('playSteady', () => {
  it('judges one completion and one message for every WRITE', async () => {
    const { run, seen, pageBytes } = await play(SHAPE);
    expect(run.verdict).to.equal('passed');
    expect(seen.map((c) => [c.requests, c.receives, c.checks])).to.deep.equal(
      [0, 12, 24, 36].map((n) => [n, 0, 2 * n]),
    );
    expect(pageBytes).to.be.above(0);
  });

  it('judges two completions and one message for every SEND, and counts transactions', async () => {
    const { run, seen } = await play({ ...SHAPE, kind: 'send' });
    expect(run.verdict).to.equal('passed');
    expect(seen.map((c) => [c.requests, c.receives, c.checks])).to.deep.equal(
      [0, 12, 24, 36].map((n) => [n, n, 3 * n]),
    );
    const [, second, third] = seen as [SteadyCounts, SteadyCounts, SteadyCounts];
    expect((third.transactions - second.transactions) / 12).to.be.within(12, 30);
  });

  it('fails when the NIC drops payload', async () => {
    const { run } = await play({ ...SHAPE, extra: ['+DUT_FAULT=payload_dropped'] });
    expect(run.verdict).to.equal('failed');
  });

  it('refuses arguments that no run can have', async () => {
    let message = '';
    await play({ ...SHAPE, extra: ['+MTU=17'] }).catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.match(/MTU=17/);
  });
});
