import { expect } from 'chai';
import { MsixMessage } from '../../../../../agents/pcie/pcieItems.ts';
import { ASYNC_EVENT, QP_STATE } from '../../../../../rdma/verbs.ts';
import { ProviderBench } from '../../support/providerBench.ts';

const EQ0 = 0x2000_0000;
const EQ1 = 0x2001_0000;
const COMM_EST = 2;
const PORT_CHANGE = 9;

function open(): ProviderBench {
  const bench = new ProviderBench();
  bench.run(bench.api.openDevice());
  bench.nic.doorbells.length = 0;
  return bench;
}

/** The NIC writes an event-queue entry. */
function writeEqe(bench: ProviderBench, ring: number, index: number, type: number, number: number, rest = 0): void {
  const words = [type << 16, number, 0, 0, 0, rest, 0, 0];
  for (const [i, word] of words.entries()) bench.memory.write32(0, ring + 32 * index + 4 * i, word);
}

function interrupt(bench: ProviderBench, vector: number, data = vector): void {
  const message = new MsixMessage();
  message.lo = (0xfee0_0000 + 16 * vector) | 0;
  message.data = data;
  bench.api.provider.interrupt(message);
}

describe('HanGu events', () => {
  it('deliver completion events of armed queues in order, and arm the event queue again', () => {
    const bench = open();
    const { cq } = bench.queuePair();
    bench.run(bench.api.armCq(cq, true));
    expect(bench.nic.doorbells.at(-1)).to.deep.equal({ offset: 0x1010, words: [0x8000_0000 + 254] });
    cq.produced++;
    writeEqe(bench, EQ0, 0, 0, 254);
    interrupt(bench, 0);
    expect(bench.run(bench.api.waitEvent())).to.equal(cq);
    expect(bench.nic.doorbells.at(-1)).to.deep.equal({ offset: 0x20, words: [0x100] });
    expect(cq.armed).to.equal(0);
    expect(bench.reports).to.deep.equal([]);
  });

  it('are masked once the NIC has said so, and not any more once software takes that back', () => {
    const bench = open();
    const { cq } = bench.queuePair();
    bench.run(bench.api.armCq(cq, false));
    cq.produced++;
    bench.run(bench.api.maskEvents(true));
    writeEqe(bench, EQ0, 0, 0, 254);
    interrupt(bench, 0);
    expect(bench.reports).to.have.length(1);
    expect(bench.reports[0]).to.match(/^HCA_MSIX host 0 EQ 0: an interrupt, although its vector is masked/);
    bench.run(bench.api.maskEvents(false));
    bench.run(bench.api.armCq(cq, false));
    cq.produced++;
    writeEqe(bench, EQ0, 1, 0, 254);
    interrupt(bench, 0);
    expect(bench.reports).to.have.length(1);
  });

  it('are not masked where somebody has taken that back while the NIC was asked', () => {
    const bench = open();
    const masking = bench.api.maskEvents(true);
    masking.next();
    bench.run(bench.api.maskEvents(false));
    masking.next();
    const { cq } = bench.queuePair();
    bench.run(bench.api.armCq(cq, false));
    cq.produced++;
    writeEqe(bench, EQ0, 0, 0, 254);
    interrupt(bench, 0);
    expect(bench.reports).to.deep.equal([]);
  });

  it('report an event of no queue', () => {
    const bench = open();
    bench.queuePair();
    writeEqe(bench, EQ0, 0, 0, 77);
    interrupt(bench, 0);
    expect(bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_EQE']);
  });

  it('deliver asynchronous events and break the queue pair they name', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    writeEqe(bench, EQ1, 0, 0x11, qp.qpn);
    interrupt(bench, 1);
    const event = bench.run(bench.api.waitAsyncEvent());
    expect(event).to.deep.equal({ host: 0, event: ASYNC_EVENT.qpAccessErr, number: 14 });
    expect(qp.state).to.equal(QP_STATE.err);
  });

  it('leave a queue pair alone that software has reset before the event came', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    bench.run(bench.api.modifyQp(qp, { state: QP_STATE.reset }));
    writeEqe(bench, EQ1, 0, 0x11, qp.qpn);
    interrupt(bench, 1);
    expect(bench.run(bench.api.waitAsyncEvent())).to.include({ event: ASYNC_EVENT.qpAccessErr });
    expect(qp.state).to.equal(QP_STATE.reset);
  });

  it('report malformed entries and messages', () => {
    const bench = open();
    writeEqe(bench, EQ1, 0, 0x77, 1);
    interrupt(bench, 1);
    interrupt(bench, 5);
    interrupt(bench, 0, 9);
    expect(bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_EQE', 'HCA_MSIX', 'HCA_MSIX']);
    expect(bench.reports[0]).to.contain('EQ 1 entry 0: event type 0x77 for number 1, which is not for the queue of');
    expect(bench.reports[2]).to.contain(
      'message 0x9 was written at 0x00000000_fee00000; 0x0 at 0x00000000_fee00000 and',
    );
  });

  it('report entries with something in a reserved word', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    writeEqe(bench, EQ1, 0, 0x11, qp.qpn, 0x5a);
    interrupt(bench, 1);
    expect(bench.reports).to.deep.equal(['HCA_EQE host 0 EQ 1 entry 0: reserved dword 5 is not 0']);
  });

  it('report an interrupt that is sent twice, or before its entry, and go on', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    writeEqe(bench, EQ1, 0, 0x11, qp.qpn);
    interrupt(bench, 1);
    interrupt(bench, 1);
    interrupt(bench, 1);
    expect(bench.reports.map((r) => r.split(' ')[0])).to.deep.equal(['HCA_MSIX', 'HCA_MSIX']);
    expect(bench.reports[0]).to.contain('EQ 1: an interrupt, but entry 1, the next one, has not been written');
    expect(bench.nic.doorbells.filter(({ offset }) => offset === 0x20)).to.have.length(2);
    writeEqe(bench, EQ1, 1, COMM_EST, qp.qpn);
    interrupt(bench, 1);
    expect(bench.reports).to.have.length(2);
    expect(bench.nic.doorbells.filter(({ offset }) => offset === 0x20)).to.have.length(3);
  });

  it('report an entry in another slot than the next one, with what it holds', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    writeEqe(bench, EQ1, 5, COMM_EST, qp.qpn);
    interrupt(bench, 1);
    expect(bench.reports).to.deep.equal([
      'HCA_MSIX host 0 EQ 1: an interrupt, but entry 0, the next one, has not been written; entry 5 has been instead, ' +
        'with event type 0x2 for number 14: it is in the wrong slot',
    ]);
  });

  it('may share an interrupt', () => {
    const bench = open();
    const { qp } = bench.queuePair();
    writeEqe(bench, EQ1, 0, 0x11, qp.qpn);
    writeEqe(bench, EQ1, 1, COMM_EST, qp.qpn);
    interrupt(bench, 1);
    writeEqe(bench, EQ1, 2, PORT_CHANGE, 1);
    interrupt(bench, 1);
    expect(bench.reports).to.deep.equal([]);
  });

  it('go round the ring', () => {
    const bench = open();
    const { cq } = bench.queuePair();
    for (let i = 0; i < 5000; i++) {
      bench.run(bench.api.armCq(cq, false));
      cq.produced++;
      writeEqe(bench, EQ0, i % 2048, 0, 254);
      interrupt(bench, 0);
    }
    expect(bench.reports).to.deep.equal([]);
  });
});
