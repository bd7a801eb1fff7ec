/** What `check-pcap --json` writes. */

import { RULES_OF_HOSTS } from '../../scoreboard/capture/captureRules.ts';
import type { JudgedCapture } from './judgeCapture.ts';
import { rulesOff } from './captureTexts.ts';

/** Counts, rules that were not held, and the findings that were kept; times in ns since the first frame. */
export function captureJson(file: string, judged: JudgedCapture): string {
  const { judge, learnt, totals, broken } = judged;
  const { counts, connections, findings } = judge;
  const content = {
    file,
    format: totals.format,
    ...counts,
    bothWays: [...learnt.bothWays],
    missed: totals.missed,
    connections: connections.lives.length,
    unpaired: learnt.unpaired,
    mtus: [...judge.mtus],
    broken,
    off: Object.fromEntries(rulesOff(judged, [])),
    asksHosts: RULES_OF_HOSTS,
    byRule: Object.fromEntries(findings.counts),
    findings: findings.kept.map(({ id, frame, time, text }) => ({ frame, ns: time / 1000, id, text })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
