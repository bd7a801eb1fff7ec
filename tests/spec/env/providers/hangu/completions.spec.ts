import { expect } from 'chai';
import type { VisibleCompletion } from '../../../../../agents/verbs/verbsItems.ts';
import { NOT_TOLD, WorkCompletion } from '../../../../../agents/verbs/verbsItems.ts';
import { QP_STATE, WC_FLAG, WC_OPCODE, WC_STATUS, WR_OPCODE } from '../../../../../rdma/verbs.ts';
import type { CompletionTaker } from '../../../../../env/verbs/hostApi.ts';
import type { HanguSettings } from '../../../../../dut-model/hangu/driver/hanguSettings.ts';
import type { Cq, Qp } from '../../../../../env/verbs/verbsObjects.ts';
import { cqe, ProviderBench, recvWr, sendWr } from '../../support/providerBench.ts';

interface World {
  readonly bench: ProviderBench;
  readonly cq: Cq;
  readonly qp: Qp;
  readonly wc: WorkCompletion;
  /** Completions as they became visible. */
  readonly seen: { readonly cqn: number; readonly wrId: number; readonly status: number }[];
}

function world(type: 2 | 3 | 4 = 2, settings: Partial<HanguSettings> = {}): World {
  const bench = new ProviderBench({ settings: { events: false, ...settings } });
  const { cq, qp } = bench.queuePair({ type });
  const seen: World['seen'] = [];
  bench.monitor.completions.connect((v: VisibleCompletion) =>
    seen.push({ cqn: v.cqn, wrId: v.wc.wrId, status: v.wc.status }),
  );
  return { bench, cq, qp, wc: new WorkCompletion(), seen };
}

/** Takes what comes, with request ids noted, until it has `wanted` completions. */
class CountingTaker implements CompletionTaker {
  readonly ids: number[] = [];
  readonly #world: World;
  readonly #wanted: number;

  constructor(w: World, wanted: number) {
    this.#world = w;
    this.#wanted = wanted;
  }

  drain(cq: Cq): void {
    while (this.#world.bench.api.pollCq(cq, this.#world.wc)) this.ids.push(this.#world.wc.wrId);
  }

  finished(): boolean {
    return this.ids.length >= this.#wanted;
  }
}

/** Posts `n` sends with request ids from 100 on. */
function sends(w: World, n: number): void {
  const wrs = Array.from({ length: n }, (_, i) => Object.assign(sendWr(WR_OPCODE.send, [[0, 8]]), { wrId: 100 + i }));
  w.bench.run(w.bench.api.postSend(w.qp, wrs, n));
}

function recvs(w: World, n: number): void {
  const wrs = Array.from({ length: n }, (_, i) => Object.assign(recvWr([[0, 8]]), { wrId: 2 ** 40 + i }));
  w.bench.run(w.bench.api.postRecv(w.qp, wrs, n));
}

describe('HanGu completions', () => {
  it('are published when written and polled once afterwards', () => {
    const w = world();
    sends(w, 2);
    expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(false);
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    expect(w.seen).to.deep.equal([{ cqn: 254, wrId: 100, status: 0 }]);
    expect(w.cq.arrived).to.equal(1);
    expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(true);
    expect(w.wc).to.deep.include({
      wrId: 100,
      opcode: WC_OPCODE.send,
      isSend: true,
      byteLen: 8,
      qpn: 14,
      srcQp: 99,
      wqeIndex: 0,
    });
    expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(false);
    expect([w.qp.sendOutstanding, w.cq.arrived]).to.deep.equal([1, 0]);
    expect(w.bench.reports).to.deep.equal([]);
  });

  it('carry immediate data, GRH flag and large request ids of receives', () => {
    const w = world(4);
    recvs(w, 2);
    const entry = cqe(w.qp, false, 0x05, 0, 48, 0x8000_0001 | 0);
    entry[3] = 0x80;
    w.bench.writeCqe(w.cq, 0, entry);
    expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(true);
    expect(w.wc).to.deep.include({
      wrId: 2 ** 40,
      opcode: WC_OPCODE.recv,
      imm: 0x8000_0001,
      isSend: false,
      byteLen: 48,
    });
    expect(w.wc.flags).to.equal(WC_FLAG.grh | WC_FLAG.withImm);
    w.bench.writeCqe(w.cq, 1, cqe(w.qp, false, 0x0b, 256, 48, 7));
    w.bench.api.pollCq(w.cq, w.wc);
    expect(w.wc).to.deep.include({ opcode: WC_OPCODE.recvRdmaWithImm, imm: 7, flags: WC_FLAG.withImm });
    expect(w.bench.reports).to.deep.equal([]);
  });

  it('may name no remote queue pair for sends of RC where the NIC is known not to', () => {
    for (const [type, rcRemoteQpn, named] of [
      [2, true, 0],
      [2, false, NOT_TOLD],
      [3, false, 0],
    ] as const) {
      const w = world(type, { rcRemoteQpn });
      sends(w, 1);
      const entry = cqe(w.qp, true, 0x0a, 0, 8);
      entry[2] = 0;
      w.bench.writeCqe(w.cq, 0, entry);
      w.bench.api.pollCq(w.cq, w.wc);
      expect(w.wc.srcQp).to.equal(named);
    }
  });

  it('are reported for immediate data that their message has not', () => {
    const w = world();
    sends(w, 1);
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8, 0x1234));
    expect(w.bench.reports).to.have.length(1);
    expect(w.bench.reports[0]).to.match(/^HCA_CQE_RESERVED/);
  });

  it('wrap around the ring many times', () => {
    const w = world();
    for (let i = 0; i < 200; i++) {
      sends(w, 1);
      w.bench.writeCqe(w.cq, i % 64, cqe(w.qp, true, 0x0a, (i % 32) * 128, 8));
      expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(true);
      expect(w.wc.wqeIndex).to.equal(i % 32);
    }
    expect(w.bench.reports).to.deep.equal([]);
    expect(w.qp.sendOutstanding).to.equal(0);
  });

  it('free the slots of earlier requests without a completion', () => {
    const w = world();
    sends(w, 5);
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 3 * 128, 8));
    w.bench.api.pollCq(w.cq, w.wc);
    expect(w.qp.sendOutstanding).to.equal(1);
  });

  it('tell the status of a failed request and break the queue pair', () => {
    for (const [type, send, state] of [
      [2, true, QP_STATE.err],
      [3, true, QP_STATE.sqe],
      [3, false, QP_STATE.err],
    ] as const) {
      const w = world(type);
      if (send) sends(w, 1);
      else recvs(w, 1);
      w.bench.writeCqe(w.cq, 0, cqe(w.qp, send, 0xff, 0, 0, 0x3713));
      w.bench.api.pollCq(w.cq, w.wc);
      expect(w.wc).to.deep.include({ status: WC_STATUS.remAccessErr, vendorErr: 0x37, isSend: send });
      expect(w.qp.state).to.equal(state);
    }
  });

  it('wake who waits for their queue, and for any queue in turn', () => {
    const w = world();
    const order: string[] = [];
    const waiter = function* (name: string) {
      yield* w.bench.api.waitCq(w.cq);
      order.push(name);
    };
    w.bench.processes.spawn('a', waiter('a'));
    w.bench.scheduler.run();
    expect(order).to.deep.equal([]);
    sends(w, 2);
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    w.bench.scheduler.run();
    expect(order).to.deep.equal(['a']);
    expect(w.bench.run(w.bench.api.waitAnyCq())).to.equal(w.cq);
    expect(w.bench.run(w.bench.api.waitAnyCq())).to.equal(w.cq);
    w.bench.api.pollCq(w.cq, w.wc);
    expect(() => w.bench.run(w.bench.api.waitAnyCq())).to.throw('did not end');
  });

  it('are taken as they become visible until the taker has enough', () => {
    const w = world();
    const taker = new CountingTaker(w, 3);
    sends(w, 5);
    const write = (i: number): void => w.bench.writeCqe(w.cq, i, cqe(w.qp, true, 0x0a, i * 128, 8));
    write(0);
    const process = w.bench.processes.spawn('taker', w.bench.api.takeCompletions(taker));
    w.bench.scheduler.run();
    expect(taker.ids).to.deep.equal([100]);
    expect(process.waitsFor).to.equal('completions on host 0');
    expect(() => w.bench.api.takeCompletions(taker)).to.throw('taken already');
    write(1);
    expect(taker.ids).to.deep.equal([100, 101]);
    write(2);
    write(3);
    w.bench.scheduler.run();
    expect(process.state).to.equal('finished');
    expect(taker.ids).to.deep.equal([100, 101, 102]);
    expect(w.bench.run(w.bench.api.waitAnyCq())).to.equal(w.cq);
  });

  it('are left in their queue when the process that has them taken is killed', () => {
    const w = world();
    const taker = new CountingTaker(w, 1);
    sends(w, 1);
    const process = w.bench.processes.spawn('taker', w.bench.api.takeCompletions(taker));
    w.bench.scheduler.run();
    process.kill();
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    expect(taker.ids).to.deep.equal([]);
    expect(w.bench.run(w.bench.api.waitAnyCq())).to.equal(w.cq);
  });

  it('are discarded for a queue pair that is reset', () => {
    const w = world();
    sends(w, 2);
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    w.bench.run(w.bench.api.modifyQp(w.qp, { state: QP_STATE.reset }));
    expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(false);
    expect([w.cq.arrived, w.qp.sendOutstanding]).to.deep.equal([0, 0]);
  });
});

describe('checks of HanGu completions', () => {
  /** Plants one mistake and returns the ids reported. */
  function planted(plant: (w: World) => void): string[] {
    const w = world();
    sends(w, 4);
    plant(w);
    return w.bench.reports.map((r) => r.split(' ')[0] as string);
  }

  it('find a wrong slot', () => {
    expect(planted((w) => w.bench.writeCqe(w.cq, 1, cqe(w.qp, true, 0x0a, 0, 8)))).to.deep.equal(['HCA_CQE_INDEX']);
  });

  it('find a write that is not one or more whole entries, and take one of several for what it is', () => {
    const entry = (w: World): number[] => cqe(w.qp, true, 0x0a, 0, 8);
    const two = (w: World): number[] => [...entry(w), ...cqe(w.qp, true, 0x0a, 128, 8)];
    const shape = ['HCA_CQE_SHAPE'];
    expect(planted((w) => w.bench.writeCqe(w.cq, 0, entry(w).slice(0, 4)))).to.deep.equal(shape);
    expect(planted((w) => w.bench.writeCqe(w.cq, 0, two(w).slice(0, 12)))).to.deep.equal(shape);
    expect(planted((w) => w.bench.writeCqe(w.cq, 0, entry(w), 16))).to.deep.equal(shape);
    expect(
      planted((w) => w.bench.writeCqe(w.cq, 63, two(w))),
      'beyond the end',
    ).to.deep.equal(shape);
    expect(planted((w) => w.bench.writeCqe(w.cq, 0, two(w)))).to.deep.equal([]);
  });

  it('find a wrong owner byte, and go on', () => {
    const ids = planted((w) => {
      const entry = cqe(w.qp, true, 0x0a, 0, 8);
      entry[7] = (entry[7] as number) | (0x80 << 24);
      w.bench.writeCqe(w.cq, 0, entry);
      expect(w.bench.api.pollCq(w.cq, w.wc)).to.equal(true);
    });
    expect(ids).to.deep.equal(['HCA_CQE_OWNER']);
  });

  it('find an unknown queue pair', () => {
    const ids = planted((w) => {
      const entry = cqe(w.qp, true, 0x0a, 0, 8);
      entry[0] = 15;
      w.bench.writeCqe(w.cq, 0, entry);
    });
    expect(ids).to.deep.equal(['HCA_CQE_UNKNOWN_QP']);
  });

  it('find opcode, direction and ring offset that do not exist', () => {
    const change = (i: number, value: number) => (w: World) => {
      const entry = cqe(w.qp, true, 0x0a, 0, 8);
      entry[i] = value;
      w.bench.writeCqe(w.cq, 0, entry);
    };
    expect(planted(change(7, 0x0155))).to.deep.equal(['HCA_CQE_FIELD']);
    expect(planted(change(7, 0x020a))).to.deep.equal(['HCA_CQE_FIELD']);
    expect(planted(change(6, 32 * 128))).to.deep.equal(['HCA_CQE_FIELD']);
    expect(planted(change(6, 64))).to.deep.equal(['HCA_CQE_FIELD']);
  });

  it('find reserved bits that are set', () => {
    const ids = planted((w) => {
      const entry = cqe(w.qp, true, 0x0a, 0, 8);
      entry[7] = (entry[7] as number) | (1 << 16);
      w.bench.writeCqe(w.cq, 0, entry);
    });
    expect(ids).to.deep.equal(['HCA_CQE_RESERVED']);
  });

  it('find a completion that replaces one nobody has polled', () => {
    const ids = planted((w) => {
      for (let i = 0; i < 65; i++) w.bench.writeCqe(w.cq, i % 64, cqe(w.qp, true, 0x0a, 0, 8));
    });
    expect(ids).to.deep.equal(['HCA_CQ_OVERRUN']);
  });

  it('find a completion in a queue that its queue pair does not use', () => {
    const w = world();
    sends(w, 1);
    const other = w.bench.run(w.bench.api.createCq(1, { entries: 8 }));
    w.bench.writeCqe(other, 0, cqe(w.qp, true, 0x0a, 0, 8));
    expect(w.bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_CQE_WRONG_CQ']);
  });

  it('find a write to a queue that does not exist', () => {
    const w = world();
    w.bench.writeCqe({ ...w.cq, cqn: 300, arrived: 0 } as Cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    expect(w.bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_CQE_UNKNOWN_CQ']);
    expect(w.bench.reports[0]).to.match(
      /32 B were written to 0x[0-9a-f_]+, the place of CQ 300 of process 1, which does not exist; that process has the CQs \d+/,
    );
  });

  it('find a write after the device was closed', () => {
    const w = world();
    w.bench.run(w.bench.api.openDevice());
    w.bench.run(w.bench.api.closeDevice());
    w.bench.writeCqe(w.cq, 0, cqe(w.qp, true, 0x0a, 0, 8));
    expect(w.bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_LATE_DMA']);
  });
});
