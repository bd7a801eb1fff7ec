/** A host with the HanGu provider on a `FakeHcr`, without components. */

import { NO_CQ_INDICES } from '../../../../env/settings/cqIndices.ts';
import { USUAL_NUMBERS } from '../../../../env/settings/firstNumbers.ts';
import { NetAddresses } from '../../../../env/ports/netAddress.ts';
import { Tlp } from '../../../../dut-model/nic.ts';
import type { RecvWr, SendWr } from '../../../../agents/verbs/verbsItems.ts';
import { RecvWr as Recv, SendWr as Send } from '../../../../agents/verbs/verbsItems.ts';
import type { AddressMap, MapMode } from '../../../../env/memory/addressMap.ts';
import type { ProviderCapabilities } from '../../../../env/verbs/capabilities.ts';
import { HostMemory } from '../../../../env/memory/hostMemory.ts';
import { VerbsMonitor } from '../../../../agents/verbs/verbsMonitor.ts';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { HanguAddressMap } from '../../../../dut-model/hangu/driver/kind/addressMap.ts';
import { HanguProvider } from '../../../../dut-model/hangu/driver/hanguProvider.ts';
import { HANGU_CAPABILITIES } from '../../../../dut-model/hangu/driver/hanguSettings.ts';
import type { HanguSettings } from '../../../../dut-model/hangu/driver/hanguSettings.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import { VerbsHost } from '../../../../env/verbs/verbsHost.ts';
import type { Cq, Pd, Qp, QpInit } from '../../../../env/verbs/verbsObjects.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { ProcessManager } from '../../../../uvm/kernel/process.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { FakeHcr } from './fakeHcr.ts';

export interface BenchOptions {
  readonly settings?: Partial<HanguSettings>;
  /** Where the provider says otherwise than the one that ships. */
  readonly capabilities?: Partial<ProviderCapabilities>;
  readonly pages?: MapMode;
  readonly host?: number;
}

class BenchProvider extends HanguProvider {
  override readonly capabilities: ProviderCapabilities;

  constructor(host: ProviderHost, options: BenchOptions) {
    super(host, options.settings);
    this.capabilities = { ...HANGU_CAPABILITIES, ...options.capabilities };
  }
}

/** Everything around one provider. */
export class ProviderBench {
  readonly bytes = ByteStore.create();
  readonly memory = new HostMemory(this.bytes, 0x1234);
  readonly map: AddressMap;
  readonly scheduler = new Scheduler();
  readonly processes = new ProcessManager(this.scheduler);
  readonly nic = new FakeHcr(this.memory, this.scheduler);
  readonly monitor = new VerbsMonitor();
  readonly api: VerbsHost;
  /** Reports in order: `ID text`. */
  readonly reports: string[] = [];

  constructor(options: BenchOptions = {}) {
    this.map = new HanguAddressMap(0x77, options.pages ?? 'scattered');
    this.api = new VerbsHost({
      host: options.host ?? 0,
      hosts: 2,
      processes: 2,
      limits: HANGU_DEVICE_LIMITS,
      dataOffset: 0,
      firstNumbers: USUAL_NUMBERS,
      cqIndices: NO_CQ_INDICES,
      addresses: NetAddresses.usual(2),
      bytes: this.bytes,
      memory: this.memory,
      map: this.map,
      bus: this.nic,
      scheduler: this.scheduler,
      monitor: this.monitor,
      processManager: this.processes,
      random: (purpose) => new FastStream(purpose),
      shared: (_name, make) => make(),
      key: 5,
      provider: (host) => new BenchProvider(host, options),
      error: (id, text) => {
        this.reports.push(`${id} ${typeof text === 'string' ? text : text()}`);
      },
    });
  }

  /** Runs a process to its end and returns its result; throws what it throws. */
  run<T>(body: Proc<T>): T {
    const box: { value?: T; error?: unknown; done: boolean } = { done: false };
    this.processes.spawn('spec', catching(body, box));
    this.scheduler.run();
    if (box.error !== undefined) throw box.error;
    if (!box.done) throw new Error('the process did not end');
    return box.value as T;
  }

  /** Opens the device and makes a connected RC queue pair with a completion queue of its own. */
  queuePair(init: Partial<QpInit> = {}): { readonly pd: Pd; readonly cq: Cq; readonly qp: Qp } {
    const { api } = this;
    return this.run(
      (function* () {
        const pd = api.allocPd(1);
        const cq = yield* api.createCq(1, { entries: 64 });
        const fields = { type: 2, maxSendWr: 30, maxRecvWr: 30, maxSge: 6, sendCq: cq, recvCq: cq, ...init } as const;
        const qp = yield* api.createQp(pd, fields);
        yield* api.connectQp(qp, { host: 1, qpn: 99, psn: 7 }, { psn: 3 });
        return { pd, cq, qp };
      })(),
    );
  }

  /** Bytes of virtual memory. */
  virtual(process: number, hi: number, lo: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    const scratch = this.bytes.alloc(4096);
    for (let done = 0; done < length; ) {
      const n = Math.min(4096 - ((lo + done) & 0xfff), length - done);
      this.map.translate(process, hi, lo + done);
      this.memory.read(this.map.physHi, this.map.physLo, n, scratch);
      out.set(this.bytes.u8.subarray(scratch, scratch + n), done);
      done += n;
    }
    return out;
  }

  /** The NIC writes `words` to the entry `index` of a completion queue; to `skip` bytes behind its start. */
  writeCqe(cq: Cq, index: number, words: readonly number[], skip = 0): void {
    const length = 4 * words.length;
    const at = this.bytes.alloc(length, 16);
    words.forEach((w, i) => {
      this.bytes.i32[(at >>> 2) + i] = w;
    });
    this.map.translate(cq.process, 2 | (cq.cqn >>> 12), (cq.cqn << 20) | (index * 32 + skip));
    const tlp = new Tlp();
    tlp.kind = 1;
    tlp.hi = this.map.physHi;
    tlp.lo = this.map.physLo;
    tlp.length = length;
    tlp.data = at;
    this.memory.write(tlp.hi, tlp.lo, length, at);
    this.api.provider.write(tlp);
  }
}

/** Dwords of a successful completion. */
export function cqe(qp: Qp, send: boolean, opcode: number, offset: number, bytes = 0, imm = 0): number[] {
  return [qp.qpn, 0, qp.destQpn, 0, imm, bytes, offset, opcode | (send ? 0x100 : 0)];
}

/** A send request with entries of (lo, length) in the queue pair's source area. */
export function sendWr(opcode: number, entries: readonly (readonly [number, number])[]): SendWr {
  const wr = new Send();
  wr.opcode = opcode;
  fill(wr, entries);
  return wr;
}

export function recvWr(entries: readonly (readonly [number, number])[]): RecvWr {
  const wr = new Recv();
  fill(wr, entries);
  return wr;
}

function fill(wr: SendWr | RecvWr, entries: readonly (readonly [number, number])[]): void {
  wr.setNumSge(entries.length);
  entries.forEach(([lo, length], g) => {
    Object.assign(wr.sges[g] as object, { hi: 0x801c, lo, length, lkey: 6 });
  });
}

function* catching<T>(body: Proc<T>, box: { value?: T; error?: unknown; done: boolean }): Proc<void> {
  try {
    box.value = yield* body;
    box.done = true;
  } catch (error) {
    box.error = error;
  }
}
