import { expect } from 'chai';
import fc from 'fast-check';
import { Objection } from '../../../../uvm/base/objection.ts';
import { UvmError } from '../../../../uvm/base/uvmError.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

const top = { fullName: 'top', parent: null };
const env = { fullName: 'top.env', parent: top };
const left = { fullName: 'top.env.left', parent: env };
const right = { fullName: 'top.env.right', parent: env };

function objection(): { o: Objection; s: Scheduler; drops: number[] } {
  const s = new Scheduler();
  const o = new Objection('run', s);
  const drops: number[] = [];
  o.onAllDropped = () => drops.push(s.now);
  return { o, s, drops };
}

describe('Objection (1800.2 10.5)', () => {
  it('propagates counts to all ancestors', () => {
    const { o } = objection();
    o.raise(left, 'a', 2);
    o.raise(right);
    expect([o.total, o.totalOf(top), o.totalOf(env), o.totalOf(left), o.countOf(env)]).to.deep.equal([3, 3, 3, 2, 0]);
  });

  it('is all dropped when the last one is dropped', () => {
    const { o, drops } = objection();
    o.raise(left);
    o.raise(right);
    o.drop(left);
    expect(drops).to.deep.equal([]);
    o.drop(right);
    expect(drops).to.deep.equal([0]);
  });

  it('rejects a drop of what the object has not raised', () => {
    const { o } = objection();
    o.raise(env);
    expect(() => o.drop(left)).to.throw(UvmError, 'top.env.left');
    expect(() => o.drop(env, '', 2)).to.throw(UvmError, 'has raised only 1');
    expect(() => o.raise(env, '', 0)).to.throw(UvmError, 'positive');
  });

  it('lets the drain time pass before the last drop takes effect', () => {
    const { o, s, drops } = objection();
    o.setDrainTime(null, 500);
    o.raise(left);
    o.drop(left);
    expect(o.total).to.equal(1);
    s.run();
    expect(drops).to.deep.equal([500]);
  });

  it('begins the drain time anew when somebody objects in between', () => {
    const { o, s, drops } = objection();
    o.setDrainTime(null, 500);
    o.raise(left);
    o.drop(left);
    s.schedule(300, { fire: () => o.raise(right) });
    s.schedule(400, { fire: () => o.drop(right) });
    s.run();
    expect(drops).to.deep.equal([900]);
  });

  it('adds up the drain times of the levels', () => {
    const { o, s, drops } = objection();
    o.setDrainTime(env, 100);
    o.setDrainTime(top, 50);
    o.raise(left);
    o.drop(left);
    s.run();
    expect(drops).to.deep.equal([150]);
  });

  it('lists who objects, with description and time', () => {
    const { o } = objection();
    o.raise(left, 'traffic', 2);
    o.drop(left);
    expect(o.raised()).to.deep.equal([{ path: 'top.env.left', count: 1, description: 'traffic', since: 0 }]);
  });

  it('forgets everything on clear, without an all-dropped', () => {
    const { o, drops } = objection();
    o.raise(left);
    o.clear();
    expect([o.total, o.totalOf(env), drops.length]).to.deep.equal([0, 0, 0]);
  });

  it('tells the listener every change', () => {
    const { o } = objection();
    const seen: string[] = [];
    o.listener = (change, source, text, count, total) =>
      seen.push(`${source.fullName} ${change} ${count} ${total} ${text}`);
    o.raise(left, 'x');
    o.drop(left, 'y');
    expect(seen).to.deep.equal([
      'top.env.left raised 1 1 x',
      'top.env.left dropped 1 0 y',
      'top.env.left all_dropped 1 0 ',
      'top.env all_dropped 1 0 ',
      'top all_dropped 1 0 ',
    ]);
  });

  it('keeps the top total equal to the sum of the claims for any order of raises and drops', () => {
    const nodes = [top, env, left, right];
    const step = fc.record({ node: fc.nat(3), count: fc.integer({ min: 1, max: 3 }), drop: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { o, drops } = objection();
        let sum = 0;
        let zeros = 0;
        for (const { node, count, drop } of steps) {
          const n = nodes[node] as typeof top;
          if (!drop) o.raise(n, '', count);
          else if (o.countOf(n) < count) continue;
          else o.drop(n, '', count);
          sum += drop ? -count : count;
          if (drop && sum === 0) zeros++;
          expect(o.total).to.equal(sum);
        }
        expect(drops.length).to.equal(zeros);
      }),
    );
  });
});
