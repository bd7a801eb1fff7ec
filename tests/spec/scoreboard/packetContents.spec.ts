/** What packets on the wire carry against what was posted. */

import { expect } from 'chai';
import fc from 'fast-check';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import { DST_HI, type Entry, FakeWorld, PROCESS, QPN, type SendOptions, SRC_HI } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const MTU = 1024;
const SOURCE: Entry[] = [
  [SRC_HI, 4000, 300],
  [SRC_HI, 9000, 0],
  [SRC_HI, 20_001, 2000],
];
const WRITE: SendOptions = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x4321] };
const TO_WRITE = { vaHi: DST_HI, vaLo: 0x4321, rkey: DST_HI };

class World extends FakeWorld {
  psn = 0xfffffe;
  override readsPackets = true;
  override carries = false;

  /** Sends a message of host 0, cut into packets of the path MTU; `spoil` changes its bytes first. */
  sends(entries: readonly Entry[], operation: number, over: Partial<WirePacket> = {}, spoil = unspoilt): void {
    const bytes = spoil(this.gather(0, entries));
    const count = Math.max(1, Math.ceil(bytes.length / MTU));
    const at = this.memory.bytes.alloc(16 + bytes.length) + 16;
    this.memory.bytes.u8.set(bytes, at);
    for (let i = 0; i < count; i++) {
      const payloadLength = Math.min(MTU, bytes.length - i * MTU);
      const opcode = (over.opcode ?? BTH_CLASS.rc) | operation | 0;
      const packet = { opcode: count === 1 ? opcode : opcode + partOf(i, count), dmaLength: bytes.length };
      this.packet({ ...over, ...packet, payload: at + i * MTU, payloadLength });
    }
  }

  packet(over: Partial<WirePacket>): void {
    this.oracle.packet({ ...EMPTY_SEND, psn: this.psn, ...over });
    this.psn = (this.psn + 1) & 0xffffff;
  }
}

function unspoilt(bytes: Uint8Array): Uint8Array {
  return bytes;
}

/** What an operation of several packets is in its i-th, from that of a single packet. */
function partOf(i: number, count: number): number {
  if (i === 0) return BTH_OP.sendFirst - BTH_OP.sendOnly;
  return (i < count - 1 ? BTH_OP.sendMiddle : BTH_OP.sendLast) - BTH_OP.sendOnly;
}

describe('a packet of a request', () => {
  it('carries what is in the source, over entries, pages and packets', () => {
    const w = new World();
    for (let i = 0; i < 3; i++) w.send(SOURCE);
    for (let i = 0; i < 3; i++) w.sends(SOURCE, BTH_OP.sendOnly);
    expect(w.reports).to.deep.equal([]);
  });

  it('is found with any one byte of the message wrong, and says which', () => {
    const total = SOURCE.reduce((sum, [, , length]) => sum + length, 0);
    const anyByte = fc.property(fc.nat(total - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const w = new World();
      w.send(SOURCE);
      w.sends(SOURCE, BTH_OP.sendOnly, {}, (bytes) => bytes.fill((bytes[at] as number) ^ change, at, at + 1));
      expect(w.ids()).to.deep.equal([SCB.wireData]);
      expect(w.reports[0]?.text).to.include(`byte ${at % MTU} of its payload, ${at} of the message`);
    });
    fc.assert(anyByte, { numRuns: 50 });
  });

  it('shows the bytes that are sent and those of the source', () => {
    const w = new World();
    w.memory.poke(0, PROCESS, SRC_HI, 40, Uint8Array.of(0xab, 0xcd));
    w.send([[SRC_HI, 40, 2]]);
    w.sends([[SRC_HI, 40, 2]], BTH_OP.sendOnly, {}, (bytes) => bytes.reverse());
    expect(w.reports[0]?.text).to.match(/PSN 0xfffffe of SEND .*message on, cd ab instead of ab cd in the source$/);
  });

  it('is not judged where something else may have written the source since it was posted', () => {
    const w = new World();
    w.memory.poke(0, PROCESS, SRC_HI, 40, Uint8Array.of(1, 2));
    w.recv([[SRC_HI, 40, 1]], { host: 0 });
    w.send([[SRC_HI, 40, 2]]);
    w.sends([[SRC_HI, 40, 2]], BTH_OP.sendOnly, {}, () => Uint8Array.of(9, 2));
    expect(w.reports).to.deep.equal([]);
  });

  it('is not judged when it is sent again', () => {
    const w = new World();
    w.send(SOURCE);
    w.sends(SOURCE, BTH_OP.sendOnly);
    w.packet({ psn: 0xfffffe, retransmission: true, payloadLength: 5 });
    expect(w.reports).to.deep.equal([]);
  });

  it('names the remote range and the key that were posted', () => {
    const w = new World();
    for (let i = 0; i < 4; i++) w.send(SOURCE, WRITE);
    w.sends(SOURCE, BTH_OP.writeOnly, TO_WRITE);
    expect(w.reports).to.deep.equal([]);
    w.sends(SOURCE, BTH_OP.writeOnly, { ...TO_WRITE, vaLo: 0x2143 });
    w.sends(SOURCE, BTH_OP.writeOnly, { ...TO_WRITE, vaHi: 0 });
    w.sends(SOURCE, BTH_OP.writeOnly, { ...TO_WRITE, rkey: 1 });
    expect(w.ids()).to.deep.equal([SCB.wireRequest, SCB.wireRequest, SCB.wireRequest]);
    expect(w.reports[0]?.text).to.match(/names address 0x0000801d_00002143, and 0x0000801d_00004321 was posted$/);
    expect(w.reports[2]?.text).to.match(/carries R_Key 0x1, and 0x801d was posted$/);
  });

  it('asks with a READ for what was posted', () => {
    const w = new World();
    for (let i = 0; i < 2; i++) w.send(SOURCE, { ...WRITE, opcode: WR_OPCODE.rdmaRead });
    const read = { ...TO_WRITE, opcode: BTH_CLASS.rc | BTH_OP.readRequest };
    w.packet({ ...read, dmaLength: 2300 });
    expect(w.reports).to.deep.equal([]);
    w.packet({ ...read, dmaLength: 2299 });
    expect(w.reports[0]?.text).to.match(/is of a message of 2299 B, and 2300 B were posted$/);
  });

  it('ends with the immediate data that were posted, and with none where none were', () => {
    const w = new World();
    const imm = { opcode: WR_OPCODE.sendWithImm, imm: 0xfedcba98 };
    for (let i = 0; i < 3; i++) w.send([], imm);
    w.send([]);
    const sent = { opcode: BTH_CLASS.rc | BTH_OP.sendOnlyImm, immediate: 0xfedcba98 | 0 };
    w.packet(sent);
    expect(w.reports).to.deep.equal([]);
    w.packet({ ...sent, immediate: 0x98badcfe | 0 });
    w.packet({});
    w.packet(sent);
    expect(w.reports.map(({ text }) => text.replace(/.*RC\) /, ''))).to.deep.equal([
      'carries 0x98badcfe as immediate data, and 0xfedcba98 was posted',
      'carries neither immediate data nor a key, and immediate data was posted',
      'carries immediate data, and neither immediate data nor a key was posted',
    ]);
  });

  it('is of the operation that was posted, and of all its bytes', () => {
    const other = new World();
    other.send([], WRITE);
    other.send(SOURCE);
    other.packet({});
    other.sends(SOURCE.slice(0, 1), BTH_OP.sendOnly);
    expect(
      other.reports.map(({ text }) => text.replace(/.*RC\) /, '')),
      'and what is behind it',
    ).to.deep.equal(['is of another operation']);
    const short = new World();
    short.send(SOURCE);
    short.sends(SOURCE.slice(0, 1), BTH_OP.sendOnly);
    expect(short.reports[0]?.text).to.match(/is of a message of 300 B, and 2300 B were posted$/);
  });

  it('may carry the Q_Key of before a change that ended after it was posted', () => {
    const w = new World({}, QP_TYPE.ud);
    const own = { remoteQkey: 0x8000_0000 | 0 };
    const change = (qkey: number): void => {
      for (const step of ['qpChanging', 'qpChanged'] as const) w.oracle[step](w.info(0, QPN[0], QP_TYPE.ud, { qkey }));
    };
    const sent = { opcode: BTH_CLASS.ud | BTH_OP.sendOnly, sourceQp: QPN[0] };
    w.send([], own);
    w.send([], own);
    change(5);
    w.send([], own);
    w.packet({ ...sent, qkey: 0 });
    w.packet({ ...sent, qkey: 5 });
    expect(w.reports).to.deep.equal([]);
    w.packet({ ...sent, qkey: 0 });
    expect(w.reports[0]?.text).to.match(/carries Q_Key 0x0 instead of 0x5$/);
  });

  it('carries the old Q_Key or the new one while that is changed, no third one, and the old one if the NIC has refused', () => {
    const w = new World({}, QP_TYPE.ud);
    const own = { remoteQkey: 0x8000_0000 | 0 };
    const info = (qkey: number) => w.info(0, QPN[0], QP_TYPE.ud, { qkey });
    const packet = (qkey: number): void => {
      w.send([], own);
      w.packet({ opcode: BTH_CLASS.ud | BTH_OP.sendOnly, sourceQp: QPN[0], qkey });
    };
    w.oracle.qpChanging(info(5));
    for (const qkey of [0, 5]) packet(qkey);
    expect(w.reports).to.deep.equal([]);
    packet(6);
    expect(w.reports.pop()?.text).to.match(/carries Q_Key 0x6 instead of 0x5$/);
    w.oracle.qpChanged(info(0));
    packet(0);
    expect(w.reports).to.deep.equal([]);
    packet(5);
    expect(w.reports[0]?.text).to.match(/carries Q_Key 0x5 instead of 0x0$/);
  });

  it('goes as a datagram to the queue pair and with the Q_Key that were posted, or with its own where that was asked for', () => {
    const w = new World({}, QP_TYPE.ud);
    for (const remoteQkey of [0x1234, 0x1234, 0x1234, 0x8000_0000 | 0, 0x8000_0000 | 0]) w.send([], { remoteQkey });
    const sent = { opcode: BTH_CLASS.ud | BTH_OP.sendOnly, sourceQp: QPN[0], qkey: 0x1234 };
    w.packet(sent);
    w.packet({ ...sent, qkey: 0 });
    w.packet({ ...sent, destQp: 99 });
    w.packet({ ...sent, qkey: 0 });
    w.packet({ ...sent, qkey: 7 });
    expect(w.reports.map(({ text }) => text.replace(/.*UD\) /, ''))).to.deep.equal([
      'carries Q_Key 0x0 instead of 0x1234',
      'goes to QP 99, and 15 was posted',
      'carries Q_Key 0x7 instead of 0x0',
    ]);
  });

  it('belongs to the next request also when its queue has been empty', () => {
    const w = new World({ receivesMayRemain: true });
    const first = w.send(SOURCE);
    w.sends(SOURCE, BTH_OP.sendOnly);
    w.sendDone(first);
    w.send([], WRITE);
    w.packet({ ...TO_WRITE, opcode: BTH_CLASS.rc | BTH_OP.writeOnly });
    expect(w.ids().filter((id) => id === SCB.wireRequest || id === SCB.wireData)).to.deep.equal([]);
  });

  it('is judged behind SQD as before it', () => {
    const w = new World();
    for (let i = 0; i < 3; i++) w.send([], WRITE);
    const write = { ...TO_WRITE, opcode: BTH_CLASS.rc | BTH_OP.writeOnly };
    w.packet(write);
    w.oracle.qpInSqd(0, QPN[0]);
    w.oracle.qpResuming(0, QPN[0]);
    w.oracle.qpOutOfSqd(0, QPN[0]);
    w.oracle.qpOutOfSqe(0, QPN[0]);
    w.packet(write);
    expect(w.reports).to.deep.equal([]);
    w.packet({ ...write, rkey: 9 });
    expect(w.ids()).to.deep.equal([SCB.wireRequest]);
  });

  it('is not judged behind one to a queue pair that is not there, until the send queue has been empty', () => {
    const w = new World({ receivesMayRemain: true }, QP_TYPE.uc);
    const first = w.send([]);
    w.send([], WRITE);
    w.oracle.qpGone(1, QPN[1]);
    w.packet({ opcode: BTH_CLASS.uc | BTH_OP.sendOnly });
    w.qp(1, QPN[1], QP_TYPE.uc);
    w.packet({ ...TO_WRITE, opcode: BTH_CLASS.uc | BTH_OP.writeOnly });
    w.sendDone(first);
    expect(w.ids()).not.to.include(SCB.wireRequest);
  });

  it('is not judged behind a send queue that has stopped, until that has been empty', () => {
    const w = new World({ receivesMayRemain: true }, QP_TYPE.uc);
    const about = (): number => w.ids().filter((id) => id === SCB.wireRequest).length;
    const sent = { opcode: BTH_CLASS.uc | BTH_OP.sendOnly };
    const failed = w.send([[SRC_HI, 0, 10]], { lkeys: [77] });
    const flushed = w.send([]);
    w.sendDone(failed, { status: WC_STATUS.locProtErr });
    w.oracle.qpResuming(0, QPN[0]);
    w.oracle.qpOutOfSqe(0, QPN[0]);
    const write = w.send([], WRITE);
    w.packet(sent);
    expect(about()).to.equal(0);
    w.sendDone(flushed, { status: WC_STATUS.wrFlushErr });
    w.sendDone(write);
    w.send([], WRITE);
    w.packet(sent);
    expect(about()).to.equal(1);
  });
});
