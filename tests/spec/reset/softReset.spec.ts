/**
 * A NIC that is reset while requests, packets and DMA are under way: it forgets everything, what comes late reaches
 * nobody, and driven by software that starts anew it works as after power-up.
 */

import { NO_CQ_INDICES } from '../../../env/settings/cqIndices.ts';
import { USUAL_NUMBERS } from '../../../env/settings/firstNumbers.ts';
import { expect } from 'chai';
import { LinkAgent } from '../../../agents/link/linkAgent.ts';
import { PcieHostAgent } from '../../../agents/pcie/pcieHostAgent.ts';
import type { PcieHostSettings } from '../../../agents/pcie/pcieSettings.ts';
import { RecvWr, SendWr, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import type { NicKnobs, Tlp } from '../../../dut-model/nic.ts';
import type { AddressMap } from '../../../env/memory/addressMap.ts';
import { HostMemory } from '../../../env/memory/hostMemory.ts';
import { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import { NetAddresses, usualAddress } from '../../../env/ports/netAddress.ts';
import { HANGU_DEVICE_LIMITS } from '../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { HanguAddressMap } from '../../../dut-model/hangu/driver/kind/addressMap.ts';
import { HanguProvider } from '../../../dut-model/hangu/driver/hanguProvider.ts';
import { VerbsHost } from '../../../env/verbs/verbsHost.ts';
import type { Mr, Qp } from '../../../env/verbs/verbsObjects.ts';
import { BAR, REG } from '../../../dut-model/hangu/layout/addressMap.ts';
import { ACCESS, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { Component } from '../../../uvm/base/component.ts';
import { Factory } from '../../../uvm/base/factory.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { BlockPool } from '../../../uvm/bytes/blockPool.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { BLOCK_BYTES } from '../../../dut-model/nic.ts';

const FULL = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
const OPCODES = [WR_OPCODE.send, WR_OPCODE.rdmaWrite, WR_OPCODE.rdmaRead] as const;
const PAIRS = 20;
const REQUESTS = 9;
/** Bytes of a request, and the distance between those of two. */
const LENGTH = 2801;
const STEP = 8192;

/** A host whose software can be replaced by software that knows nothing of what was before. */
class Machine {
  readonly agent: PcieHostAgent;
  readonly nic: HanguNic;
  readonly memory: HostMemory;
  driver!: VerbsHost;
  readonly #number: number;
  readonly #top: Bench;
  readonly #map: AddressMap;

  constructor(number: number, top: Bench, knobs: NicKnobs, settings: Partial<PcieHostSettings>) {
    const { run, blocks } = top;
    this.#number = number;
    this.#top = top;
    this.memory = new HostMemory(run.bytes, number);
    this.#map = new HanguAddressMap(number + 5, 'scattered');
    this.agent = new PcieHostAgent(`pcie${number}`, top, { host: number, memory: this.memory, blocks, settings });
    const { macHigh, macLow } = usualAddress(number);
    const context = {
      name: `nic${number}`,
      macHigh,
      macLow,
      ports: [{ macHigh, macLow }],
      scheduler: run.scheduler,
      bytes: run.bytes,
      blocks,
      random: (purpose: string) => run.random.fast(`nic${number}`, purpose),
      trace: () => {},
      error: () => {},
    };
    this.nic = new HanguNic(context, resolveHanguConfig(knobs));
    this.nic.connect(this.agent.upstream, [top.link.port(number)]);
    this.agent.attach(this.nic);
    top.link.attach(number, this.nic, macHigh, macLow);
    this.agent.writes.connect((tlp: Tlp) => this.driver.provider.write(tlp));
    this.agent.interrupts.connect((message) => this.driver.provider.interrupt(message));
  }

  /** Software starts, with memory and ports as they were left. */
  *boot(): Proc {
    const { run } = this.#top;
    const { memory } = this;
    const parts = { bytes: run.bytes, memory, map: this.#map, bus: this.agent.master, scheduler: run.scheduler };
    this.driver = new VerbsHost({
      ...parts,
      host: this.#number,
      hosts: 2,
      processes: 1,
      limits: HANGU_DEVICE_LIMITS,
      dataOffset: 0,
      firstNumbers: USUAL_NUMBERS,
      cqIndices: NO_CQ_INDICES,
      addresses: NetAddresses.usual(2),
      monitor: new VerbsMonitor(),
      processManager: run.processes,
      random: (purpose) => run.random.fast(`host${this.#number}`, purpose),
      shared: (_name, make) => make(),
      key: 3,
      provider: (host) => new HanguProvider(host),
      error: (id, text) => this.#top.error(id, text),
    });
    yield* this.driver.openDevice();
  }

  softReset(): void {
    this.agent.master.barWrite(BAR.registers, REG.softReset, [1]);
  }

  /** Bytes that software sees at an address of its process. */
  read(hi: number, lo: number, length: number): string {
    const { bytes } = this.#top.run;
    const scratch = bytes.alloc(4096);
    const out: string[] = [];
    for (let done = 0; done < length; ) {
      const n = Math.min(4096 - ((lo + done) & 4095), length - done);
      this.#map.translate(1, hi, lo + done);
      this.memory.read(this.#map.physHi, this.#map.physLo, n, scratch);
      out.push(Buffer.from(bytes.u8.subarray(scratch, scratch + n)).toString('hex'));
      done += n;
    }
    return out.join('');
  }
}

/** One host's end of a queue pair. */
interface End {
  readonly machine: Machine;
  readonly qp: Qp;
  readonly source: Mr;
  readonly target: Mr;
}

/** Two machines and a cable. */
class Bench extends Component {
  readonly blocks = new BlockPool(this.run.bytes, BLOCK_BYTES);
  readonly link = new LinkAgent('link', this, { hosts: 2, blocks: this.blocks });
  readonly machines: Machine[] = [];
  /** What the spec sets before the run. */
  static plan: (bench: Bench) => Proc = function* () {};
  static knobs: NicKnobs = {};
  static pcie: Partial<PcieHostSettings> = {};

  override buildPhase(): void {
    for (const n of [0, 1]) this.machines.push(new Machine(n, this, Bench.knobs, Bench.pcie));
  }

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    yield* Bench.plan(this);
    phase.dropObjection(this);
  }

  /** Waits until nothing is under way any more. */
  *settle(): Proc {
    do yield 5_000_000;
    while (this.link.inFlight > 0 || this.machines.some((m) => m.agent.inFlight > 0));
  }

  *connect(): Proc<readonly (readonly [End, End])[]> {
    const pairs: (readonly [End, End])[] = [];
    for (let i = 0; i < PAIRS; i++) {
      const ends: End[] = [];
      for (const machine of this.machines) ends.push(yield* makeEnd(machine));
      const [a, b] = ends as [End, End];
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        const remote = { host: this.machines.indexOf(to.machine), qpn: to.qp.qpn, psn: 7 };
        yield* from.machine.driver.connectQp(from.qp, remote, { psn: 7, mtu: 1024, timeout: 5 });
      }
      pairs.push([a, b]);
    }
    return pairs;
  }
}

function* makeEnd(machine: Machine): Proc<End> {
  const { driver } = machine;
  const pd = driver.allocPd(1);
  const cq = yield* driver.createCq(1, { entries: 64 });
  const queues = { sendCq: cq, recvCq: cq, maxSendWr: 30, maxRecvWr: 30, maxSge: 2 };
  const qp = yield* driver.createQp(pd, { type: 2, ...queues });
  const region = (receive: boolean): Proc<Mr> =>
    driver.regMr(pd, { ...driver.dataAddress(qp, receive), length: 1 << 18, access: FULL });
  return { machine, qp, source: yield* region(false), target: yield* region(true) };
}

/** Receives at both ends, then requests of each kind in both directions. */
function* post(pairs: readonly (readonly [End, End])[]): Proc {
  for (const pair of pairs) {
    for (const end of pair) {
      const wrs = Array.from({ length: REQUESTS }, (_, i) => entry(new RecvWr(), end.target, STEP * i));
      yield* end.machine.driver.postRecv(end.qp, wrs, wrs.length);
    }
  }
  for (const [a, b] of pairs) {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const wrs = Array.from({ length: REQUESTS }, (_, i) => request(from, to, i));
      yield* from.machine.driver.postSend(from.qp, wrs, wrs.length);
    }
  }
}

function request(from: End, to: End, i: number): SendWr {
  const opcode = OPCODES[i % 3] as number;
  const read = opcode === WR_OPCODE.rdmaRead;
  const wr = entry(new SendWr(), read ? from.target : from.source, STEP * (i + (read ? REQUESTS : 0)));
  const remote = read ? to.source : to.target;
  const at = STEP * (i + (read ? 0 : REQUESTS));
  return Object.assign(wr, { opcode, wrId: i, rkey: remote.key, remoteHi: remote.hi, remoteLo: at });
}

function entry<T extends SendWr | RecvWr>(wr: T, mr: Mr, lo: number): T {
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: mr.hi, lo, length: LENGTH, lkey: mr.key });
  return wr;
}

/** Takes every completion that `post` leads to, which must be without error, and compares the memories. */
function* finish(pairs: readonly (readonly [End, End])[]): Proc {
  const wc = new WorkCompletion();
  for (const pair of pairs) {
    for (const end of pair) {
      for (let left = REQUESTS + REQUESTS / 3; left > 0; left--) {
        const { driver } = end.machine;
        while (!driver.pollCq(end.qp.sendCq, wc)) yield* driver.waitCq(end.qp.sendCq);
        expect(wc.status).to.equal(0);
      }
    }
  }
  for (const [a, b] of pairs) {
    compare(a, b);
    compare(b, a);
  }
}

/** Whatever went from one end to the other is there. */
function compare(from: End, to: End): void {
  let received = 0;
  for (let i = 0; i < REQUESTS; i++) {
    const kind = i % 3;
    const [source, target] = kind === 2 ? [to, from] : [from, to];
    const at = kind === 0 ? received++ : i + REQUESTS;
    const sent = source.machine.read(source.source.hi, STEP * i, LENGTH);
    expect(target.machine.read(target.target.hi, STEP * at, LENGTH) === sent, `request ${i}`).to.equal(true);
  }
}

/** @returns what was reported as an error. */
function play(knobs: NicKnobs, pcie: Partial<PcieHostSettings>, plan: (bench: Bench) => Proc): string[] {
  Bench.knobs = knobs;
  Bench.pcie = pcie;
  Bench.plan = plan;
  const lines: string[] = [];
  const factory = new Factory();
  factory.register('bench', Bench as never);
  const run = new Run({ seed: 4, testName: 'bench', factory, sink: (text) => lines.push(text) });
  run.runTest();
  return lines.filter((line) => /^UVM_(ERROR|FATAL)/.test(line));
}

const TIGHT: NicKnobs = { qpcCache: 16, cqcCache: 16, mptCache: 64, mttCache: 64, cacheWays: 1, dmaTags: 6 };
const DISORDERED: Partial<PcieHostSettings> = { splitChance: 0.5, reorderChance: 0.5, maxReadRequest: 512 };

describe('a NIC that is reset by software', () => {
  for (const [what, knobs, pcie] of [
    ['with room for everything', {}, {}],
    ['with small caches, few tags and answers in disorder', TIGHT, DISORDERED],
  ] as const) {
    it(`forgets what is under way at any time, ${what}, and works again`, () => {
      const errors = play(knobs, pcie, function* (bench) {
        const { machines, blocks, run } = bench;
        const draws = run.random.stream('spec', 'moments');
        for (let round = 0; round < 8; round++) {
          for (const machine of machines) yield* machine.boot();
          const pairs = yield* bench.connect();
          yield* post(pairs);
          // Together they take some 80 us.
          yield draws.below(90_000_000);
          for (const machine of machines) machine.softReset();
          yield* bench.settle();
          expect(blocks.inUse, `blocks after reset ${round}`).to.equal(0);
          expect(machines.every((m) => m.nic.core.dma.idle)).to.equal(true);
        }
        for (const machine of machines) yield* machine.boot();
        const pairs = yield* bench.connect();
        yield* post(pairs);
        yield* finish(pairs);
        for (const { driver } of machines) yield* driver.closeDevice();
        yield* bench.settle();
        expect(blocks.inUse).to.equal(0);
      });
      expect(errors.join('\n')).to.equal('');
    });
  }

  it('may be reset alone: its peer gives up what it had begun, and new queue pairs of both work', () => {
    const errors = play({}, {}, function* (bench) {
      const { machines, blocks } = bench;
      const [first, peer] = machines as [Machine, Machine];
      for (const machine of machines) yield* machine.boot();
      const old = yield* bench.connect();
      yield* post(old);
      yield 20_000_000;
      first.softReset();
      const statuses = new Set<number>();
      const wc = new WorkCompletion();
      for (const [, end] of old) {
        const queue = end.qp.sendCq;
        while (!statuses.has(WC_STATUS.retryExcErr) || peer.driver.pollCq(queue, wc)) {
          yield* peer.driver.waitCq(queue);
          while (peer.driver.pollCq(queue, wc)) statuses.add(wc.status);
        }
      }
      expect([...statuses].sort((a, b) => a - b)).to.deep.equal([
        WC_STATUS.success,
        WC_STATUS.wrFlushErr,
        WC_STATUS.retryExcErr,
      ]);
      for (const [, end] of old) yield* peer.driver.destroyQp(end.qp);
      yield* first.boot();
      const pairs = yield* bench.connect();
      yield* post(pairs);
      yield* finish(pairs);
      for (const { driver } of machines) yield* driver.closeDevice();
      yield* bench.settle();
      expect(blocks.inUse).to.equal(0);
    });
    expect(errors.join('\n')).to.equal('');
  });
});
