import { expect } from 'chai';
import fc from 'fast-check';
import { FLOW, FLOW_WORDS, FlowTable } from '../../../../scoreboard/reference/flowTable.ts';
import { psnAdd, psnCompare } from '../../../../agents/wire/psnArithmetic.ts';
import { READ, ReadTable } from '../../../../scoreboard/reference/readTable.ts';

describe('FlowTable', () => {
  it('finds what was opened and nothing else, like a map', () => {
    const key = fc.tuple(fc.nat(63), fc.nat(0xffffff), fc.boolean());
    fc.assert(
      fc.property(fc.array(key, { maxLength: 600 }), (keys) => {
        const table = new FlowTable();
        const model = new Map<number, number>();
        for (const [host, qpn, datagram] of keys) {
          const k = datagram ? FlowTable.datagram(host, qpn) : FlowTable.connected(host, qpn);
          expect(table.find(k)).to.equal(model.get(k) ?? -1);
          const flow = table.open(k);
          if (!model.has(k)) model.set(k, model.size);
          expect(flow).to.equal(model.get(k));
        }
        expect(table.count).to.equal(model.size);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the state of flows when it grows', () => {
    const table = new FlowTable();
    for (let q = 0; q < 20_000; q++) {
      const flow = table.open(FlowTable.connected(q & 7, q));
      expect(table.state[flow * FLOW_WORDS + FLOW.peer]).to.equal(-1);
      table.state[flow * FLOW_WORDS + FLOW.next] = q;
    }
    for (let q = 0; q < 20_000; q++) {
      const flow = table.find(FlowTable.connected(q & 7, q));
      expect(table.state[flow * FLOW_WORDS + FLOW.next]).to.equal(q);
    }
  });
});

describe('PSN arithmetic', () => {
  it('counts modulo 2^24 and takes the half distance as before', () => {
    expect(psnCompare(0, 0xffffff)).to.equal(1);
    expect(psnCompare(0xffffff, 0)).to.equal(-1);
    expect(psnCompare(0x800000, 0)).to.equal(-0x800000);
    expect(psnCompare(0x7fffff, 0)).to.equal(0x7fffff);
    expect(psnAdd(0xfffffe, 3)).to.equal(1);
  });
});

describe('ReadTable', () => {
  const fresh = () => {
    const flows = new FlowTable();
    const at = flows.open(FlowTable.connected(0, 1)) * FLOW_WORDS;
    return { flows, at, reads: new ReadTable(flows) };
  };

  it('finds requests by first PSN and by range', () => {
    const { at, reads } = fresh();
    reads.add(at, 0xfffffe, 4, 1000, false, false);
    reads.add(at, 2, 1, 8, true, false);
    expect(reads.get(reads.at(at, 0xfffffe), READ.length)).to.equal(1000);
    expect(reads.covering(at, 1)).to.equal(reads.at(at, 0xfffffe));
    expect(reads.covering(at, 2)).to.equal(reads.at(at, 2));
    expect(reads.covering(at, 3)).to.equal(-1);
    expect(reads.at(at, 0xffffff)).to.equal(-1);
  });

  it('keeps a request until each of its transmissions is answered', () => {
    const { at, reads } = fresh();
    reads.add(at, 5, 1, 8, false, false);
    const e = reads.at(at, 5);
    reads.set(e, READ.pending, 2);
    reads.answered(at, e);
    expect(reads.oldestUnanswered(at)).to.equal(-1);
    expect(reads.at(at, 5)).to.equal(e);
    reads.answered(at, e);
    expect(reads.at(at, 5)).to.equal(-1);
  });

  it('forgets answered requests first when a list grows long, and reuses entries', () => {
    const { at, reads } = fresh();
    for (let i = 0; i < 1000; i++) reads.add(at, i, 1, 8, false, i % 2 === 0);
    expect(reads.size(at)).to.be.at.least(500);
    for (let i = 1; i < 1000; i += 2) expect(reads.at(at, i), `request ${i}`).to.be.at.least(0);
    reads.clear(at);
    expect(reads.size(at)).to.equal(0);
    const size = reads.words.length;
    for (let i = 0; i < 500; i++) reads.add(at, i, 1, 8, false, false);
    expect(reads.words.length).to.equal(size);
  });
});
