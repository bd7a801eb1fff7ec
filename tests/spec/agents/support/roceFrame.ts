import { crc32 } from 'node:zlib';

/** Fields of a test frame; what is left out is 0 or the usual value. */
export interface RoceFields {
  readonly from?: number;
  readonly to?: number;
  readonly vlan?: number;
  readonly ipv6?: boolean;
  readonly opcode: number;
  readonly destQp?: number;
  readonly psn?: number;
  /** Default: true for the last packet of a SEND or WRITE of RC. */
  readonly ackRequest?: boolean;
  readonly solicited?: boolean;
  readonly becn?: boolean;
  /** Extended headers, as bytes. */
  readonly ext?: readonly number[];
  readonly payload?: number;
  readonly pad?: number;
  /** Added to each byte of the payload. */
  readonly shift?: number;
  /** The payload itself, in place of a pattern of `payload` bytes. */
  readonly data?: Uint8Array;
  /** Of IPv4. */
  readonly identification?: number;
  readonly sourcePort?: number;
}

export const word = (n: number): number[] => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
export const reth = (length: number, rkey = 0x77, vaLo = 0x1000): number[] => [
  ...word(0),
  ...word(vaLo),
  ...word(rkey),
  ...word(length),
];
export const aeth = (syndrome: number, msn: number): number[] => word((syndrome << 24) | msn);
export const deth = (sourceQp: number, qkey = 0x1111): number[] => [...word(qkey), ...word(sourceQp)];
export const atomicEth = (): number[] => [...reth(0).slice(0, 12), ...word(0), ...word(5), ...word(0), ...word(6)];

/** Ethernet address of a host: 02:00:00:00:00:0h. */
export const macOf = (host: number): number[] => [2, 0, 0, 0, 0, host];

/** Opcodes that end a SEND or WRITE of a reliable connection. */
const ENDS = [2, 3, 4, 5, 8, 9, 10, 11, 22, 23];

/** A RoCEv2 frame with right lengths, checksums and ICRC, made apart from all code of the project. */
export function roceFrame(f: RoceFields): number[] {
  const payload = f.data?.length ?? f.payload ?? 0;
  const pad = f.pad ?? (4 - (payload % 4)) % 4;
  const data = f.data ?? Array.from({ length: payload }, (_, i) => (i * 3 + 1 + (f.shift ?? 0)) & 255);
  const psn = f.psn ?? 0;
  const bth = [
    f.opcode,
    (f.solicited ? 0x80 : 0) | (pad << 4),
    ...[0xff, 0xff],
    f.becn ? 0x40 : 0,
    ...word(f.destQp ?? 0x11).slice(1),
    (f.ackRequest ?? ENDS.includes(f.opcode)) ? 0x80 : 0,
    ...word(psn).slice(1),
  ];
  const body = [...bth, ...(f.ext ?? []), ...data, ...new Array<number>(pad).fill(0)];
  const udpLength = 8 + body.length + 4;
  const port = f.sourcePort ?? 0xc0de;
  const udp = [port >> 8, port & 255, 0x12, 0xb7, udpLength >> 8, udpLength & 255, 0, 0];
  const ends = [(f.from ?? 0) + 1, (f.to ?? 1) + 1] as const;
  const ip = f.ipv6 ? ipv6(udpLength, ...ends) : ipv4(20 + udpLength, f.identification ?? 0x1234, ...ends);
  const tag = f.vlan === undefined ? [] : [0x81, 0, f.vlan >> 8, f.vlan & 255];
  const ether = [...macOf(f.to ?? 1), ...macOf(f.from ?? 0), ...tag, ...(f.ipv6 ? [0x86, 0xdd] : [8, 0])];
  const frame = [...ether, ...ip, ...udp, ...body, 0, 0, 0, 0];
  setIcrc(frame, ether.length, f.ipv6 ?? false, frame.length - 4);
  while (frame.length < 60) frame.push(0);
  return frame;
}

/** Puts the right ICRC at `at` of a frame whose IP header begins at `network`. */
export function setIcrc(frame: number[], network: number, v6: boolean, at: number): void {
  const masked = frame.slice(network, at);
  const transport = v6 ? 48 : 28;
  const ones = v6 ? [1, 2, 3, 7] : [1, 8, 10, 11];
  for (const i of [...ones, transport - 2, transport - 1, transport + 4]) masked[i] = 255;
  if (v6) masked[0] = (masked[0] as number) | 15;
  const crc = crc32(Buffer.from([...new Array<number>(8).fill(255), ...masked]));
  for (let i = 0; i < 4; i++) frame[at + i] = (crc >>> (8 * i)) & 255;
}

function ipv4(total: number, id: number, from: number, to: number): number[] {
  const start = [0x45, 2, total >> 8, total & 255, id >> 8, id & 255, 0x40, 0, 64, 17, 0, 0];
  const header = [...start, 10, 0, 0, from, 10, 0, 0, to];
  let sum = 0;
  for (let i = 0; i < 20; i += 2) sum += ((header[i] as number) << 8) | (header[i + 1] as number);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  header[10] = (~sum >> 8) & 255;
  header[11] = ~sum & 255;
  return header;
}

function ipv6(length: number, from: number, to: number): number[] {
  const address = (last: number) => [0x20, 1, 0xd, 0xb8, ...new Array<number>(11).fill(0), last];
  return [0x60, 0, 0, 0, length >> 8, length & 255, 17, 64, ...address(from), ...address(to)];
}
