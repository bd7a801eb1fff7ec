/** A chunk: what a pair of send descriptors asks for, and how far it has come (blue-rdma.md sections 5.2 and 7). */
import { SEND_0, SEND_1 } from '../layout/descriptors.ts';

export class SendChunk {
  next: SendChunk | null = null;
  opcode = 0;
  flags = 0;
  destQpn = 0;
  psn = 0;
  remoteHi = 0;
  remoteLo = 0;
  destIp = 0;
  rkey = 0;
  total = 0;
  msn = 0;
  localHi = 0;
  localLo = 0;
  length = 0;
  lkey = 0;
  sourceQpn = 0;
  macHigh = 0;
  macLow = 0;
  imm = 0;
  ecn = false;
  retry = false;
  last = false;
  first = false;
  /** Path MTU in bytes. */
  pmtu = 0;
  /** Bytes and packets that packets have been made of. */
  done = 0;
  packets = 0;

  /** @param s0 index of the first descriptor's words, @param s1 of the second one's */
  parse(w: Int32Array, s0: number, v: Int32Array, s1: number, opcode: number): void {
    const w0 = w[s0] as number;
    const tail = v[s1 + 7] as number;
    const mix = v[s1 + SEND_1.sourceAndMac] as number;
    const mac = v[s1 + SEND_1.macHigh] as number;
    this.opcode = opcode;
    this.flags = (w0 >>> SEND_0.flags.shift) & SEND_0.flags.mask;
    this.destQpn = w0 >>> SEND_0.destQpn.shift;
    this.psn = (w[s0 + 1] as number) >>> SEND_0.psn.shift;
    this.remoteLo = w[s0 + SEND_0.remoteLo] as number;
    this.remoteHi = w[s0 + SEND_0.remoteHi] as number;
    this.destIp = w[s0 + SEND_0.destIp] as number;
    this.rkey = w[s0 + SEND_0.rkey] as number;
    this.total = (w[s0 + SEND_0.total] as number) >>> 0;
    this.msn = (w[s0 + 7] as number) & SEND_0.msn.mask;
    this.localLo = v[s1 + SEND_1.localLo] as number;
    this.localHi = v[s1 + SEND_1.localHi] as number;
    this.length = (v[s1 + SEND_1.length] as number) >>> 0;
    this.lkey = v[s1 + SEND_1.lkey] as number;
    this.sourceQpn = ((mix & 0xffff) << 8) | (tail & 0xff);
    this.macLow = (mac << 16) | (mix >>> 16);
    this.macHigh = mac >>> 16;
    this.imm = v[s1 + SEND_1.imm] as number;
    this.ecn = (tail & SEND_1.ecn) !== 0;
    this.retry = (tail & SEND_1.retry) !== 0;
    this.last = (tail & SEND_1.last) !== 0;
    this.first = (tail & SEND_1.first) !== 0;
    this.pmtu = 128 << ((tail >>> SEND_1.pmtuShift) & SEND_1.pmtuMask);
    this.done = 0;
    this.packets = 0;
  }
}
