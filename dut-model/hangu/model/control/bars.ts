/** What the BARs of a NIC lead to. */
import { CPL_STATUS } from '../../../nic.ts';
import type { PcieUpstream, Tlp } from '../../../nic.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';

/** Host accesses to one BAR. */
export interface BarHandler {
  /** `t.length` bytes at `t.data` arrive for offset `t.lo`. */
  write(t: Tlp): void;
  /** Puts `t.length` bytes at `t.data` and answers, now or later, with `host.complete`. */
  read(t: Tlp, host: PcieUpstream): void;
}

/** Answers a read with one dword; what of the access lies behind that reads as 0. */
export function answerDword(bytes: ByteStore, t: Tlp, host: PcieUpstream, value: number): void {
  const m = bytes.u8;
  for (let i = 0; i < t.length; i++) m[t.data + i] = i < 4 ? (value >>> (8 * i)) & 0xff : 0;
  host.complete(t, CPL_STATUS.success);
}

/** Four bytes, the least first, wherever they lie. */
export function dwordAt(m: Uint8Array, at: number): number {
  return (
    (m[at] as number) | ((m[at + 1] as number) << 8) | ((m[at + 2] as number) << 16) | ((m[at + 3] as number) << 24)
  );
}
