/** What an address handle says of the way of its datagrams, and what is wrong with what software wants of it. */
import type { QpPath } from '../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../hostErrors.ts';

/** What `createAh` may be asked for. */
export interface AhRequest {
  /** RoCEv2 over IPv6 instead of IPv4. Default: as the entry of `gidIndex` says, else false. */
  readonly ipv6?: boolean;
  /** Entry of the port's GID table that datagrams come from, `GID_INDEX`. Default: that of the IP version. */
  readonly gidIndex?: number;
  /** 0 .. 255. Default 0. */
  readonly trafficClass?: number;
  /** 20 bits, IPv6 only. Default 0. */
  readonly flowLabel?: number;
  /** 1 .. 255. Default 64. */
  readonly hopLimit?: number;
}

/** What `queryAh` says. */
export interface AhAttributes extends Required<AhRequest> {
  readonly remoteHost: number;
}

/** The GIDs of a port: its IPv4 address as `::ffff:a.b.c.d`, and its IPv6 address. */
export const GID_INDEX = { ipv4: 0, ipv6: 1 } as const;
export const GID_ENTRIES = 2;

const DEFAULT_HOP_LIMIT = 64;
const MOST_FLOW_LABEL = 0xf_ffff;

/**
 * @param where for messages
 * @throws HostApiError of kind ATTRIBUTE for a value that there is not, and for an IP version that its GID does not have
 */
export function ahPath(where: string, request: AhRequest): QpPath & { readonly gidIndex: number } {
  const { trafficClass = 0, flowLabel = 0, hopLimit = DEFAULT_HOP_LIMIT } = request;
  const ipv6 = request.ipv6 ?? request.gidIndex === GID_INDEX.ipv6;
  const own = ipv6 ? GID_INDEX.ipv6 : GID_INDEX.ipv4;
  const { gidIndex = own } = request;
  checkRange(where, 'gidIndex', gidIndex, 0, GID_ENTRIES - 1);
  checkRange(where, 'trafficClass', trafficClass, 0, 0xff);
  checkRange(where, 'flowLabel', flowLabel, 0, MOST_FLOW_LABEL);
  checkRange(where, 'hopLimit', hopLimit, 1, 0xff);
  if (gidIndex !== own) {
    const what = `gidIndex of an address handle is ${gidIndex}, which is no GID of ${ipv6 ? 'IPv6' : 'IPv4'}`;
    throw new HostApiError('ATTRIBUTE', where, what, `use ${own}, or the other IP version`, gidIndex);
  }
  return { ipv6, gidIndex, trafficClass, flowLabel, hopLimit };
}

/** Whether a handle has nothing but what it has where software asks for nothing. */
export function isPlainPath({ trafficClass, flowLabel, hopLimit }: QpPath): boolean {
  return trafficClass === 0 && flowLabel === 0 && hopLimit === DEFAULT_HOP_LIMIT;
}

function checkRange(where: string, name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const nearest = Math.min(most, Math.max(least, Math.trunc(value) || 0));
  const what = `${name} of an address handle is ${value}`;
  throw new HostApiError('ATTRIBUTE', where, what, `use ${least} .. ${most}; the nearest is ${nearest}`, value);
}
