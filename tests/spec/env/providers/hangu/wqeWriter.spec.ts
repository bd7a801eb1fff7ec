import { expect } from 'chai';
import fc from 'fast-check';
import { SEND_FLAG, WR_OPCODE } from '../../../../../rdma/verbs.ts';
import type { SendWr } from '../../../../../agents/verbs/verbsItems.ts';
import type { Qp } from '../../../../../env/verbs/verbsObjects.ts';
import { hex } from '../../support/fakeHcr.ts';
import type { SeenDoorbell } from '../../support/fakeHcr.ts';
import { ProviderBench, recvWr, sendWr } from '../../support/providerBench.ts';

const SQ = { hi: 0x40, lo: 0x0e00_0000 };
const RQ = { hi: 0x40, lo: 0x0e80_0000 };

function writerBench(): ProviderBench {
  return new ProviderBench({ settings: { events: false } });
}

/** Posts on QP 14 and returns the bench. */
function posted(type: 2 | 3 | 4, post: (bench: ProviderBench, qp: Qp) => void, maxInline = 0): ProviderBench {
  const bench = writerBench();
  const { qp } = bench.queuePair({ type, maxInline });
  expect(qp.qpn).to.equal(14);
  post(bench, qp);
  return bench;
}

function write(): SendWr {
  const wr = sendWr(WR_OPCODE.rdmaWrite, [[0, 10]]);
  Object.assign(wr, { remoteHi: 0x801f, remoteLo: 0, rkey: 6 });
  return wr;
}

const WRITE_TAIL = '00 00 00 00 1f 80 00 00 06 00 00 00 00 00 00 00 0a 00 00 00 06 00 00 00 00 00 00 00 1c 80 00 00';

describe('HanGu work-queue entries', () => {
  it('match the golden WRITE', () => {
    const bench = posted(2, (b, qp) => b.run(b.api.postSend(qp, [write()], 1)));
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo, 48))).to.equal(
      `00 00 00 00 00 00 00 00 c0 00 02 00 00 00 00 00 ${WRITE_TAIL}`,
    );
    expect(bench.nic.doorbells).to.deep.equal([{ offset: 0x1000, words: [0x0000_0008, 0x0000_0e03] }]);
  });

  it('match the golden link to a second WRITE', () => {
    const bench = posted(2, (b, qp) => b.run(b.api.postSend(qp, [write(), write()], 2)));
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo, 16))).to.equal('08 02 00 00 03 00 00 00 c0 00 02 00 00 00 00 00');
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 128, 16))).to.equal('00 00 00 00 00 00 00 00 c0 00 02 00 00 00 00 00');
    expect(bench.nic.doorbells.length).to.equal(1);
  });

  it('match the golden last RECV, followed by an empty slot', () => {
    const bench = posted(2, (b, qp) => {
      const wr = recvWr([[0, 10]]);
      Object.assign(wr.sges[0] as object, { hi: 0x801f, lkey: 9 });
      b.run(b.api.postRecv(qp, [wr], 1));
    });
    expect(hex(bench.virtual(1, RQ.hi, RQ.lo, 48))).to.equal(
      '20 00 00 00 00 00 00 00 c1 00 00 00 00 00 00 00 0a 00 00 00 09 00 00 00 00 00 00 00 1f 80 00 00' +
        ' 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00',
    );
    expect(hex(bench.virtual(1, RQ.hi, RQ.lo + 128, 16))).to.equal(Array(16).fill('00').join(' '));
    expect(bench.nic.doorbells).to.deep.equal([]);
  });

  it('keep entries of a RECV that hold nothing, but for one of zeros alone, which would end its list', () => {
    const bench = posted(2, (b, qp) => {
      const zero = recvWr([
        [0, 0],
        [64, 10],
      ]);
      Object.assign(zero.sges[0] as object, { hi: 0, lo: 0, lkey: 0 });
      const empty = recvWr([
        [0, 0],
        [64, 10],
        [128, 0],
        [192, 20],
      ]);
      b.run(b.api.postRecv(qp, [zero, empty], 2));
    });
    const words = (at: number, count: number) => {
      const bytes = Buffer.from(bench.virtual(1, RQ.hi, RQ.lo + at, count * 4));
      return Array.from({ length: count }, (_, i) => bytes.readUInt32LE(4 * i));
    };
    const units = (at: number): number => (words(at, 3)[2] as number) >>> 6;
    expect([units(0), words(16, 1), words(32, 4)]).to.deep.equal([3, [10], [0, 0, 0, 0]]);
    const lengths = [144, 160, 176, 192].flatMap((at) => words(at, 1));
    expect([units(128), lengths, words(208, 4)]).to.deep.equal([6, [0, 10, 0, 20], [0, 0, 0, 0]]);
  });

  it('put immediate data into dword 3, little-endian', () => {
    const bench = posted(2, (b, qp) => {
      const wr = write();
      Object.assign(wr, { opcode: WR_OPCODE.rdmaWriteWithImm, imm: 0x1122_3344 });
      b.run(b.api.postSend(qp, [wr], 1));
    });
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 12, 4))).to.equal('44 33 22 11');
  });

  it('announce fence and solicited event where the NIC looks for them', () => {
    const bench = posted(2, (b, qp) => {
      const first = write();
      const second = sendWr(WR_OPCODE.send, [[0, 4]]);
      second.flags = SEND_FLAG.fence | SEND_FLAG.solicited;
      b.run(b.api.postSend(qp, [first, second], 2));
      b.run(b.api.postSend(qp, [second], 1));
    });
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 4, 1))).to.equal('42');
    expect((bench.virtual(1, SQ.hi, SQ.lo + 128 + 8, 1)[0] as number) & 0xf).to.equal(2);
    expect(bench.nic.doorbells[1]?.words[0]).to.equal((16 << 8) | 0x20 | 0x0a);
  });

  it('give a datagram its destination, in a ring of 256-byte slots', () => {
    const bench = posted(4, (b, qp) => {
      const ah = b.api.createAh(qp.pd, 1);
      const wr = sendWr(WR_OPCODE.send, [[0, 8]]);
      Object.assign(wr, { ah: ah.index, remoteQpn: 0x15, remoteQkey: 0x1234_5678 });
      b.run(b.api.postSend(qp, [wr, wr], 2));
    });
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 4, 1))).to.equal('05');
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 16, 48))).to.equal(
      '01 00 00 00 01 00 02 00 00 00 00 02 00 00 00 02 01 00 00 0a 02 00 00 0a 00 00 00 00 00 00 00 00' +
        ' 15 00 00 00 78 56 34 12 00 00 00 00 00 00 00 00',
    );
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo, 4))).to.equal('0a 04 00 00');
    expect(bench.nic.doorbells[0]?.words).to.deep.equal([0x0a, 0x0e05]);
  });

  it('put both operands of an atomic behind the remote address', () => {
    const bench = posted(2, (b, qp) => {
      const wr = write();
      Object.assign(wr, { opcode: WR_OPCODE.atomicCmpAndSwp, compareLo: 1, compareHi: 2, swapLo: 3, swapHi: 4 });
      b.run(b.api.postSend(qp, [wr], 1));
      wr.opcode = WR_OPCODE.atomicFetchAndAdd;
      b.run(b.api.postSend(qp, [wr], 1));
    });
    const swap = '03 00 00 00 04 00 00 00 01 00 00 00 02 00 00 00';
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 32, 16))).to.equal(swap);
    const add = '01 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00';
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 128 + 32, 16))).to.equal(add);
    expect(bench.nic.doorbells.map((d) => d.words[1])).to.deep.equal([0x0e04, 0x0e04]);
  });

  it('copy inline data at post time, padded to a whole segment', () => {
    const bench = posted(
      2,
      (b, qp) => {
        const wr = sendWr(WR_OPCODE.send, [
          [0xffe, 5],
          [0x3000, 2],
        ]);
        wr.flags = SEND_FLAG.inline;
        b.run(b.api.postSend(qp, [wr], 1));
      },
      32,
    );
    const data = hex(bench.virtual(1, 0x801c, 0xffe, 5));
    const more = hex(bench.virtual(1, 0x801c, 0x3000, 2));
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 16, 16))).to.equal(`07 00 00 80 ${data} ${more} 00 00 00 00 00`);
    expect(bench.nic.doorbells[0]?.words[1]).to.equal(0x0e02);
  });

  it('gather inline data across a multiple of 4 GiB', () => {
    const bench = posted(
      2,
      (b, qp) => {
        const wr = sendWr(WR_OPCODE.send, [[-2, 5]]);
        wr.flags = SEND_FLAG.inline;
        b.run(b.api.postSend(qp, [wr], 1));
      },
      32,
    );
    const data = `${hex(bench.virtual(1, 0x801c, -2, 2))} ${hex(bench.virtual(1, 0x801d, 0, 3))}`;
    expect(hex(bench.virtual(1, SQ.hi, SQ.lo + 16, 16))).to.equal(`05 00 00 80 ${data} 00 00 00 00 00 00 00`);
  });

  it('refuse a request that does not fit its slot', () => {
    const bench = writerBench();
    const { qp } = bench.queuePair();
    const six = Array.from({ length: 6 }, () => [0, 8] as const);
    const post = (): unknown => bench.api.postSend(qp, [sendWr(WR_OPCODE.atomicFetchAndAdd, six)], 1);
    expect(post).to.throw('the entry needs 144 bytes');
    expect(qp.sqPosted).to.equal(0);
    expect(bench.nic.doorbells).to.deep.equal([]);
  });

  it('form one linked list that a parser finds again, whatever is posted', () => {
    const entry = fc.tuple(fc.nat(0xf_ffff), fc.nat(0x7fff_ffff));
    const request = fc.record({
      opcode: fc.constantFrom(0, 1, 2, 3, 4, 5, 6),
      entries: fc.array(entry, { maxLength: 6 }),
      imm: fc.nat(),
      flags: fc.constantFrom(0, SEND_FLAG.fence, SEND_FLAG.solicited),
    });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 30 }), fc.nat(31), (requests, start) => {
        const bench = writerBench();
        const { qp } = bench.queuePair();
        qp.sqPosted = start;
        qp.sqFreed = start;
        const wrs = requests.map((r) => {
          const entries = r.opcode >= WR_OPCODE.atomicCmpAndSwp ? r.entries.slice(0, 5) : r.entries;
          return Object.assign(sendWr(r.opcode, entries), { imm: r.imm, flags: r.flags });
        });
        bench.run(bench.api.postSend(qp, wrs, wrs.length));
        expect(parse(bench, start)).to.deep.equal(wrs.map(summary));
      }),
      { numRuns: 40 },
    );
  });
});

const OPCODES = [0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12];

function summary(wr: SendWr): object {
  const sges = wr.sges.slice(0, wr.numSge).map((s) => [s.lo, s.length]);
  return { opcode: OPCODES[wr.opcode], fence: (wr.flags & SEND_FLAG.fence) !== 0, imm: wr.imm, sges };
}

/** A reader of send queues written from the format alone: follows the doorbell and the links. */
function parse(bench: ProviderBench, start: number): object[] {
  const [db0, db1] = (bench.nic.doorbells.at(-1) as SeenDoorbell).words as [number, number];
  let offset = (db0 >>> 8) * 16;
  let size = db1 & 0xff;
  let opcode = db0 & 0x1f;
  let fence = (db0 & 0x20) !== 0;
  expect(offset).to.equal(start * 128);
  const found: object[] = [];
  while (size > 0) {
    const raw = bench.virtual(1, SQ.hi, SQ.lo + offset, size * 16);
    const view = new DataView(raw.buffer);
    const word = (i: number): number => view.getUint32(i * 4, true);
    expect((word(2) >>> 6) & 0xff).to.equal(size);
    expect((word(2) >>> 14) & 0xff).to.equal(opcode);
    const head = opcode >= 0x11 ? 3 : opcode === 0x0a || opcode === 0x0b ? 1 : 2;
    const sges = [];
    for (let s = head; s < size; s++) sges.push([word(s * 4 + 2), word(s * 4)]);
    found.push({ opcode, fence, imm: word(3), sges });
    opcode = word(0) & 0x1f;
    offset = (word(0) >>> 6) * 16;
    size = word(1) & 0x3f;
    fence = (word(1) & 0x40) !== 0;
  }
  return found;
}
