import { expect } from 'chai';
import type { MrInfo } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { FakeWorld, PROCESS, QPN, SRC_HI, type Entry } from './fakeWorld.ts';

const KEY = 0x5000;
const START = 0x5001;
const LIST: Entry[] = [[SRC_HI, 0, 100]];

/** Two hosts whose queue pairs are of domain 1, with a region of 64 KiB on each. */
function world(over: Partial<MrInfo> = {}): FakeWorld {
  const w = new FakeWorld();
  for (const host of [0, 1]) {
    w.qp(host, QPN[host] as number, QP_TYPE.rc, true, 7, 1);
    const place = { hi: START, lo: 0, length: 0x10000, zeroBased: false };
    w.oracle.mrRegistered({ host, process: PROCESS, pd: 1, access: 15, key: KEY, ...place, ...over });
  }
  return w;
}

/** What is said of a WRITE to `lo` of the region that completes with SUCCESS. */
function remote(w: FakeWorld, lo = 0, rkey = KEY, opcode: number = WR_OPCODE.rdmaWrite): string {
  w.sendDone(w.send(LIST, { opcode, rkey, remote: [START, lo] }));
  return w.reports[0]?.text.split('expected ')[1] ?? '';
}

describe('SCB_STATUS of a request whose key must be refused', () => {
  it('says that a remote key names no region, or none any more', () => {
    const unknown = 'REM_ACCESS_ERR because remote key 0x7777 names no region of host 1';
    expect(remote(world(), 0, 0x7777)).to.equal(unknown);
    const w = world();
    w.oracle.mrDeregistering(1, KEY);
    w.oracle.mrDeregistered({ host: 1, key: KEY });
    expect(remote(w)).to.contain('remote key 0x5000 names no region of host 1 any more: it was deregistered');
  });

  it('says which protection domains differ', () => {
    const text = 'the region of remote key 0x5000 is of protection domain 2, its queue pair of protection domain 1';
    expect(remote(world({ pd: 2 }))).to.contain(text);
  });

  it('says which right is missing, and all that is wrong', () => {
    const access = ACCESS.localWrite | ACCESS.remoteRead;
    const missing = 'lacks the right remoteWrite (it has localWrite, remoteRead)';
    expect(remote(world({ access }))).to.match(/remote key 0x5000 lacks/);
    expect(remote(world({ access, pd: 2 }))).to.contain(`protection domain 1, and ${missing}`);
  });

  it('says by how much a range leaves its region, at either end', () => {
    const region = 'is 65536 B at 0x00005001_00000000, and the range, 100 B at';
    expect(remote(world(), 0x10000 - 64)).to.contain(`${region} 0x00005001_0000ffc0, ends 36 B behind it`);
    expect(remote(world({ lo: 32, length: 8 }))).to.contain('begins 32 B before it and ends 60 B behind it');
  });

  it('says what the queue pair of the peer lacks', () => {
    const w = world();
    const queues = { sendCqn: 256, recvCqn: 257, remoteHost: 0, remoteQpn: QPN[0], signalAll: true };
    const plain = { process: PROCESS, mtu: 1024, sqPsn: 0, rqPsn: 0, qkey: 0, ackTimeout: 0, rnrRetry: 7 };
    w.oracle.qpChanged({ ...plain, ...queues, host: 1, qpn: QPN[1], type: QP_TYPE.rc, access: ACCESS.remoteRead });
    const peer = `host 1 QP ${QPN[1]} (process ${PROCESS}, RC)`;
    const text = `the peer does not permit the operation: ${peer} lacks the right remoteWrite (it has remoteRead)`;
    expect(remote(w)).to.equal(`REM_INV_REQ_ERR because ${text}`);
  });

  it('names the entry of a local list, and what its key lacks', () => {
    const own: Entry[] = [
      [SRC_HI, 0, 4],
      [SRC_HI, 4, 0],
      [START, 0xffff, 3],
    ];
    const sges = own.map(([hi, lo, length], i) => ({ hi, lo, length, lkey: i === 2 ? KEY : hi }));
    for (const [w, text] of [
      [world(), 'is 65536 B at 0x00005001_00000000, and the range, 3 B at 0x00005001_0000ffff, ends 2 B behind it'],
      [world({ pd: 3 }), 'is of protection domain 3'],
    ] as const) {
      const item = w.send(own, { lkeys: sges.map((s) => s.lkey) });
      w.sendDone(item);
      expect(w.reports[0]?.text).to.contain(`LOC_PROT_ERR because SG entry 2: the region of key 0x5000 ${text}`);
    }
  });

  it('names the receive that cannot take a message, in REM_OP_ERR and REM_INV_REQ_ERR of its sender', () => {
    const closed = world();
    const recv = closed.recv([[0x6666, 0, 100]]);
    const send = closed.send(LIST);
    closed.recvDone(recv, send, { status: WC_STATUS.locProtErr });
    closed.sendDone(send);
    const entry = 'cannot take it: SG entry 0: key 0x6666 names no region of host 1';
    expect(closed.reports[0]?.text).to.contain(
      `(wrId ${recv.wr.wrId}, WQE ${recv.wqeIndex}, 100 B in 1 SG entry) ${entry}`,
    );
    const w = world();
    const short = w.recv([[START, 0, 99]]);
    const long = w.send(LIST);
    w.recvDone(short, long, { status: WC_STATUS.locLenErr });
    w.sendDone(long);
    expect(w.reports[0]?.text).to.contain('99 B in 1 SG entry) is too short for it');
  });

  it('says nothing where the right status comes', () => {
    const w = world();
    w.sendDone(w.send(LIST, { opcode: WR_OPCODE.rdmaWrite, rkey: 0x7777 }), { status: WC_STATUS.remAccessErr });
    expect(w.reports).to.deep.equal([]);
  });
});
