/** Which frames of a capture findings accuse, and what they say of them. */

import { type CapturedFrame, commentFrames } from '../../../agents/link/pcapComments.ts';
import type { QueuePairs } from '../../../env/trace/queuePairs.ts';
import type { Finding } from '../../../env/trace/runRecorder.ts';
import { type Accused, accusedBy } from './subject.ts';

/** Frames that a finding accuses. */
interface AccusedFrames {
  readonly host: number;
  readonly destQp: number;
  readonly firstPsn: number;
  readonly psns: number;
  /** First bit on the wire, ns; -1 = whenever it was sent. */
  readonly ns: number;
  readonly text: string;
}

const LONGEST = 500;
const PSN_SPAN = 2 ** 24;
const PS_PER_NS = 1000;
const ETHERTYPE_IPV6 = 0x86dd;
const ETHERTYPE_IPV4 = 0x0800;

/**
 * Comments the frames of a capture that findings accuse.
 * @param pairs whose peers are looked up, of PSNs that findings name by their queue pair
 * @returns number of frames with a comment
 */
export function commentCapture(path: string, findings: readonly Finding[], pairs: QueuePairs): number {
  const accused = findings.flatMap((finding) => framesOf(accusedBy(finding.subject), textOf(finding), pairs));
  if (accused.length === 0) return 0;
  return commentFrames(path, (frame) => {
    const texts = accused.filter((one) => isOne(one, frame)).map(({ text }) => text);
    return texts.length === 0 ? undefined : [...new Set(texts)].join('\n');
  });
}

function textOf({ id, text }: Finding): string {
  const whole = `[${id}] ${text}`;
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST)}...`;
}

function framesOf({ packets, psns }: Accused, text: string, pairs: QueuePairs): AccusedFrames[] {
  const sent = packets.map(({ from, destQp, psn, sentAt }) => {
    // The capture counts nanoseconds.
    return { host: from, destQp, firstPsn: psn, psns: 1, ns: Math.floor(sentAt / PS_PER_NS), text };
  });
  const named = psns.map(({ host, qpn, first, count }) => {
    return { host, destQp: pairs.peerOf(host, qpn), firstPsn: first, psns: count, ns: -1, text };
  });
  return [...sent, ...named];
}

function isOne({ host, destQp, firstPsn, psns, ns }: AccusedFrames, frame: CapturedFrame): boolean {
  if (frame.host !== host || !frame.isSent || (ns >= 0 && ns !== Math.floor(frame.ns))) return false;
  const base = baseHeaderOf(frame.bytes);
  return base !== undefined && base.destQp === destQp && (base.psn - firstPsn + PSN_SPAN) % PSN_SPAN < psns;
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
