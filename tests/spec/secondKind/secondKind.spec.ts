import { expect } from 'chai';
import type { NicEntry } from '../../../env/nicKind.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { playOn } from '../tests/harness.ts';
import { secondKind } from './secondKind.ts';
import { Scrambled } from './scrambled.ts';
import type { Watch } from './watchingProvider.ts';

/** Asks for a byte more than the data area of a queue pair has. */
class TooLarge extends UserSequence {
  static readonly typeName: string = 'too_large';

  override *connection({ left }: Connection): Proc<void> {
    yield* left.source(2 ** 21 + 1);
  }
}

describe('a second kind of NIC', () => {
  const watches: Watch[] = [];
  const entry = secondKind(watches);
  let registry: Registry;

  before(async () => {
    const shipped = await loadRegistry();
    shipped.factory.register(TooLarge.typeName, TooLarge, 'this spec');
    registry = { ...shipped, nics: [...shipped.nics, entry] };
  });
  beforeEach(() => void watches.splice(0));

  function problems(line: string, test = 'test_direct_param'): string {
    const plusargs = [`+UVM_TESTNAME=${test}`, '+DUT=second', ...line.split(' ')];
    return checkSpec({ testName: test, seed: 1, plusargs }, registry).join('\n');
  }

  it('plays test_smoke by +DUT alone, with software that has a process on each host', () => {
    const run = playOn(registry, 'test_smoke', '+DUT=second');
    expect([run.verdict, run.counts['UVM_WARNING'], run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0, 0]);
    expect(watches).to.have.length(1);
    expect(Math.min(...(watches[0]?.looks ?? [0]))).to.be.above(3);
    expect(watches[0]?.looks).to.have.length(2);
  });

  it('plays the same again, and something else than the first kind', () => {
    const [first, again, hangu] = ['second', 'second', 'hangu'].map((dut) =>
      playOn(registry, 'test_smoke', `+DUT=${dut}`, 5),
    );
    expect(first?.transcript.hash).to.equal(again?.transcript.hash);
    expect(first?.transcript.hash).not.to.equal(hangu?.transcript.hash);
  });

  it('gives its knobs to NIC and software', () => {
    playOn(registry, 'test_smoke', '+DUT=second +NIC_WATCH_NS=2000 +NIC_MPT_CACHE=8');
    playOn(registry, 'test_smoke', '+DUT=second +NIC_WATCH_NS=12000');
    const [often, seldom] = watches.map(({ looks }) => looks[0] as number);
    expect(often).to.be.above(2 * (seldom as number));
    expect(problems('+NIC_WATCH_NS=0')).to.match(/WATCH_NS=0.*from 1 to/);
  });

  it('plays random tests within its limits, and sequences', () => {
    for (let seed = 1; seed <= 3; seed++) {
      for (const test of ['test_random', 'test_random_verbs']) {
        const run = playOn(registry, test, '+DUT=second', seed);
        expect(run.verdict, run.log).to.equal('passed');
        expect(Number(run.parameters['SG_NUM'])).to.be.at.most(3);
        expect(Number(run.parameters['MAX_INLINE'])).to.be.at.most(28);
      }
    }
    const run = playOn(registry, 'test_sequence', '+DUT=second +UVM_TEST_SEQ=inline_data');
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('has what it cannot do refused before time 0, with what would do', () => {
    for (const [line, text] of [
      ['+RC_QP_NUM=13', 'make 13 queue pairs: their sum must be 1..12; lower them by 1'],
      ['+SG_NUM=4', 'makes lists of 4 entries: the NIC takes 1..3; try +SG_NUM=3'],
      ['+SG_NUM=3 +UD_QP_NUM=2', 'the NIC takes 1..3; try +SG_NUM=2 or +UD_QP_NUM=0'],
      ['+MAX_INLINE=60', 'is more than the NIC takes: 0..28; try +MAX_INLINE=28'],
      ['+DATA_CNT=3 +DATA_UNIT=MB', 'its source area holds 0..2097152; try +DATA_CNT=1'],
      ['+MR_GRANULARITY=sg +DB_NUM=10 +RC_QP_NUM=10 +SEND_WQE_NUM=9', 'the NIC has 0..900 and 0..4194303'],
    ] as const) {
      expect(problems(line), line).to.contain(text);
    }
    expect(problems('+SG_NUM=3 +MAX_INLINE=28 +RC_QP_NUM=12')).to.equal('');
  });

  it('has processes, areas and regions of a sequence refused where they are more than it has', () => {
    const many = playOn(registry, 'test_smoke', '+DUT=second +PROC_NUM=9 +RC_QP_NUM=6');
    expect([many.verdict, many.log.includes('with 3 processes each')]).to.deep.equal(['passed', true]);
    const large = playOn(registry, 'test_sequence', '+DUT=second +UVM_TEST_SEQ=too_large');
    expect(large.log).to.contain('of the area, which has 2097152');
  });

  it('is given only what it can do by defaults and draws, and has the rest refused before time 0', () => {
    const capabilities = { ...entry.limits.capabilities, uc: false, ud: false, rdmaRead: false, ipv6: false };
    const modest = {
      ...entry,
      limits: { ...entry.limits, capabilities: { ...capabilities, inline: false, events: false } },
    };
    const nics = { ...registry, nics: [modest] };
    for (const [seed, test] of [
      'test_smoke',
      'test_random',
      'test_random',
      'test_random_verbs',
      'test_random_verbs',
    ].entries()) {
      const { verdict, parameters, log } = playOn(nics, test, '+DUT=second', seed);
      expect(verdict, log).to.equal('passed');
      const { UC_QP_NUM, UD_QP_NUM, READ_WQE_NUM, MAX_INLINE, IPV6, CQ_EVENT } = parameters;
      expect([UC_QP_NUM, UD_QP_NUM, READ_WQE_NUM, MAX_INLINE, IPV6, CQ_EVENT].map(Number)).to.deep.equal([
        0, 0, 0, 0, 0, 0,
      ]);
    }
    const plusargs = ['+UVM_TESTNAME=test_random', '+DUT=second', '+READ_WQE_NUM=1', '+IPV6', '+UD_QP_NUM=1'];
    expect(checkSpec({ testName: 'test_random', seed: 1, plusargs }, nics)).to.deep.equal([
      '+UD_QP_NUM=1: the NIC has no UD queue pairs; try +UD_QP_NUM=0',
      '+READ_WQE_NUM=1: the NIC has no READs; try +READ_WQE_NUM=0',
      '+IPV6=1: the NIC has no IPv6; try +IPV6=0',
    ]);
    const datagrams = { ...capabilities, rc: false, ud: true };
    const only = { ...registry, nics: [{ ...entry, limits: { ...entry.limits, capabilities: datagrams } }] };
    for (const test of ['test_direct_param', 'test_random']) {
      const { verdict, parameters } = playOn(only, test, '+DUT=second');
      expect([verdict, Number(parameters['RC_QP_NUM']), Number(parameters['UD_QP_NUM']) > 0]).to.deep.equal([
        'passed',
        0,
        true,
      ]);
    }
  });

  it('is judged by its own profile', () => {
    const impatient = { ...entry, name: 'impatient', profile: { ...entry.profile, framesPerTurn: 0 } };
    const run = playOn({ ...registry, nics: [impatient] }, 'test_smoke', '+DUT=impatient');
    expect([run.verdict, run.signature?.id]).to.deep.equal(['failed', 'SCB_STARVED']);
    const hasty = { ...entry, name: 'hasty', profile: { ...entry.profile, restTime: 1000 } };
    const refused = playOn({ ...registry, nics: [hasty] }, 'test_smoke', '+DUT=hasty');
    expect(refused.verdict).to.equal('error');
    expect(refused.message).to.contain('profile.restTime is 1000; use 5000000 ..');
  });

  it('may speak something of its own on the wire, which nobody decodes', () => {
    const nic: NicEntry['nic'] = (fault) => (context, knobs) =>
      new Scrambled(context, entry.nic(fault)(context, knobs));
    const told = { ...entry, nic, profile: { ...entry.profile, wire: 'private' as const } };
    const run = playOn({ ...registry, nics: [told] }, 'test_smoke', '+DUT=second');
    expect([run.verdict, run.counts['UVM_WARNING']], run.log).to.deep.equal(['passed', 0]);
    expect(run.log).to.contain('frames are not RoCEv2');
    const untold = playOn({ ...registry, nics: [{ ...entry, nic }] }, 'test_smoke', '+DUT=second');
    expect(untold.signature?.id).to.match(/^WIRE_/);
  });

  it('is not taken for quiet while its software has begun something', () => {
    const soon = playOn(registry, 'test_smoke', '+DUT=second');
    const late = playOn(registry, 'test_smoke', '+DUT=second +DUT_FAULT=late_watch');
    expect(late.verdict, late.log).to.equal('passed');
    expect(soon.simulatedTimePs).to.be.below(MS);
    expect(late.simulatedTimePs).to.be.above(MS);
  });

  it('is told of processes that its software leaves running', () => {
    const run = playOn(registry, 'test_smoke', '+DUT=second +DUT_FAULT=endless_watch');
    expect([run.verdict, run.signature?.id]).to.deep.equal(['failed', 'HCA_LEAK']);
    expect(run.signature?.message).to.contain('process host0 watch left after closing the device');
  });
});
