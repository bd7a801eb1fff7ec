/** Contexts of queue pairs: what the driver has told of them, by index. */
import { INDEX_SHIFT } from '../layout/limits.ts';

export class QpTable {
  readonly entries: number;
  readonly valid: Uint8Array;
  readonly error: Uint8Array;
  /** Whole number, with its key. */
  readonly qpn: Int32Array;
  readonly peerQpn: Int32Array;
  readonly type: Uint8Array;
  /** Rights of the receive queue, `ACCESS` bits. */
  readonly access: Uint8Array;
  readonly pmtuCode: Uint8Array;
  readonly port: Uint16Array;
  readonly macHigh: Uint16Array;
  readonly macLow: Int32Array;
  readonly ip: Int32Array;
  /** Payload of PSNs before it is discarded, once it is set. */
  readonly floor: Int32Array;
  readonly floorSet: Uint8Array;

  constructor(entries: number) {
    this.entries = entries;
    this.valid = new Uint8Array(entries);
    this.error = new Uint8Array(entries);
    this.qpn = new Int32Array(entries);
    this.peerQpn = new Int32Array(entries);
    this.type = new Uint8Array(entries);
    this.access = new Uint8Array(entries);
    this.pmtuCode = new Uint8Array(entries);
    this.port = new Uint16Array(entries);
    this.macHigh = new Uint16Array(entries);
    this.macLow = new Int32Array(entries);
    this.ip = new Int32Array(entries);
    this.floor = new Int32Array(entries);
    this.floorSet = new Uint8Array(entries);
  }

  reset(): void {
    this.valid.fill(0);
    this.floorSet.fill(0);
  }

  /** Index of a number whose context is valid, or -1. */
  find(qpn: number): number {
    const index = qpn >>> INDEX_SHIFT;
    return index < this.entries && this.valid[index] === 1 && this.qpn[index] === qpn ? index : -1;
  }

  /** Path MTU in bytes. */
  pmtu(index: number): number {
    return 128 << (this.pmtuCode[index] as number);
  }
}
