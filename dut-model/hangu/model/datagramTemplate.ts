/** Headers of a datagram before the BTH: addresses come from the request (hangu-interface.md 6.3), ours from the context and the GID table. */
import { UD_SEG } from '../layout/queues.ts';
import { udpSourcePort } from '../../roce/frameBuilder.ts';
import type { HanguCore } from './core.ts';
import { QPC_DW } from './qpContext.ts';

/**
 * Fills `core.udTemplate`.
 * @param c dword of the queue pair's context
 * @param u dword of the request's UD segment
 * @param path as its address handle says
 */
export function writeDatagramTemplate(core: HanguCore, qpn: number, c: number, u: number, path: HandlePath): void {
  const w = core.bytes.i32;
  const ipv6 = ((w[u] as number) & UD_SEG.ipv6Flag) !== 0;
  const macLow = w[u + (UD_SEG.macLow >> 2)] as number;
  const dmacHigh = w[u + (UD_SEG.dmacHigh >> 2)] as number;
  const smacHigh = w[c + QPC_DW.smacHigh] as number;
  const g = u + (UD_SEG.sip >> 2);
  const gid = core.gidOf(c);
  const sip = w[c + QPC_DW.sip] as number;
  core.builder.writeTemplate(core.udTemplate, {
    ipv6,
    dmacHigh: dmacHigh >>> 16,
    dmacLow: (dmacHigh << 16) | (macLow >>> 16),
    smacHigh: smacHigh >>> 16,
    smacLow: (smacHigh << 16) | ((w[c + QPC_DW.macLow] as number) & 0xffff),
    sip,
    dip: w[u + (UD_SEG.dip >> 2)] as number,
    sgid: sourceGid(gid, path.gidIndex, sip),
    dgid: [w[g] as number, w[g + 1] as number, w[g + 2] as number, w[g + 3] as number],
    trafficClass: path.trafficClass,
    hopLimit: path.hopLimit,
    flowLabel: path.flowLabel,
    sourcePort: udpSourcePort(path.flowLabel, qpn, qpn),
  });
}

/** What the address handle of a datagram says of its way. */
export interface HandlePath {
  readonly gidIndex: number;
  readonly trafficClass: number;
  readonly hopLimit: number;
  readonly flowLabel: number;
}

/** Entries of the GID table: the IPv4 address of the port, and its GID. */
const GID_OF_IPV4 = 0;
const GID_OF_PORT = 1;
const PLAIN: HandlePath = { gidIndex: GID_OF_PORT, trafficClass: 0, hopLimit: 64, flowLabel: 0 };

/** @param u dword of the request's UD segment */
export function handlePath(w: Int32Array, u: number): HandlePath {
  const attributes = w[u + (UD_SEG.attributes >> 2)] as number;
  if ((attributes & UD_SEG.attributesFlag) === 0) return PLAIN;
  const start = w[u] as number;
  return {
    gidIndex: (start >>> UD_SEG.gidIndexShift) & 0xff,
    trafficClass: (attributes >>> UD_SEG.trafficClassShift) & 0xff,
    hopLimit: (start >>> UD_SEG.hopLimitShift) & 0xff,
    flowLabel: attributes & UD_SEG.flowLabelMask,
  };
}

function sourceGid(gid: Int32Array, index: number, sip: number): [number, number, number, number] {
  if (index === GID_OF_IPV4) return [0, 0, 0xffff, sip];
  return [gid[0] as number, gid[1] as number, gid[2] as number, gid[3] as number];
}

/** Whether the address handle of a datagram belongs to a protection domain. @param u dword of the request's UD segment */
export function handleIsOf(w: Int32Array, u: number, pd: number): boolean {
  const attributes = w[u + (UD_SEG.attributes >> 2)] as number;
  return (attributes & UD_SEG.attributesFlag) === 0 || w[u + (UD_SEG.pd >> 2)] === pd;
}
