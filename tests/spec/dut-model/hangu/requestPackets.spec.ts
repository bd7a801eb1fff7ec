import { expect } from 'chai';
import type { HanguCore } from '../../../../dut-model/hangu/model/core.ts';
import type { Gather } from '../../../../dut-model/hangu/model/memory/gather.ts';
import { HANGU_DEFAULTS } from '../../../../dut-model/hangu/model/hanguConfig.ts';
import { RequestPackets } from '../../../../dut-model/hangu/model/transport/requestPackets.ts';
import { BTH_OP } from '../../../../rdma/bth.ts';

class OpenPackets extends RequestPackets {
  codeOf(write: boolean, first: boolean, last: boolean, imm: boolean): number {
    return this.operation(write, first, last, imm);
  }
  asks(last: boolean, psn: number): boolean {
    return this.wantsAck(last, psn);
  }
}

function makePackets(ackInterval = HANGU_DEFAULTS.ackInterval): OpenPackets {
  const core = { config: { ...HANGU_DEFAULTS, ackInterval } };
  return new OpenPackets(core as unknown as HanguCore, {} as Gather);
}

describe('RequestPackets', () => {
  it('name the operation of a SEND by the place of the packet in its message (BTH opcodes 0 to 5)', () => {
    const p = makePackets();
    const codes = [
      p.codeOf(false, true, false, false),
      p.codeOf(false, false, false, false),
      p.codeOf(false, false, true, false),
      p.codeOf(false, false, true, true),
      p.codeOf(false, true, true, false),
      p.codeOf(false, true, true, true),
    ];
    expect(codes).to.deep.equal([0, 1, 2, 3, 4, 5]);
  });

  it('name the operation of a WRITE the same way, from BTH opcode 6 on', () => {
    const p = makePackets();
    for (const first of [false, true])
      for (const last of [false, true])
        for (const imm of last ? [false, true] : [false])
          expect(p.codeOf(true, first, last, imm)).to.equal(p.codeOf(false, first, last, imm) + BTH_OP.writeFirst);
  });

  it('ask for an ACK at the end of a message, and at every PSN that is a multiple of the interval', () => {
    const p = makePackets(16);
    expect(p.asks(true, 3)).to.equal(true);
    const asked = Array.from({ length: 40 }, (_, psn) => psn).filter((psn) => p.asks(false, psn));
    expect(asked).to.deep.equal([0, 16, 32]);
  });
});
