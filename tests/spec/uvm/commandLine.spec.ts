import { expect } from 'chai';
import { Component } from '../../../uvm/base/component.ts';
import { Factory } from '../../../uvm/base/factory.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { type Fixture, fixture } from './base/runFixture.ts';

class Agent extends Component {
  override startOfSimulationPhase(): void {
    this.info('START', 'high', 300);
  }
  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this, 'traffic');
    for (let i = 0; i < 3; i++) {
      yield* delay(10_000);
      this.info('TICK', `tick ${i}`, 400);
    }
    this.warning('ODD', 'strange');
    phase.dropObjection(this, 'traffic');
  }
}
class OtherAgent extends Agent {}

class Test extends Component {
  depth = 0;
  override buildPhase(): void {
    this.create('agent', 'a');
    this.create('agent', 'b');
    this.depth = this.config<number>('depth') ?? 1;
  }
}

function run(...args: string[]): Fixture & { passed: boolean } {
  const factory = new Factory();
  factory.register('agent', Agent);
  factory.register('other_agent', OtherAgent);
  factory.register('test', Test);
  const f = fixture(['+UVM_TESTNAME=test', ...args], factory);
  return { ...f, passed: f.run.runTest().passed };
}

function unused(...args: string[]): string[] {
  return run(...args)
    .log('[CMDLINE_UNUSED]')
    .filter((l) => l.startsWith('UVM_WARNING'))
    .map((l) => l.replace(/^.*\[CMDLINE_UNUSED\] /, ''));
}

describe('verbosity by command line (1800.2 G.2.5)', () => {
  it('applies to all components', () => {
    expect(run('+UVM_VERBOSITY=UVM_FULL').log('[TICK] tick')).to.have.length(6);
    expect(run().log('[TICK] tick')).to.have.length(0);
  });

  it('is said for each setting of reports that the command line has, once', () => {
    const args = ['+uvm_set_verbosity=*.a,_ALL_,UVM_FULL,run', '+uvm_set_action=*,ODD,UVM_WARNING,UVM_LOG'];
    const f = run(...args, '+uvm_set_severity=*.b,ODD,UVM_WARNING,UVM_INFO');
    expect(f.log('Applying').map((l) => l.replace(/^.*\[UVM_CMDLINE_PROC\] /, ''))).to.deep.equal([
      `Applying verbosity setting from the command line: ${args[0]}`,
      `Applying action setting from the command line: ${args[1]}`,
      'Applying severity setting from the command line: +uvm_set_severity=*.b,ODD,UVM_WARNING,UVM_INFO',
    ]);
    expect(run().log('Applying')).to.deep.equal([]);
    expect(run(`+uvm_set_verbosity=*.zz,_ALL_,UVM_LOW,run`).log('CMDLINE_UNUSED')[0]).to.contain(
      'no component matches',
    );
  });

  it('applies to some components from a phase on', () => {
    const f = run('+uvm_set_verbosity=*.a,_ALL_,UVM_FULL,run');
    expect(f.log('high')).to.have.length(0);
    expect(f.log('[TICK] tick').map((l) => l.split(' ')[3])).to.deep.equal(Array(3).fill('uvm_test_top.a'));
  });

  it('applies to one id from the creation of a component on', () => {
    const f = run('+uvm_set_verbosity=*,START,UVM_HIGH,build');
    expect([f.log('high').length, f.log('[TICK] tick').length]).to.deep.equal([2, 0]);
  });

  it('applies from a time on', () => {
    expect(run('+uvm_set_verbosity=*.a,TICK,UVM_FULL,time,15').log('[TICK] tick')).to.have.length(2);
  });
});

describe('actions and severities by command line (1800.2 G.2.6)', () => {
  it('change what is done with a message', () => {
    expect(run('+uvm_set_severity=*.a,ODD,UVM_WARNING,UVM_ERROR').passed).to.equal(false);
    expect(run('+uvm_set_action=*,ODD,UVM_WARNING,UVM_NO_ACTION').log('strange')).to.have.length(0);
  });
});

describe('factory and configuration by command line (1800.2 G.2.9, G.2.10)', () => {
  it('override types everywhere or at one place', () => {
    const all = run('+uvm_set_type_override=agent,other_agent');
    expect(all.run.root.find('uvm_test_top.a')).to.be.instanceOf(OtherAgent);
    const one = run('+uvm_set_inst_override=agent,other_agent,*.b');
    expect(one.run.root.find('uvm_test_top.a')).to.not.be.instanceOf(OtherAgent);
    expect(one.run.root.find('uvm_test_top.b')).to.be.instanceOf(OtherAgent);
  });

  it('stop the build when the substitute is unknown', () => {
    const f = run('+uvm_set_type_override=agent,othr_agent');
    expect(f.log('TYPNTF')[0]).to.contain('did you mean other_agent');
    expect(f.log('BUILDERR')).to.not.be.empty;
  });

  it('set configuration values', () => {
    const f = run('+uvm_set_config_int=uvm_test_top,depth,0x10');
    expect((f.run.root.find('uvm_test_top') as unknown as Test).depth).to.equal(16);
    expect(f.log('Applying config setting')).to.have.length(1);
  });
});

describe('tracing by command line (1800.2 G.2.7)', () => {
  it('shows phases, objections and the configuration', () => {
    const f = run('+UVM_PHASE_TRACE', '+UVM_OBJECTION_TRACE', '+UVM_CONFIG_DB_TRACE');
    expect(f.log('[PH/TRC/STRT] Phase').length).to.equal(9);
    expect(f.log('[OBJTN_TRC] Object uvm_test_top.a raised 1')[0]).to.contain('(traffic): total=1');
    expect(f.log("[CFGDB/GET] Configuration 'uvm_test_top.depth' read = not set")).to.have.length(1);
  });

  it('prints the command line, and the report settings with who used them', () => {
    const f = run('+UVM_DUMP_CMDLINE_ARGS', '+UVM_DUMP_REPORT_ARGS', '+uvm_set_verbosity=*.a,TICK,UVM_LOW,run');
    expect(f.log('[DUMPARGS]')[0]).to.contain('[1] +UVM_DUMP_CMDLINE_ARGS');
    const dump = f.log('[DUMPREPORTARGS]')[0];
    expect(dump).to.contain('+uvm_set_verbosity=*.a,TICK,UVM_LOW,run: uvm_test_top.a');
    expect(dump).to.contain('uvm_test_top.a: verbosity UVM_MEDIUM; [TICK] UVM_LOW');
  });
});

describe('what never took effect', () => {
  it('is nothing when everything did', () => {
    expect(
      unused('+UVM_VERBOSITY=UVM_LOW', '+UVM_NO_RELNOTES', '+uvm_set_verbosity=*,_ALL_,UVM_LOW,run'),
    ).to.deep.equal([]);
  });

  it('is named with its reason: no component, time or phase not reached', () => {
    expect(unused('+uvm_set_verbosity=uvm_test_top.c,_ALL_,UVM_LOW,run')[0]).to.match(
      /no component matches 'uvm_test_top.c'; did you mean uvm_test_top.a/,
    );
    expect(unused('+uvm_set_verbosity=*,_ALL_,UVM_LOW,time,1s')[0]).to.contain('its time was not reached');
    expect(unused('+uvm_set_action=*.x,_ALL_,UVM_ERROR,UVM_EXIT')[0]).to.contain('no component matches');
    const early = unused('+uvm_set_verbosity=*,_ALL_,UVM_LOW,final', '+uvm_set_config_int=*,depth,zz');
    expect(early).to.deep.equal([]);
  });

  it('includes overrides of what was not created and configuration that nobody read', () => {
    expect(unused('+uvm_set_type_override=agnet,other_agent')[0]).to.contain('did you mean agent');
    expect(unused('+uvm_set_inst_override=agent,other_agent,*.c')[0]).to.contain(
      "asked for nothing of type 'agent' at '*.c'",
    );
    expect(unused('+uvm_set_type_override=agent,no_such_agent')[0]).to.contain('it was refused at the start');
    expect(unused('+uvm_set_config_int=*,detph,3')[0]).to.contain(
      "nothing asked for the field 'detph'; did you mean depth?",
    );
    expect(unused('+uvm_set_config_int=*.zz,depth,3')[0]).to.contain("no reader of 'depth' matches '*.zz'");
    expect(unused('+uvm_set_default_sequence=*.sqr,run,agent')[0]).to.contain('no sequencer matches');
  });

  it('includes plusargs nobody knows, with the nearest name', () => {
    expect(unused('+UVM_VERBOSTY=UVM_HIGH')).to.deep.equal([
      '+UVM_VERBOSTY=UVM_HIGH never took effect: no such argument is known; did you mean UVM_VERBOSITY?',
    ]);
  });
});

describe('report settings that take errors away', () => {
  class Failing extends Component {
    override checkPhase(): void {
      this.error('SCB_DATA', 'a byte differs');
    }
  }

  function failing(...args: string[]): Fixture & { result: ReturnType<Fixture['run']['runTest']> } {
    const factory = new Factory();
    factory.register('test', Failing);
    const f = fixture(['+UVM_TESTNAME=test', ...args], factory);
    return { ...f, result: f.run.runTest() };
  }

  it('do not include verbosity', () => {
    for (const arg of ['+UVM_VERBOSITY=-1', '+uvm_set_verbosity=*,_ALL_,-1,build']) {
      const { result } = failing(arg);
      expect([result.passed, result.errors, result.switchedOff], arg).to.deep.equal([false, 1, 0]);
    }
  });

  it('are counted, and said in a warning and in the summary', () => {
    for (const arg of [
      '+uvm_set_action=*,_ALL_,UVM_ERROR,UVM_NO_ACTION',
      '+uvm_set_severity=*,SCB_DATA,UVM_ERROR,UVM_INFO',
    ]) {
      const f = failing(arg);
      expect([f.result.passed, f.result.errors, f.result.switchedOff], arg).to.deep.equal([true, 0, 1]);
      expect(f.log('[ERRORS_OFF]')[0]).to.contain(
        '1 errors were switched off or lowered by report settings: [SCB_DATA] 1',
      );
      expect(f.lines.at(-1)).to.contain('** Errors switched off or lowered by report settings\n[SCB_DATA]     1');
    }
    expect(failing().log('[ERRORS_OFF]')).to.deep.equal([]);
  });

  it('are named when they are for an id without a message, with the nearest id', () => {
    const unused = (arg: string): string[] => failing(arg).log('[CMDLINE_UNUSED] +');
    for (const arg of [
      '+uvm_set_severity=*,SCB_DTA,UVM_ERROR,UVM_INFO',
      '+uvm_set_action=*,SCB_DTA,UVM_ERROR,UVM_NO_ACTION',
      '+uvm_set_verbosity=*,SCB_DTA,UVM_HIGH,build',
    ]) {
      expect(unused(arg)[0]).to.contain(`${arg} never took effect: it has met no message with the id 'SCB_DTA'`);
      expect(unused(arg)[0]).to.contain('did you mean SCB_DATA?');
      expect(unused(arg.replace('SCB_DTA', 'SCB_DATA'))).to.deep.equal([]);
    }
    expect(unused('+uvm_set_severity=*,SCB_DATA,UVM_WARNING,UVM_INFO')).to.have.length(1);
  });
});

describe('arguments without effect', () => {
  const STRICT = '+uvm_set_severity=*,CMDLINE_UNUSED,UVM_WARNING,UVM_ERROR';

  it('fail a run that asks for that, and only a run that has some', () => {
    expect(run(STRICT).passed).to.equal(true);
    expect(run(STRICT, '+UVM_VERBOSTY=UVM_HIGH').passed).to.equal(false);
    expect(run('+UVM_VERBOSTY=UVM_HIGH').passed).to.equal(true);
  });
});

describe('a run that a report other than an error ends', () => {
  it('says why it did not pass', () => {
    for (const [action, text] of [
      ['UVM_COUNT', 'the limit of 1 counted reports was reached'],
      ['UVM_DISPLAY|UVM_EXIT', 'a report with the action UVM_EXIT or UVM_STOP ended the run'],
    ]) {
      const f = run(`+uvm_set_action=*,ODD,UVM_WARNING,${action}`, '+UVM_MAX_QUIT_COUNT=1');
      expect(f.passed).to.equal(false);
      expect(f.log('UVM_ERROR @')[0]).to.contain(`[EARLY_END] ${text}`);
    }
  });
});

describe('a number on the command line for a field that holds an object', () => {
  it('leaves the object alone, and is said to have no effect', () => {
    class Reader extends Component {
      override buildPhase(): void {
        expect(this.config<{ depth: number }>('plan')?.depth).to.equal(4);
      }
    }
    const factory = new Factory();
    factory.register('test', Reader);
    const f = fixture(['+UVM_TESTNAME=test', '+uvm_set_config_int=*,plan,3', '+UVM_CONFIG_DB_TRACE'], factory);
    f.run.config.set(null, '*', 'plan', { depth: 4, make: () => 1 });
    expect(f.run.runTest().passed).to.equal(true);
    expect(f.log('[CMDLINE_UNUSED]')[0]).to.contain("the field 'plan' holds an object");
    expect(f.log('[CFGDB/GET]')[0]).to.contain('read = {depth: 4, make: function}');
  });
});
