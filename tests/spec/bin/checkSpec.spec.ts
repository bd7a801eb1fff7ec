import { expect } from 'chai';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import { type FoundModule, loadRegistry, registryOf } from '../../../bin/registry.ts';

const OBJECT_NAMES = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];

const check = async (...plusargs: string[]): Promise<string[]> =>
  checkSpec({ testName: 'test_direct_param', seed: 1, plusargs }, await loadRegistry());

describe('the check of a run before time 0', () => {
  it('finds nothing wrong with knobs of the NIC in any spelling', async () => {
    expect(await check('+NIC_QPC_CACHE=32', '+NIC_TURNPACKETS=1')).to.deep.equal([]);
  });

  it('knows no test, knob, fault or value by a name that every object has', async () => {
    const registry = await loadRegistry();
    for (const name of OBJECT_NAMES) {
      const problems = checkSpec({ testName: name, seed: 1, plusargs: [`+UVM_TESTNAME=${name}`] }, registry);
      expect(problems).to.deep.equal([`+UVM_TESTNAME=${name}: there is no such test; --list-tests shows them`]);
      const knob = name.toUpperCase();
      expect(await check(`+NIC_${name}=1`)).to.deep.equal([
        `+NIC_${knob}=1: hangu has no such knob; --list-knobs shows them`,
      ]);
      expect((await check(`+DUT_FAULT=${name}`)).join()).to.match(/hangu has no such fault/);
      expect((await check(`+DATA_UNIT=${name}`)).join()).to.match(/is not one of the choices/);
      expect((await check(`+uvm_set_action=*,A,UVM_ERROR,${name}`)).join()).to.match(/unknown action/);
    }
  });

  it('names every wrong knob, with what is meant or what is possible', async () => {
    const [unknown, value, far, ...rest] = await check('+NIC_TURN_PACKET=4', '+NIC_MPT_CACHE=65', '+NIC_XYZ=1');
    expect(unknown).to.equal('+NIC_TURN_PACKET=4: hangu has no such knob; did you mean +NIC_TURN_PACKETS?');
    expect(value).to.equal('+NIC_MPT_CACHE=65: use a power of two from 8 to 1048576');
    expect(far).to.match(/^\+NIC_XYZ=1: hangu has no such knob; --list-knobs shows them/);
    expect(rest).to.deep.equal([]);
  });

  it('refuses numbers and text for config fields that hold objects, and says what to give instead', async () => {
    const args = ['+uvm_set_config_int=*,nic_knobs,5', '+UVM_SET_CONFIG_STRING=*.hca1,nic_builder,x'];
    const more = ['+uvm_set_config_int=*,run_config,1', '+uvm_set_config_string=*,env_options,x'];
    const found = await check(...args, ...more, '+uvm_set_config_int=*,depth,3');
    expect(found.map((text) => text.split(' takes')[0])).to.have.members([
      '+uvm_set_config_int=*,nic_knobs,5: the config field nic_knobs',
      '+uvm_set_config_string=*.hca1,nic_builder,x: the config field nic_builder',
      '+uvm_set_config_int=*,run_config,1: the config field run_config',
      '+uvm_set_config_string=*,env_options,x: the config field env_options',
    ]);
    expect(found[0]).to.contain('write +NIC_<NAME>=<number>');
  });

  it('names a scenario that does not exist', async () => {
    expect(await check('+SCENARIO=none.json')).to.deep.equal([
      'the scenario none.json cannot be read: there is no such file; --dump-scenario writes one',
    ]);
  });

  it('refuses a sequence that has no queue pair to run on, and says which to give', async () => {
    const registry = await loadRegistry();
    const problems = (...plusargs: string[]): string[] =>
      checkSpec({ testName: 'test_sequence', seed: 1, plusargs }, registry);
    const none = ['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0'];
    expect(problems('+UVM_TEST_SEQ=datagram_peers', ...none)).to.deep.equal([
      '+UVM_TEST_SEQ=datagram_peers runs on UD queue pairs only, of which there are none (+UD_QP_NUM=0); give +UD_QP_NUM=1',
    ]);
    expect(problems('+UVM_TEST_SEQ=send_errors', ...none)[0]).to.match(
      /\+UC_QP_NUM=0 \+UD_QP_NUM=0\); give .*=1 or .*=1$/,
    );
    expect(problems('+UVM_TEST_SEQ=ping_pong', ...none)).to.deep.equal([]);
    expect(problems('+UVM_TEST_SEQ=datagram_peers', '+UD_QP_NUM=1')).to.deep.equal([]);
    const replaced = '+uvm_set_type_override=datagram_peers,ping_pong';
    expect(problems('+UVM_TEST_SEQ=datagram_peers', ...none, replaced), 'what takes its place').to.deep.equal([]);
    const other = { testName: 'test_direct_param', seed: 1, plusargs: ['+UVM_TEST_SEQ=datagram_peers', ...none] };
    expect(checkSpec(other, registry), 'a test that runs none').to.deep.equal([]);
  });

  it('names the classes and files that share the type name of the test', async () => {
    const { factory, ...registry } = await loadRegistry();
    factory.register('test_direct_param', class Copy {}, 'tests/copy.ts');
    const problems = checkSpec({ testName: 'test_direct_param', seed: 1, plusargs: [] }, { factory, ...registry });
    expect(problems.join()).to.match(
      /'test_direct_param' is shared by .*tests\/testDirectParam\.ts and Copy of tests\/copy/,
    );
  });

  it('names files that export no usable class when a name is not found, and no others', async () => {
    class Plain {}
    class Named {
      static readonly typeName: string = 'named';
      readonly value = 1;
    }
    class Heir extends Named {}
    const module = (folder: string, name: string, exports: object): FoundModule => ({
      folder,
      name,
      exports: { ...exports },
    });
    const found = registryOf([
      module('sequences/library', 'nothing', { help: 3 }),
      module('sequences/library', 'heir', { Heir }),
      module('sequences/library', 'right', { Plain, Named }),
      module('tests', 'testPlain', { Plain }),
      module('tests', 'common', {}),
    ]);
    const registry = { ...(await loadRegistry()), without: found.without };
    const problems = (test: string, sequence: string): string[] =>
      checkSpec({ testName: test, seed: 1, plusargs: [`+UVM_TEST_SEQ=${sequence}`] }, registry);
    expect(problems('test_sequence', 'ping_pong')).to.deep.equal([]);
    expect(problems('test_sequence', 'zzzzzzzzzzzz')).to.deep.equal([
      '+UVM_TEST_SEQ=zzzzzzzzzzzz: there is no such sequence; --list-sequences shows them',
      'sequences/library/nothing.ts exports no class: write "export class"',
      `sequences/library/heir.ts exports Heir without a typeName of its own: write "static readonly typeName: string = '...'"`,
    ]);
    expect(problems('zzzzzzzzzzzz', 'ping_pong').slice(1)).to.deep.equal([
      `tests/testPlain.ts exports Plain without a typeName of its own: write "static readonly typeName: string = '...'"`,
    ]);
    expect((await loadRegistry()).without, 'the shipped ones').to.deep.equal([]);
  });

  it('refuses UVM plusargs that cannot be read, and takes those that can', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['+UVM_TIMEOUT=foo', /'foo' is not a positive time/],
      ['+UVM_TIMEOUT=5us,MAYBE', /'MAYBE' is not YES or NO/],
      ['+UVM_VERBOSITY=UVM_HIHG', /there is no such verbosity; did you mean UVM_HIGH\?/],
      ['+UVM_VERBOSITY=zzzzzzzzz', /allowed: UVM_NONE/],
      ['+UVM_MAX_QUIT_COUNT=many', /'many' is not a count/],
      ['+uvm_set_severity=*,_ALL_,UVM_EROR,UVM_INFO', /did you mean UVM_ERROR\?/],
      ['+uvm_set_verbosity=top,ID', /expected <component>,<id>,<verbosity>/],
      ['+UVM_TIMEOUT', /needs a value; write \+UVM_TIMEOUT=500us/],
      ['+uvm_set_type_override', /needs a value; write \+uvm_set_type_override=<type>,<override type>/],
      ['+UVM_SET_CONFIG_INT', /needs a value; write \+UVM_SET_CONFIG_INT=<component>,<field>,<value>/],
    ];
    for (const [arg, message] of wrong) {
      const problems = await check(arg);
      expect(problems, arg).to.have.length(1);
      expect(problems[0], arg).to.match(message).and.to.contain(`${arg}: `);
    }
    const right = ['+UVM_TIMEOUT=5us,NO', '+UVM_VERBOSITY=low', '+UVM_MAX_QUIT_COUNT=3', '+UVM_PHASE_TRACE'];
    expect(await check(...right, '+uvm_set_verbosity=*,_ALL_,UVM_HIGH,run', '+UVM_NO_RELNOTES')).to.deep.equal([]);
  });

  it('names tests, sequences, models and faults that do not exist', async () => {
    const problems = await check('+UVM_TEST_SEQ=nothing_like_it', '+DUT_FAULT=payload_droped');
    expect(problems.join('\n')).to.include('+UVM_TEST_SEQ=nothing_like_it: there is no such sequence');
    expect(problems.join('\n')).to.include('did you mean payload_dropped');
    expect((await check('+DUT=hanggu')).join()).to.include('did you mean hangu');
  });
});
