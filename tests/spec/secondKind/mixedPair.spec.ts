import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import { playOn } from '../tests/harness.ts';
import { secondKind } from './secondKind.ts';

describe('hosts with NICs of different kinds', () => {
  const second = secondKind();
  let registry: Registry;
  before(async () => {
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, second] };
  });

  /** What is found before time 0 by a command line. */
  function problems(line: string, test = 'test_smoke'): string {
    const plusargs = [`+UVM_TESTNAME=${test}`, ...line.split(' ')];
    return checkSpec({ testName: test, seed: 1, plusargs }, registry).join('\n');
  }

  for (const dut of ['0:hangu,1:second', '0:second,1:hangu', 'hangu,1:second'])
    it(`play a run with +DUT=${dut}`, () => {
      const run = playOn(registry, 'test_smoke', `+DUT=${dut}`);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.parameters['DUT']).to.equal(dut);
    });

  it('are as many as the kinds that are given by number, also where their number is drawn', () => {
    for (const seed of [1, 2, 3]) {
      const run = playOn(registry, 'test_random', '+DUT=0:hangu,1:second', seed);
      expect([run.verdict, run.parameters['HOST_NUM']], run.message).to.deep.equal(['passed', 2]);
    }
    const three = playOn(registry, 'test_direct_param', '+DUT=0:second,1:hangu,2:second +RC_QP_NUM=3');
    expect([three.verdict, three.parameters['HOST_NUM']], three.message).to.deep.equal(['passed', 3]);
    const more = playOn(registry, 'test_direct_param', '+DUT=second,2:hangu +HOST_NUM=4 +UD_QP_NUM=1');
    expect(more.verdict, more.message).to.equal('passed');
  });

  it('keep in what is drawn and by default to what both can do', () => {
    for (const seed of [4, 5]) {
      const run = playOn(registry, 'test_random_verbs', '+DUT=0:second,1:hangu', seed);
      expect(run.verdict, run.message).to.equal('passed');
      expect(Number(run.parameters['SG_NUM'])).to.be.at.most(second.limits.maxSge);
    }
    expect(problems('+DUT=0:hangu,1:second +SG_NUM=4', 'test_direct_param')).to.contain('the NIC takes 1..3');
  });

  it('have knobs of their own, which a record holds and a replay has again', () => {
    const line = '+DUT=0:hangu,1:second +NIC_MPT_CACHE=64 +NIC_MPT_CACHE=8,host=1 +NIC_WATCH_NS=5000';
    const run = playOn(registry, 'test_smoke', line);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.parameters).to.include({ NIC_MPT_CACHE: '64;8,host=1', NIC_WATCH_NS: 5000 });
    const again = playOn(registry, 'test_smoke', [
      '+DUT=0:hangu,1:second',
      `+NIC_MPT_CACHE=${run.parameters['NIC_MPT_CACHE']}`,
      '+NIC_WATCH_NS=5000',
    ]);
    expect(again.transcript.hash).to.equal(run.transcript.hash);
    const other = playOn(registry, 'test_smoke', '+DUT=0:hangu,1:second +NIC_MPT_CACHE=64 +NIC_WATCH_NS=5000');
    expect(other.transcript.hash).not.to.equal(run.transcript.hash);
  });

  it('draw knobs each for itself', () => {
    const notes = [1, 2, 3, 4, 5, 6]
      .map((seed) => playOn(registry, 'test_random', '+DUT=0:hangu,1:second +DRAW_FAULTS=0', seed).log)
      .map((log) => /KNOBS_DRAWN: (.*)/.exec(log)?.[1] ?? '');
    expect(notes.join())
      .to.match(/host=0/)
      .and.match(/host=1/);
  });

  it('are judged each by its own profile', () => {
    const impatient = { ...second, name: 'impatient', profile: { ...second.profile, framesPerTurn: 0 } };
    const pair = { ...registry, nics: [...registry.nics, impatient] };
    const run = playOn(pair, 'test_smoke', '+DUT=0:hangu,1:impatient');
    expect(run.signature?.id, run.log).to.equal('SCB_STARVED');
    const judged = [...run.log.matchAll(/\[SCB_STARVED\].*the NIC of host (\d)/g)].map(([, host]) => host);
    expect(new Set(judged)).to.deep.equal(new Set(['1']));
  });

  it('have bugs planted in one of them', () => {
    const line = '+RC_QP_NUM=4 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3 +DATA_CNT=3000 +MTU=256';
    const run = playOn(registry, 'test_direct_param', `+DUT=0:second,1:hangu ${line} +DUT_FAULT=psn_skipped,host=1`);
    expect(run.verdict, run.log).to.equal('failed');
    expect(run.signature?.message).to.contain('host 1');
    expect(playOn(registry, 'test_direct_param', `+DUT=0:second,1:hangu ${line}`).verdict).to.equal('passed');
  });

  it('share a kind, and differ by a bug of the driver of one of them', () => {
    const line = '+DUT=blue +RC_QP_NUM=2 +DATA_CNT=3000';
    expect(playOn(registry, 'test_direct_param', line).verdict).to.equal('passed');
    const run = playOn(registry, 'test_direct_param', `${line} +DUT_FAULT=ack_ahead,host=1`);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'BLUE_ACK']);
  });

  it('are covered by their pairs', () => {
    const { coverage = [] } = playOn(registry, 'test_smoke', '+DUT=0:hangu,1:second +COV');
    const names = coverage.map(({ group }) => group.name);
    expect(names).to.contain('nic_pair_cg').and.not.contain('nic_port_cg');
    const alike = playOn(registry, 'test_smoke', '+COV').coverage ?? [];
    expect(alike.map(({ group }) => group.name)).not.to.contain('nic_pair_cg');
  });

  it('are refused where they cannot talk to each other, with the reason', () => {
    expect(problems('+DUT=0:hangu,1:blue')).to.equal(
      '+DUT=0:hangu,1:blue: hangu and blue cannot talk to each other: hangu sends RoCEv2, blue sends packets with headers of ' +
        'its own; give hosts of one run kinds that do',
    );
  });

  it('are refused where a host has no kind, two, or one that is none', () => {
    expect(problems('+DUT=0:hangu,1:second +HOST_NUM=3')).to.contain('host 2 of 3 has no kind; put one for all others');
    expect(problems('+DUT=hangu,5:second')).to.contain('host 5: the hosts of this run are 0 to 1');
    expect(problems('+DUT=0:hangu,0:second')).to.contain('host 0 has two kinds; write +DUT=<kind>');
    expect(problems('+DUT=0:hangu,1:secund')).to.contain("there is no NIC model 'secund'").and.contain('second');
    expect(problems('+DUT=0:hangu,1:second +NIC_WATCH_NS=5,host=0')).to.contain('hangu has no such knob');
    expect(problems('+DUT=0:hangu,1:second +NIC_WATCH_NS=0')).to.contain('use an integer from 1');
    expect(problems('+DUT=0:hangu,1:second +NIC_MPT_CACHE=8,host=7')).to.contain('name one of them');
    expect(problems('+DUT=0:hangu,1:second +DUT_FAULT=late_watch,host=0')).to.contain('hangu has no such fault');
    expect(problems('+DUT=0:hangu,1:second +DUT_FAULT=none')).to.contain('none of hangu, second has such a fault');
  });
});
