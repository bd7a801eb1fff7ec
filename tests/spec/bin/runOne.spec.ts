import { expect } from 'chai';
import { loadRegistry, registryOf } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult, RunSoFar } from '../../../bin/run/runSpec.ts';
import { Component } from '../../../uvm/base/component.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';

const MS = 1_000_000_000;

/** A test that says so many errors, then does something. */
abstract class Scripted extends Component {
  checks = 0;

  protected abstract script(): Proc;

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this, 'script');
    yield* this.script();
    phase.dropObjection(this, 'script');
  }

  runCounts(): Readonly<Record<string, number>> {
    return { checks: this.checks };
  }
}

class Throws extends Scripted {
  static readonly typeName = 'throws';
  // biome-ignore lint/correctness/useYield: fails before it waits
  override *script(): Proc {
    throw new TypeError('a queue is full');
  }
}

class FailsThenThrows extends Scripted {
  static readonly typeName = 'fails_then_throws';
  override *script(): Proc {
    yield* delay(1000);
    this.error('SCB_DUPLICATE', 'two completions');
    throw new TypeError('a queue is full');
  }
}

class FailsThenLoops extends Scripted {
  static readonly typeName = 'fails_then_loops';
  override *script(): Proc {
    this.error('SCB_DUPLICATE', 'two completions');
    for (;;) yield* delay(MS);
  }
}

class FailsAlways extends Scripted {
  static readonly typeName = 'fails_always';
  override *script(): Proc {
    for (;;) {
      this.error('SCB_EVENT_EMPTY', 'an event for nothing');
      yield* delay(MS / 10_000);
    }
  }
}

class FailsButWorks extends Scripted {
  static readonly typeName = 'fails_but_works';
  override *script(): Proc {
    this.error('SCB_DUPLICATE', 'two completions');
    for (; this.checks < 5; this.checks++) yield* delay(600 * MS);
  }
}

class Loops extends Scripted {
  static readonly typeName = 'loops';
  override *script(): Proc {
    for (;;) yield* delay(MS);
  }
}

class NeverWaits extends Scripted {
  static readonly typeName = 'never_waits';
  override *script(): Proc {
    yield* delay(1000);
    for (;;) this.checks++;
  }
}

class FailsAndNeverWaits extends Scripted {
  static readonly typeName = 'fails_and_never_waits';
  // biome-ignore lint/correctness/useYield: it never waits
  override *script(): Proc {
    this.error('SCB_DUPLICATE', 'two completions');
    for (;;) this.checks++;
  }
}

const types = {
  NeverWaits,
  FailsAndNeverWaits,
  Throws,
  FailsThenThrows,
  FailsThenLoops,
  FailsAlways,
  FailsButWorks,
  Loops,
};
const registry = registryOf([{ folder: 'tests', name: 'scripted', exports: types }]);

function play(testName: string, limit?: string, ...plusargs: string[]): RunResult {
  const all = [`+UVM_TESTNAME=${testName}`, ...plusargs];
  return runOne({ testName, seed: 1, plusargs: all }, registry, { sink: () => {}, heartbeat: () => limit });
}

describe('runOne', () => {
  it('breaks off a loop that never waits, and names the process and the time', () => {
    const breakOff = { afterMs: 100, reason: 'no end after 0.1 s' };
    const hooks = { sink: () => {}, breakOff };
    const result = (testName: string) => runOne({ testName, seed: 1, plusargs: [] }, registry, hooks);
    const { verdict, message, simulatedTimePs } = result('never_waits');
    expect([verdict, simulatedTimePs]).to.deep.equal(['error', 1000]);
    expect(message).to.match(
      /^\[RUN_LIMIT\] no end after 0\.1 s: a loop that never waits .* process \S*uvm_test_top.run_phase was aborted at 1ns/,
    );
    const failed = result('fails_and_never_waits');
    expect([failed.verdict, failed.endedBy?.id]).to.deep.equal(['failed', 'RUN_LIMIT']);
  });

  it('says that the limit of counted reports ended a run', () => {
    const { verdict, endedBy } = play('fails_then_loops', undefined, '+UVM_MAX_QUIT_COUNT=1');
    expect([verdict, endedBy?.id]).to.deep.equal(['failed', 'UVM_MAX_QUIT_COUNT']);
    expect(endedBy?.message).to.equal('the limit of 1 counted reports');
  });

  it('says at any moment how far a run has come', () => {
    const seen: RunSoFar[] = [];
    let soFar: () => RunSoFar = () => expect.fail('the run has not begun');
    const begun = (ask: () => RunSoFar): void => {
      soFar = ask;
      seen.push(soFar());
    };
    const sink = (text: string): void => void (text.includes('SCB_DUPLICATE]') && seen.push(soFar()));
    runOne({ testName: 'fails_then_throws', seed: 1, plusargs: [] }, registry, { sink, begun });
    expect(seen.map(({ simulatedTimePs }) => simulatedTimePs).slice(0, 2)).to.deep.equal([0, 1000]);
    expect(seen[1]?.counts).to.include({ checks: 0, UVM_FATAL: 0 });
  });

  it('lets a run that ends in time go on as if nobody watched', () => {
    const breakOff = { afterMs: 60_000, reason: 'no end' };
    const watched = runOne({ testName: 'throws', seed: 1, plusargs: [] }, registry, { sink: () => {}, breakOff });
    expect(watched).to.deep.equal(play('throws'));
  });

  it('calls a run failed when an error had been counted before an exception ended it, and names both', () => {
    const { verdict, signature, endedBy } = play('fails_then_throws');
    expect([verdict, signature?.id, endedBy?.id]).to.deep.equal(['failed', 'SCB_DUPLICATE', 'EXCEPTION']);
    expect(endedBy?.message).to.equal('TypeError: a queue is full');
  });

  it('calls a run failed when an error had been counted before a limit ended it', () => {
    const atWall = play('fails_then_loops', 'no time left');
    expect([atWall.verdict, atWall.endedBy?.id]).to.deep.equal(['failed', 'RUN_LIMIT']);
    const simulated = play('fails_then_loops', undefined, '+UVM_TIMEOUT=1us');
    expect([simulated.verdict, simulated.endedBy?.id]).to.deep.equal(['failed', 'PH_TIMEOUT']);
  });

  it('does not judge the NIC when an exception or a limit ended a run without an error', () => {
    expect([play('throws').verdict, play('throws').endedBy]).to.deep.equal(['error', null]);
    expect(play('loops', 'no time left').verdict).to.equal('error');
    expect(play('loops', undefined, '+UVM_TIMEOUT=1us').verdict).to.equal('error');
  });

  it('does not judge the NIC when mistakes in overrides keep the system from being built', async () => {
    const real = await loadRegistry();
    for (const [override, id] of [
      ['Scoreboard,foo', 'TYPNTF'],
      ['WireMonitor,PcieMaster', 'FCTTYP'],
    ] as const) {
      const plusargs = [`+uvm_set_type_override=${override}`];
      const { verdict, signature } = runOne({ testName: 'test_smoke', seed: 1, plusargs }, real, { sink: () => {} });
      expect([verdict, signature?.id]).to.deep.equal(['error', id]);
    }
  });

  it('plays nothing when parameters are wrong, and does not judge the NIC', async () => {
    const real = await loadRegistry();
    for (const [plusarg, text] of [
      ['+SCENARIO=nowhere.json', 'the scenario nowhere.json cannot be read: there is no such file'],
      ['+RC_QP_NUM=many', '+RC_QP_NUM=many'],
      ['+NIC_CLOCK_PS=fast', '+NIC_CLOCK_PS=fast is not a number'],
    ] as const) {
      const spec = { testName: 'test_direct_param', seed: 1, plusargs: [plusarg] };
      const { verdict, signature, simulatedTimePs, counts } = runOne(spec, real, { sink: () => {} });
      expect([verdict, signature?.id, simulatedTimePs, counts.checks]).to.deep.equal(['error', 'PARAM_ERROR', 0, 0]);
      expect(signature?.message).to.contain(text);
    }
  });

  it('gives up a failed run in which nothing is completed or checked any more', () => {
    const { verdict, endedBy, simulatedTimePs } = play('fails_then_loops');
    expect([verdict, endedBy?.id, simulatedTimePs]).to.deep.equal(['failed', 'RUN_LIMIT', 1000.1 * MS]);
    expect(endedBy?.message).to.match(/^nothing has been completed or checked since 100us, after 1 error: the/);
  });

  it('gives up a run that only finds the same error again and again before it has filled the log', () => {
    const { verdict, endedBy, simulatedTimePs } = play('fails_always');
    expect([verdict, endedBy?.id, simulatedTimePs]).to.deep.equal(['failed', 'RUN_LIMIT', 1.101 * MS]);
    expect(endedBy?.message).to.match(/^nothing has been completed since 100us, after 1101\d errors: the/);
  });

  it('lets a failed run go on that still gets somewhere', () => {
    const { verdict, endedBy } = play('fails_but_works');
    expect([verdict, endedBy]).to.deep.equal(['failed', null]);
  });
});
