import { expect } from 'chai';
import { firstDifference } from '../../../../bin/run/failure/eventsFile.ts';
import { accusedBy, subjectText } from '../../../../bin/run/failure/subject.ts';
import { aMoment, aPacket, aPsnRange, aQueuePair, aRequest } from '../../../../rdma/subjectParts.ts';

describe('what a finding accuses', () => {
  const send = aRequest(1, { qpn: 21 }, { isReceive: false, wrId: 448, wqe: 0, postedAt: 1_500_000 });
  const receive = aRequest(0, { qpn: 20 }, { isReceive: true, wrId: 3, wqe: 1, postedAt: 2000 });

  it('has the queue pairs of its requests, packets and PSNs, each once', () => {
    const packet = aPacket({ host: 1, to: 0, destQp: 20, psn: 7, time: 3000 }, 21);
    const accused = accusedBy([send, receive, packet, aPsnRange(0, 20, 7), aQueuePair(2, 9)]);
    expect(accused.pairs).to.deep.equal([
      { host: 1, qpn: 21 },
      { host: 0, qpn: 20 },
      { host: 2, qpn: 9 },
    ]);
    expect(accused.hosts).to.deep.equal([1, 0, 2]);
    expect(accused.requests.map(({ wrId }) => wrId)).to.deep.equal([448, 3]);
  });

  it('says in words what it is, the accused first', () => {
    expect(subjectText([send, aPsnRange(1, 21, 0xa0, 2), aMoment(4500)])).to.equal(
      'host 1 QP 21: send request (wrId 448, WQE 0), posted at 1500ns; PSN 0x0000a0 and 1 behind it of host 1 QP 21; 4.5ns',
    );
  });

  it('is nothing where a report does not say, or says it in terms of its own', () => {
    for (const subject of [undefined, [], [{ mine: 1 }]]) expect(accusedBy(subject).parts).to.deep.equal([]);
  });
});

describe('the first event in which two runs differ', () => {
  const run = (from: number, ...texts: string[]) => texts.map((text, i) => ({ number: from + i, text }));

  it('is named with what happened in both', () => {
    expect(firstDifference(run(3, 'a', 'b', 'c'), run(0, 'x', 'y', 'z', 'a', 'B', 'c'))).to.deep.equal([
      'the first event that differs is number 4',
      '  then: b',
      '  now:  B',
    ]);
  });

  it('is not the first that is known, and this is said', () => {
    expect(firstDifference(run(3, 'a'), run(0, 'x', 'y', 'z', 'A'))[0]).to.match(/^they part before event 3/);
  });

  it('is an end where the other run goes on', () => {
    expect(firstDifference(run(0, 'a', 'b'), run(0, 'a'))).to.deep.equal([
      'the first event that differs is number 1',
      '  then: b',
      '  now:  none',
    ]);
  });

  it('is none where both are equal, or nothing is known', () => {
    expect(firstDifference(run(0, 'a'), run(0, 'a'))).to.deep.equal([]);
    expect(firstDifference([], run(0, 'a'))).to.deep.equal([]);
  });
});
