/** Queue pairs in RESET and INIT, of which a peer does not know that they have left RTS. */

import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const SOURCE: Entry[] = [[SRC_HI, 40, 300]];
const TARGET: Entry[] = [[DST_HI, 5000, 300]];
const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] as const };

const WRITE_PACKET: WirePacket = {
  ...EMPTY_SEND,
  opcode: BTH_CLASS.uc | BTH_OP.writeOnly,
  dmaLength: 300,
  ...{ vaHi: DST_HI, vaLo: 5000, rkey: DST_HI, payload: 64, payloadLength: 300 },
};

describe('a UC WRITE to a queue pair that has been reset', () => {
  /** Ids when it is `sent`, and the peer has been set up again as far as `again` goes. */
  function written(sent: boolean, again: (w: FakeWorld) => void): string[] {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    w.carries = false;
    w.oracle.packet({ ...WRITE_PACKET, opcode: BTH_CLASS.uc | BTH_OP.writeFirst });
    w.oracle.qpGone(1, QPN[1]);
    again(w);
    const write = w.send(SOURCE, WRITE);
    if (sent) w.oracle.packet(WRITE_PACKET);
    w.sendDone(write);
    w.oracle.finish();
    return w.ids();
  }

  it('completes when it has been sent, whatever becomes of it', () => {
    expect(written(true, () => {})).to.deep.equal([]);
    expect(written(false, () => {})).to.deep.equal([SCB.transmissions]);
  });

  it('is known by its sender also when the peer is in INIT, with receives', () => {
    const init = (w: FakeWorld): void => {
      w.made(1, QPN[1], QP_TYPE.uc);
      w.recv(TARGET);
    };
    expect(written(true, init)).to.deep.equal([]);
    expect(written(false, init)).to.deep.equal([SCB.transmissions]);
  });

  it('may have been on its way when the peer was reset', () => {
    const w = new FakeWorld({}, QP_TYPE.uc);
    w.carries = false;
    const write = w.send(SOURCE, WRITE);
    w.oracle.packet(WRITE_PACKET);
    w.oracle.qpGone(1, QPN[1]);
    w.sendDone(write);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });
});

describe('a queue pair in INIT', () => {
  it('flushes its receives into its own completion queue when software takes it to ERR', () => {
    const w = new FakeWorld();
    w.oracle.qpGone(1, QPN[1]);
    w.made(1, QPN[1]);
    const r = w.recv(TARGET);
    w.oracle.qpToErr(1, QPN[1]);
    w.flushed(r);
    w.oracle.qpInErr(1, QPN[1]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });
});
