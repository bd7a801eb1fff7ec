import { expect } from 'chai';
import { WorkCompletion } from '../../../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../../../../../env/verbs/hostErrors.ts';
import type { Cq, Qp } from '../../../../../env/verbs/verbsObjects.ts';
import { WR_OPCODE } from '../../../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../../../uvm/kernel/process.ts';
import { cqe, ProviderBench, sendWr } from '../../support/providerBench.ts';

/** Bytes from the first ring of a queue to the other one. */
const OTHER = 2 ** 19;
const SENDS = 8;

/** A queue pair with sends outstanding and a completion queue of its own. */
class World {
  readonly bench = new ProviderBench({ settings: { events: false } });
  readonly cq: Cq;
  readonly qp: Qp;

  constructor() {
    const { cq, qp } = this.bench.queuePair({ type: 2, maxSendWr: SENDS });
    this.cq = cq;
    this.qp = qp;
    const wrs = Array.from({ length: SENDS }, (_, i) => Object.assign(sendWr(WR_OPCODE.send, [[0, 8]]), { wrId: i }));
    this.bench.run(this.bench.api.postSend(qp, wrs, SENDS));
  }

  /** The NIC writes the completion of request `n` at a place of the first ring or the other one. */
  complete(n: number, place: number, other = false): void {
    const stride = 2 ** (this.qp as Qp & { readonly sqStrideLog: number }).sqStrideLog;
    this.bench.writeCqe(this.cq, place, cqe(this.qp, true, 0x0a, n * stride, 8), other ? OTHER : 0);
  }

  poll(): number[] {
    const wc = new WorkCompletion();
    const ids: number[] = [];
    while (this.bench.api.pollCq(this.cq, wc)) ids.push(wc.wrId);
    return ids;
  }

  resize(entries: number): Proc<void> {
    return this.bench.api.resizeCq(this.cq, entries);
  }
}

describe('a completion queue that is resized', () => {
  it('keeps what has not been taken, and goes on at the place in the new ring that comes next', () => {
    const w = new World();
    for (let i = 0; i < 3; i++) w.complete(i, i);
    w.bench.run(w.resize(256));
    expect([w.cq.entries, w.cq.arrived]).to.deep.equal([256, 3]);
    w.complete(3, 3, true);
    expect(w.poll()).to.deep.equal([0, 1, 2, 3]);
    w.bench.run(w.resize(4));
    w.complete(4, 4 % 4);
    expect([w.poll(), w.cq.entries]).to.deep.equal([[4], 4]);
    expect(w.bench.reports).to.deep.equal([]);
  });

  it('has completions in both rings until software is told', () => {
    const w = new World();
    w.complete(0, 0);
    w.bench.nic.busyPolls = 9;
    const between: number[][] = [];
    w.bench.processes.spawn(
      'NIC',
      atCommand(w, () => {
        w.complete(1, 1, true);
        w.complete(2, 2, true);
        between.push(w.poll());
        w.complete(3, 3, true);
      }),
    );
    w.bench.run(w.resize(128));
    expect([between, w.poll()]).to.deep.equal([[[0, 1, 2]], [3]]);
    expect(w.bench.reports).to.deep.equal([]);
  });

  it('is no place for the NIC any more once it has gone over', () => {
    const w = new World();
    w.bench.nic.busyPolls = 9;
    w.bench.processes.spawn(
      'NIC',
      atCommand(w, () => {
        w.complete(0, 0, true);
        w.complete(1, 1);
      }),
    );
    w.bench.run(w.resize(128));
    const text = 'HCA_CQE_INDEX CQ 254: entry 1 was written, the next one is 1 of the ring that it was resized to';
    expect(w.bench.reports).to.deep.equal([text]);
  });

  it('is neither resized nor destroyed meanwhile', () => {
    const w = new World();
    const said: string[] = [];
    w.bench.nic.busyPolls = 9;
    const again = function* (): Proc<void> {
      yield* delay(10);
      for (const attempt of [w.resize(32), w.bench.api.destroyCq(w.cq)]) {
        try {
          yield* attempt;
        } catch (error) {
          said.push((error as HostApiError).kind);
        }
      }
    };
    w.bench.processes.spawn('again', again());
    w.bench.run(w.resize(128));
    expect([said, w.cq.entries, w.cq.alive]).to.deep.equal([['IN_USE', 'IN_USE'], 128, true]);
  });

  it('is refused sizes without room for what has come, and sizes of which two do not fit into its window', () => {
    const w = new World();
    for (let i = 0; i < 3; i++) w.complete(i, i);
    const refused = (entries: number, text: RegExp): void => {
      expect(() => w.bench.run(w.resize(entries)))
        .to.throw(HostApiError, text)
        .with.property('kind', 'LIMIT');
    };
    refused(2, /2 entries for completion queue 254, which holds 3 completions/);
    refused(1.5, /1.5 entries/);
    refused(2 ** 14 + 1, /CQ 254 from 64 to 16385 entries; a queue that is resized has 16384 at most; stay below that/);
    expect(w.poll()).to.deep.equal([0, 1, 2]);
  });
});

/** Does something when the NIC has been given RESIZE_CQ, and has not said yet that it is done. */
function* atCommand({ bench }: World, act: () => void): Proc<void> {
  while (bench.nic.names.at(-1) !== 'RESIZE_CQ') yield* delay(10);
  act();
}
