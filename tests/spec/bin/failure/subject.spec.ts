import { expect } from 'chai';
import { firstDifference } from '../../../../bin/run/failure/eventsFile.ts';
import { subjectOf } from '../../../../bin/run/failure/subject.ts';

describe('what a finding is about', () => {
  it('is the request and the queue pairs that it names', () => {
    const text =
      'SEND (wrId 448, WQE 0, 1024 B in 3 SG entries) of host 1 QP 21 (process 2, UD), received by RECV (wrId 3) of ' +
      'host 0 QP 20 (process 1, UD): data differ at byte 23';
    expect(subjectOf(text)).to.deep.equal({
      pairs: [
        { host: 1, qpn: 21 },
        { host: 0, qpn: 20 },
      ],
      hosts: [1, 0],
      request: { host: 1, qpn: 21, wrId: 448, isReceive: false },
      asked: undefined,
      packet: undefined,
    });
  });

  it('is a receive where one is named first, also behind its queue pair', () => {
    expect(subjectOf('RECV (wrId 64, WQE 0) of host 1 QP 15: x').request?.isReceive).to.equal(true);
    expect(subjectOf('host 0 QP 14: RDMA_READ (wrId 7, WQE 1) is late').request).to.deep.equal({
      host: 0,
      qpn: 14,
      wrId: 7,
      isReceive: false,
    });
  });

  it('is the packet that it names, with its PSN', () => {
    const text =
      'host 0 QP 15 to host 1 QP 14: RC WRITE_ONLY, PSN 0xa5b0ae (frame of 86 B, on the wire at 1ns) has PSN 1';
    expect(subjectOf(text).packet).to.deep.equal({ from: 0, to: { host: 1, qpn: 14 }, psn: 0xa5b0ae });
  });

  it('is the request of a PSN and of the queue pair that has posted it', () => {
    const text = 'host 1 QP 15 (process 2, RC) has not answered PSN 0xf574ff of host 0 QP 14 (process 1, RC)';
    expect(subjectOf(text).asked).to.deep.equal({ host: 0, qpn: 14, psn: 0xf574ff });
  });

  it('may be nothing that has a name', () => {
    expect(subjectOf('the test gave up')).to.deep.equal({
      pairs: [],
      hosts: [],
      request: undefined,
      asked: undefined,
      packet: undefined,
    });
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
