import { expect } from 'chai';
import { WC_FLAG, WC_OPCODE, WC_STATUS } from '../../../../../rdma/verbs.ts';
import { BluePair, read, receive, send, write } from '../../../support/blueRdma/bluePair.ts';
import type { SeenFrame } from '../../../support/blueRdma/blueLink.ts';

/** Opcode and PSN of a frame; opcode -1 for one that is no RDMA packet. */
const opcodeOf = ({ bytes }: SeenFrame): number => bytes[42] as number;
const psnOf = ({ bytes }: SeenFrame): number =>
  ((bytes[51] as number) << 16) | ((bytes[52] as number) << 8) | (bytes[53] as number);
const isRetry = ({ bytes }: SeenFrame): boolean => ((bytes[43] as number) & 0x40) !== 0;
const ACK = 0x11;

describe('blue-rdma driver and NIC, end to end', () => {
  it('writes across a page and completes once', () => {
    const pair = new BluePair({ regionBytes: 5 << 20 });
    const [a, b] = pair.ends;
    const length = 300_001;
    const data = pair.fill(a, a.source, 0x1f_0003, length, 'write');
    const done = pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [write(a, b, length, { wrId: 7, at: 0x1f_0003, to: 0x1f_0f05 })], 1);
        return yield* pair.take(a, 1);
      })(),
    );
    expect(done).to.have.length(1);
    expect(done[0]).to.include({ wrId: 7, status: WC_STATUS.success, opcode: WC_OPCODE.rdmaWrite, isSend: true });
    expect(pair.bytes(b, b.target, 0x1f_0f05, length)).to.deep.equal(data);
    expect([pair.poll(a), pair.poll(b), pair.errors]).to.deep.equal([[], [], []]);
    expect(pair.world.link.frames.filter(isRetry)).to.have.length(0);
  });

  it('sends to the receives in their order, with and without immediate', () => {
    const pair = new BluePair();
    const [a, b] = pair.ends;
    const first = pair.fill(a, a.source, 0, 10_000, 'one');
    const second = pair.fill(a, a.source, 20_000, 5, 'two');
    const { sends, receives } = pair.run(
      (function* () {
        yield* b.api.postRecv(
          b.qp,
          [receive(b, 10_000, { wrId: 1, at: 100 }), receive(b, 64, { wrId: 2, at: 50_001 })],
          2,
        );
        const wrs = [send(a, 10_000, { wrId: 11 }), send(a, 5, { wrId: 12, at: 20_000, imm: 0x1234_5678 })];
        yield* a.api.postSend(a.qp, wrs, 2);
        const receives = yield* pair.take(b, 2);
        return { sends: yield* pair.take(a, 2), receives };
      })(),
    );
    expect(sends.map(({ wrId, status }) => [wrId, status])).to.deep.equal([
      [11, 0],
      [12, 0],
    ]);
    expect(receives[0]).to.include({ wrId: 1, byteLen: 10_000, opcode: WC_OPCODE.recv, flags: 0 });
    expect(receives[1]).to.include({ wrId: 2, byteLen: 5, imm: 0x1234_5678, flags: WC_FLAG.withImm });
    expect(pair.bytes(b, b.target, 100, 10_000)).to.deep.equal(first);
    expect(pair.bytes(b, b.target, 50_001, 5)).to.deep.equal(second);
  });

  it('holds a SEND, and what is behind it, until a receive is posted', () => {
    const pair = new BluePair();
    const [a, b] = pair.ends;
    pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [send(a, 100, { wrId: 1 }), write(a, b, 50, { wrId: 2 })], 2);
      })(),
    );
    expect([pair.world.link.frames.length, pair.poll(a)]).to.deep.equal([0, []]);
    const done = pair.run(
      (function* () {
        yield* b.api.postRecv(b.qp, [receive(b, 100, { wrId: 9, at: 4096 })], 1);
        return yield* pair.take(a, 2);
      })(),
    );
    expect(done.map(({ wrId }) => wrId)).to.deep.equal([1, 2]);
    expect(pair.poll(b).map(({ wrId }) => wrId)).to.deep.equal([9]);
  });

  it('writes with immediate, which takes a receive', () => {
    const pair = new BluePair();
    const [a, b] = pair.ends;
    const data = pair.fill(a, a.source, 0, 9000, 'imm');
    const [done] = pair.run(
      (function* () {
        yield* b.api.postRecv(b.qp, [receive(b, 0, { wrId: 3 })], 1);
        yield* a.api.postSend(a.qp, [write(a, b, 9000, { wrId: 4, imm: 77, to: 1 })], 1);
        yield* pair.take(a, 1);
        return yield* pair.take(b, 1);
      })(),
    );
    expect(done).to.include({ wrId: 3, opcode: WC_OPCODE.recvRdmaWithImm, byteLen: 9000, imm: 77 });
    expect(pair.bytes(b, b.target, 1, 9000)).to.deep.equal(data);
  });

  it('reads by a request that the driver of the peer answers with a write', () => {
    const pair = new BluePair();
    const [a, b] = pair.ends;
    const data = pair.fill(b, b.source, 3, 70_000, 'read');
    const done = pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [read(a, b, 70_000, { wrId: 5, at: 5, to: 3 }), read(a, b, 0, { wrId: 6 })], 2);
        return yield* pair.take(a, 2);
      })(),
    );
    expect(done.map(({ wrId, status, opcode }) => [wrId, status, opcode])).to.deep.equal([
      [5, 0, WC_OPCODE.rdmaRead],
      [6, 0, WC_OPCODE.rdmaRead],
    ]);
    expect(pair.bytes(a, a.target, 5, 70_000)).to.deep.equal(data);
    expect(pair.poll(b)).to.deep.equal([]);
  });

  it('sends a packet again that was lost in the middle of a stream, and no other', () => {
    const pair = new BluePair({ attributes: { mtu: 1024 } });
    const [a, b] = pair.ends;
    const length = 400_000;
    const data = pair.fill(a, a.source, 0, length, 'loss');
    let lost = -1;
    pair.world.link.fate = (frame) => {
      if (frame.from !== 0 || frame.index !== 37) return [0];
      lost = psnOf(frame);
      return [];
    };
    pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [write(a, b, length)], 1);
        yield* pair.take(a, 1);
      })(),
    );
    const again = pair.world.link.frames.filter((frame) => frame.from === 0 && isRetry(frame));
    expect(again.map(psnOf)).to.deep.equal([lost]);
    expect(pair.bytes(b, b.target, 0, length)).to.deep.equal(data);
    expect(a.driver.timeouts.expired).to.equal(0);
  });

  for (const [name, isIt] of [
    ['first packet', (frame: SeenFrame, n: number) => frame.from === 0 && n === 0],
    ['last packet', (frame: SeenFrame) => [0x02, 0x08, 0x0f].includes(opcodeOf(frame))],
    ['READ request', (frame: SeenFrame) => opcodeOf(frame) === 0x0c],
    ['first packet of a READ response', (frame: SeenFrame) => opcodeOf(frame) === 0x0d],
    ['driver’s acknowledgement', (frame: SeenFrame) => opcodeOf(frame) === ACK],
  ] as const) {
    it(`recovers from the loss of a ${name}`, () => {
      const pair = new BluePair({ attributes: { mtu: 512, timeout: 5 } });
      const [a, b] = pair.ends;
      const written = pair.fill(a, a.source, 0, 20_000, 'a');
      const sent = pair.fill(a, a.source, 30_000, 20_000, 'b');
      const asked = pair.fill(b, b.source, 0, 20_000, 'c');
      let dropped = 0;
      let n = 0;
      pair.world.link.fate = (frame) => {
        if (dropped > 0 || !isIt(frame, n++)) return [0];
        dropped++;
        return [];
      };
      const { sends, receives } = pair.run(
        (function* () {
          yield* b.api.postRecv(b.qp, [receive(b, 20_000, { wrId: 8, at: 100_000 })], 1);
          const wrs = [
            write(a, b, 20_000, { wrId: 1 }),
            send(a, 20_000, { wrId: 2, at: 30_000 }),
            read(a, b, 20_000, { wrId: 3, at: 5 }),
          ];
          yield* a.api.postSend(a.qp, wrs, 3);
          const sends = yield* pair.take(a, 3);
          return { sends, receives: yield* pair.take(b, 1) };
        })(),
      );
      expect(dropped).to.equal(1);
      expect(sends.map(({ wrId, status }) => [wrId, status])).to.deep.equal([
        [1, 0],
        [2, 0],
        [3, 0],
      ]);
      expect(receives.map(({ wrId, byteLen }) => [wrId, byteLen])).to.deep.equal([[8, 20_000]]);
      expect(pair.bytes(b, b.target, 0, 20_000)).to.deep.equal(written);
      expect(pair.bytes(b, b.target, 100_000, 20_000)).to.deep.equal(sent);
      expect(pair.bytes(a, a.target, 5, 20_000)).to.deep.equal(asked);
      expect([pair.poll(a), pair.poll(b), pair.errors]).to.deep.equal([[], [], []]);
    });
  }

  it('completes a READ whose data come though every acknowledgement of its request is lost', () => {
    const pair = new BluePair({ attributes: { mtu: 512, timeout: 5, retryCnt: 1 } });
    const [a, b] = pair.ends;
    const data = pair.fill(b, b.source, 0, 2000, 'asked');
    pair.world.link.fate = (frame) => (frame.from === 1 && opcodeOf(frame) === ACK ? [] : [0]);
    const done = pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [read(a, b, 2000, { wrId: 3 }), read(a, b, 0, { wrId: 4 })], 2);
        return yield* pair.take(a, 2);
      })(),
    );
    expect(done.map(({ wrId, status }) => [wrId, status])).to.deep.equal([
      [3, WC_STATUS.success],
      [4, WC_STATUS.success],
    ]);
    expect(pair.bytes(a, a.target, 0, 2000)).to.deep.equal(data);
  });

  it('gives up after its retries: one error, the rest flushed in order, and silence', () => {
    const pair = new BluePair({ attributes: { timeout: 3, retryCnt: 3 } });
    const [a, b] = pair.ends;
    pair.world.link.fate = () => [];
    const done = pair.run(
      (function* () {
        yield* a.api.postRecv(a.qp, [receive(a, 10, { wrId: 30 })], 1);
        yield* a.api.postSend(
          a.qp,
          [write(a, b, 10, { wrId: 1 }), write(a, b, 10, { wrId: 2 }), send(a, 3, { wrId: 3 })],
          3,
        );
        return yield* pair.take(a, 4);
      })(),
    );
    expect(done.map(({ wrId, status }) => [wrId, status])).to.deep.equal([
      [1, WC_STATUS.retryExcErr],
      [2, WC_STATUS.wrFlushErr],
      [3, WC_STATUS.wrFlushErr],
      [30, WC_STATUS.wrFlushErr],
    ]);
    // Two packets; both again, the last one to ask what is missing, both again.
    expect(pair.world.link.frames).to.have.length(7);
  });

  it('returns every byte that it took from the block pool', () => {
    const pair = new BluePair();
    const [a, b] = pair.ends;
    pair.run(
      (function* () {
        yield* a.api.postSend(a.qp, [write(a, b, 100_000)], 1);
        yield* pair.take(a, 1);
        yield* a.api.closeDevice();
        yield* b.api.closeDevice();
      })(),
    );
    expect([pair.errors, pair.world.blocks.inUse]).to.deep.equal([[], 0]);
  });
});
