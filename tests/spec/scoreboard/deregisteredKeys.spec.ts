import { expect } from 'chai';
import { WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, PROCESS, SRC_HI } from './fakeWorld.ts';

const SOURCE: Entry[] = [[SRC_HI, 40, 300]];
const TARGET: Entry[] = [[DST_HI, 5000, 300]];

/** Software of a host deregisters a region, and the NIC has done it or not yet. */
function deregister(w: FakeWorld, host: number, hi: number, done = true): void {
  w.oracle.mrDeregistering(host, hi);
  if (done) w.oracle.mrDeregistered({ host: host, key: hi });
}

/** Another region over the bytes of the targets. */
function register(w: FakeWorld): void {
  const info = { host: 1, process: PROCESS, pd: 1, hi: DST_HI, lo: 0, length: 0x10000, access: 0xf, zeroBased: false };
  w.oracle.mrRegistered({ ...info, key: 77 });
}

/** Whether the NIC has done the deregistration, how a request over the region completes then, and whether that is right. */
const LOCAL_CASES = [
  [false, WC_STATUS.success, true],
  [false, WC_STATUS.locProtErr, true],
  [true, WC_STATUS.success, false],
  [true, WC_STATUS.locProtErr, true],
] as const;

describe('a region that goes while requests of its own side name it', () => {
  it('lets a request that was posted before succeed or end with LOC_PROT_ERR, with no other error', () => {
    for (const [opcode, hi, entries] of [
      [WR_OPCODE.rdmaWrite, SRC_HI, SOURCE],
      [WR_OPCODE.rdmaRead, DST_HI, TARGET],
    ] as const)
      for (const [status, right] of [
        [WC_STATUS.success, true],
        [WC_STATUS.locProtErr, true],
        [WC_STATUS.locQpOpErr, false],
      ] as const) {
        const w = new FakeWorld();
        const from = opcode === WR_OPCODE.rdmaRead ? SOURCE : TARGET;
        const remote = [from[0]?.[0] as number, from[0]?.[1] as number] as const;
        const s = w.send(entries, { opcode, rkey: remote[0], remote });
        deregister(w, 0, hi);
        if (status === WC_STATUS.success && opcode === WR_OPCODE.rdmaRead) w.scatter(0, TARGET, w.gather(1, SOURCE));
        if (status === WC_STATUS.success && opcode === WR_OPCODE.rdmaWrite) w.scatter(1, TARGET, w.gather(0, SOURCE));
        w.sendDone(s, { status });
        w.oracle.quiet();
        expect(w.ids(), `${opcode} ${status}`).to.deep.equal(right ? [] : [SCB.status]);
      }
  });

  it('is no reason for LOC_PROT_ERR where the request names other memory', () => {
    const w = new FakeWorld();
    const s = w.send([[DST_HI, 0, 50]], { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] });
    deregister(w, 0, SRC_HI);
    w.sendDone(s, { status: WC_STATUS.locProtErr });
    expect(w.ids()).to.deep.equal([SCB.status]);
  });

  it('lets a receive be filled by a message sent before the key was void, or fail with its sender', () => {
    for (const filled of [true, false]) {
      const w = new FakeWorld();
      const r = w.recv(TARGET);
      const s = w.send(SOURCE);
      deregister(w, 1, DST_HI);
      if (filled) {
        w.scatter(1, TARGET, w.gather(0, SOURCE));
        w.recvDone(r, s);
        w.sendDone(s);
      } else {
        w.recvDone(r, s, { status: WC_STATUS.locProtErr });
        w.sendDone(s, { status: WC_STATUS.remOpErr });
      }
      expect(w.ids()).to.deep.equal([]);
    }
  });

  it('lets no message fill a receive that was sent when the key was void', () => {
    for (const [done, wrong] of [
      [true, true],
      [false, false],
    ] as const) {
      const w = new FakeWorld();
      const r = w.recv(TARGET);
      deregister(w, 1, DST_HI, done);
      const s = w.send(SOURCE);
      w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.recvDone(r, s);
      w.sendDone(s);
      expect(w.ids()).to.deep.equal(wrong ? [SCB.status] : []);
      if (wrong) expect(w.reports[0]?.text).to.contain('expected LOC_PROT_ERR').and.contain('was deregistered');
    }
  });

  it('lets a request that is posted before the NIC has done it succeed or fail, and no later one succeed', () => {
    for (const [done, status, right] of LOCAL_CASES) {
      const w = new FakeWorld();
      deregister(w, 0, SRC_HI, done);
      const s = w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] });
      if (status === WC_STATUS.success) w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.sendDone(s, { status });
      w.oracle.quiet();
      expect(w.ids(), `${done} ${status}`).to.deep.equal(right ? [] : [SCB.status]);
    }
  });

  it('lets a receive that is posted before the NIC has done it be filled or fail, and no later one be filled', () => {
    for (const [done, status, right] of LOCAL_CASES) {
      const w = new FakeWorld();
      deregister(w, 1, DST_HI, done);
      const r = w.recv(TARGET);
      const s = w.send(SOURCE);
      if (status === WC_STATUS.success) w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.recvDone(r, s, { status });
      w.sendDone(s, { status: status === WC_STATUS.success ? status : WC_STATUS.remOpErr });
      expect(w.ids(), `${done} ${status}`).to.deep.equal(right ? [] : [SCB.status]);
    }
  });

  it('fills no receive that was posted before that with a message which is sent when the key is void', () => {
    const w = new FakeWorld();
    deregister(w, 1, DST_HI, false);
    const r = w.recv(TARGET);
    w.oracle.mrDeregistered({ host: 1, key: DST_HI });
    const s = w.send(SOURCE);
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.recvDone(r, s);
    expect(w.ids()).to.deep.equal([SCB.status]);
  });

  it('leaves open which of two keys over the same bytes the receive has', () => {
    for (const status of [WC_STATUS.success, WC_STATUS.locProtErr]) {
      const w = new FakeWorld();
      register(w);
      const r = w.recv(TARGET);
      deregister(w, 1, DST_HI);
      const s = w.send(SOURCE);
      w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.recvDone(r, s, { status });
      w.sendDone(s, { status: status === WC_STATUS.success ? status : WC_STATUS.remOpErr });
      expect(w.ids()).to.deep.equal([]);
    }
  });
});
