import { expect } from 'chai';
import { Component } from '../../../../uvm/base/component.ts';
import { COMMON_PHASES, type Phase } from '../../../../uvm/base/phase.ts';
import { DEFAULT_TIMEOUT } from '../../../../uvm/base/phaseRunner.ts';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import { Run } from '../../../../uvm/run.ts';
import { fixture, Plain, runWithObjection, Top } from './runFixture.ts';

class Recorder extends Component {
  readonly seen: string[];
  readonly #depth: number;

  constructor(name: string, parent: Component | Run, seen: string[], depth: number) {
    super(name, parent);
    this.seen = seen;
    this.#depth = depth;
  }

  override buildPhase(): void {
    this.#note('build');
    if (this.#depth > 0) for (const name of ['x', 'y']) new Recorder(name, this, this.seen, this.#depth - 1);
  }
  override connectPhase(): void {
    this.#note('connect');
  }
  override endOfElaborationPhase(): void {
    this.#note('end_of_elaboration');
  }
  override startOfSimulationPhase(): void {
    this.#note('start_of_simulation');
  }
  override *runPhase(): Proc {
    this.#note('run');
    yield 0;
  }
  override extractPhase(): void {
    this.#note('extract');
  }
  override checkPhase(): void {
    this.#note('check');
  }
  override reportPhase(): void {
    this.#note('report');
  }
  override finalPhase(): void {
    this.#note('final');
  }

  #note(phase: string): void {
    this.seen.push(`${phase} ${this.fullName}`);
  }
}

describe('the nine common phases (1800.2 9.8)', () => {
  it('run in their order: build and final from the top down, the others from the bottom up', () => {
    const { run } = fixture();
    const seen: string[] = [];
    new Recorder('t', run, seen, 1);
    expect(run.runTest().passed).to.equal(true);
    const down = ['t', 't.x', 't.y'];
    const up = ['t.x', 't.y', 't'];
    const expected = COMMON_PHASES.flatMap((p) => (p === 'build' || p === 'final' ? down : up).map((c) => `${p} ${c}`));
    expect(seen).to.deep.equal(expected);
  });

  it('close the hierarchy after build', () => {
    const f = fixture();
    const top = new Plain('top', f.run);
    top.connectPhase = () => void new Plain('late', top);
    expect(f.run.runTest().fatalId).to.equal('ILLCRT');
  });
});

describe('the run phase (1800.2 9.8.1.5)', () => {
  it('ends at once when nobody objects in its first instant', () => {
    const { run } = fixture();
    let steps = 0;
    new Top(run, function* () {
      for (;;) {
        steps++;
        yield 10;
      }
    });
    expect(run.runTest().time).to.equal(0);
    expect(steps).to.equal(1);
  });

  it('goes on while somebody objects and kills what still runs at the end', () => {
    const f = fixture();
    let unwound = false;
    new Top(f.run, function* () {
      try {
        for (;;) yield 1000;
      } finally {
        unwound = true;
      }
    });
    const result = runWithObjection(f, function* () {
      yield* delay(5500);
    });
    expect([result.passed, result.time, unwound]).to.deep.equal([true, 5500, true]);
  });

  it('counts an objection that is raised later in the first instant', () => {
    const { run } = fixture();
    new Top(run, function* (phase, top) {
      yield* delay(0);
      phase.raiseObjection(top);
      yield* delay(70);
      phase.dropObjection(top);
    });
    expect(run.runTest().time).to.equal(70);
  });

  it('goes on when somebody objects in the instant of the last drop', () => {
    const { run } = fixture();
    new Top(run, function* (phase, top) {
      phase.raiseObjection(top);
      yield* delay(10);
      phase.dropObjection(top);
      phase.raiseObjection(top);
      yield* delay(10);
      phase.dropObjection(top);
    });
    expect(run.runTest().time).to.equal(20);
  });

  it('waits for the drain time of the phase', () => {
    const f = fixture();
    f.run.root.phase('run').setDrainTime(300);
    const result = runWithObjection(f, function* () {
      yield* delay(100);
    });
    expect(result.time).to.equal(400);
  });

  it('lets phaseReadyToEnd prolong the phase', () => {
    const { run } = fixture();
    let rounds = 0;
    const top = new Top(run, function* (phase: Phase, t) {
      phase.raiseObjection(t);
      yield* delay(10);
      phase.dropObjection(t);
      while (rounds < 2) {
        yield* delay(5);
        phase.dropObjection(t);
      }
    });
    top.phaseReadyToEnd = (phase) => {
      if (rounds++ < 2) phase.raiseObjection(top);
    };
    expect(run.runTest().time).to.equal(20);
  });

  it('ends in spite of phaseReadyToEnd after 20 rounds, with a warning', () => {
    const f = fixture();
    const top = new Top(f.run, function* () {
      yield 1;
    });
    top.phaseReadyToEnd = (phase) => {
      phase.raiseObjection(top);
      phase.dropObjection(top);
    };
    expect(f.run.runTest().warnings).to.equal(0);
    const g = fixture();
    const other = new Top(g.run, function* (phase, t) {
      for (;;) {
        yield* delay(5);
        if (phase.objection.countOf(t) > 0) phase.dropObjection(t);
      }
    });
    other.phaseReadyToEnd = (phase) => phase.raiseObjection(other);
    g.run.runTest();
    expect(g.log('PH_READY_TO_END')).to.have.length(2);
  });

  it('is limited to 9200 s, clamped to the largest safe time', () => {
    expect(DEFAULT_TIMEOUT).to.equal(Number.MAX_SAFE_INTEGER);
  });

  it('calls the heartbeat while time passes and ends when it says so', () => {
    const f = fixture();
    let beats = 0;
    const { run } = f;
    const limited = new (run.constructor as typeof Run)({
      seed: 1,
      testName: '',
      heartbeat: () => (++beats === 3 ? 'wall-clock limit of 1 s reached' : undefined),
    });
    new Top(limited, function* (phase, top) {
      phase.raiseObjection(top);
      for (;;) yield* delay(1_000_000);
    });
    expect(limited.runTest().fatalId).to.equal('RUN_LIMIT');
  });

  it('ends a run with the id that the heartbeat gives', () => {
    const run = new Run({ seed: 1, testName: '', heartbeat: () => ({ id: 'INTERRUPTED', text: 'somebody came' }) });
    new Top(run, function* (phase, top) {
      phase.raiseObjection(top);
      for (;;) yield* delay(1_000_000);
    });
    expect(run.runTest().fatalId).to.equal('INTERRUPTED');
  });
});
