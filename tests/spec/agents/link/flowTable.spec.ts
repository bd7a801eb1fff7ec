import { expect } from 'chai';
import fc from 'fast-check';
import { FLOW, FLOW_WORDS, FlowTable } from '../../../../scoreboard/reference/flowTable.ts';
import { psnAdd, psnCompare } from '../../../../agents/wire/psnArithmetic.ts';

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
