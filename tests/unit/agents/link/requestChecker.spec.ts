import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import { WireBench } from '../support/wireBench.ts';

describe('RequestChecker', () => {
  for (const [service, type, said] of [
    [BTH_CLASS.uc, 3, [0, 9, 0, 0, 4]],
    [BTH_CLASS.rc, 2, [0, 0, 0, 0, 0]],
  ] as const) {
    it(`counts frames between two packets of a message of an unreliable connection (service ${service})`, () => {
      const b = new WireBench().connect({ type });
      const idle = { hasHeardAll: () => false, hasRested: () => false, hasIdled: () => false };
      let sent = 1;
      b.monitor.listenAt({ ...idle, sentFrames: () => sent });
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
});
