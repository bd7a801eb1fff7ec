import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

describe('RequestChecker', () => {
  for (const [service, type, said] of [
    [BTH_CLASS.uc, 3, [0, 9, 0, 0, 4]],
    [BTH_CLASS.rc, 2, [0, 0, 0, 0, 0]],
  ] as const) {
    it(`counts frames between two packets of a message of an unreliable connection (service ${service})`, () => {
      const b = new WireBench().connect({ type });
      let sent = 1;
      b.hears({ sentFrames: () => sent });
      const between: number[] = [];
      b.monitor.packets.connect((p) => void between.push(p.framesBetween));
      for (const [i, [operation, frames]] of [
        [BTH_OP.sendFirst, 1],
        [BTH_OP.sendMiddle, 11],
        [BTH_OP.sendLast, 12],
        [BTH_OP.sendFirst, 90],
        [BTH_OP.sendLast, 95],
      ].entries() as IterableIterator<[number, [number, number]]>) {
        sent = frames;
        b.request({ opcode: service | operation, psn: 0x100 + i, payload: 256, ackRequest: i > 1 && i !== 3 });
      }
      expect(between).to.deep.equal(said);
      expect(b.ids()).to.deep.equal({});
    });
  }

  it('lets a requester that sends again leave out what was acknowledged before its peer went', () => {
    const sent = (gone: boolean): object => {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      for (const psn of [0x100, 0x101, 0x102, 0x103]) b.request({ opcode: 4, psn, payload: 4 });
      b.wait(1_048_576_000);
      b.request({ opcode: 4, psn: 0x100, payload: 4 });
      if (gone) {
        b.response({ opcode: 17, psn: 0x102, ext: aeth(0x1f, 3) });
        b.transport.qpGone(1, 0x11);
      }
      for (const psn of [0x101, 0x103]) b.request({ opcode: 4, psn, payload: 4 });
      return b.ids();
    };
    expect(sent(true)).to.deep.equal({});
    expect(sent(false)).to.deep.equal({ WIRE_PSN: 1 });
  });

  it('counts the READs without an answer, also where the peer is gone', () => {
    for (const gone of [false, true]) {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      const open: number[] = [];
      b.monitor.packets.connect((p) => void open.push(p.openReads));
      const read = (psn: number): unknown => b.request({ opcode: 12, psn, ext: reth(4) });
      read(0x100);
      if (gone) b.transport.qpGone(1, 0x11);
      b.wait(1_048_576_000);
      read(0x100);
      read(0x101);
      expect(open.at(-1)).to.equal(1);
    }
  });
});
