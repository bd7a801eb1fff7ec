import { expect } from 'chai';
import { Factory } from '../../../uvm/base/factory.ts';
import { delay, join, type Proc } from '../../../uvm/kernel/process.ts';
import { Event } from '../../../uvm/kernel/event.ts';
import { TlmFifo } from '../../../uvm/tlm/tlmFifo.ts';
import { type Fixture, fixture, Plain, runWithObjection, Top } from './base/runFixture.ts';

function test(args: readonly string[] = []): Fixture {
  const factory = new Factory();
  factory.register('write_test', Plain);
  factory.register('read_test', Plain);
  return fixture(args, factory);
}

describe('the test of a run (1800.2 F.7.2.1)', () => {
  it('is created through the factory as uvm_test_top', () => {
    const f = test(['+UVM_TESTNAME=write_test']);
    expect(f.run.runTest('read_test').passed).to.equal(true);
    expect(f.run.root.find('uvm_test_top')).to.be.instanceOf(Plain);
    expect(f.log('[RNTST]')[0]).to.equal('UVM_INFO @ 0ns: reporter [RNTST] Running test write_test...');
  });

  it('must exist: INVTST with the nearest names', () => {
    const f = test(['+UVM_TESTNAME=wirte_test']);
    const result = f.run.runTest();
    expect([result.passed, result.end, result.fatalId]).to.deep.equal([false, 'fatal', 'INVTST']);
    expect(f.log('UVM_FATAL')[0]).to.contain('+UVM_TESTNAME=wirte_test not found; did you mean write_test?');
  });

  it('may be missing only if components exist: NOCOMP', () => {
    expect(fixture().run.runTest().fatalId).to.equal('NOCOMP');
    const f = fixture();
    new Plain('top', f.run);
    expect(f.run.runTest().passed).to.equal(true);
  });
});

describe('a run in which nothing can happen any more', () => {
  it('ends with a deadlock report: who waits for what since when, who objects, what is queued', () => {
    const f = fixture();
    const top = new Top(f.run, function* () {
      yield* delay(2000);
      yield* new Event('link up').wait();
    });
    new TlmFifo<number>('fifo', top, 0).tryPut(1);
    f.run.deadlock.register('last progress per QP', () => ['QP 14: completion 3 at 1ns']);
    const result = runWithObjection(f, function* () {
      yield* delay(1000);
      yield* new Event('answer').wait();
    });
    expect([result.end, result.fatalId, result.time]).to.deep.equal(['fatal', 'DEADLOCK', 2000]);
    const report = f.log('[DEADLOCK]')[0] ?? '';
    for (const part of [
      'spec_top.run_phase waits for event answer since 1ns',
      'top.run_phase waits for event link up since 2ns',
      'spec_top raised 1, last at 0ns: spec',
      'top.fifo',
      'QP 14: completion 3 at 1ns',
    ]) {
      expect(report).to.contain(part);
    }
  });
});

describe('the phase time-out (1800.2 F.7.2.2)', () => {
  it('is fatal PH_TIMEOUT and names who objects', () => {
    const f = fixture(['+UVM_TIMEOUT=3us,NO']);
    f.run.root.setTimeout(1);
    const result = runWithObjection(f, function* () {
      for (;;) yield* delay(1000);
    });
    expect([result.fatalId, result.time]).to.deep.equal(['PH_TIMEOUT', 3_000_000]);
    expect(f.log('UVM_FATAL')[0])
      .to.contain('Explicit timeout of 3000ns hit')
      .and.to.contain('spec_top: 1 objection(s)');
  });

  it('may be overridden by code unless the argument says NO', () => {
    const f = fixture(['+UVM_TIMEOUT=3us']);
    f.run.root.setTimeout(500_000);
    const result = runWithObjection(f, function* () {
      for (;;) yield* delay(1000);
    });
    expect(result.time).to.equal(500_000);
  });
});

describe('the quit count (1800.2 6.5.1.5)', () => {
  it('ends the run after that many errors, calls preAbort and skips the later phases', () => {
    const f = fixture(['+UVM_MAX_QUIT_COUNT=3']);
    let aborted = 0;
    let checked = 0;
    const top = new Top(f.run, function* (phase, t) {
      phase.raiseObjection(t);
      for (;;) {
        t.error('BAD', 'again');
        yield* delay(10);
      }
    });
    top.preAbort = () => void aborted++;
    top.checkPhase = () => void checked++;
    const result = f.run.runTest();
    expect([result.end, result.errors, result.time, aborted, checked]).to.deep.equal(['quit-count', 3, 20, 1, 0]);
    expect(f.lines[f.lines.length - 1]).to.contain('Quit count reached!\nQuit count :     3 of     3');
  });
});

describe('what is thrown inside a run', () => {
  it('ends it as an exception with the stack, not as a failure of the DUT', () => {
    const f = fixture();
    const boom = new TypeError('boom');
    const result = runWithObjection(f, function* () {
      yield* delay(5);
      throw boom;
    });
    expect([result.end, result.passed, result.exception]).to.deep.equal(['exception', false, boom]);
    expect(f.log('[EXCEPTION]')[0]).to.contain('TypeError: boom');
    expect(f.lines[f.lines.length - 1]).to.contain('UVM Report Summary');
  });

  it('is reported with the process that threw it, whose parents it has passed through, and with source names', () => {
    const f = fixture();
    runWithObjection(f, function* () {
      const boom = new TypeError('boom');
      boom.stack = 'TypeError: boom\n    at QpSide.$$392$post (hca.js:1:2)\n    at Other.$a$7$run (hca.js:3:4)';
      const child = f.run.processes.spawn(
        'connection0',
        (function* (): Proc {
          yield* delay(5);
          throw boom;
        })(),
      );
      yield* join(child);
    });
    const report = f.log('[EXCEPTION]')[0] ?? '';
    expect(report).to.match(/\n {4}in process spec_top\.run_phase\.connection0$/);
    expect(report).to.contain('at QpSide.#post (').and.to.contain('at Other.#run (');
  });

  it('is a fatal report with its own id if it is a mistake in using the library', () => {
    const f = fixture();
    const top = new Plain('top', f.run);
    top.buildPhase = () => {
      new Plain('a', top);
      new Plain('a', top);
    };
    const result = f.run.runTest();
    expect([result.end, result.fatalId]).to.deep.equal(['fatal', 'CLDEXT']);
  });

  it('includes loops without progress of time', () => {
    const f = fixture();
    f.run.scheduler.deltaLimit = 10_000;
    const result = runWithObjection(f, function* () {
      for (;;) yield* delay(0);
    });
    expect(result.fatalId).to.equal('DELTA_LIMIT');
    expect(f.log('DELTA_LIMIT')[0]).to.contain('spec_top.run_phase');
  });

  it('leaves a fatal error of a child process what it is', () => {
    const f = fixture();
    const result = runWithObjection(f, function* () {
      const child = f.run.processes.spawn(
        'child',
        (function* () {
          yield* delay(1);
          f.run.root.fatal('CHILD_FATAL', 'from below');
        })(),
      );
      yield child;
    });
    expect([result.end, result.fatalId]).to.deep.equal(['fatal', 'CHILD_FATAL']);
    expect(f.log('UVM_FATAL @')).to.have.length(1);
  });
});
