import { expect } from 'chai';
import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import { DONE } from '../../../env/verbs/done.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { HANGU_CAPABILITIES } from '../../../dut-model/hangu/driver/hanguSettings.ts';
import type { Cq, Pd, Qp } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { ProviderBench, sendWr } from '../env/support/providerBench.ts';

type Capability = keyof ProviderCapabilities;

/** A bench on a connected UC queue pair (RC where UC is denied), whose provider differs in one capability. */
class Attempt {
  readonly bench: ProviderBench;
  readonly pd: Pd;
  readonly cq: Cq;
  readonly qp: Qp;

  constructor(capability: Capability, can: boolean) {
    this.bench = new ProviderBench({ settings: { events: false }, capabilities: { [capability]: can } });
    const type = capability === 'uc' || capability === 'rdmaRead' || capability === 'atomics' ? 2 : 3;
    const { pd, cq, qp } = this.bench.queuePair({ type, maxInline: capability === 'inline' && !can ? 0 : 32 });
    this.pd = pd;
    this.cq = cq;
    this.qp = qp;
  }

  create(init: object): Proc<unknown> {
    const queues = { sendCq: this.cq, recvCq: this.cq, maxSendWr: 4, maxRecvWr: 3, maxSge: 1 };
    return this.bench.api.createQp(this.pd, { type: this.qp.type, ...queues, ...init });
  }

  post(opcode: number, flags = 0): Proc<void> {
    const plain = sendWr(WR_OPCODE.send, []);
    return this.bench.api.postSend(this.qp, [plain, Object.assign(sendWr(opcode, [[0, 8]]), { flags })], 2);
  }

  /** What has been posted, rung and created. */
  get state(): readonly number[] {
    const open = this.bench.api.objects.counts;
    return [this.qp.sqPosted, this.bench.nic.doorbells.length, open.qps, open.cqs, this.qp.state];
  }
}

const ZERO_BASED = { hi: 0x100, lo: 0, length: 4096, access: 0, zeroBased: true } as const;

const IPV6_PATH = {
  remoteHost: 1,
  ipv6: true,
  serviceLevel: 0,
  trafficClass: 0,
  flowLabel: 0,
  hopLimit: 64,
} as const;

/** What needs the capability, in all ways in which it can be asked for; and how the refusal names it. */
const NEEDS: Readonly<Record<Capability, readonly (readonly [RegExp, (a: Attempt) => Proc<unknown>])[]>> = {
  rc: [[/a queue pair of type RC/, (a) => a.create({ type: QP_TYPE.rc })]],
  uc: [[/a queue pair of type UC/, (a) => a.create({ type: QP_TYPE.uc })]],
  ud: [[/a queue pair of type UD/, (a) => a.create({ type: QP_TYPE.ud })]],
  raw: [[/a queue pair of type RAW/, (a) => a.create({ type: QP_TYPE.raw })]],
  rdmaRead: [[/request 1: RDMA_READ needs .*; use SEND or WRITE/, (a) => a.post(WR_OPCODE.rdmaRead)]],
  atomics: [
    [/request 1: ATOMIC_CMP_AND_SWP needs .*; use SEND, WRITE or READ/, (a) => a.post(WR_OPCODE.atomicCmpAndSwp)],
    [/request 1: ATOMIC_FETCH_AND_ADD/, (a) => a.post(WR_OPCODE.atomicFetchAndAdd)],
  ],
  inline: [
    [/maxInline of 16/, (a) => a.create({ maxInline: 16 })],
    [/request 1: SEND with inline data.*; clear the flag/, (a) => a.post(WR_OPCODE.send, SEND_FLAG.inline)],
  ],
  unsignaled: [[/signalAll: false/, (a) => a.create({ signalAll: false })]],
  resizeCq: [[/another size of a completion queue/, (a) => a.bench.api.resizeCq(a.cq, 64)]],
  events: [
    [/arming a completion queue.*; poll instead/, (a) => a.bench.api.armCq(a.cq, false)],
    [/arming/, (a) => a.bench.api.createCq(1, { entries: 4, solicitedEvents: true })],
  ],
  ipv6: [
    [/IPv6 address handle/, handle],
    [/IPv6 address vector/, toRtr],
  ],
  sqd: [[/the state SQD/, (a) => a.bench.api.modifyQp(a.qp, { state: QP_STATE.sqd })]],
  // What a responder says is no request of software.
  naks: [],
  domains: [],
  // What a NIC does by itself is no request of software.
  cqOverflow: [],
  emptyRegions: [[/a region of no bytes/, (a) => a.bench.api.regMr(a.pd, { hi: 0x100, lo: 0, length: 0, access: 0 })]],
  zeroBased: [[/a zero-based region/, (a) => a.bench.api.regMr(a.pd, ZERO_BASED)]],
  // The device has to be opened for them: sharedReceives.spec.
  sharedReceives: [],
  queryCq: [[/a query of a completion queue/, (a) => a.bench.api.queryCq(a.qp.sendCq)]],
  queryMr: [
    [
      /a query of a memory region/,
      (a) => a.bench.api.queryMr(a.bench.run(a.bench.api.regMr(a.pd, { ...ZERO_BASED, zeroBased: false }))),
    ],
  ],
  cardMemory: [],
  // The device has to be opened for them: memoryKeys.spec.
  taggedKeys: [],
  memoryWindows: [],
  fastRegistration: [],
};

function* handle({ bench, pd }: Attempt): Proc<void> {
  yield* DONE;
  bench.api.createAh(pd, 1, { ipv6: true });
}

function* toRtr({ bench, qp }: Attempt): Proc<void> {
  yield* bench.api.modifyQp(qp, { state: QP_STATE.reset });
  yield* bench.api.modifyQp(qp, { state: QP_STATE.init, pkeyIndex: 0, port: 1, accessFlags: 0 });
  const peer = { av: IPV6_PATH, pathMtu: 5, destQpn: 9, rqPsn: 0 };
  yield* bench.api.modifyQp(qp, { state: QP_STATE.rtr, ...peer });
}

describe('a capability that a provider denies', () => {
  for (const [name, ways] of Object.entries(NEEDS)) {
    const capability = name as Capability;

    it(`has everything refused that needs it, before anything is done: ${name}`, () => {
      for (const [says, ask] of ways) {
        const attempt = new Attempt(capability, false);
        const before = attempt.state;
        let said: unknown;
        try {
          attempt.bench.run(ask(attempt));
        } catch (error) {
          said = error;
        }
        expect(said).to.be.instanceOf(HostApiError).and.include({ kind: 'UNSUPPORTED', value: capability });
        const text = (said as Error).message;
        expect(text).to.match(says).and.contain(`needs the capability ${name}, which the provider hangu denies; `);
        if (ask !== toRtr) expect(attempt.state).to.deep.equal(before);
      }
    });

    it(`has nothing refused when it is there: ${name}`, () => {
      for (const [, ask] of ways) {
        const attempt = new Attempt(capability, true);
        attempt.bench.run(ask(attempt));
      }
    });
  }

  it('is found again in what the host API says', () => {
    expect(new ProviderBench({ capabilities: { ipv6: false } }).api.capabilities).to.deep.equal({
      ...HANGU_CAPABILITIES,
      ipv6: false,
    });
  });
});
