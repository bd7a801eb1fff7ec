import { expect } from 'chai';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';
import { readUvmArguments, type UvmArguments } from '../../../../uvm/cmdline/uvmArguments.ts';
import { ACTION } from '../../../../uvm/report/action.ts';
import { SEVERITY } from '../../../../uvm/report/severity.ts';

function read(...args: string[]): UvmArguments {
  return readUvmArguments(new Plusargs(args));
}

function notes(...args: string[]): string[] {
  return read(...args).notes.map((n) => `${n.id} ${n.text}`);
}

describe('the plusargs of the standard (1800.2 Annex G)', () => {
  it('take the first test name and list all that were given', () => {
    const args = read('+UVM_TESTNAME=a', '+UVM_TESTNAME=b');
    expect(args.testName).to.equal('a');
    expect(args.notes[0]).to.deep.include({ severity: SEVERITY.warning, id: 'MULTTST' });
    expect(args.notes[0]?.text).to.contain('Provided list: a, b.');
  });

  it('accept standard and numeric verbosity, and fall back to UVM_MEDIUM with a warning', () => {
    expect(read('+UVM_VERBOSITY=UVM_FULL').verbosity).to.equal(400);
    expect(read('+UVM_VERBOSITY=250').verbosity).to.equal(250);
    expect(notes('+UVM_VERBOSITY=250')[0]).to.contain('NSTVERB');
    expect(read('+UVM_VERBOSITY=UVM_HIHG').verbosity).to.equal(200);
    expect(notes('+UVM_VERBOSITY=UVM_HIHG')[0]).to.contain('did you mean UVM_HIGH?');
    expect(read().verbosity).to.equal(undefined);
  });

  it('read the time-out and the quit count with their overridable flag', () => {
    expect(read('+UVM_TIMEOUT=500us,NO').timeout).to.deep.equal({ time: 500e6, overridable: false });
    expect(read('+UVM_TIMEOUT=1000').timeout).to.deep.equal({ time: 1e6, overridable: true });
    expect(read('+UVM_MAX_QUIT_COUNT=5,YES').maxQuitCount).to.deep.equal({ count: 5, overridable: true });
    expect(read('+UVM_TIMEOUT=soon').timeout).to.equal(undefined);
    expect(notes('+UVM_MAX_QUIT_COUNT=many')[0]).to.contain('INVLCMDARGS');
    expect(notes('+UVM_TIMEOUT=5,MAYBE')[0]).to.contain('YES or NO');
  });

  it('read verbosity settings by phase and by time', () => {
    const args = read('+uvm_set_verbosity=*.env*,_ALL_,UVM_HIGH,run_phase', '+uvm_set_verbosity=top,ID,300,time,1500');
    expect(args.verbositySettings.map(({ arg: _, ...s }) => s)).to.deep.equal([
      { component: '*.env*', id: undefined, level: 300, phase: 'run', time: undefined },
      { component: 'top', id: 'ID', level: 300, phase: undefined, time: 1_500_000 },
    ]);
  });

  it('read actions and severities', () => {
    const args = read(
      '+uvm_set_action=a,_ALL_,UVM_ERROR,UVM_DISPLAY|UVM_EXIT',
      '+uvm_set_severity=a,ID,UVM_ERROR,UVM_INFO',
    );
    expect(args.actionSettings[0]).to.include({
      component: 'a',
      id: undefined,
      severity: 2,
      action: ACTION.display | ACTION.exit,
    });
    expect(args.severitySettings[0]).to.include({ id: 'ID', from: 2, to: 0 });
  });

  it('read overrides in both cases of spelling', () => {
    const args = read('+uvm_set_inst_override=a,b,top.*', '+UVM_SET_TYPE_OVERRIDE=a,c,0');
    expect(args.overrides.map(({ arg: _, ...o }) => o)).to.deep.equal([
      { requested: 'a', substitute: 'b', path: 'top.*', replace: true },
      { requested: 'a', substitute: 'c', path: undefined, replace: false },
    ]);
  });

  it('read configuration values: 32-bit signed, wide, and text', () => {
    const args = read(
      "+uvm_set_config_int=top,a,'hffffffff",
      '+uvm_set_config_bitstream=top,b,0x123456789abcdef01',
      '+uvm_set_config_string=top,c,',
    );
    expect(args.configs.map((c) => c.value)).to.deep.equal([-1, 0x123456789abcdef01n, '']);
  });

  it('read default sequences for the run phase only', () => {
    expect(read('+uvm_set_default_sequence=top.sqr,run_phase,seq').defaultSequences).to.have.length(1);
    expect(notes('+uvm_set_default_sequence=top.sqr,main_phase,seq')[0]).to.contain('use run_phase');
  });

  it('report bad syntax with what was expected and go on', () => {
    for (const [arg, part] of [
      ['+uvm_set_verbosity=top,ID', 'expected <component>,<id>,<verbosity>,<phase>'],
      ['+uvm_set_verbosity=top,ID,UVM_LWO,run', 'UVM_LOW'],
      ['+uvm_set_verbosity=top,ID,UVM_LOW,ran', "unknown phase 'ran'"],
      ['+uvm_set_action=top,ID,UVM_EROR,UVM_EXIT', 'did you mean UVM_ERROR'],
      ['+uvm_set_action=top,ID,UVM_ERROR,UVM_EXT', 'did you mean UVM_EXIT'],
      ['+uvm_set_severity=top,ID,UVM_ERROR', 'expected'],
      ['+uvm_set_config_int=top,a,zz', 'not an integer'],
      ['+uvm_set_config_string=top,a,b,c', 'no comma'],
      ['+uvm_set_type_override=a,b,2', '0 or 1'],
    ] as const) {
      const [note] = notes(arg);
      expect(note, arg).to.contain('INVLCMDARGS').and.to.contain(part);
    }
  });

  it('accept silently what has no meaning here', () => {
    const plusargs = new Plusargs(['+UVM_NO_RELNOTES', '+UVM_USE_OVM_RUN_SEMANTIC', '+UVM_ENABLE_REG_LOOKUP_CACHE']);
    expect(readUvmArguments(plusargs).notes).to.deep.equal([]);
    expect(plusargs.unused()).to.deep.equal([]);
  });
});
