import { expect } from 'chai';
import fc from 'fast-check';
import { type MrInfo, type PostedSend, type QpInfo, WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { MisuseKind } from '../../../env/verbs/hostErrors.ts';
import { transition } from '../../../env/verbs/qpTransitions.ts';
import { type Cq, Pd, type Qp } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, QP_STATE, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { QpState } from '../../../rdma/verbs.ts';
import { ProviderBench, recvWr, sendWr } from '../env/support/providerBench.ts';

function bench(): ProviderBench {
  return new ProviderBench({ settings: { events: false } });
}

/** Runs what must be refused; returns the kind of refusal. */
function refused(action: () => unknown): MisuseKind {
  try {
    action();
  } catch (error) {
    expect(error).to.be.instanceOf(HostApiError);
    return (error as HostApiError).kind;
  }
  throw new Error('nothing was refused');
}

describe('VerbsHost', () => {
  it('publishes regions, queue pairs and requests as they come and go', () => {
    const b = bench();
    const log: string[] = [];
    const note = (text: string): void => void log.push(text);
    b.monitor.observe({
      mrRegistered: (m: MrInfo) => note(`mr ${m.key} ${m.length} ${m.process}`),
      mrDeregistering: (_, key) => note(`no mr ${key}`),
      qpInRts: (q: QpInfo) => note(`qp ${q.qpn}>${q.remoteHost}/${q.remoteQpn} ${q.mtu} ${q.sqPsn}/${q.rqPsn}`),
      qpDestroying: (_, qpn) => note(`stop qp ${qpn}`),
      qpGone: (_, qpn) => note(`no qp ${qpn}`),
      postedSend: (s: PostedSend) => note(`send ${s.qpn} ${s.wqeIndex} ${s.wr.wrId} >${s.remoteHost}`),
    });
    const { pd, qp } = b.queuePair();
    const mr = b.run(b.api.regMr(pd, { hi: 0x801c, lo: 5, length: 10, access: ACCESS.localWrite }));
    b.run(b.api.postSend(qp, [Object.assign(sendWr(WR_OPCODE.send, []), { wrId: 9 }), sendWr(WR_OPCODE.send, [])], 2));
    b.run(b.api.deregMr(mr));
    b.run(b.api.destroyQp(qp));
    expect(log).to.deep.equal([
      'qp 14>1/99 4096 3/7',
      'mr 4 10 1',
      'send 14 0 9 >1',
      'send 14 1 0 >1',
      'no mr 4',
      'stop qp 14',
      'no qp 14',
    ]);
  });

  it('gives protection domains distinct numbers that are not consecutive', () => {
    const b = bench();
    const numbers = Array.from({ length: 500 }, (_, i) => b.api.allocPd(1 + (i % 2)).pdn);
    expect(new Set(numbers).size).to.equal(500);
    expect(numbers).to.not.include(0);
    expect(Math.max(...numbers)).to.be.above(2 ** 20);
  });

  it('names the source and receive areas of the published map', () => {
    const b = bench();
    const { qp } = b.queuePair();
    expect(b.api.dataAddress(qp, false)).to.deep.equal({ hi: 0x801c, lo: 0 });
    expect(b.api.dataAddress(qp, true)).to.deep.equal({ hi: 0x801d, lo: 0 });
  });

  it('refuses to destroy what is in use, and to use what is gone', () => {
    const b = bench();
    const { pd, cq, qp } = b.queuePair();
    expect(refused(() => b.api.deallocPd(pd))).to.equal('IN_USE');
    expect(refused(() => b.run(b.api.destroyCq(cq)))).to.equal('IN_USE');
    b.run(b.api.destroyQp(qp));
    expect(refused(() => b.run(b.api.destroyQp(qp)))).to.equal('GONE');
    expect(refused(() => b.api.postSend(qp, [sendWr(2, [])], 1))).to.equal('GONE');
    b.run(b.api.destroyCq(cq));
    expect(refused(() => b.api.pollCq(cq, new WorkCompletion()))).to.equal('GONE');
    expect(refused(() => b.run(b.api.waitCq(cq)))).to.equal('GONE');
    b.api.deallocPd(pd);
    expect(refused(() => b.run(b.api.regMr(pd, { hi: 0x8000, lo: 0, length: 1, access: 0 })))).to.equal('GONE');
  });

  it('says of what is gone that it has been destroyed, and of what is not its own whose it is', () => {
    const b = bench();
    const { pd, qp } = b.queuePair();
    const mr = b.run(b.api.regMr(pd, { hi: 0x8000, lo: 0, length: 1, access: 0 }));
    b.run(b.api.deregMr(mr));
    b.run(b.api.destroyQp(qp));
    expect(() => b.run(b.api.deregMr(mr))).to.throw(`host 0: memory region ${mr.key} has been destroyed`);
    expect(() => b.run(b.api.destroyQp(qp))).to.throw('host 0: queue pair 14 has been destroyed; create another one');
    const foreign = new Pd(1, 1, 5);
    expect(() => b.api.deallocPd(foreign)).to.throw(
      'protection domain 5 belongs to host 1; use an object that is open',
    );
  });

  it('refuses posting in a wrong state, too much, or too many entries, and changes nothing', () => {
    const b = bench();
    const { pd, cq, qp } = b.queuePair();
    const init = { type: 2, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 3, maxSge: 2 } as const;
    const fresh = b.run(b.api.createQp(pd, init));
    const rings = b.nic.doorbells.length;
    expect(refused(() => b.api.postSend(fresh, [sendWr(2, [])], 1))).to.equal('STATE');
    expect(refused(() => b.api.postRecv(fresh, [recvWr([])], 1))).to.equal('STATE');
    const seven = Array.from({ length: 7 }, () => [0, 1] as const);
    expect(refused(() => b.api.postSend(qp, [sendWr(2, seven)], 1))).to.equal('TOO_MANY_SGE');
    expect(refused(() => b.api.postRecv(qp, [recvWr(seven)], 1))).to.equal('TOO_MANY_SGE');
    expect(refused(() => b.api.postSend(qp, [sendWr(2, [[0, 2 ** 31]])], 1))).to.equal('TOO_LONG');
    expect(refused(() => b.api.postSend(qp, [sendWr(8, [])], 1))).to.equal('UNSUPPORTED');
    expect([qp.sendOutstanding, qp.recvOutstanding, b.nic.doorbells.length]).to.deep.equal([0, 0, rings]);
  });

  it('posts what of a list is in front of the request that is wrong or has no room, and says which that is', () => {
    const b = bench();
    const { qp } = b.queuePair();
    const seven = Array.from({ length: 7 }, () => [0, 1] as const);
    const right = sendWr(2, []);
    expect(indexOf(() => b.api.postSend(qp, [right, right, sendWr(2, seven), right], 4))).to.equal(2);
    expect(indexOf(() => b.api.postRecv(qp, [recvWr([]), recvWr(seven)], 2))).to.equal(1);
    expect([qp.sendOutstanding, qp.recvOutstanding]).to.deep.equal([2, 1]);
    // Of two mistakes the first one counts.
    expect(indexOf(() => b.api.postSend(qp, [right, sendWr(2, seven), ...Array(40).fill(right)], 42))).to.equal(1);
    expect(indexOf(() => b.api.postSend(qp, Array(40).fill(right), 40))).to.equal(29);
    expect(indexOf(() => b.api.postRecv(qp, Array(40).fill(recvWr([])), 40))).to.equal(30);
    expect([qp.sendOutstanding, qp.recvOutstanding]).to.deep.equal([qp.maxSendWr, qp.maxRecvWr]);
    expect(indexOf(() => b.api.postSend(qp, [right], 1))).to.equal(0);
  });

  it('refuses bad regions, queues, processes and hosts', () => {
    const b = bench();
    const { pd, cq } = b.queuePair();
    const reg = (fields: object) => () =>
      b.run(b.api.regMr(pd, { hi: 0x8000, lo: 0, length: 1, access: 0, ...fields }));
    expect(refused(reg({ length: -1 }))).to.equal('ATTRIBUTE');
    expect(refused(reg({ length: 0.5 }))).to.equal('ATTRIBUTE');
    // The last byte that has an address, and the one behind it.
    expect(b.run(b.api.regMr(pd, { hi: 0xffff, lo: -8, length: 8, access: 0 })).length).to.equal(8);
    expect(refused(reg({ hi: 0xffff, lo: -8, length: 9 }))).to.equal('ATTRIBUTE');
    expect(refused(reg({ hi: 0xffff, lo: 8, length: 2 ** 32 }))).to.equal('ATTRIBUTE');
    expect(refused(reg({ access: ACCESS.remoteWrite }))).to.equal('ACCESS');
    expect(refused(reg({ hi: 0x1_0000 }))).to.equal('ATTRIBUTE');
    expect(refused(reg({ length: 2 ** 35 }))).to.equal('LIMIT');
    expect(refused(() => b.run(b.api.createCq(1, { entries: 2 ** 16 })))).to.equal('LIMIT');
    expect(refused(() => b.api.allocPd(3))).to.equal('ATTRIBUTE');
    expect(refused(() => b.api.createAh(pd, 2))).to.equal('ATTRIBUTE');
    expect(refused(() => b.api.createAh(pd, b.api.host))).to.equal('ATTRIBUTE');
    const init = { type: 2, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 4, maxSge: 40 } as const;
    expect(refused(() => b.run(b.api.createQp(pd, init)))).to.equal('LIMIT');
    const other = b.api.allocPd(2);
    expect(refused(() => b.run(b.api.createQp(other, { ...init, maxSge: 1 })))).to.equal('ATTRIBUTE');
  });

  it('keeps 8192 completion queues apart by number', () => {
    const b = bench();
    b.nic.commands.push = () => 0;
    const seen = new Set<number>();
    const all: Cq[] = [];
    b.run(
      (function* () {
        for (let i = 0; i < 8192; i++) all.push(yield* b.api.createCq(1, { entries: 1 }));
      })(),
    );
    for (const cq of all) seen.add(cq.cqn);
    expect([all[0]?.cqn, seen.size, Math.max(...seen)]).to.deep.equal([254, 8192, 8191]);
    expect(refused(() => b.run(b.api.createCq(1, { entries: 1 })))).to.equal('LIMIT');
  });
});

describe('modifyQp', () => {
  const S = QP_STATE;
  const states: readonly QpState[] = [0, 1, 2, 3, 4, 5, 6];

  it('allows exactly the transitions of the table', () => {
    const legal = (type: 2 | 3 | 4): string[] =>
      states.flatMap((from) => states.filter((to) => transition(type, from, to) !== null).map((to) => `${from}${to}`));
    const rc = [
      '00',
      '01',
      '10',
      '11',
      '12',
      '16',
      '20',
      '23',
      '26',
      '30',
      '33',
      '34',
      '36',
      '40',
      '43',
      '44',
      '46',
      '50',
      '56',
      '60',
      '66',
    ];
    expect(legal(2)).to.deep.equal(rc);
    expect(legal(3)).to.deep.equal([...rc.slice(0, 18), '53', '56', '60', '66']);
    expect(legal(4)).to.deep.equal([...rc.slice(0, 18), '53', '56', '60', '66']);
  });

  it('refuses everything else without giving a command', () => {
    const b = bench();
    const { qp } = b.queuePair();
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.constantFrom(...states), (from, to) => {
        if (transition(2, from, to) !== null) return;
        qp.state = from;
        const commands = b.nic.commands.length;
        expect(refused(() => b.run(b.api.modifyQp(qp, { state: to })))).to.equal('STATE');
        expect([qp.state, b.nic.commands.length]).to.deep.equal([from, commands]);
      }),
    );
  });

  it('asks the NIC for the state where RTS or SQE is given for it, and takes either for the other', () => {
    const b = bench();
    const { qp } = b.queuePair();
    for (const curState of [S.sqe, S.rts]) {
      const commands = b.nic.commands.length;
      b.run(b.api.modifyQp(qp, { state: S.rts, curState }));
      expect(qp.state).to.equal(S.rts);
      expect(b.nic.commands.slice(commands).map((c) => c.name)).to.deep.equal(['QUERY_QP', 'RTS2RTS']);
    }
    expect(refused(() => b.run(b.api.modifyQp(qp, { state: S.rts, curState: S.sqd })))).to.equal('STATE');
  });

  it('refuses missing, surplus and bad attributes', () => {
    const b = bench();
    const { pd, cq } = b.queuePair();
    const init = { type: 2, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 4, maxSge: 1 } as const;
    const qp = b.run(b.api.createQp(pd, init));
    const toInit = { state: S.init, pkeyIndex: 0, port: 1, accessFlags: 0 } as const;
    const attempt = (attr: object) => () => b.run(b.api.modifyQp(qp, attr as never));
    expect(refused(attempt({ state: S.init, pkeyIndex: 0, port: 1 }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...toInit, qkey: 1 }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...toInit, port: 2 }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...toInit, curState: S.rtr }))).to.equal('STATE');
    b.run(b.api.modifyQp(qp, toInit));
    const rtr = {
      state: S.rtr,
      av: { remoteHost: 1 },
      pathMtu: 5,
      destQpn: 1,
      rqPsn: 0,
      maxDestRdAtomic: 1,
      minRnrTimer: 1,
    };
    expect(refused(attempt({ ...rtr, pathMtu: 6 }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...rtr, minRnrTimer: 32 }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...rtr, av: { remoteHost: 7 } }))).to.equal('ATTRIBUTE');
    expect(refused(attempt({ ...rtr, av: { remoteHost: qp.host } }))).to.equal('ATTRIBUTE');
    expect(qp.destQpn).to.equal(0);
    b.run(b.api.modifyQp(qp, rtr as never));
    expect(qp.state).to.equal(S.rtr);
  });

  it('drives each transition by its command', () => {
    const b = bench();
    const { qp } = b.queuePair();
    const step = (attr: object): string => {
      b.run(b.api.modifyQp(qp, attr as never));
      return b.nic.names.at(-1) as string;
    };
    expect(step({ state: S.rts, minRnrTimer: 3 })).to.equal('RTS2RTS');
    expect(step({ state: S.sqd, enSqdAsyncNotify: true })).to.equal('RTS2SQD');
    expect((b.nic.commands.at(-1)?.modifier as number) >>> 0).to.equal(0x8000_000e);
    expect(step({ state: S.sqd, timeout: 3 })).to.equal('SQD2SQD');
    expect(step({ state: S.rts })).to.equal('SQD2RTS');
    expect(step({ state: S.err })).to.equal('2ERR');
    expect(step({ state: S.reset })).to.equal('ERR2RST');
    const given = b.nic.names.length;
    step({ state: S.reset });
    expect(b.nic.names.length, 'RESET -> RESET').to.equal(given);
    expect(step({ state: S.init, pkeyIndex: 0, port: 1, accessFlags: 0 })).to.equal('RST2INIT');
    expect(step({ state: S.init, accessFlags: 2 })).to.equal('INIT2INIT');
  });

  it('brings a reset queue pair back with empty rings', () => {
    const b = bench();
    const { qp } = b.queuePair();
    b.run(b.api.postSend(qp, [sendWr(2, [])], 1));
    b.run(b.api.postRecv(qp, [recvWr([])], 1));
    b.run(b.api.modifyQp(qp, { state: S.reset }));
    expect([qp.sendOutstanding, qp.recvOutstanding]).to.deep.equal([0, 0]);
    b.run(b.api.connectQp(qp as Qp, { host: 1, qpn: 99, psn: 7 }));
    expect(qp.state).to.equal(S.rts);
  });
});

/** Position of the request that is refused. */
function indexOf(call: () => unknown): number | undefined {
  try {
    call();
  } catch (error) {
    return error instanceof HostApiError ? error.index : undefined;
  }
  return undefined;
}
