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

  it('remembers as much of many flows as a table would that is whole from the start', () => {
    const slots = 1 << 15;
    const cache = new RetryCache();
    /** The packet that each place of such a table holds. */
    const whole = new Map<number, string>();
    const sent: (readonly [number, number])[] = [];
    for (let flow = 0; flow < 120; flow++) {
      for (let n = 0; n < 300; n++) {
        const psn = (flow * 70_001 + n) & 0xffffff;
        cache.note(flow, 2, packet({ psn, icrc: flow * 1000 + n }));
        whole.set((Math.imul(flow, 0x9e3779b1) + psn) & (slots - 1), `${flow} ${psn}`);
        sent.push([flow, psn]);
      }
    }
    for (const [i, [flow, psn]] of sent.entries()) {
      const entry = cache.find(flow, 2, psn);
      const isThere = whole.get((Math.imul(flow, 0x9e3779b1) + psn) & (slots - 1)) === `${flow} ${psn}`;
      if (entry >= 0 !== isThere) expect.fail(`flow ${flow} PSN ${psn}: entry ${entry}`);
      if (isThere) expect(cache.icrc(entry)).to.equal(Math.floor(i / 300) * 1000 + (i % 300));
    }
  });

  it('tells packets apart by what may vary', () => {
    const all = [{}, { ackRequest: true }, { ipVersion: 6 }, { identification: 1 }, { sourcePort: 0xffff }];
    expect(new Set(all.map((change) => varyingOf(packet(change)))).size).to.equal(all.length);
  });
});
