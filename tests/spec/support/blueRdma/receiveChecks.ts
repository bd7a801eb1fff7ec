/**
 * The receive path by hand: frames of all kinds are put on the wire by the raw ring of the peer, and what the NIC does with
 * each is held against blue-rdma.md sections 8.4, 9 and 14.
 */
import type { BlueBlocks } from '../../../../dut-model/blue-rdma/model/blueBlocks.ts';
import {
  COMMAND_REQUEST_RING,
  type CounterName,
  RAW_RECEIVE_RING,
  RAW_SEND_RING,
  REPORT_RING,
  SEND_RING,
} from '../../../../dut-model/blue-rdma/layout/registers.ts';
import { BlueRings, type Words } from './blueRings.ts';
import { BlueWorld } from './blueWorld.ts';

const KEY = 0x1a3;
const QPN = 0x1f3;
const BASE = 0x7f00_0000_0000n;
const LENGTH = 0x40_0000n;
const PAGES = [0x4000_0000n, 0x4060_0000n, 0x40a0_0000n] as const;
const SLOTS = 0x180_0000;

/** What differs from a WRITE_ONLY of 64 bytes to the start of the region. */
interface FrameFields {
  readonly mac?: bigint;
  readonly ip?: number;
  readonly etherType?: number;
  readonly port?: number;
  readonly opcode?: number;
  readonly qpn?: number;
  readonly psn?: number;
  readonly va?: bigint;
  readonly key?: number;
  readonly length?: number;
  readonly payload?: number;
}

function frameOf(f: FrameFields): Uint8Array {
  const payload = f.payload ?? 64;
  const va = f.va ?? BASE;
  const pad = payload === 0 ? 0 : Number(va & 3n);
  const v = new DataView(new ArrayBuffer(96 + pad + payload));
  const mac = f.mac ?? 0x0200_0000_0002n;
  v.setUint16(0, Number(mac >> 32n));
  v.setUint32(2, Number(mac & 0xffff_ffffn));
  v.setUint16(12, f.etherType ?? 0x0800);
  v.setUint16(14, 0x4500);
  v.setUint16(16, v.byteLength - 14);
  v.setUint8(23, 17);
  v.setUint32(30, f.ip ?? 0x0a00_0002);
  v.setUint16(36, f.port ?? 4791);
  v.setUint16(38, v.byteLength - 34);
  v.setUint8(42, f.opcode ?? 0x0a);
  v.setUint32(46, f.qpn ?? QPN);
  v.setUint32(50, (f.psn ?? 0) | 0x8000_0000);
  v.setBigUint64(54, va);
  v.setUint32(62, f.key ?? KEY);
  v.setUint32(66, f.length ?? payload);
  for (let i = 96 + pad; i < v.byteLength; i++) v.setUint8(i, 0xa5 ^ i);
  return new Uint8Array(v.buffer);
}

interface Case extends FrameFields {
  readonly name: string;
  /** The counter that goes up by one; 'taken' = the packet is accepted. */
  readonly counts: CounterName | 'taken';
}

const AGAIN = 2n ** 33n;
const CASES: readonly Case[] = [
  { name: 'a good WRITE', counts: 'taken', psn: 0 },
  { name: 'a WRITE in the second page', counts: 'taken', psn: 1, va: BASE + 0x20_0000n },
  { name: 'a WRITE at the end of the region', counts: 'taken', psn: 2, va: BASE + LENGTH - 64n },
  { name: 'an unaligned WRITE', counts: 'taken', psn: 3, va: BASE + 5n, payload: 33 },
  { name: 'a WRITE without payload and with a wrong key', counts: 'taken', psn: 4, payload: 0, key: 0 },
  { name: 'another key of the same region', counts: 'mrKey', key: KEY + 1 },
  { name: 'a key beyond the table', counts: 'header', key: 0x7fff_ff00 },
  { name: 'an unknown region', counts: 'mrKey', key: 0x200 },
  { name: 'a WRITE over the end', counts: 'outOfBounds', va: BASE + LENGTH - 63n },
  { name: 'a WRITE in front of the start', counts: 'outOfBounds', va: BASE - 1n },
  { name: 'a WRITE 4 GiB too far', counts: 'outOfBounds', va: BASE + 2n ** 32n },
  { name: 'a WRITE 8 GiB too far', counts: 'outOfBounds', va: BASE + AGAIN },
  { name: 'a WRITE at the end of all addresses', counts: 'outOfBounds', va: 2n ** 64n - 64n },
  { name: 'another number of the same queue pair', counts: 'qpContext', qpn: QPN + 1 },
  { name: 'a queue pair beyond the table', counts: 'header', qpn: 0xff_ff00 },
  { name: 'a queue pair in error', counts: 'qpContext', qpn: 0x300 },
  { name: 'a queue pair without the right to be written', counts: 'qpAccess', qpn: 0x400 },
  { name: 'a READ of a queue pair without the right', counts: 'qpAccess', qpn: 0x400, opcode: 0x0c, payload: 0 },
  { name: 'a WRITE to a region without the right', counts: 'mrAccess', key: 0x205 },
  { name: 'an opcode that does not exist', counts: 'opcode', opcode: 0x1e },
  { name: 'a first packet that is too short', counts: 'length', opcode: 0x06, length: 5000 },
  { name: 'a middle packet that is too short', counts: 'length', opcode: 0x07 },
  { name: 'an only packet of another length', counts: 'length', length: 65 },
  { name: 'a frame for another MAC address', counts: 'discarded', mac: 0x0200_0000_0009n },
  { name: 'a frame for another IP address', counts: 'discarded', ip: 0x0a00_0009 },
  { name: 'a frame for all', counts: 'taken', psn: 5, mac: 0xffff_ffff_ffffn },
  { name: 'an ARP frame for all', counts: 'toRaw', mac: 0xffff_ffff_ffffn, etherType: 0x0806, ip: 0 },
  { name: 'a frame to another UDP port', counts: 'toRaw', port: 53 },
];

/** What is wrong with the receive path of a NIC, one line each. */
export function checkProblems(blocks: Partial<BlueBlocks> = {}): string[] {
  const problems: string[] = [];
  const w = new BlueWorld({ blocks });
  const rings = [new BlueRings(w.hosts[0]), new BlueRings(w.hosts[1])] as const;
  send(w, rings[0], frameOf({}));
  const early = w.nics[1].core.counters[0];
  if (early?.notReady !== 1 || early.toRdma > 0)
    problems.push('a frame was taken before the network parameters were set');
  setUp(w, rings[1]);
  let raw = 0;
  for (const c of CASES) {
    const before = { ...w.nics[1].core.counters[0] };
    const writes = w.hosts[1].writes.length;
    const frame = frameOf(c);
    send(w, rings[0], frame);
    w.scheduler.run();
    const after = w.nics[1].core.counters[0] as Record<CounterName, number>;
    const up = (Object.keys(after) as CounterName[]).filter((name) => after[name] !== before[name]);
    const wanted =
      c.counts === 'taken'
        ? ['toRdma']
        : c.counts === 'discarded' || c.counts === 'toRaw'
          ? [c.counts]
          : [c.counts, 'toRdma'];
    if ([...up].sort().join() !== [...wanted].sort().join()) problems.push(`${c.name}: counted ${up.join()}`);
    const data = w.hosts[1].writes.slice(writes).filter(({ lo }) => lo >= 0x4000_0000);
    const reports = rings[1].take(REPORT_RING);
    if (c.counts === 'taken') problems.push(...taken(w, c, frame, reports));
    else if (data.length > 0 || reports.length > 0)
      problems.push(`${c.name}: ${data.length} writes, ${reports.length} reports`);
    if (c.counts === 'toRaw') problems.push(...rawProblems(w, rings[1], frame, raw++, c.name));
  }
  return [...problems, ...localProblems(w, rings[0])];
}

function taken(w: BlueWorld, c: Case, frame: Uint8Array, reports: readonly Words[]): string[] {
  const problems: string[] = [];
  if ((reports[0] as Words | undefined)?.[3] === undefined) problems.push(`${c.name}: no report`);
  const payload = c.payload ?? 64;
  const offset = (c.va ?? BASE) - BASE;
  const at = (PAGES[Number(offset >> 21n)] as bigint) + (offset & 0x1f_ffffn);
  const found = w.hosts[1].bytesAt(0, Number(at), payload);
  if (found.some((byte, i) => byte !== frame[frame.length - payload + i])) problems.push(`${c.name}: wrong bytes`);
  return problems;
}

function rawProblems(w: BlueWorld, rings: BlueRings, frame: Uint8Array, slot: number, name: string): string[] {
  const [descriptor] = rings.take(RAW_RECEIVE_RING);
  if (descriptor === undefined) return [`${name}: no raw frame`];
  const said = [Number(descriptor[2] >> 32n), Number(descriptor[3] & 0xffff_ffffn)];
  if (said[0] !== slot || said[1] !== frame.length) return [`${name}: slot ${said[0]}, ${said[1]} bytes`];
  const found = w.hosts[1].bytesAt(0, SLOTS + slot * 2048, frame.length);
  return found.some((byte, i) => byte !== frame[i]) ? [`${name}: wrong bytes`] : [];
}

/** Chunks whose local side is wrong are dropped. */
function localProblems(w: BlueWorld, rings: BlueRings): string[] {
  setUp(w, rings, w.hosts[0]);
  const frames = w.link.frames.length;
  const chunk = (lkey: number, at: bigint): Words[] => [
    [(0x205n << 8n) | (2n << 3n) | (2n << 36n), BASE, (BigInt(KEY) << 32n) | 0x0a00_0002n, (0xc000n << 48n) | 64n],
    [at, (BigInt(lkey) << 32n) | 64n, (0x0200_0000_0002n << 16n) | 1n, (0x8000n << 48n) | (0xb8f3n << 32n)],
  ];
  rings.post(SEND_RING, [...chunk(KEY + 1, BASE), ...chunk(KEY, BASE + LENGTH - 63n), ...chunk(KEY, BASE + AGAIN)]);
  w.scheduler.run();
  const sent = w.link.frames.length - frames;
  const problems = sent > 0 ? [`${sent} chunks with a wrong local side were sent`] : [];
  // A head that cuts a pair is legal: the NIC waits for its second half.
  for (const half of chunk(KEY, BASE)) {
    rings.post(SEND_RING, [half]);
    w.scheduler.run();
  }
  if (w.link.frames.length !== frames + sent + 1) problems.push('a pair that came in two halves was not sent');
  return problems;
}

function setUp(w: BlueWorld, rings: BlueRings, host = w.hosts[1]): void {
  const pages = new DataView(new ArrayBuffer(24));
  PAGES.forEach((page, n) => {
    pages.setBigUint64(8 * n, page, true);
  });
  host.put(0, 0x1234_5600, new Uint8Array(pages.buffer).subarray(0, 16));
  host.put(0, 0x1234_5800, new Uint8Array(pages.buffer).subarray(16));
  const own = host === w.hosts[1] ? 2n : 1n;
  const command = (opcode: bigint): bigint => (0x8000n | opcode) << 48n;
  const mr = (key: number, access: bigint): Words => [
    (access << 24n) | (0x20n << 7n),
    (LENGTH << 32n) | BigInt(key),
    BASE,
    command(0n),
  ];
  const pageCommand = (first: bigint, count: bigint, at: bigint): Words => [
    0n,
    (first << 32n) | (count - 1n),
    at,
    command(1n),
  ];
  const qp = (qpn: bigint, access: bigint, error: bigint): Words => [
    (0x100n << 48n) | (0x0200n << 32n) | (3n - own),
    (0x205n << 40n) | (access << 32n) | (2n << 28n) | (5n << 21n),
    (1n << 63n) | (error << 62n) | (qpn << 32n),
    command(2n) | (0x0a00_0000n | (3n - own)),
  ];
  rings.post(COMMAND_REQUEST_RING, [
    pageCommand(0x20n, 2n, 0x1234_5600n),
    pageCommand(0x22n, 1n, 0x1234_5800n),
    mr(KEY, 7n),
    mr(0x205, 5n),
    qp(BigInt(QPN), 7n, 0n),
    qp(0x300n, 7n, 1n),
    qp(0x400n, 1n, 0n),
    [0n, 0n, BigInt(SLOTS), command(4n)],
    [((0x0200n << 32n) | own) << 16n, (0x0a00_0000n | own) << 32n, 0n, command(3n)],
  ]);
  w.scheduler.run();
}

/** Puts a frame on the wire by the raw ring. */
function send(w: BlueWorld, rings: BlueRings, frame: Uint8Array): void {
  w.hosts[0].put(0, 0x190_0000, frame);
  rings.post(RAW_SEND_RING, [[0n, 0n, 0x190_0000n, (0x8000n << 48n) | BigInt(frame.length)]]);
  w.scheduler.run();
}
