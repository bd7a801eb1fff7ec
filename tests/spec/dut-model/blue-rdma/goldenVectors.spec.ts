import { expect } from 'chai';
import { SendChunk } from '../../../../dut-model/blue-rdma/model/sendChunk.ts';
import {
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  REPORT_RING,
  SEND_RING,
} from '../../../../dut-model/blue-rdma/layout/registers.ts';
import { BlueRings, type Words } from '../../support/blueRdma/blueRings.ts';
import { BlueWorld } from '../../support/blueRdma/blueWorld.ts';
import { GOLDEN } from '../../support/blueRdma/goldenVectors.ts';

const KEY = 0x1a3n;
const SUCCESS = 1n << 40n;
/** Queue pair 0x1f3 of MTU 256 with peer 0x205, so that many packets are few bytes. */
const qp = (qpn: bigint, peer: bigint, pmtu: bigint, host: bigint): Words => [
  (0x100n << 48n) | (0x0200n << 32n) | host,
  (peer << 40n) | (7n << 32n) | (2n << 28n) | (pmtu << 21n),
  (1n << 63n) | (qpn << 32n),
  (0x8002n << 48n) | (0x0a00_0000n | host),
];
const network = (host: bigint): Words => [
  ((0x0200n << 32n) | host) << 16n,
  (0x0a00_0000n | host) << 32n,
  0n,
  0x8003n << 48n,
];

/** Two hosts: 0 sends from queue pair 0x205, 1 receives at 0x1f3, in a region at 0x7f0000000000 of two pages. */
function world(): { w: BlueWorld; rings: readonly [BlueRings, BlueRings] } {
  const w = new BlueWorld();
  const rings = [new BlueRings(w.hosts[0]), new BlueRings(w.hosts[1])] as const;
  for (const i of [0, 1] as const) {
    const pages = new DataView(new ArrayBuffer(24));
    [0x4000_0000n, 0x4060_0000n, 0x40a0_0000n].forEach((page, n) => {
      pages.setBigUint64(8 * n, page, true);
    });
    w.hosts[i].put(0, 0x1234_5600, new Uint8Array(pages.buffer));
    rings[i].post(COMMAND_REQUEST_RING, [
      network(BigInt(i + 1)),
      GOLDEN.updatePages,
      GOLDEN.updateMr,
      i === 0 ? qp(0x205n, 0x1f3n, 1n, 2n) : qp(0x1f3n, 0x205n, 1n, 1n),
    ]);
  }
  w.scheduler.run();
  return { w, rings };
}

/** A pair of descriptors: a WRITE of `length` bytes at the start of the region. */
function write(length: number, psn: number): readonly [Words, Words] {
  const bytes = BigInt(length);
  return [
    [
      (0x1f3n << 8n) | (2n << 3n) | (2n << 36n) | (BigInt(psn) << 40n),
      0x7f00_0000_0000n,
      (KEY << 32n) | 0x0a00_0002n,
      (0xc000n << 48n) | (7n << 32n) | bytes,
    ],
    [
      0x7f00_0000_0000n,
      (KEY << 32n) | bytes,
      (0x0200_0000_0002n << 16n) | 0x2n,
      (0x8000n << 48n) | (((1n << 13n) | 0x1800n | 5n) << 32n),
    ],
  ];
}

describe('blue-rdma descriptors', () => {
  it('reads the golden pair of send descriptors field by field', () => {
    const chunk = new SendChunk();
    const a = new Int32Array(new BigUint64Array(GOLDEN.sendFirst).buffer);
    const b = new Int32Array(new BigUint64Array(GOLDEN.sendSecond).buffer);
    chunk.parse(a, 0, b, 0, 0);
    expect(chunk).to.include({ flags: 2, destQpn: 0x205, psn: 0x12, remoteHi: 0x7f00, remoteLo: 0xf00 });
    expect(chunk).to.include({ rkey: 0x1a3, destIp: 0x1122330b, total: 0x30000, msn: 7 });
    expect(chunk).to.include({ localHi: 0x7f10, localLo: 0x100, length: 0xf100, lkey: 0x2c4, sourceQpn: 0x1f3 });
    expect(chunk).to.include({ macHigh: 0xaabb, pmtu: 4096, first: true, last: false, retry: false, ecn: false });
    expect(chunk.macLow >>> 0).to.equal(0xccddee0b);
  });

  it('answers each command with a copy of it, in order', () => {
    const w = new BlueWorld();
    const rings = new BlueRings(w.hosts[0]);
    const commands = [network(1n), GOLDEN.updatePages, GOLDEN.updateMr, GOLDEN.manageQp];
    rings.post(COMMAND_REQUEST_RING, commands);
    w.scheduler.run();
    const expected = commands.map(([a, b, c, d]) => [a, b, c, d | SUCCESS]);
    expect(rings.take(COMMAND_RESPONSE_RING)).to.deep.equal(expected);
  });

  it('takes the golden commands for what they say', () => {
    const w = new BlueWorld();
    const rings = new BlueRings(w.hosts[0]);
    rings.post(COMMAND_REQUEST_RING, [GOLDEN.manageQp, GOLDEN.updateMr]);
    w.scheduler.run();
    const { qps, mrs } = w.nics[0];
    expect([qps.find(0x1f3), qps.find(0x1f4), qps.peerQpn[1], qps.access[1]]).to.deep.equal([1, -1, 0x205, 7]);
    expect([qps.pmtu(1), qps.type[1], qps.port[1], qps.macHigh[1]]).to.deep.equal([4096, 2, 0x100, 0xaabb]);
    expect([(qps.macLow[1] as number) >>> 0, qps.ip[1]]).to.deep.equal([0xccddee0b, 0x1122330b]);
    expect(mrs.check(0x1a3, 0x7f00, 0x3f_ffff, 1, 7)).to.equal(0);
    expect(mrs.check(0x1a3, 0x7f00, 0x40_0000, 1, 7)).to.equal(4);
    expect(mrs.check(0x1a3, 0x7f00, 0, 1, 8)).to.equal(3);
    expect(mrs.check(0x1a4, 0x7f00, 0, 1, 1)).to.equal(2);
  });

  it('reports the first packet of a message as the golden packet report has it', () => {
    const { w, rings } = world();
    // The golden report is of queue pair 0x205, message 7, PSN 0x12: host 1 sends to it.
    rings[1].post(COMMAND_REQUEST_RING, [qp(0x1f3n, 0x205n, 5n, 1n)]);
    rings[0].post(COMMAND_REQUEST_RING, [qp(0x205n, 0x1f3n, 5n, 2n)]);
    w.scheduler.run();
    const [first, second] = [GOLDEN.sendFirst, GOLDEN.sendSecond];
    rings[1].post(SEND_RING, [
      [first[0], first[1], (first[2] & ~0xffff_ffffn) | 0x0a00_0001n, first[3]],
      [0x7f00_0000_0100n, (KEY << 32n) | 0xf100n, (0x0200_0000_0001n << 16n) | 1n, second[3]],
    ]);
    w.scheduler.run();
    const [report] = rings[0].take(REPORT_RING);
    expect(report).to.deep.equal(GOLDEN.packetInfo);
  });

  it('reports PSN 0 and 1 received as the golden local ACK once the queue pair is idle', () => {
    const { w, rings } = world();
    rings[0].post(SEND_RING, write(512, 0));
    w.scheduler.run();
    const reports = rings[1].take(REPORT_RING);
    expect(reports).to.have.length(3);
    expect(reports[2]).to.deep.equal(GOLDEN.localAck);
  });

  it('reports the loss of PSN 5 as the golden pair, and tells the peer the same', () => {
    const { w, rings } = world();
    w.link.fate = ({ from, index }) => (from === 0 && index === 5 ? [] : [0]);
    rings[0].post(SEND_RING, write(129 * 256, 0));
    w.scheduler.run();
    const reports = rings[1].take(REPORT_RING);
    // First, Last, and the loss that the Last raises.
    expect(reports.slice(2)).to.deep.equal([GOLDEN.localNak, GOLDEN.localNakBefore]);
    const told = rings[0].take(REPORT_RING);
    expect(told).to.have.length(2);
    const [nak, before] = told as [Words, Words];
    const byHardware = 1n << 43n;
    expect(nak).to.deep.equal([
      GOLDEN.localNak[0],
      GOLDEN.localNak[1],
      (GOLDEN.localNak[2] & ~0xff_ffff_0000n) | (0x205n << 16n),
      GOLDEN.localNak[3] & ~byHardware,
    ]);
    expect(before).to.deep.equal(GOLDEN.localNakBefore);
  });
});
