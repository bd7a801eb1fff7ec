/** What `check-pcap` prints: a line a finding, and a summary that names the rules which could not be held. */

import type { WireReportId } from '../../agents/wire/wireRules.ts';
import type { CaptureFinding } from '../../scoreboard/capture/captureFindings.ts';
import { RULES_OF_CAUSES, RULES_OF_HOSTS, RULES_OF_SENDERS } from '../../scoreboard/capture/captureRules.ts';
import { counted } from '../../uvm/report/counted.ts';
import type { JudgedCapture } from './judgeCapture.ts';

const PS_PER_SECOND = 1e12;
const DIGITS = 9;

/** For example `frame 17, 0.000012345 s: WIRE_PSN 10.0.0.1 to 10.0.0.2 QP 14: …`. */
export function findingLine({ id, frame, time, text }: CaptureFinding): string {
  return `frame ${frame}, ${(time / PS_PER_SECOND).toFixed(DIGITS)} s: ${id} ${text}`;
}

/** Rules that were not held, each with the reason. */
export function rulesOff(
  { judge: { counts, connections }, learnt, totals }: JudgedCapture,
  off: readonly WireReportId[],
): readonly (readonly [string, string])[] {
  const { sent, packets } = counts;
  const reasons: (readonly [string, string])[] = [];
  if (off.length > 0) reasons.push([off.join(', '), 'switched off by --off']);
  if (sent < packets) {
    const which = sent === 0 ? 'no frame is' : `only ${sent} of ${packets} frames are`;
    reasons.push([RULES_OF_SENDERS.join(', '), `${which} known to be as its sender sent it (--sent)`]);
  }
  const whole = totals.missed > 0 ? 0 : learnt.bothWays.size;
  const { length } = connections.addresses;
  if (whole < length) {
    const which = whole === 0 ? 'no NIC' : `only ${whole} of ${length} addresses`;
    reasons.push([RULES_OF_CAUSES.join(', '), `both what arrives and what leaves is known of ${which}`]);
  }
  return reasons;
}

export function captureSummary(
  { file, off }: { readonly file: string; readonly off: readonly WireReportId[] },
  judged: JudgedCapture,
): string {
  const { judge, learnt, totals } = judged;
  const { counts, connections, findings } = judge;
  const other = counts.frames - counts.packets - counts.arrivals - counts.injected + totals.otherLinks;
  const lines = [
    `${file}: ${totals.format}, ${counted(totals.frames, 'frame')}, ${counts.packets} of RoCEv2, ${other} of other protocols`,
    `  as their senders sent them ${counts.sent}, judged in their flows ${counts.inFlows}, congestion notifications ${counts.notifications}`,
    `  ${counted(connections.lives.length, 'connection')} between ${connections.addresses.length} addresses, path MTU ${[...judge.mtus].sort((a, b) => a - b).join(', ') || 'not seen'}`,
  ];
  const said = (count: number, what: string): void => {
    if (count > 0) lines.push(`  ${count} ${what}`);
  };
  said(counts.cutOff, 'frames were captured in part: neither ICRC nor pad was judged');
  said(counts.tooShort, 'of those are too short for their headers');
  said(counts.otherServices, 'packets of XRC or of a manufacturer are not judged');
  said(connections.unplaced, 'packets are beyond the connections that are followed');
  said(
    learnt.unpaired,
    'queue pairs are answered of which it cannot be told who answers: those answers are judged by themselves',
  );
  said(counts.arrivals, 'frames show that packets arrive which were captured as they left, too');
  said(
    counts.injected,
    'packets were put in by the testbench, as their comments say: neither they nor answers in their connections are judged',
  );
  said(totals.missed, 'frames are missing, as the capture says: rules of senders are off');
  for (const [ids, why] of rulesOff(judged, off)) lines.push(`  off: ${ids}: ${why}`);
  lines.push(`  off, since they ask hosts: ${Object.keys(RULES_OF_HOSTS).join(', ')}`);
  for (const [id, count] of findings.counts) lines.push(`  ${id}: ${count}`);
  const { total } = findings;
  lines.push(total === 0 ? 'CAPTURE PASSED: no finding' : `CAPTURE FAILED: ${counted(total, 'finding')}`);
  return lines.join('\n');
}
