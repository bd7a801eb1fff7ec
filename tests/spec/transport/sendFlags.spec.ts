/** What the flags of a send request do: solicited events and fences (roce-transport.md 5.4, 3.6). */

import { expect } from 'chai';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { FrameItem } from '../../../agents/link/linkItems.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import type { Component } from '../../../uvm/base/component.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';

const LONG_ENOUGH = 50_000_000;
const ETHERNET_IPV4_UDP = 42;
const READ_REQUEST = 0x0c;
const READ_LAST = 0x0f;
const SEND_ONLY = 0x04;

function request(opcode: number, flags: number, local: End, remote: End, length: number): SendWr {
  const wr = new SendWr();
  const read = opcode === WR_OPCODE.rdmaRead;
  const [from, to] = read ? [local.target, remote.source] : [local.source, remote.target];
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: from.hi, lo: from.lo, length, lkey: from.key });
  Object.assign(wr, { opcode, flags, remoteHi: to.hi, remoteLo: to.lo, rkey: to.key });
  return wr;
}

function receive(end: End): RecvWr {
  const wr = new RecvWr();
  const { hi, lo, key } = end.target;
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi, lo: lo + (1 << 19), length: 4096, lkey: key });
  return wr;
}

/** Host 1 counts completion events while host 0 sends. */
class Listener extends RcConnection {
  protected readonly settings = {};
  events = 0;
  /** Events seen after each step. */
  readonly steps: number[] = [];

  protected override *traffic(a: End, b: End): Proc {
    const listener = this.run.processes.spawn('listener', this.#listen(b), { daemon: true });
    yield* b.api.armCq(b.cq, true);
    for (const flags of [0, 0, SEND_FLAG.solicited, SEND_FLAG.solicited]) yield* this.#step(a, b, flags);
    yield* b.api.armCq(b.cq, false);
    yield* this.#step(a, b, 0);
    listener.kill();
  }

  *#listen(b: End): Proc {
    for (;;) {
      yield* b.api.waitEvent();
      this.events++;
    }
  }

  *#step(a: End, b: End, flags: number): Proc {
    yield* b.api.postRecv(b.qp, [receive(b)], 1);
    yield* a.api.postSend(a.qp, [request(WR_OPCODE.send, flags | SEND_FLAG.signaled, a, b, 100)], 1);
    yield* this.take(a, 1, () => 0);
    yield* this.take(b, 1, () => 0);
    yield* delay(LONG_ENOUGH);
    this.steps.push(this.events);
  }
}

/** Host 0 READs and sends right behind it; what leaves in which order. */
class Fenced extends RcConnection {
  static flags = 0;
  protected readonly settings = { checkLevel: CHECK_LEVEL.off };
  readonly order: number[] = [];

  override connectPhase(): void {
    super.connectPhase();
    this.env.link.frames.connect({ write: (f: FrameItem) => this.#note(f) });
  }

  #note(f: FrameItem): void {
    const opcode = this.run.bytes.u8[f.data + ETHERNET_IPV4_UDP] as number;
    if (opcode === READ_REQUEST || opcode === READ_LAST || opcode === SEND_ONLY) this.order.push(opcode);
  }

  protected override *traffic(a: End, b: End): Proc {
    yield* b.api.postRecv(b.qp, [receive(b)], 1);
    const read = request(WR_OPCODE.rdmaRead, SEND_FLAG.signaled, a, b, 60_000);
    const send = request(WR_OPCODE.send, Fenced.flags | SEND_FLAG.signaled, a, b, 100);
    yield* a.api.postSend(a.qp, [read, send], 2);
    yield* this.take(a, 2, () => 0);
    yield* this.take(b, 1, () => 0);
  }
}

function play<T extends Component>(make: new (...args: ConstructorParameters<typeof Component>) => T): T {
  const run = new Run({ seed: 1, testName: 'flags', sink: () => {} });
  run.factory.register('flags', make);
  run.runTest();
  const severe = [...run.reports.idCounts()].filter(([id]) => /^(SCB|WIRE|HCA_EVENT|HCA_EQE|EXCEPTION|DEAD)/.test(id));
  expect(severe.filter(([id]) => id !== 'SCB_SUMMARY')).to.deep.equal([]);
  return run.root.find('uvm_test_top') as T;
}

describe('a completion queue that is armed for solicited completions', () => {
  it('sends its event at the first solicited message, and one that is armed for any at the next', () => {
    expect(play(Listener).steps).to.deep.equal([0, 0, 1, 1, 2]);
  });
});

describe('a fenced request', () => {
  it('leaves after all READs before it have been answered', () => {
    Fenced.flags = SEND_FLAG.fence;
    expect(play(Fenced).order).to.deep.equal([READ_REQUEST, READ_LAST, SEND_ONLY]);
  });

  it('need not wait when it has no fence', () => {
    Fenced.flags = 0;
    expect(play(Fenced).order).to.deep.equal([READ_REQUEST, SEND_ONLY, READ_LAST]);
  });
});
