import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const FIRST_PSN = 0x100;
const MTU = 256;

/** Packets `from` to `to` of one SEND; those of `asking` ask for an acknowledgement. */
function packets(b: WireBench, from: number, to: number, asking: readonly number[] = [], service = 0): void {
  for (let i = from; i <= to; i++) {
    const opcode = service | (i === 0 ? BTH_OP.sendFirst : BTH_OP.sendMiddle);
    b.request({ opcode, psn: FIRST_PSN + i, payload: MTU, ackRequest: asking.includes(i) });
  }
}

describe('AckRequests', () => {
  it('lets one packet in 64 inside a message ask, and no fewer', () => {
    for (const [asking, ids] of [
      [[63, 127], {}],
      [[0, 64], {}],
      [[64, 128], { WIRE_ACK_REQUEST: 1 }],
      [[], { WIRE_ACK_REQUEST: 2 }],
    ] as const) {
      const b = new WireBench().connect();
      packets(b, 0, 127, asking);
      expect(b.ids(), `${asking}`).to.deep.equal(ids);
    }
  });

  it('counts the packets of each message, as the last one of a message asks', () => {
    const b = new WireBench().connect();
    for (const message of [0, 1]) {
      const psn = FIRST_PSN + 50 * message;
      b.request({ opcode: BTH_OP.writeFirst, psn, payload: MTU, ackRequest: false, ext: reth(50 * MTU) });
      for (let i = 1; i < 49; i++)
        b.request({ opcode: BTH_OP.writeMiddle, psn: psn + i, payload: MTU, ackRequest: false });
      b.request({ opcode: BTH_OP.writeLast, psn: psn + 49, payload: MTU });
    }
    expect(b.ids()).to.deep.equal({});
  });

  it('counts anew where a requester goes back, and from the next packet that it has to send', () => {
    const b = new WireBench().connect();
    packets(b, 0, 59);
    b.response({ opcode: BTH_OP.acknowledge, psn: FIRST_PSN, ext: aeth(0x1f, 0) });
    packets(b, 1, 63);
    expect(b.ids()).to.deep.equal({});
    packets(b, 64, 64);
    expect(b.ids()).to.deep.equal({ WIRE_ACK_REQUEST: 1 });
  });

  it('asks nothing of unreliable connections', () => {
    const b = new WireBench().connect({ type: 3 });
    packets(b, 0, 200, [], BTH_CLASS.uc);
    expect(b.ids()).to.deep.equal({});
  });
});
