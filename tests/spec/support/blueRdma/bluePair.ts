/** Two hosts with driver and NIC, joined back to back: connections, requests and what comes of them. */
import { NO_CQ_INDICES } from '../../../../env/settings/cqIndices.ts';
import { USUAL_NUMBERS } from '../../../../env/settings/firstNumbers.ts';
import { NetAddresses } from '../../../../env/ports/netAddress.ts';
import { RecvWr, SendWr, WorkCompletion } from '../../../../agents/verbs/verbsItems.ts';
import { VerbsMonitor } from '../../../../agents/verbs/verbsMonitor.ts';
import type { AddressMap } from '../../../../env/memory/addressMap.ts';
import { BlueAddressMap } from '../../../../dut-model/blue-rdma/driver/kind/addressMap.ts';
import { BLUE_DEVICE_LIMITS } from '../../../../dut-model/blue-rdma/driver/kind/deviceLimits.ts';
import { OutOfBandChannel } from '../../../../dut-model/blue-rdma/driver/outOfBand.ts';
import { BlueProvider } from '../../../../dut-model/blue-rdma/driver/blueProvider.ts';
import type { BlueSettings } from '../../../../dut-model/blue-rdma/driver/blueSettings.ts';
import type { ConnectAttributes } from '../../../../env/verbs/hostApi.ts';
import { VerbsHost } from '../../../../env/verbs/verbsHost.ts';
import type { Cq, Mr, Pd, Qp, QpInit } from '../../../../env/verbs/verbsObjects.ts';
import { ACCESS, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../../rdma/verbs.ts';
import { ProcessManager } from '../../../../uvm/kernel/process.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { BlueWorld, type WorldOptions } from './blueWorld.ts';

export interface PairOptions extends WorldOptions {
  readonly settings?: Partial<BlueSettings>;
  /** Instead of the usual driver. */
  readonly provider?: typeof BlueProvider;
  readonly qp?: Partial<QpInit>;
  readonly attributes?: ConnectAttributes;
  /** Bytes of the source and of the target region of each end. */
  readonly regionBytes?: number;
  readonly access?: number;
}

/** One end of the connection. */
export interface PairEnd {
  readonly host: number;
  readonly api: VerbsHost;
  readonly pd: Pd;
  readonly cq: Cq;
  readonly qp: Qp;
  /** What is sent and read from, and what is received and written to. */
  readonly source: Mr;
  readonly target: Mr;
  readonly driver: BlueProvider;
}

/** 30 ms. */
const LONGEST = 3e10;
const FULL = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

export class BluePair {
  readonly world: BlueWorld;
  readonly processes: ProcessManager;
  readonly hosts: readonly VerbsHost[];
  readonly errors: string[] = [];
  readonly ends: readonly [PairEnd, PairEnd];
  readonly #maps: readonly AddressMap[];
  readonly #channel: OutOfBandChannel;

  constructor(options: PairOptions = {}) {
    this.world = new BlueWorld(options);
    this.processes = new ProcessManager(this.world.scheduler);
    this.#channel = new OutOfBandChannel(this.world.scheduler, new FastStream('out-of-band'));
    this.#maps = [0, 1].map((host) => new BlueAddressMap(host + 1));
    this.hosts = [0, 1].map((host) => this.#host(host, options));
    this.ends = this.run(this.#connect(options));
  }

  /** Runs a process to its end, and the simulation with it. */
  run<T>(body: Proc<T>): T {
    const box: { value?: T; error?: unknown; done: boolean } = { done: false };
    this.processes.spawn('spec', catching(body, box));
    // What never ends must not keep a spec for ever.
    this.world.scheduler.run(this.world.scheduler.now + LONGEST);
    if (box.error !== undefined) throw box.error;
    if (!box.done) throw new Error('the process did not end');
    return box.value as T;
  }

  /** Waits for the next `count` completions of an end. */
  *take(end: PairEnd, count: number): Proc<WorkCompletion[]> {
    const taken: WorkCompletion[] = [];
    while (taken.length < count) {
      const wc = new WorkCompletion();
      while (!end.api.pollCq(end.cq, wc)) yield* end.api.waitCq(end.cq);
      taken.push(wc);
    }
    return taken;
  }

  /** Completions that are there. */
  poll(end: PairEnd): WorkCompletion[] {
    const taken: WorkCompletion[] = [];
    for (let wc = new WorkCompletion(); end.api.pollCq(end.cq, wc); wc = new WorkCompletion()) taken.push(wc);
    return taken;
  }

  /** Bytes [offset, offset + length) of a region. */
  bytes(end: PairEnd, mr: Mr, offset: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (const { at, hi, lo, n } of this.#pieces(end, mr, offset, length)) {
      out.set(this.#memory(end).bytesAt(hi, lo, n), at);
    }
    return out;
  }

  /** Fills a part of a region with bytes that depend on the seed. */
  fill(end: PairEnd, mr: Mr, offset: number, length: number, seed: string): Uint8Array {
    const draws = new FastStream(seed);
    const bytes = Uint8Array.from({ length }, () => draws.uint32());
    for (const { at, hi, lo, n } of this.#pieces(end, mr, offset, length)) {
      this.#memory(end).put(hi, lo, bytes.subarray(at, at + n));
    }
    return bytes;
  }

  #memory(end: PairEnd): BlueWorld['hosts'][number] {
    return this.world.hosts[end.host as 0 | 1];
  }

  /** The pieces of a range that lie in one page each: bytes from `at` on, and where they are. */
  *#pieces(
    end: PairEnd,
    mr: Mr,
    offset: number,
    length: number,
  ): Generator<{ at: number; hi: number; lo: number; n: number }> {
    const map = this.#maps[end.host] as AddressMap;
    for (let at = 0; at < length; ) {
      const virtual = (mr.lo >>> 0) + offset + at;
      const n = Math.min(length - at, 0x20_0000 - (virtual & 0x1f_ffff));
      map.translate(end.pd.process, mr.hi, virtual | 0);
      yield { at, hi: map.physHi, lo: map.physLo, n };
      at += n;
    }
  }

  #host(host: number, { settings = {}, provider = BlueProvider }: PairOptions): VerbsHost {
    const { bytes, scheduler, hosts } = this.world;
    const own = hosts[host as 0 | 1];
    const api = new VerbsHost({
      host,
      hosts: 2,
      processes: 2,
      dataOffset: 0,
      firstNumbers: USUAL_NUMBERS,
      cqIndices: NO_CQ_INDICES,
      addresses: NetAddresses.usual(2),
      bytes,
      memory: own.memory,
      map: this.#maps[host] as AddressMap,
      bus: own,
      scheduler,
      monitor: new VerbsMonitor(),
      key: 5,
      limits: BLUE_DEVICE_LIMITS,
      processManager: this.processes,
      random: (purpose) => new FastStream(`${host} ${purpose}`),
      shared: (_name, make) => make(),
      provider: (side) => new provider(side, { ...settings, channel: this.#channel }),
      error: (id, text) => {
        this.errors.push(`${id} ${typeof text === 'string' ? text : text()}`);
      },
    });
    own.onWrite = (tlp) => api.provider.write(tlp);
    return api;
  }

  *#connect(options: PairOptions): Proc<readonly [PairEnd, PairEnd]> {
    const [a, b] = [yield* this.#open(0, options), yield* this.#open(1, options)];
    const common = { timeout: 8, ...options.attributes };
    yield* a.api.connectQp(a.qp, { host: 1, qpn: b.qp.qpn, psn: 0xffffe0 }, { psn: 0x120, ...common });
    yield* b.api.connectQp(b.qp, { host: 0, qpn: a.qp.qpn, psn: 0x120 }, { psn: 0xffffe0, ...common });
    return [a, b];
  }

  *#open(host: number, { qp: init = {}, regionBytes = 1 << 20, access = FULL }: PairOptions): Proc<PairEnd> {
    const api = this.hosts[host] as VerbsHost;
    yield* api.openDevice();
    const pd = api.allocPd(1);
    const cq = yield* api.createCq(1, { entries: 1024 });
    const queues = { sendCq: cq, recvCq: cq, maxSendWr: 256, maxRecvWr: 256, maxSge: 1 };
    const qp = yield* api.createQp(pd, { type: QP_TYPE.rc, ...queues, ...init });
    const region = (receive: boolean): Proc<Mr> =>
      api.regMr(pd, { ...api.dataAddress(qp, receive), length: regionBytes, access });
    const source = yield* region(false);
    const target = yield* region(true);
    return { host, api, pd, cq, qp, source, target, driver: api.provider as BlueProvider };
  }
}

/** What a request of a spec may say. */
export interface RequestFields {
  readonly wrId?: number;
  readonly imm?: number;
  readonly flags?: number;
  /** Offsets in the own region and in the peer's. */
  readonly at?: number;
  readonly to?: number;
}

/** A WRITE, with or without immediate, from the source of one end to the target of the other. */
export function write(from: PairEnd, to: PairEnd, length: number, fields: RequestFields = {}): SendWr {
  const wr = request(from.source, length, fields);
  wr.opcode = fields.imm === undefined ? WR_OPCODE.rdmaWrite : WR_OPCODE.rdmaWriteWithImm;
  aim(wr, to.target, fields.to ?? 0);
  return wr;
}

export function send(from: PairEnd, length: number, fields: RequestFields = {}): SendWr {
  const wr = request(from.source, length, fields);
  wr.opcode = fields.imm === undefined ? WR_OPCODE.send : WR_OPCODE.sendWithImm;
  return wr;
}

/** A READ from the source of the other end into the own target. */
export function read(to: PairEnd, from: PairEnd, length: number, fields: RequestFields = {}): SendWr {
  const wr = request(to.target, length, fields);
  wr.opcode = WR_OPCODE.rdmaRead;
  aim(wr, from.source, fields.to ?? 0);
  return wr;
}

export function receive(end: PairEnd, length: number, { wrId = 0, at = 0 }: RequestFields = {}): RecvWr {
  const wr = new RecvWr();
  wr.wrId = wrId;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: end.target.hi, lo: end.target.lo + at, length, lkey: end.target.key });
  return wr;
}

function request(
  mr: Mr,
  length: number,
  { wrId = 0, flags = SEND_FLAG.signaled, imm = 0, at = 0 }: RequestFields,
): SendWr {
  const wr = new SendWr();
  wr.wrId = wrId;
  wr.flags = flags;
  wr.imm = imm;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: mr.hi, lo: mr.lo + at, length, lkey: mr.key });
  return wr;
}

function aim(wr: SendWr, mr: Mr, offset: number): void {
  wr.remoteHi = mr.hi;
  wr.remoteLo = mr.lo + offset;
  wr.rkey = mr.key;
}

function* catching<T>(body: Proc<T>, box: { value?: T; error?: unknown; done: boolean }): Proc<void> {
  try {
    box.value = yield* body;
    box.done = true;
  } catch (error) {
    box.error = error;
  }
}
