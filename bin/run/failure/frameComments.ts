/** Which frames of a capture findings name, and what they say of them. */

import { type CapturedFrame, commentFrames } from '../../../agents/link/pcapComments.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';

/** A packet that a finding names. */
interface Named {
  readonly host: number;
  readonly destQp: number;
  readonly psn: number;
  /** Stamp of the log for its first bit; '' where the finding does not say. */
  readonly stamp: string;
  readonly text: string;
}

const PACKET =
  /\bhost (\d+)(?: QP \d+)? to host \d+ QP (\d+): [^,]+, PSN 0x([0-9a-f]+)(?: \([^)]*on the wire at (\S+?)\))?/g;
const LONGEST = 500;
const ETHERTYPE_IPV6 = 0x86dd;
const ETHERTYPE_IPV4 = 0x0800;

/**
 * Comments the frames of a capture that findings name by host, queue pair and PSN.
 * @param findings texts of errors, each with its id in front
 * @returns number of frames with a comment
 */
export function commentCapture(path: string, findings: readonly string[]): number {
  const named = findings.flatMap(namedIn);
  if (named.length === 0) return 0;
  return commentFrames(path, (frame) => {
    const texts = named.filter((packet) => isOne(packet, frame)).map(({ text }) => text);
    return texts.length === 0 ? undefined : [...new Set(texts)].join('\n');
  });
}

function namedIn(text: string): Named[] {
  return [...text.matchAll(PACKET)].map(([, host, destQp, psn = '', stamp = '']) => ({
    host: Number(host),
    destQp: Number(destQp),
    psn: Number.parseInt(psn, 16),
    stamp,
    text: text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`,
  }));
}

function isOne({ host, destQp, psn, stamp }: Named, frame: CapturedFrame): boolean {
  if (frame.host !== host || !frame.isSent) return false;
  const base = baseHeaderOf(frame.bytes);
  if (base === undefined || base.destQp !== destQp || base.psn !== psn) return false;
  // The capture counts nanoseconds.
  return stamp === '' || stamp.replace(/\.\d+ns$/, 'ns') === logTime(frame.ns * 1000);
}

/** Queue pair and PSN of a RoCEv2 frame, where they are if nothing is wrong with it. */
function baseHeaderOf(bytes: Uint8Array): { readonly destQp: number; readonly psn: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 54) return undefined;
  const type = view.getUint16(12);
  const ip = type === ETHERTYPE_IPV4 ? ((bytes[14] as number) & 15) * 4 : type === ETHERTYPE_IPV6 ? 40 : -1;
  const base = 14 + ip + 8;
  if (ip < 0 || bytes.length < base + 12) return undefined;
  return { destQp: view.getUint32(base + 4) & 0xff_ffff, psn: view.getUint32(base + 8) & 0xff_ffff };
}
