/**
 * Whether a packet is for the queue pair that it names (roce-transport.md 4.1 steps 6, 8 and 9). What is not is dropped
 * without a word and counted. The destination MAC address is not looked at: the hardware takes any.
 */
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { swap32 } from '../../../roce/endian.ts';
import { IPV4_BYTES, IPV6_BYTES } from '../../../roce/frameLayout.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import { QPC_DW, qpIpv6, qpService } from '../qpContext.ts';

/** Membership bit apart, the only partition. */
const PARTITION = 0x7fff;
/** The counter of P_Key violations stays at its end (roce-transport.md 4.3). */
const MOST_VIOLATIONS = 0xffff;
/** Dwords of an IP header: source and destination address. */
const IPV4_SOURCE = 3;
const IPV4_DESTINATION = 4;
const IPV6_SOURCE = 2;
const IPV6_DESTINATION = 6;

/** @param c dword of the context of the queue pair that the packet names. @returns false after counting a drop */
export function isAddressed(core: HanguCore, c: number, p: RxPacket): boolean {
  const { counters } = core;
  const w = core.bytes.i32;
  const service = qpService(w, c);
  if (p.opcode >>> 5 !== service) {
    counters.badService++;
    return false;
  }
  const datagram = service === QPC_SERVICE.ud;
  if (!(datagram ? isForPort(core, c, p) : isFromPeer(core, c, p))) {
    counters.badAddress++;
    return false;
  }
  if ((p.pkey & PARTITION) !== PARTITION) {
    if (counters.badPkey < MOST_VIOLATIONS) counters.badPkey++;
    return false;
  }
  if (datagram && core.config.checkQkey !== 0 && p.qkey !== (w[c + QPC_DW.qkey] as number)) {
    counters.badQkey++;
    return false;
  }
  return true;
}

function isForPort(core: HanguCore, c: number, p: RxPacket): boolean {
  const w = core.bytes.i32;
  const l3 = p.l3 >> 2;
  if (p.l3Bytes === IPV4_BYTES) return isWord(w, l3 + IPV4_DESTINATION, w[c + QPC_DW.sip] as number);
  return isGid(w, l3 + IPV6_DESTINATION, core.gidOf(c), 0);
}

function isFromPeer(core: HanguCore, c: number, p: RxPacket): boolean {
  const w = core.bytes.i32;
  const l3 = p.l3 >> 2;
  if (p.l3Bytes !== (qpIpv6(w, c) ? IPV6_BYTES : IPV4_BYTES) || !isForPort(core, c, p)) return false;
  if (p.l3Bytes === IPV4_BYTES) return isWord(w, l3 + IPV4_SOURCE, w[c + QPC_DW.dip] as number);
  return isGid(w, l3 + IPV6_SOURCE, w, c + QPC_DW.rgid);
}

function isGid(w: Int32Array, at: number, gid: Int32Array, from: number): boolean {
  for (let i = 0; i < 4; i++) if (!isWord(w, at + i, gid[from + i] as number)) return false;
  return true;
}

function isWord(w: Int32Array, at: number, value: number): boolean {
  return w[at] === swap32(value);
}
