import { expect } from 'chai';
import { Component } from '../../../../uvm/base/component.ts';
import type { Phase } from '../../../../uvm/base/phase.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { Run } from '../../../../uvm/run.ts';
import { Sequence } from '../../../../uvm/seq/sequence.ts';

class Burst extends Sequence {
  done = 0;
  override *body(): Proc {
    yield 10;
    this.done++;
  }
}

/** Runs `main` as the only process. */
function play(main: (test: Component, burst: Burst) => Proc): {
  log: string;
  passed: boolean;
  burst: Burst;
  fatal: string;
} {
  const log: string[] = [];
  const run = new Run({ seed: 1, testName: '', sink: (line) => log.push(line) });
  const burst = new Burst('burst');
  class Top extends Component {
    override *runPhase(phase: Phase): Proc {
      phase.raiseObjection(this, 'main');
      yield* main(this, burst);
      phase.dropObjection(this);
    }
  }
  new Top('top', run);
  const { passed, fatalId = '' } = run.runTest();
  return { log: log.join('\n'), passed, burst, fatal: fatalId };
}

describe('the start of a sequence without yield*', () => {
  it('ends the run with SEQ_NOT_BEGUN, which names the sequence, also when nothing else failed', () => {
    const { log, passed, burst, fatal } = play(function* (test, sequence) {
      yield 1;
      void sequence.start(test);
      void sequence.start(test);
    });
    expect([passed, fatal, burst.done]).to.deep.equal([false, 'SEQ_NOT_BEGUN', 0]);
    expect(log).to.match(/UVM_FATAL .*start\(\) of the sequence burst on top \(2 times\) were called without yield\*/);
  });

  it('is a warning where an error ended the run', () => {
    const { log, fatal } = play(function* (test, sequence) {
      yield 1;
      void sequence.start(test);
      test.fatal('OTHER', 'something else');
    });
    expect(fatal).to.equal('OTHER');
    expect(log).to.match(/UVM_WARNING .*\[SEQ_NOT_BEGUN\] start\(\) of the sequence burst on top was called/);
  });

  it('is not reported of sequences that are begun, by yield* or in a process, again, as children, or killed', () => {
    const { log, passed, burst } = play(function* (test, sequence) {
      yield* sequence.start(test);
      yield test.run.processes.spawn('again', sequence.start(test));
      const killed = test.run.processes.spawn('killed', new Burst('other').start(test));
      killed.kill();
      class Parent extends Sequence {
        override *body(): Proc {
          yield* this.startChild(sequence);
        }
      }
      yield* new Parent('parent').start(test);
    });
    expect([passed, burst.done], log).to.deep.equal([true, 3]);
    expect(log).not.to.contain('SEQ_NOT_BEGUN');
  });
});
