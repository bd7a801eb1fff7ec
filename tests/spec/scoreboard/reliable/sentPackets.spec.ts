import { expect } from 'chai';
import fc from 'fast-check';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import { psnAdd } from '../../../../agents/wire/psnArithmetic.ts';
import { SentPackets, shapeOf, varyingOf } from '../../../../scoreboard/reference/reliable/sentPackets.ts';

function packet(change: Partial<DecodedPacket> = {}): DecodedPacket {
  const fields = { psn: 0x100, opcode: 4, payloadLength: 64, icrc: -5, ipVersion: 4, sourcePort: 0xc123 };
  return Object.assign(new DecodedPacket(), { ...fields, identification: 0xabcd, handedOver: 7000, ...change });
}

describe('SentPackets', () => {
  it('remembers what a retransmission must repeat, and knows nothing of packets that were not sent', () => {
    const sent = new SentPackets();
    expect(sent.find(0)).to.equal(-1);
    const p = packet();
    sent.first(p, 0x100);
    const place = sent.find(0x100);
    expect([sent.shape(place), sent.icrc(place), sent.varying(place)]).to.deep.equal([shapeOf(p), -5, varyingOf(p)]);
    expect([sent.find(0xff), sent.find(0x101)]).to.deep.equal([-1, -1]);
  });

  it('knows when a packet was sent last, and whether another copy of it may be under way', () => {
    const sent = new SentPackets();
    sent.first(packet(), 0x100);
    expect([sent.sentAt(0x100), sent.onlySentAt(0x100)]).to.deep.equal([7000, 7000]);
    sent.again(sent.find(0x100), 9000);
    expect([sent.sentAt(0x100), sent.onlySentAt(0x100)]).to.deep.equal([9000, -1]);
    sent.refused(0x100);
    expect([sent.onlySentAt(0x100), sent.sentAt(0x101)]).to.deep.equal([9000, -1]);
  });

  it('finds every packet without an answer, whatever PSNs they take and wherever those come round', () => {
    const spans = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 3000 })), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), spans, fc.nat(100), (first, packets, open) => {
        const sent = new SentPackets();
        const psns: number[] = [];
        let psn = first;
        for (const [i, span] of packets.entries()) {
          psns.push(psn);
          sent.first(packet({ psn, icrc: i }), psns[Math.max(0, i - open)] as number);
          for (const back of [0, Math.min(i, open)]) {
            const place = sent.find(psns[i - back] as number);
            if (place < 0 || sent.icrc(place) !== i - back) expect.fail(`packet ${i - back} of ${i} is not found`);
          }
          if (span > 1 && sent.find(psnAdd(psn, 1)) >= 0) expect.fail('a PSN inside of a READ is no packet');
          psn = psnAdd(psn, span);
        }
        expect(sent.size).to.be.at.most(Math.max(32, open + 1));
      }),
      { numRuns: 60 },
    );
  });

  it('forgets what lies more than half of all PSNs back', () => {
    const sent = new SentPackets();
    for (const psn of [0, 0x70_0000, 0xe0_0000]) sent.first(packet({ psn }), 0);
    expect([sent.find(0), sent.find(0x70_0000) >= 0]).to.deep.equal([-1, true]);
  });

  it('tells packets apart by what may vary', () => {
    const all = [{}, { ackRequest: true }, { ipVersion: 6 }, { identification: 1 }, { sourcePort: 0xffff }];
    expect(new Set(all.map((change) => varyingOf(packet(change)))).size).to.equal(all.length);
  });
});
