import { expect } from 'chai';
import fc from 'fast-check';
import { IN_MESSAGE } from '../../../../dut-model/hangu/model/transport/qpSlot.ts';
import {
  lengthLegal,
  needsReceive,
  sequenceLegal,
  writeFits,
} from '../../../../dut-model/hangu/model/transport/requestChecks.ts';
import { OP, OPCODES } from '../../../../dut-model/roce/opcodeTable.ts';
import type { RxPacket } from '../../../../dut-model/roce/rxPacket.ts';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { MAX_MESSAGE } from '../../../../rdma/verbs.ts';

const BITS = 0xffff;

interface Cut {
  readonly packet: Pick<RxPacket, 'bits' | 'length' | 'pad' | 'dmaLength'>;
  readonly inMessage: number;
  readonly writeLeft: number;
}

/** The packets of a message, with what the responder knows of the message before each. */
function cut(write: boolean, length: number, mtu: number): Cut[] {
  const count = Math.max(1, Math.ceil(length / mtu));
  return Array.from({ length: count }, (_, k) => {
    const size = Math.min(mtu, length - k * mtu);
    const first = k === 0;
    const last = k === count - 1;
    const [base, middle] = write ? [BTH_OP.writeFirst, BTH_OP.writeMiddle] : [BTH_OP.sendFirst, BTH_OP.sendMiddle];
    const opcode = !last ? (first ? base : middle) : base + (first ? 4 : 2);
    const bits = (OPCODES[opcode] as number) & BITS;
    const packet = { bits, length: size, pad: -size & 3, dmaLength: length };
    const within = write ? IN_MESSAGE.write : IN_MESSAGE.send;
    return { packet, inMessage: first ? IN_MESSAGE.none : within, writeLeft: length - k * mtu };
  });
}

const MESSAGE = fc.record({
  write: fc.boolean(),
  length: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(0, 1, 255, 256, 257, 512, 4096, 8192)),
  mtu: fc.constantFrom(256, 512, 1024, 2048, 4096),
});

function isLegal({ packet, inMessage, writeLeft }: Cut, mtu: number): boolean {
  const slot = { inMessage: inMessage as typeof IN_MESSAGE.none, writeLeft };
  return sequenceLegal(slot, packet.bits) && lengthLegal(packet, mtu) && writeFits(slot, packet, mtu);
}

describe('checks of request packets', () => {
  it('pass every packet of a message of any length that is cut at the MTU', () => {
    fc.assert(fc.property(MESSAGE, ({ write, length, mtu }) => cut(write, length, mtu).every((p) => isLegal(p, mtu))));
  });

  it('refuse a packet that the message before it does not allow', () => {
    fc.assert(
      fc.property(MESSAGE, ({ write, length, mtu }) =>
        cut(write, length, mtu).every((p) => {
          const elsewhere = [IN_MESSAGE.none, IN_MESSAGE.send, IN_MESSAGE.write].filter((s) => s !== p.inMessage);
          return elsewhere.every((inMessage) => !isLegal({ ...p, inMessage }, mtu));
        }),
      ),
    );
  });

  it('refuse a first or middle packet that is not as long as the MTU, a longer one, and one with a wrong pad', () => {
    fc.assert(
      fc.property(MESSAGE, fc.integer({ min: 1, max: 300 }), ({ write, length, mtu }, change) =>
        cut(write, length, mtu).every(({ packet }) => {
          const shorter = { ...packet, length: packet.length - change, pad: (change - packet.length) & 3 };
          const longer = { ...packet, length: mtu + change, pad: -(mtu + change) & 3 };
          const padded = { ...packet, pad: packet.pad ^ 1 };
          const full = (packet.bits & OP.full) !== 0;
          return !lengthLegal(longer, mtu) && !lengthLegal(padded, mtu) && (!full || !lengthLegal(shorter, mtu));
        }),
      ),
    );
  });

  it('refuse the rest of a WRITE that ends before its bytes do, or behind them', () => {
    fc.assert(
      fc.property(MESSAGE, fc.constantFrom(-1, 1), ({ length, mtu }, change) =>
        cut(true, length, mtu)
          .filter(({ packet }) => (packet.bits & OP.end) !== 0)
          .every(({ packet, writeLeft }) => {
            const claimed = { ...packet, dmaLength: packet.dmaLength + change };
            return !writeFits({ writeLeft: writeLeft + change }, claimed, mtu);
          }),
      ),
    );
  });

  it('refuse more than the longest message, and operations that are not known', () => {
    const read = { bits: (OPCODES[BTH_OP.readRequest] as number) & BITS, length: 0, pad: 0 };
    expect(lengthLegal({ ...read, dmaLength: MAX_MESSAGE }, 1024)).to.equal(true);
    expect(lengthLegal({ ...read, dmaLength: MAX_MESSAGE + 1 }, 1024)).to.equal(false);
    const none = { inMessage: IN_MESSAGE.none };
    for (const opcode of [BTH_OP.sendOnlyInv, 30])
      expect(sequenceLegal(none, (OPCODES[opcode] as number) & BITS), String(opcode)).to.equal(false);
  });

  it('take atomics between messages only, and without payload', () => {
    for (const opcode of [BTH_OP.compareSwap, BTH_OP.fetchAdd]) {
      const bits = (OPCODES[opcode] as number) & BITS;
      const taken = [IN_MESSAGE.none, IN_MESSAGE.send, IN_MESSAGE.write].map((inMessage) =>
        sequenceLegal({ inMessage }, bits),
      );
      expect(taken).to.deep.equal([true, false, false]);
      const lengths = [0, 4, 8].map((length) => lengthLegal({ bits, length, pad: 0, dmaLength: 0 }, 1024));
      expect(lengths).to.deep.equal([true, false, false]);
    }
  });

  it('ask for a receive for SENDs and for WRITEs with immediate data only', () => {
    const needy = Array.from({ length: 32 }, (_, opcode) => opcode).filter((opcode) =>
      needsReceive((OPCODES[opcode] as number) & BITS),
    );
    expect(needy).to.deep.equal([0, 1, 2, 3, 4, 5, 9, 11, 22, 23]);
  });
});
