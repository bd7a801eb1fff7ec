import { expect } from 'chai';
import { RecvWr, SendWr, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import type { NicBuilder } from '../../../dut-model/nic.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { HcaEnv } from '../../../env/hcaEnv.ts';
import type { HostApi } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { HANGU_KIND } from '../../../dut-model/hangu/driver/kind/hanguKind.ts';
import { HanguProvider } from '../../../dut-model/hangu/driver/hanguProvider.ts';
import type { Ah, Cq, Mr, Pd, Qp } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { QpType } from '../../../rdma/verbs.ts';
import { Component } from '../../../uvm/base/component.ts';
import { Factory } from '../../../uvm/base/factory.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';

const NIC: NicBuilder = (context, knobs) => new HanguNic(context, resolveHanguConfig(knobs));
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;

/** One end of a connection. */
interface End {
  readonly api: HostApi;
  readonly pd: Pd;
  readonly cq: Cq;
  readonly qp: Qp;
  readonly source: Mr;
  readonly target: Mr;
  ah: Ah | null;
}

type Body = (env: HcaEnv) => Proc<void>;

/** Runs `body` in the run phase of a test that contains the environment. */
function play(
  options: Partial<EnvOptions>,
  body: Body,
): { readonly run: Run; readonly passed: boolean; readonly env: HcaEnv; readonly log: string } {
  const made: HcaEnv[] = [];
  class SpecTest extends Component {
    override buildPhase(): void {
      made.push(new HcaEnv('env', this, { nic: NIC, kind: HANGU_KIND, ...options }));
    }

    override *runPhase(phase: Phase): Proc {
      phase.raiseObjection(this, 'body');
      yield* body(made[0] as HcaEnv);
      phase.dropObjection(this, 'body');
    }
  }
  const factory = new Factory();
  factory.register('spec_test', SpecTest as never);
  const lines: string[] = [];
  const run = new Run({ seed: 7, testName: 'spec_test', factory, sink: (text) => lines.push(text) });
  const { passed } = run.runTest();
  return { run, passed, env: made[0] as HcaEnv, log: lines.join('\n') };
}

function* makeEnd(api: HostApi, type: QpType, process = 1): Proc<End> {
  const pd = api.allocPd(process);
  const cq = yield* api.createCq(process, { entries: 100 });
  const qp = yield* api.createQp(pd, { type, sendCq: cq, recvCq: cq, maxSendWr: 30, maxRecvWr: 30, maxSge: 7 });
  const source = yield* api.regMr(pd, { ...api.dataAddress(qp, false), length: 200_000, access: RIGHTS });
  const target = yield* api.regMr(pd, { ...api.dataAddress(qp, true), length: 200_000, access: RIGHTS });
  return { api, pd, cq, qp, source, target, ah: null };
}

function* connect(a: End, b: End): Proc<void> {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    yield* from.api.connectQp(
      from.qp,
      { host: to.api.host, qpn: to.qp.qpn, psn: 10 + to.api.host },
      { psn: 10 + from.api.host },
    );
    from.ah = from.api.createAh(from.pd, to.api.host);
  }
}

function sends(from: End, to: End, opcode: number, count: number): SendWr[] {
  return Array.from({ length: count }, (_, i) => {
    const wr = new SendWr();
    const read = opcode === WR_OPCODE.rdmaRead;
    Object.assign(wr, { wrId: i, opcode, imm: i, rkey: read ? to.source.key : to.target.key, remoteHi: to.target.hi });
    if (read) wr.remoteHi = to.source.hi;
    wr.remoteLo = 100_003 + 5000 * i;
    Object.assign(wr, { ah: from.ah?.index ?? 0, remoteQpn: to.qp.qpn, remoteQkey: 0x1234_5678 });
    const mr = read ? from.target : from.source;
    wr.setNumSge(3);
    for (const [g, s] of wr.sges.entries()) {
      Object.assign(s, { hi: mr.hi, lo: 2000 * i + 500 * g + 1, length: 100 + g, lkey: mr.key });
    }
    return wr;
  });
}

function recvs(at: End, count: number): RecvWr[] {
  return Array.from({ length: count }, (_, i) => {
    const wr = new RecvWr();
    wr.wrId = 1000 + i;
    wr.setNumSge(4);
    const lengths = [40, 100, 101, 102];
    for (const [g, s] of wr.sges.entries()) {
      Object.assign(s, { hi: at.target.hi, lo: 3000 * i + 600 * g + 7, length: lengths[g], lkey: at.target.key });
    }
    return wr;
  });
}

function* take(end: End, count: number): Proc<WorkCompletion[]> {
  const done: WorkCompletion[] = [];
  while (done.length < count) {
    yield* end.api.waitCq(end.cq);
    for (let wc = new WorkCompletion(); end.api.pollCq(end.cq, wc); wc = new WorkCompletion()) done.push(wc);
  }
  return done;
}

/** Waits until nothing moves, then has plain WRITEs judged. */
function* settle(env: HcaEnv): Proc<void> {
  for (let before = -1; before !== env.activity(); ) {
    before = env.activity();
    yield 10_000_000;
  }
  env.quiet();
}

describe('HcaEnv', () => {
  for (const [name, type] of [
    ['RC', 2],
    ['UC', 3],
    ['UD', 4],
  ] as const) {
    it(`carries ${name} traffic without a report and leaves nothing behind`, () => {
      const counts: number[] = [];
      const { passed, env, log } = play({}, function* (e) {
        const ends: End[] = [];
        for (const api of e.hosts) {
          yield* api.openDevice();
          ends.push(yield* makeEnd(api, type, 1 + api.host));
        }
        const [a, b] = ends as [End, End];
        yield* connect(a, b);
        const remote = type === 2 ? [WR_OPCODE.rdmaWrite, WR_OPCODE.rdmaRead] : type === 3 ? [WR_OPCODE.rdmaWrite] : [];
        for (let round = 0; round < 4; round++) {
          yield* b.api.postRecv(b.qp, recvs(b, 10), 10);
          const list = [...sends(a, b, WR_OPCODE.sendWithImm, 10), ...remote.flatMap((op) => sends(a, b, op, 5))];
          yield* a.api.postSend(a.qp, list, list.length);
          const sent = yield* take(a, list.length);
          const received = yield* take(b, 10);
          counts.push(...sent.map((wc) => wc.status), ...received.map((wc) => wc.status));
          expect(received.map((wc) => [wc.wrId, wc.imm])).to.deep.equal(
            Array.from({ length: 10 }, (_, i) => [1000 + i, i]),
          );
          yield* settle(e);
        }
        for (const end of ends) yield* end.api.closeDevice();
      });
      expect(passed, log).to.equal(true);
      expect(new Set(counts)).to.deep.equal(new Set([0]));
      expect(env.scoreboard.checks).to.be.above(80);
      expect(env.inFlight).to.equal(0);
      expect(env.blocks.inUse).to.equal(0);
    });
  }

  it('wakes software by interrupts', () => {
    const fired: number[] = [];
    const { passed, log } = play({}, function* (e) {
      const ends: End[] = [];
      for (const api of e.hosts) {
        yield* api.openDevice();
        ends.push(yield* makeEnd(api, 2));
      }
      const [a, b] = ends as [End, End];
      yield* connect(a, b);
      for (let i = 0; i < 3; i++) {
        yield* a.api.armCq(a.cq, false);
        yield* a.api.postSend(a.qp, sends(a, b, WR_OPCODE.rdmaWrite, 1), 1);
        fired.push((yield* a.api.waitEvent()).cqn);
        yield* take(a, 1);
      }
      yield* settle(e);
      for (const end of ends) yield* end.api.closeDevice();
    });
    expect(passed, log).to.equal(true);
    expect(fired).to.deep.equal([254, 254, 254]);
  });

  it('joins eight hosts, each with the address of its number', () => {
    const { passed, env, log } = play({ hosts: 8 }, function* (e) {
      const ends: End[] = [];
      for (const api of e.hosts) {
        yield* api.openDevice();
        ends.push(yield* makeEnd(api, 2));
      }
      for (let h = 0; h < 8; h += 2) yield* connect(ends[h] as End, ends[7 - h] as End);
      for (let h = 0; h < 8; h += 2) {
        const [a, b] = [ends[h] as End, ends[7 - h] as End];
        yield* a.api.postSend(a.qp, sends(a, b, WR_OPCODE.rdmaWrite, 2), 2);
      }
      for (let h = 0; h < 8; h += 2) yield* take(ends[h] as End, 2);
      yield* settle(e);
      for (const end of ends) yield* end.api.closeDevice();
    });
    expect(passed, log).to.equal(true);
    expect(env.hostEnvs.map((h) => h.fullName).at(-1)).to.equal(`${env.fullName}.hca7`);
  });

  it('gives a host PCIe settings of its own', () => {
    const pcieOf = (host: number) => (host === 1 ? { maxPayload: 128, memoryLatency: 1000 } : {});
    const { env } = play({ pcie: { maxPayload: 512, rate: 64 }, pcieOf }, function* () {});
    const settings = env.hostEnvs.map(({ agent }) => agent.settings);
    expect(settings.map(({ maxPayload }) => maxPayload)).to.deep.equal([512, 128]);
    expect(settings.map(({ memoryLatency }) => memoryLatency)).to.deep.equal([0, 1000]);
    expect(settings.map(({ rate }) => rate)).to.deep.equal([64, 64]);
  });

  it('repeats a run bit by bit', () => {
    const body: Body = function* (e) {
      for (const api of e.hosts) yield* api.openDevice();
      for (const api of e.hosts) yield* makeEnd(api, 2);
    };
    expect(play({}, body).run.transcript.digest()).to.equal(play({}, body).run.transcript.digest());
  });

  it('finds what a provider leaves behind', () => {
    class Leaky extends HanguProvider {
      override leaks(): readonly string[] {
        return [...super.leaks(), '1 planted thing'];
      }
    }
    const { passed, log } = play({ provider: (host) => new Leaky(host) }, function* (e) {
      for (const api of e.hosts) {
        yield* api.openDevice();
        yield* api.closeDevice();
      }
    });
    expect(passed).to.equal(false);
    expect(log).to.match(/HCA_LEAK\] 1 planted thing left after closing/);
  });

  it('shows the first twenty errors of a host and id, and says how many there were', () => {
    class Noisy extends HanguProvider {
      override leaks(): readonly string[] {
        return [...super.leaks(), ...Array.from({ length: 33 }, (_, i) => `planted thing ${i}`)];
      }
    }
    const { log } = play({ provider: (host) => new Noisy(host) }, function* (e) {
      for (const api of e.hosts) {
        yield* api.openDevice();
        yield* api.closeDevice();
      }
    });
    expect(log.match(/HCA_LEAK\] planted thing/g)).to.have.length(2 * 20);
    expect(log.match(/HCA_LEAK\] 13 more findings of this kind, 33 in all/g)).to.have.length(2);
  });

  it('takes options and NIC builders from the configuration', () => {
    const factory = new Factory();
    const built: string[] = [];
    const note =
      (kind: string): NicBuilder =>
      (context, knobs) => {
        built.push(`${kind} ${context.name}`);
        return NIC(context, knobs);
      };
    class ConfigTest extends Component {
      override buildPhase(): void {
        this.run.config.set(this, 'env', 'env_options', { nic: note('common'), kind: HANGU_KIND, hosts: 3 });
        this.run.config.set(this, 'env.hca1', 'nic_builder', note('own'));
        new HcaEnv('env', this);
      }
    }
    factory.register('config_test', ConfigTest as never);
    const run = new Run({ seed: 1, testName: 'config_test', factory });
    run.runTest();
    expect(built.map((b) => b.replace(/ .*env/, ' env'))).to.deep.equal([
      'common env.hca0.nic',
      'own env.hca1.nic',
      'common env.hca2.nic',
    ]);
  });

  it('refuses config fields that hold something of another kind, with the value and who set it', () => {
    for (const [path, field, value, text] of [
      ['*', 'nic_knobs', 5, 'a.hca0: the config field nic_knobs is 5, set by uvm_root; it takes an object of numbers'],
      ['*', 'nic_knobs', { mpt_cache: '64' }, "nic_knobs is {mpt_cache: '64'}"],
      ['a.hca1', 'nic_builder', 'foo', "a.hca1: the config field nic_builder is 'foo', set by uvm_root; it takes a fu"],
      ['a', 'env_options', 'x', "a: the config field env_options is 'x'"],
    ] as const) {
      const run = new Run({ seed: 1, testName: 't' });
      run.config.set(null, path, field, value, typeof value !== 'object');
      const options = field === 'env_options' ? undefined : { nic: NIC, kind: HANGU_KIND };
      expect(() => new HcaEnv('a', run, options), field).to.throw(HostApiError, text);
    }
  });

  it('refuses impossible numbers of hosts and a missing NIC', () => {
    const run = new Run({ seed: 1, testName: 't' });
    expect(() => new HcaEnv('a', run, { nic: NIC, kind: HANGU_KIND, hosts: 1 })).to.throw(
      HostApiError,
      'hosts is 1; use 2 .. 8',
    );
    expect(() => new HcaEnv('b', run)).to.throw(HostApiError, 'no options');
    expect(() => new HcaEnv('c', run, { nic: [NIC], kind: HANGU_KIND })).to.throw(
      HostApiError,
      'NIC builder for host 1',
    );
  });
});
