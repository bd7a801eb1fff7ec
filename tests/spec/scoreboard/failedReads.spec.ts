/** What the judge makes of reads of host memory that fail, where it is not only the message that is asked for that they may be for. */

import { expect } from 'chai';
import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import type { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { DST_HI, type Entry, FakeWorld, PROCESS, QPN, SRC_HI } from './fakeWorld.ts';

const { locProtErr, wrFlushErr, remOpErr } = WC_STATUS;

describe('reads of host memory that fail', () => {
  let w: FakeWorld;
  const begin = (type: number = QP_TYPE.rc): void => {
    w = new FakeWorld({ receivesMayRemain: true, wire: { ...NO_WIRE, watches: true } }, type);
  };
  beforeEach(() => begin());

  /** The NIC of a host cannot read bytes of a process. */
  function fails(host: number, hi: number, lo: number, over: Partial<FailedAccess> = {}): void {
    w.memory.translate(host, PROCESS, hi, lo);
    const at = { host, hi: w.memory.physHi, lo: w.memory.physLo, length: 64, time: w.clock.now };
    const what = { kind: 'read', how: 'aborted', area: 'data', receives: false, tag: 0 } as const;
    w.oracle.accessFails({ ...at, ...what, firstQpn: -1, lastQpn: -1, firstCqn: -1, lastCqn: -1, ...over });
  }

  /** The NIC of a host cannot read a receive of its queue pair. */
  function failsToReceive(host: number): void {
    const qpn = QPN[host] as number;
    fails(host, SRC_HI, 0, { area: 'queue', receives: true, firstQpn: qpn, lastQpn: qpn });
  }

  const entry = (hi: number, lo: number): Entry[] => [[hi, lo, 64]];

  /** Host 0 reads 64 B of host 1. */
  function read(): PostedSend {
    return w.send(entry(SRC_HI, 0x5000), { opcode: WR_OPCODE.rdmaRead, remote: [DST_HI, 0x2000] });
  }

  describe('of a responder', () => {
    /** Its own request is flushed after it could not read where a READ asks it to, of which its requester is told `told`. */
    function flushesAfter(told: number, failsAt: number): string[] {
      const r = read();
      if (told === WC_STATUS.success) w.scatter(0, entry(SRC_HI, 0x5000), w.gather(1, entry(DST_HI, 0x2000)));
      else w.oracle.qpToErr(0, QPN[0]);
      w.sendDone(r, { status: told });
      const own = w.send(entry(SRC_HI, 0x9000), { host: 1, opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x6000] });
      fails(1, DST_HI, failsAt);
      w.sendDone(own, { status: wrFlushErr });
      return w.ids();
    }

    it('take it to the error state also for a READ that its requester has flushed', () => {
      expect(flushesAfter(wrFlushErr, 0x2000)).to.not.include(SCB.status);
    });

    it('or that was answered, and may be asked for again', () => {
      expect(flushesAfter(WC_STATUS.success, 0x2000)).to.not.include(SCB.status);
    });

    it('but not for READs of other bytes', () => {
      expect(flushesAfter(WC_STATUS.success, 0x3000)).to.include(SCB.status);
    });

    it('nor for what was read before nothing was in flight', () => {
      const r = read();
      w.scatter(0, entry(SRC_HI, 0x5000), w.gather(1, entry(DST_HI, 0x2000)));
      w.sendDone(r);
      w.oracle.quiet();
      const own = w.send(entry(SRC_HI, 0x9000), { host: 1, opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x6000] });
      fails(1, DST_HI, 0x2000);
      w.sendDone(own, { status: wrFlushErr });
      expect(w.ids()).to.include(SCB.status);
    });

    it('must end the READ that they were made for', () => {
      const ends = (status: number): string[] => {
        begin();
        const r = read();
        fails(1, DST_HI, 0x2000);
        w.scatter(0, entry(SRC_HI, 0x5000), w.gather(1, entry(DST_HI, 0x2000)));
        w.sendDone(r, { status });
        w.oracle.quiet();
        return w.ids();
      };
      expect(ends(remOpErr)).to.not.include(SCB.failedRead);
      expect(ends(WC_STATUS.success)).to.include(SCB.failedRead);
    });
  });

  describe('of a receive', () => {
    it('must end the message that is on its way, unless the queue pair flushes its receives', () => {
      const ends = (flushes: boolean): string[] => {
        begin();
        const [first, second] = [w.recv(entry(DST_HI, 0x1000)), w.recv(entry(DST_HI, 0x2000))];
        const s = w.send(entry(SRC_HI, 0x1000));
        w.scatter(1, entry(DST_HI, 0x1000), w.gather(0, entry(SRC_HI, 0x1000)));
        if (flushes) {
          w.recvDone(first, s);
          w.oracle.qpToErr(1, QPN[1]);
          w.oracle.qpInErr(1, QPN[1]);
        }
        failsToReceive(1);
        if (flushes) w.flushed(second);
        else w.recvDone(first, s);
        w.sendDone(s);
        w.oracle.quiet();
        return w.ids();
      };
      expect(ends(true)).to.not.include(SCB.failedRead);
      expect(ends(false)).to.include(SCB.failedRead);
    });

    it('may let WRITEs of an unreliable connection be dropped that come later', () => {
      const drops = (unreadable: boolean): string[] => {
        begin(QP_TYPE.uc);
        if (unreadable) failsToReceive(1);
        const s = w.send(entry(SRC_HI, 0x1000), { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x2000] });
        w.sendDone(s);
        w.oracle.quiet();
        return w.ids();
      };
      expect(drops(true)).to.not.include(SCB.data);
      expect(drops(false)).to.include(SCB.data);
    });
  });

  describe('of what a queue pair sends', () => {
    it('stop the send queue alone of an unreliable connection, which goes on when software lets it', () => {
      begin(QP_TYPE.uc);
      const ends = (lo: number, status: number): void => {
        const s = w.send(entry(SRC_HI, lo), { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, lo], unsent: true });
        if (status !== WC_STATUS.success) fails(0, SRC_HI, lo);
        else {
          w.carry(s);
          w.scatter(1, entry(DST_HI, lo), w.gather(0, entry(SRC_HI, lo)));
        }
        w.sendDone(s, { status });
      };
      ends(0x1000, locProtErr);
      w.recovers(0, QPN[0]);
      ends(0x2000, locProtErr);
      w.recovers(0, QPN[0]);
      ends(0x3000, WC_STATUS.success);
      expect(w.ids()).to.deep.equal([]);
    });

    it('have one request that fails in it, and none that is flushed without', () => {
      begin(QP_TYPE.uc);
      const s = w.send(entry(SRC_HI, 0x1000), { opcode: WR_OPCODE.rdmaWrite, unsent: true });
      fails(0, SRC_HI, 0x1000);
      w.sendDone(s, { status: wrFlushErr });
      expect(w.ids()).to.include(SCB.status);
    });

    it('ends with what its NIC says it tells of data, and with no other error', () => {
      const { locProtErr: protection, locQpOpErr: operation, generalErr: general, fatalErr: fatal } = WC_STATUS;
      for (const data of [protection, operation, general, fatal]) {
        for (const status of [protection, operation, general, fatal]) {
          const profile = { ...HANGU_PROFILE, failedReads: { data, queue: operation } };
          w = new FakeWorld({ receivesMayRemain: true, profile, wire: { ...NO_WIRE, watches: true } }, QP_TYPE.rc);
          const s = w.send(entry(SRC_HI, 0x1000), { opcode: WR_OPCODE.rdmaWrite, unsent: true });
          fails(0, SRC_HI, 0x1000);
          w.sendDone(s, { status });
          expect(w.ids().includes(SCB.status), `${status} for ${data}`).to.equal(status !== data);
        }
      }
    });

    it('may come to nothing where the packet has been sent before', () => {
      const ends = (sent: boolean): string[] => {
        begin(QP_TYPE.uc);
        const target = w.recv(entry(DST_HI, 0x1000));
        const s = w.send(entry(SRC_HI, 0x1000), { unsent: true });
        if (sent) w.carry(s);
        fails(0, SRC_HI, 0x1000);
        if (!sent) w.carry(s);
        w.scatter(1, entry(DST_HI, 0x1000), w.gather(0, entry(SRC_HI, 0x1000)));
        w.recvDone(target, s);
        w.sendDone(s);
        w.oracle.quiet();
        return w.ids();
      };
      expect(ends(true)).to.not.include(SCB.failedRead);
      expect(ends(false)).to.include(SCB.failedRead);
    });
  });
});
