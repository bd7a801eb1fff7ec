import { expect } from 'chai';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import { type ReadRequest, ReadRequests } from '../../../../scoreboard/reference/reliable/readRequests.ts';

function request(psn: number, change: Partial<DecodedPacket> = {}): DecodedPacket {
  return Object.assign(new DecodedPacket(), { psn, dmaLength: 1000, vaLo: 0x1000, rkey: 7, ...change });
}

/** A connection on which READs of 4 packets with these PSNs were sent, and nothing answered. */
function reads(...psns: readonly number[]): ReadRequests {
  const all = new ReadRequests();
  for (const psn of psns) all.first(request(psn), 4, false, psns[0] as number);
  return all;
}

function answer(all: ReadRequests, psn: number): void {
  all.answered(all.awaiting(psn) as ReadRequest);
}

describe('ReadRequests', () => {
  it('finds requests by their first PSN and by the PSNs of their answers', () => {
    const all = reads(0xfffffe, 2);
    expect(all.awaiting(0xfffffe)?.length).to.equal(1000);
    expect(all.covering(1)).to.equal(all.awaiting(0xfffffe));
    expect(all.covering(2)).to.equal(all.awaiting(2));
    expect([all.covering(6), all.awaiting(0xffffff)]).to.deep.equal([undefined, undefined]);
    expect([all.isInside(1), all.isInside(2)]).to.deep.equal([true, false]);
  });

  it('awaits an answer to each transmission of a request', () => {
    const all = reads(5);
    all.again(request(5), 4, false);
    answer(all, 5);
    expect(all.oldestOpen).to.equal(undefined);
    answer(all, 5);
    expect(all.awaiting(5)).to.equal(undefined);
  });

  it('takes everything before a complete answer for executed', () => {
    const all = reads(0, 4, 8);
    answer(all, 4);
    expect([all.open, all.oldestOpen?.psn]).to.deep.equal([1, 8]);
  });

  it('awaits the rest of a READ that is asked for, and says from where in memory that comes', () => {
    const all = reads(0, 4);
    all.again(request(2, { dmaLength: 500 }), 2, false);
    expect(all.awaiting(2)).to.include({ isRest: true, length: 500 });
    expect(all.part(2, 256)).to.deep.include({ skipped: 512, behind: 1 });
    answer(all, 2);
    expect([all.awaiting(2), all.open]).to.deep.equal([undefined, 1]);
  });

  it('knows the first value of an atomic, also after its answer', () => {
    const all = new ReadRequests();
    all.first(request(3), 1, true, 3);
    expect(all.mayBeAnsweredAtomic(3)).to.equal(false);
    const value = (originalLo: number): DecodedPacket => request(3, { originalLo });
    expect(all.atomicAnswered(value(9))).to.equal(undefined);
    answer(all, 3);
    expect([all.atomicAnswered(value(9)), all.atomicAnswered(value(8))]).to.deep.equal([undefined, { hi: 0, lo: 9 }]);
    expect(all.mayBeAnsweredAtomic(3)).to.equal(true);
  });

  it('drops what was answered and heard, and keeps a limited number of requests whose answers were lost', () => {
    const all = new ReadRequests(100);
    for (let i = 0; i < 1000; i++) {
      all.first(request(4 * i), 4, false, 4 * i);
      if (i % 2 === 0) answer(all, 4 * i);
    }
    expect(all.size).to.be.at.most(100);
    expect(all.awaiting(4 * 999)?.psn).to.equal(4 * 999);
    const heard = new ReadRequests();
    for (let i = 0; i < 200; i++) {
      heard.first(request(4 * i), 4, false, 4 * i);
      answer(heard, 4 * i);
    }
    expect(heard.size).to.be.at.most(32);
  });
});
