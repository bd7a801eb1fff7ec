import { expect } from 'chai';
import { SteadySource } from '../../../../bench/steady/steadySource.ts';
import { steadySpec } from '../../../../bench/steady/steadySpec.ts';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { resolveParameters } from '../../../../config/parameters.ts';
import { directExtent } from '../../../../config/scenario/drawn/directLayout.ts';
import { WorkPlan } from '../../../../config/scenario/workPlan.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

function make(kind: 'send' | 'write', pairs = 4, used = pairs, atOnce = used) {
  const spec = steadySpec({ kind, pairs, used, atOnce, perDoorbell: 3, perRound: 1 });
  const { config, problems } = resolveParameters(new Plusargs([...spec.plusargs]), 'test_direct_param', 1, {
    limitsOf: () => HANGU_DEVICE_LIMITS,
  });
  expect(problems).to.deep.equal([]);
  const batches: number[] = [];
  const source = new SteadySource(config, 7, spec.work, (batch) => batches.push(batch));
  const plan = () => new WorkPlan(source.maxRequests, source.maxSge);
  return { source, plan, batches, extent: directExtent(config.values), work: spec.work };
}

describe('SteadySource', () => {
  it('keeps all pieces of any batch inside the areas and apart from each other', () => {
    for (const kind of ['send', 'write'] as const) {
      const { source, plan, extent } = make(kind);
      const out = plan();
      for (let batch = 0; batch < 50; batch++) {
        source.sends(0, 2, batch, out);
        const requests = out.requests.slice(0, out.count);
        const pieces = requests.flatMap(({ entries }) => entries.map(({ offset, length }) => [offset, length]));
        pieces.sort((a, b) => (a[0] as number) - (b[0] as number));
        let end = 0;
        for (const [from = 0, length = 0] of pieces) {
          expect(from).to.be.at.least(end);
          end = from + length;
        }
        expect(end).to.be.at.most(extent);
      }
    }
  });

  it('never fills a place twice in a row from the same source', () => {
    const { source, plan, work } = make('write');
    const out = plan();
    const last = new Map<number, number>();
    for (let batch = 0; batch < 200; batch++) {
      source.sends(0, 0, batch, out);
      for (let k = 0; k < out.count; k++) {
        const { entries, remoteOffset } = out.at(k);
        const from = Math.floor((entries[0]?.offset ?? 0) / work.pitch);
        const to = Math.floor(remoteOffset / work.pitch);
        expect(last.get(to)).to.not.equal(from);
        last.set(to, from);
      }
    }
  });

  it('gives as many receives as sends, and work to the used queue pairs of host 0 only', () => {
    const { source, plan } = make('send', 8, 4);
    const out = plan();
    const counts = (host: number, ask: 'sends' | 'recvs') =>
      Array.from({ length: 8 }, (_, qp) => {
        source[ask](host, qp, 3, out);
        return out.count;
      });
    expect(counts(0, 'sends')).to.deep.equal([3, 3, 3, 3, 0, 0, 0, 0]);
    expect(counts(1, 'recvs')).to.deep.equal([3, 3, 3, 3, 0, 0, 0, 0]);
    expect(source.busyQps()).to.equal(4);
    expect(counts(1, 'sends')).to.deep.equal(new Array(8).fill(0));
    expect(counts(0, 'recvs')).to.deep.equal(new Array(8).fill(0));
  });

  it('lets queue pairs take turns, each of which goes on where its last one ended', () => {
    const { source, plan } = make('send', 4, 4, 2);
    const out = plan();
    const senders = [0, 1, 2, 3].map((batch) =>
      [0, 1, 2, 3].filter((qp) => {
        source.recvs(1, qp ^ 1, batch, out);
        const receives = out.count;
        source.sends(0, qp, batch, out);
        expect(receives).to.equal(out.count);
        return out.count > 0;
      }),
    );
    expect(senders).to.deep.equal([
      [0, 1],
      [2, 3],
      [0, 1],
      [2, 3],
    ]);
    const all = make('send').source;
    const alone = plan();
    all.sends(0, 2, 1, alone);
    source.sends(0, 2, 3, out);
    expect(out.at(0).entries).to.deep.equal(alone.at(0).entries);
  });

  it('refuses turns of unequal size', () => {
    expect(() => make('send', 4, 4, 3)).to.throw(RangeError, '4 queue pairs in turns of 3');
  });

  it('counts both queue pairs of a connection as busy when one sends', () => {
    expect(make('send', 8, 3).source.busyQps()).to.equal(4);
  });

  it('says when a batch begins, and ends after the one it is told', () => {
    const { source, plan, batches } = make('send');
    const out = plan();
    expect(source.doorbells).to.equal(Number.POSITIVE_INFINITY);
    for (let batch = 0; batch < 3; batch++) for (let qp = 0; qp < 4; qp++) source.recvs(0, qp, batch, out);
    expect(batches).to.deep.equal([0, 1, 2]);
    source.endAfter(2);
    expect(source.doorbells).to.equal(3);
  });
});
