import { expect } from 'chai';
import type { KnownQp, QueriedAttributes, WrittenQp } from '../../../agents/verbs/qpQuery.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { QpState, QpType } from '../../../rdma/verbs.ts';
import { queryProblems as problemsOf, type WirePsns } from '../../../scoreboard/rules/queryRules.ts';

const S = QP_STATE;

function queryProblems(now: WrittenQp, before: KnownQp, said: QueriedAttributes, wire?: WirePsns): readonly string[] {
  return problemsOf({ before, now, said }, wire);
}

function queuePair(state: QpState, type: QpType = QP_TYPE.rc): WrittenQp {
  const counts = { sqPosted: 5, sqFreed: 3, sqFailed: 0, sqSilent: 0, rqPosted: 4, rqFreed: 2 };
  return {
    host: 0,
    qpn: 14,
    type,
    state,
    sqPsn: 0xff_fffe,
    rqPsn: 0x10,
    changes: 2,
    ...counts,
  } as unknown as WrittenQp;
}

describe('queryProblems', () => {
  it('lets a NIC break a queue pair, and mend none', () => {
    const allowed = (known: QpState, type: QpType): readonly number[] =>
      Object.values(S).filter((state) => {
        const qp = Object.assign(queuePair(known, type), { changes: 1 });
        return queryProblems(qp, { ...qp, changes: 0 }, { state, sqPsn: 1 }).length === 0;
      });
    expect(allowed(S.reset, QP_TYPE.rc)).to.deep.equal([S.reset]);
    expect(allowed(S.init, QP_TYPE.rc)).to.deep.equal([S.init]);
    expect(allowed(S.rtr, QP_TYPE.rc)).to.deep.equal([S.rtr, S.err]);
    expect(allowed(S.rts, QP_TYPE.rc)).to.deep.equal([S.rts, S.err]);
    expect(allowed(S.rts, QP_TYPE.uc)).to.deep.equal([S.rts, S.sqe, S.err]);
    expect(allowed(S.sqe, QP_TYPE.uc)).to.deep.equal([S.sqe, S.err]);
    expect(allowed(S.err, QP_TYPE.uc)).to.deep.equal([S.err]);
  });

  it('takes the state of before or after the command', () => {
    const qp = queuePair(S.err);
    const attr = { state: S.rts, sqPsn: 1, rqPsn: 0x12 };
    expect(queryProblems(qp, { ...qp, state: S.rts }, attr)).to.deep.equal([]);
    expect(queryProblems(qp, qp, attr)).to.deep.equal(['state: RTS was returned, but it is in ERR']);
    expect(queryProblems(qp, qp, { state: -1 as QpState })[0]).to.contain('code -1 was returned');
  });

  it('wants PSNs behind all that is known to be done, across the wrap too', () => {
    const qp = queuePair(S.rts);
    const ask = (sqPsn: number, rqPsn: number): readonly string[] =>
      queryProblems(qp, qp, { state: S.rts, sqPsn, rqPsn }, { sent: 0x1000, received: 0x2000 });
    expect(ask(1, 0x12)).to.deep.equal([]);
    expect(ask(0x1000, 0x1234)).to.deep.equal([]);
    expect(ask(0, 0x11)).to.deep.equal([
      'sq_psn: 0x000000 was returned; it began with 0xfffffe, with 3 requests done',
      'rq_psn: 0x000011 was returned; it began with 0x000010, with 2 messages received',
    ]);
    expect(ask(0xff_fffd, 0xf)).to.have.length(2);
  });

  it('wants no PSN to be expected behind the one that the peer sends next, where that is known', () => {
    const qp = queuePair(S.rts);
    const ask = (rqPsn: number, next: number): readonly string[] =>
      queryProblems(qp, qp, { state: S.rts, sqPsn: 1, rqPsn }, { sent: 1, received: next });
    expect(ask(0x15, 0x15)).to.deep.equal([]);
    expect(ask(0x16, 0x15)).to.deep.equal(['rq_psn: 0x000016 was returned, and the next request has 0x000015']);
    expect(ask(0x16, -1)).to.deep.equal([]);
  });

  it('tells what lies half round behind the first PSN from what lies before it, by what was seen on the wire', () => {
    const qp = queuePair(S.rts);
    const half = { sent: 0x7f_fffd, received: 0x80_0010 };
    const ask = (sqPsn: number, rqPsn: number): readonly string[] =>
      queryProblems(qp, qp, { state: S.rts, sqPsn, rqPsn }, half);
    expect(ask(0x7f_fffd, 0x80_0010)).to.deep.equal([]);
    expect(ask(0x7f_fff0, 0x12)).to.deep.equal([]);
    expect(ask(0xff_fffd, 0xf)).to.have.length(2);
  });

  it('compares no PSN of a connection that may have gone further round, and any with nothing posted', () => {
    const qp = queuePair(S.rts);
    expect(queryProblems(qp, qp, { state: S.rts, sqPsn: 0xff_fffe, rqPsn: 0x10 })).to.deep.equal([]);
    expect(queryProblems(qp, qp, { state: S.rts, sqPsn: 0x80_0000, rqPsn: 0x81_0000 })).to.deep.equal([]);
    const idle = Object.assign(queuePair(S.rts), { sqPosted: 0, sqFreed: 0 });
    expect(queryProblems(idle, idle, { state: S.rts, sqPsn: 0x7f_ffff, rqPsn: 0x10 })).to.have.length(1);
  });

  it('takes one PSN for each datagram, however far round they have come', () => {
    const counts = { sqPosted: 0x180_0005, sqFreed: 0x180_0003, sqFailed: 1 };
    const qp = Object.assign(queuePair(S.rts, QP_TYPE.ud), counts);
    const ask = (sqPsn: number): readonly string[] => queryProblems(qp, qp, { state: S.rts, sqPsn, rqPsn: 0 });
    expect(ask(0x80_0000)).to.deep.equal([]);
    expect(ask(0x80_0003)).to.deep.equal([]);
    for (const wrong of [0x7f_ffff, 0x80_0004, 0]) expect(ask(wrong), `${wrong}`).to.have.length(1);
    expect(ask(0)[0]).to.contain('with 25165826 requests done of 25165829 posted');
  });

  it('wants the path and the Q_Key that software has written, where the NIC tells them', () => {
    const path = { remoteHost: 1, ipv6: true, serviceLevel: 3, trafficClass: 9, flowLabel: 77, hopLimit: 5 };
    const qp = Object.assign(queuePair(S.rts), { ...path, accessFlags: 0 });
    const right = { state: S.rts, sqPsn: 1, rqPsn: 0x12 };
    expect(queryProblems(qp, { ...qp }, { ...right, av: path })).to.deep.equal([]);
    for (const name of Object.keys(path) as (keyof typeof path)[]) {
      const av = { ...path, [name]: name === 'ipv6' ? false : 8 };
      expect(queryProblems(qp, { ...qp }, { ...right, av }), name).to.have.length(1);
    }
    const datagrams = Object.assign(queuePair(S.rts, QP_TYPE.ud), { qkey: 0x8000_0001 | 0, accessFlags: 0 });
    expect(queryProblems(datagrams, { ...datagrams }, { ...right, qkey: 0x8000_0001, av: path })).to.deep.equal([]);
    expect(queryProblems(datagrams, { ...datagrams }, { ...right, qkey: 1 })[0]).to.contain('qkey: 0x1 was');
  });

  it('wants the first PSN where nothing has been posted', () => {
    const qp = Object.assign(queuePair(S.rts), { sqPosted: 0, sqFreed: 0 });
    expect(queryProblems(qp, qp, { state: S.rts, sqPsn: 0xff_fffe, rqPsn: 0x12 })).to.deep.equal([]);
    expect(queryProblems(qp, qp, { state: S.rts, sqPsn: 0xff_ffff, rqPsn: 0x12 })[0]).to.contain('nothing posted');
  });

  it('wants what software has written, unless it is writing', () => {
    const written = { accessFlags: 7, timeout: 14, retryCnt: 7, rnrRetry: 7, minRnrTimer: 3 };
    const qp = Object.assign(queuePair(S.rts), written, { maxRdAtomic: 4, maxDestRdAtomic: 16 });
    const right = { state: S.rts, sqPsn: 1, rqPsn: 0x12, ...written, maxRdAtomic: 4, maxDestRdAtomic: 16 };
    expect(queryProblems(qp, { ...qp }, { ...right, accessFlags: 6 })).to.deep.equal([]);
    for (const name of [...Object.keys(written), 'maxRdAtomic', 'maxDestRdAtomic'] as const) {
      const attr = { ...right, [name]: 2 };
      expect(queryProblems(qp, { ...qp }, attr), name).to.have.length(1);
      expect(queryProblems(qp, { ...qp }, attr)[0]).to.contain(`${name}: 2 was returned, but `);
      expect(queryProblems(qp, { ...qp, changes: 0 }, attr), name).to.deep.equal([]);
      const changing = Object.assign({ ...qp }, { changes: 3 }) as WrittenQp;
      expect(queryProblems(changing, { ...changing }, attr), name).to.deep.equal([]);
    }
    const uc = Object.assign({ ...qp }, { type: QP_TYPE.uc }) as WrittenQp;
    expect(queryProblems(uc, { ...uc }, { ...right, timeout: 0 })).to.deep.equal([]);
    expect(queryProblems(uc, { ...uc }, { ...right, accessFlags: 4 })).to.have.length(1);
  });

  it('wants of each state what a queue pair has in it, and nothing more', () => {
    const path = { remoteHost: 1, ipv6: false, serviceLevel: 0, trafficClass: 0, flowLabel: 0, hopLimit: 64 };
    const values = {
      pkeyIndex: 0,
      port: 1,
      accessFlags: 7,
      destQpn: 15,
      pathMtu: 5,
      minRnrTimer: 3,
      maxDestRdAtomic: 16,
    };
    const qpWide = { ...values, ...path, timeout: 14, sqPosted: 0, sqFreed: 0, rqFreed: 0 };
    const ask = (state: QpState, wrong: object, type: QpType = QP_TYPE.rc): readonly string[] => {
      const qp = Object.assign(queuePair(state, type), qpWide);
      const attr = { state, ...values, av: path, timeout: 14, sqPsn: qp.sqPsn, rqPsn: qp.rqPsn };
      return queryProblems(qp, { ...qp }, { ...attr, ...wrong }, { sent: qp.sqPsn, received: qp.rqPsn });
    };
    for (const state of [S.init, S.rtr, S.rts, S.sqd]) expect(ask(state, {}), `${state}`).to.deep.equal([]);
    expect(ask(S.reset, { port: 9, accessFlags: 0 })).to.deep.equal([]);
    expect(ask(S.init, { port: 9 })).to.deep.equal(['port: 9 was returned, but 1 was written']);
    expect(ask(S.init, { accessFlags: 0 })).to.have.length(1);
    expect(ask(S.init, { destQpn: 1, minRnrTimer: 9, sqPsn: 0, rqPsn: 0, av: {} })).to.deep.equal([]);
    const inRtr = {
      destQpn: 1,
      pathMtu: 1,
      minRnrTimer: 9,
      maxDestRdAtomic: 1,
      rqPsn: 0x11,
      av: { ...path, hopLimit: 1 },
    };
    expect(ask(S.rtr, { ...inRtr, timeout: 1, sqPsn: 0 })).to.have.length(Object.keys(inRtr).length);
    expect(ask(S.rtr, { ...inRtr, minRnrTimer: 3, maxDestRdAtomic: 16 }, QP_TYPE.uc)).to.have.length(4);
    expect(ask(S.rtr, { minRnrTimer: 9 }, QP_TYPE.uc)).to.deep.equal([]);
  });

  it('does not ask for PSNs of what was flushed, nor for those that a datagram service expects', () => {
    const broken = queuePair(S.err);
    expect(queryProblems(broken, broken, { state: S.err, sqPsn: 0, rqPsn: 0 })).to.deep.equal([]);
    const datagrams = queuePair(S.rts, QP_TYPE.ud);
    expect(queryProblems(datagrams, datagrams, { state: S.rts, sqPsn: 1, rqPsn: 0 })).to.deep.equal([]);
  });
});
