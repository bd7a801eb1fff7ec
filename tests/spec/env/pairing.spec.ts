import { expect } from 'chai';
import fc from 'fast-check';
import { peerOf, unpaired } from '../../../env/pairing.ts';

describe('peerOf', () => {
  it('gives everyone exactly one peer on another host, and the peer agrees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 1, max: 40 }), (hosts, count) => {
        const alone: string[] = [];
        for (let host = 0; host < hosts; host++) {
          for (let index = 0; index < count; index++) {
            const peer = peerOf(hosts, count, host, index);
            if (peer === null) alone.push(`${host}/${index}`);
            else {
              expect(peer.host).to.not.equal(host);
              expect(peer.index).to.be.within(0, count - 1);
              expect(peerOf(hosts, count, peer.host, peer.index)).to.deep.equal({ host, index });
            }
          }
        }
        const left = unpaired(hosts, count);
        expect(alone).to.deep.equal(left === null ? [] : [`${left.host}/${left.index}`]);
        expect(alone.length).to.equal((hosts * count) % 2);
      }),
    );
  });

  it('joins even with odd numbers between two hosts, as published', () => {
    expect(peerOf(2, 4, 0, 2)).to.deep.equal({ host: 1, index: 3 });
    expect(peerOf(2, 4, 0, 3)).to.deep.equal({ host: 1, index: 2 });
  });

  it('lets every host meet every other one when there are enough queue pairs', () => {
    for (const hosts of [3, 4, 5, 8]) {
      const met = new Set<string>();
      for (let host = 0; host < hosts; host++) {
        for (let i = 0; i < 2 * hosts; i++) met.add(`${host}-${peerOf(hosts, 2 * hosts, host, i)?.host}`);
      }
      expect(met.size).to.equal(hosts * (hosts - 1));
    }
  });

  it('pairs nobody on a single host', () => {
    expect(peerOf(1, 4, 0, 0)).to.equal(null);
  });
});
