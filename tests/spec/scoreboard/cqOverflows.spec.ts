/** Completion queues that overflow: by what software has told, and what its NIC may not have heard yet. */
import { expect } from 'chai';
import { CqOverflows } from '../../../scoreboard/checks/cqOverflows.ts';
import { SCB, type ScbId } from '../../../scoreboard/report/reportIds.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { Findings } from '../../../uvm/report/findings.ts';

const CQN = 260;

class Bench {
  readonly ids: string[] = [];
  readonly clock = { now: 0 };
  readonly overflows: CqOverflows;

  constructor(entries: number) {
    const sink = { error: (id: string) => this.ids.push(id), countError: () => {}, errorNote: () => {} };
    this.overflows = new CqOverflows(new Findings<ScbId>(sink, 20), this.clock);
    this.overflows.sized(0, CQN, entries, entries);
  }

  write(count: number): this {
    for (let i = 0; i < count; i++) this.overflows.completed(0, CQN);
    return this;
  }

  /** Software has taken so many, and says so; then so much time passes, us. */
  take(index: number, us: number): this {
    this.overflows.told(0, CQN, index);
    this.clock.now += us * US;
    return this;
  }

  get said(): string | undefined {
    return this.overflows.happened(0, CQN);
  }
}

describe('completion queues that overflow', () => {
  it('are full with as many completions more than software has told of as they hold', () => {
    expect(new Bench(4).write(3).said).to.contain('3 were in use at most');
    expect(new Bench(4).write(4).said).to.equal('');
  });

  it('may be full, and may not, while their NIC may not have heard what software has said', () => {
    const b = new Bench(4).write(4).take(2, 1).write(2);
    expect(b.said).to.equal('');
    const heard = new Bench(4).write(4).take(2, 500).write(1);
    expect(heard.said).to.contain('3 were in use at most');
    expect([...b.ids, ...heard.ids]).to.deep.equal([]);
  });

  it('take no completion more than they hold by what software has said, even if its NIC has heard all of that', () => {
    expect(new Bench(2).write(3).ids).to.deep.equal([SCB.cqOverflow]);
    expect(new Bench(2).write(2).take(1, 0).write(1).ids).to.deep.equal([]);
  });

  it('say so once, and take nothing from then on', () => {
    const b = new Bench(1).write(1);
    expect(b.said).to.equal('');
    expect(b.overflows.isLost(0, CQN)).to.equal(true);
    expect(b.said).to.contain('said before');
    expect(b.write(1).ids).to.deep.equal([SCB.cqOverflow]);
    b.overflows.gone(0, CQN);
    expect(b.overflows.isLost(0, CQN)).to.equal(false);
  });

  it('have either of two sizes while they get another one', () => {
    const b = new Bench(4);
    b.overflows.sized(0, CQN, 4, 8);
    expect(b.write(8).ids).to.deep.equal([]);
    expect(b.said).to.equal('');
    const grown = new Bench(4);
    grown.overflows.sized(0, CQN, 8, 8);
    expect(grown.write(7).said).to.contain('of its 8 entries 7');
  });

  it('are told of to whoever uses them as soon as they may be full', () => {
    const b = new Bench(2);
    const told: number[] = [];
    b.overflows.onMayOverflow = (_host, cqn) => told.push(cqn);
    b.write(1);
    expect(told).to.deep.equal([]);
    b.write(1);
    expect(told).to.deep.equal([CQN]);
  });
});
