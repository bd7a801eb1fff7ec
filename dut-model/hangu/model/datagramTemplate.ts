/** Headers of a datagram before the BTH: addresses come from the request (hangu-interface.md 6.3), ours from the context. */
import { UD_SEG } from '../layout/queues.ts';
import { udpSourcePort } from '../../roce/frameBuilder.ts';
import type { HanguCore } from './core.ts';
import { QPC_DW } from './qpContext.ts';

/**
 * Fills `core.udTemplate`.
 * @param c dword of the queue pair's context
 * @param u dword of the request's UD segment
 */
export function writeDatagramTemplate(core: HanguCore, qpn: number, c: number, u: number): void {
  const w = core.bytes.i32;
  const ipv6 = ((w[u] as number) & UD_SEG.ipv6Flag) !== 0;
  const macLow = w[u + (UD_SEG.macLow >> 2)] as number;
  const dmacHigh = w[u + (UD_SEG.dmacHigh >> 2)] as number;
  const smacHigh = w[c + QPC_DW.smacHigh] as number;
  const g = u + (UD_SEG.sip >> 2);
  const gid = core.gidOf(c);
  core.builder.writeTemplate(core.udTemplate, {
    ipv6,
    dmacHigh: dmacHigh >>> 16,
    dmacLow: (dmacHigh << 16) | (macLow >>> 16),
    smacHigh: smacHigh >>> 16,
    smacLow: (smacHigh << 16) | ((w[c + QPC_DW.macLow] as number) & 0xffff),
    sip: w[c + QPC_DW.sip] as number,
    dip: w[u + (UD_SEG.dip >> 2)] as number,
    sgid: [gid[0] as number, gid[1] as number, gid[2] as number, gid[3] as number],
    dgid: [w[g] as number, w[g + 1] as number, w[g + 2] as number, w[g + 3] as number],
    trafficClass: 0,
    hopLimit: 64,
    flowLabel: 0,
    sourcePort: udpSourcePort(0, qpn, qpn),
  });
}
