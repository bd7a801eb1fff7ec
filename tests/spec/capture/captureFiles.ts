/** Captures that specs build by hand: frames in every format, and changes of one frame with its invariant CRC mended. */

import { WireIcrc } from '../../../agents/wire/wireIcrc.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

export interface Captured {
  readonly bytes: Buffer;
  /** Nanoseconds. */
  readonly ns: number;
  /** 1 = received, 2 = sent, 0 = not said; of pcapng only. */
  readonly direction?: number;
  readonly interfaceId?: number;
  /** Bytes on the link, where fewer were captured. */
  readonly length?: number;
}

export interface Format {
  readonly name: string;
  readonly little: boolean;
  readonly nanoseconds: boolean;
  readonly ng: boolean;
}

export const FORMATS: readonly Format[] = [true, false].flatMap((ng) =>
  [true, false].flatMap((little) =>
    [true, false].map((nanoseconds) => ({
      name: `${ng ? 'pcapng' : 'pcap'}, ${little ? 'little' : 'big'}-endian, ${nanoseconds ? 'ns' : 'us'}`,
      little,
      nanoseconds,
      ng,
    })),
  ),
);

/** The frames of a pcapng file that `--pcap` has written. */
export function framesOf(file: Buffer): Captured[] {
  const frames: Captured[] = [];
  for (let at = 0; at < file.length; at += file.readUInt32LE(at + 4)) {
    if (file.readUInt32LE(at) !== 6) continue;
    const length = file.readUInt32LE(at + 20);
    const ns = file.readUInt32LE(at + 12) * 2 ** 32 + file.readUInt32LE(at + 16);
    const bytes = Buffer.from(file.subarray(at + 28, at + 28 + length));
    // The flags are the last option.
    const direction = file.readUInt32LE(at + file.readUInt32LE(at + 4) - 12) & 3;
    frames.push({ bytes, ns, direction, interfaceId: file.readUInt32LE(at + 8) });
  }
  return frames;
}

export function captureOf(frames: readonly Captured[], format: Format): Buffer {
  return format.ng ? pcapng(frames, format) : pcap(frames, format);
}

function words(little: boolean, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) {
    if (little) bytes.writeUInt32LE(value >>> 0, 4 * i);
    else bytes.writeUInt32BE(value >>> 0, 4 * i);
  }
  return bytes;
}

function halves(little: boolean, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) {
    if (little) bytes.writeUInt16LE(value, 2 * i);
    else bytes.writeUInt16BE(value, 2 * i);
  }
  return bytes;
}

function pcap(frames: readonly Captured[], { little, nanoseconds }: Format): Buffer {
  const head = [
    words(little, nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4),
    halves(little, 2, 4),
    words(little, 0, 0, 1 << 18, 1),
  ];
  const unit = nanoseconds ? 1 : 1000;
  const packets = frames.map(({ bytes, ns, length = bytes.length }) => {
    const seconds = Math.floor(ns / 1e9);
    const fraction = Math.floor((ns - seconds * 1e9) / unit);
    return Buffer.concat([words(little, seconds, fraction, bytes.length, length), bytes]);
  });
  return Buffer.concat([...head, ...packets]);
}

function block(little: boolean, type: number, body: Buffer): Buffer {
  const total = words(little, body.length + 12);
  return Buffer.concat([words(little, type), total, body, total]);
}

function pcapng(frames: readonly Captured[], { little, nanoseconds }: Format): Buffer {
  const section = Buffer.concat([words(little, 0x1a2b3c4d), halves(little, 1, 0), words(little, -1, -1)]);
  const resolution = nanoseconds ? Buffer.concat([halves(little, 9, 1), Buffer.from([9, 0, 0, 0])]) : Buffer.alloc(0);
  const end = words(little, 0);
  const face = Buffer.concat([halves(little, 1, 0), words(little, 0), resolution, end]);
  const most = Math.max(0, ...frames.map(({ interfaceId = 0 }) => interfaceId));
  const faces = Array.from({ length: most + 1 }, () => block(little, 1, face));
  const packets = frames.map(({ bytes, ns, direction = 0, interfaceId = 0, length = bytes.length }) => {
    const units = nanoseconds ? ns : Math.floor(ns / 1000);
    const head = words(little, interfaceId, Math.floor(units / 2 ** 32), units, bytes.length, length);
    const flags = Buffer.concat([halves(little, 2, 4), words(little, direction), end]);
    return block(little, 6, Buffer.concat([head, bytes, Buffer.alloc(-bytes.length & 3), flags]));
  });
  return Buffer.concat([block(little, 0x0a0d0d0a, section), ...faces, ...packets]);
}

const store = ByteStore.create();
const scratch = store.alloc(8192);
const computer = new WireIcrc(store);

/** Offset of the base transport header in a frame over IPv4 or IPv6 without a VLAN tag. */
export function transportOf(frame: Buffer): number {
  return frame.readUInt16BE(12) === 0x0800 ? 42 : 62;
}

/** The frame after `change`, with the invariant CRC that it then should have. */
export function changed(frame: Captured, change: (bytes: Buffer, transport: number) => void): Captured {
  const bytes = Buffer.from(frame.bytes);
  const transport = transportOf(bytes);
  change(bytes, transport);
  const isIpv4 = transport === 42;
  const end = 14 + (isIpv4 ? bytes.readUInt16BE(16) : 40 + bytes.readUInt16BE(18)) - 4;
  store.u8.set(bytes, scratch);
  const icrc = computer.compute(isIpv4 ? 4 : 6, scratch + 14, scratch + transport, scratch + end);
  bytes.writeInt32LE(icrc, end);
  return { ...frame, bytes };
}

/** The frame with an IEEE 802.1Q tag. */
export function tagged({ bytes, ...rest }: Captured): Captured {
  const tag = Buffer.from([0x81, 0, 0x20, 5]);
  return { ...rest, bytes: Buffer.concat([bytes.subarray(0, 12), tag, bytes.subarray(12)]) };
}
