/** One RC connection between two hosts with the real NIC model, for specs that drive it by hand. */

import type { Cq, Mr, Pd, Qp } from '../../../env/verbs/verbsObjects.ts';
import { HANGU_KIND } from '../../../dut-model/hangu/driver/kind/hanguKind.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import { type HanguConfig, resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import type { NicContext, NicKnobs } from '../../../dut-model/nic.ts';
import { HcaEnv } from '../../../env/hcaEnv.ts';
import type { EnvSettings } from '../../../env/envSettings.ts';
import type { ConnectAttributes, HostApi } from '../../../env/verbs/hostApi.ts';
import { ACCESS, QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import { WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { Component } from '../../../uvm/base/component.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';

/** A host's end of the connection, with a source and a target region of 1 MiB each. */
export interface End {
  readonly api: HostApi;
  readonly pd: Pd;
  readonly qp: Qp;
  readonly cq: Cq;
  readonly source: Mr;
  readonly target: Mr;
}

export const CONNECTION_MTU = 1024;
const FULL = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/** A test with one connection; `traffic` is what the spec does with it. */
export abstract class RcConnection extends Component {
  readonly nics: HanguNic[] = [];
  env!: HcaEnv;

  /** Local ACK time-out code of both ends; by default 131 us, so that a lost packet does not stop a spec for long. */
  protected readonly ackTimeout: number = 5;
  /** The service; specs of others than RC override it. */
  protected readonly service: QpType = QP_TYPE.rc;
  /** What the connection has besides, for example a path over IPv6. */
  protected readonly attributes: ConnectAttributes = {};
  /** Path MTU in bytes. */
  protected readonly mtu: number = CONNECTION_MTU;
  /** How often a message that finds no receive is sent again, 7 = for ever. */
  protected readonly rnrRetry: number = 7;

  /** What the environment is built with besides the NIC. */
  protected abstract readonly settings: Partial<EnvSettings>;
  protected abstract traffic(a: End, b: End): Proc;

  override buildPhase(): void {
    const nic = (context: NicContext, knobs: NicKnobs): HanguNic => {
      const made = this.makeNic(context, resolveHanguConfig(knobs));
      this.nics.push(made);
      return made;
    };
    this.env = new HcaEnv('env', this, { kind: HANGU_KIND, ...this.settings, nic });
  }

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    const [a, b] = [yield* this.#open(0), yield* this.#open(1)];
    const common = { mtu: this.mtu, timeout: this.ackTimeout, rnrRetry: this.rnrRetry, ...this.attributes };
    yield* a.api.connectQp(a.qp, { host: 1, qpn: b.qp.qpn, psn: 0xfffffe }, { psn: 0x123, ...common });
    yield* b.api.connectQp(b.qp, { host: 0, qpn: a.qp.qpn, psn: 0x123 }, { psn: 0xfffffe, ...common });
    yield* this.traffic(a, b);
    for (const end of [a, b]) yield* end.api.closeDevice();
    phase.dropObjection(this);
  }

  /** A spec that plants a bug overrides it. */
  protected makeNic(context: NicContext, config: HanguConfig): HanguNic {
    return new HanguNic(context, config);
  }

  /** Waits for `count` completions and gives what `pick` takes from each. */
  protected *take<T>(end: End, count: number, pick: (wc: WorkCompletion) => T): Proc<T[]> {
    const wc = new WorkCompletion();
    const taken: T[] = [];
    while (taken.length < count) {
      while (!end.api.pollCq(end.cq, wc)) yield* end.api.waitCq(end.cq);
      taken.push(pick(wc));
    }
    return taken;
  }

  *#open(host: number): Proc<End> {
    const api = this.env.hosts[host] as HostApi;
    yield* api.openDevice();
    const pd = api.allocPd(1);
    const cq = yield* api.createCq(1, { entries: 64 });
    const queues = { sendCq: cq, recvCq: cq, maxSendWr: 32, maxRecvWr: 31, maxSge: 2 };
    const qp = yield* api.createQp(pd, { type: this.service, ...queues });
    const region = (receive: boolean): Proc<Mr> =>
      api.regMr(pd, { ...api.dataAddress(qp, receive), length: 1 << 20, access: FULL });
    return { api, pd, qp, cq, source: yield* region(false), target: yield* region(true) };
  }
}
