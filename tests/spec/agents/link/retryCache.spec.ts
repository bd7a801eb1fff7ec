import { expect } from 'chai';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import { RetryCache, shapeOf, varyingOf } from '../../../../scoreboard/reference/retryCache.ts';

function packet(change: Partial<DecodedPacket> = {}): DecodedPacket {
  const fields = { psn: 0x100, opcode: 4, payloadLength: 64, icrc: -5, ipVersion: 4, sourcePort: 0xc123 };
  return Object.assign(new DecodedPacket(), { ...fields, identification: 0xabcd, handedOver: 7000, ...change });
}

describe('RetryCache', () => {
  it('remembers a packet of one connection, and knows nothing of others', () => {
    const cache = new RetryCache();
    const p = packet();
    cache.note(3, 1, p);
    const entry = cache.find(3, 1, 0x100);
    expect([cache.shape(entry), cache.icrc(entry), cache.varying(entry)]).to.deep.equal([shapeOf(p), -5, varyingOf(p)]);
    for (const [flow, generation, psn] of [[3, 2, 0x100] as const, [4, 1, 0x100] as const, [3, 1, 0x101] as const]) {
      expect(cache.find(flow, generation, psn)).to.equal(-1);
    }
    expect(new RetryCache().find(0, 0, 0)).to.equal(-1);
  });

  it('knows when a packet was sent last', () => {
    const cache = new RetryCache();
    cache.note(3, 1, packet());
    expect(cache.sentAt(3, 1, 0x100)).to.equal(7000);
    cache.again(cache.find(3, 1, 0x100), 9000);
    expect(cache.sentAt(3, 1, 0x100)).to.equal(9000);
    expect(cache.sentAt(3, 1, 0x101)).to.equal(-1);
    expect(cache.sentAt(3, 2, 0x100)).to.equal(-1);
  });

  it('tells packets apart by what may vary', () => {
    const all = [{}, { ackRequest: true }, { ipVersion: 6 }, { identification: 1 }, { sourcePort: 0xffff }];
    expect(new Set(all.map((change) => varyingOf(packet(change)))).size).to.equal(all.length);
  });
});
