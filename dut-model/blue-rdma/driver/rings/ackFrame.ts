/** Acknowledgements that the driver sends as raw frames (blue-rdma.md section 8.3): 90 bytes with a real UDP checksum. */
import { BTH_OP, UDP_PORT_ROCE } from '../../../../rdma/bth.ts';
import { BLUE_BTH, DRIVER_ACK_BYTES, FRAME, WINDOW_ETH } from '../../layout/wire.ts';

/** Addresses of a frame; MAC addresses as upper 16 and lower 32 bits. */
export interface AckPath {
  readonly ownMacHigh: number;
  readonly ownMacLow: number;
  readonly ownIp: number;
  readonly macHigh: number;
  readonly macLow: number;
  readonly ip: number;
  readonly qpn: number;
  readonly destQpn: number;
}

const IPV4_BYTES = 20;
const UDP_PROTOCOL = 17;

export class AckFrame {
  readonly bytes = new Uint8Array(DRIVER_ACK_BYTES);
  readonly #view = new DataView(this.bytes.buffer);

  /** All PSNs before `end` have been received. */
  ack(path: AckPath, end: number): void {
    this.#fill(path, end, end, WINDOW_ETH.byDriver);
  }

  /** All PSNs before `base` have been received; those of [base, end) are to be sent again. */
  nak(path: AckPath, base: number, end: number): void {
    this.#fill(path, end, base, WINDOW_ETH.byDriver | WINDOW_ETH.lost | WINDOW_ETH.slid);
  }

  #fill(path: AckPath, psnNow: number, psnBefore: number, flags: number): void {
    const v = this.#view;
    this.bytes.fill(0);
    v.setUint16(FRAME.destMac, path.macHigh);
    v.setUint32(FRAME.destMac + 2, path.macLow);
    v.setUint16(FRAME.sourceMac, path.ownMacHigh);
    v.setUint32(FRAME.sourceMac + 2, path.ownMacLow);
    v.setUint16(FRAME.etherType, 0x0800);
    this.#ip(path);
    v.setUint16(FRAME.udp, path.qpn & 0xffff);
    v.setUint16(FRAME.udp + 2, UDP_PORT_ROCE);
    v.setUint16(FRAME.udp + 4, DRIVER_ACK_BYTES - FRAME.udp);
    v.setUint8(FRAME.bth + BLUE_BTH.opcode, BTH_OP.acknowledge);
    v.setUint32(FRAME.bth + BLUE_BTH.congestion, path.destQpn);
    v.setUint32(FRAME.bth + BLUE_BTH.ackRequest, psnNow);
    v.setUint32(FRAME.extension + WINDOW_ETH.flags, (flags << 24) | psnBefore);
    v.setUint16(FRAME.udp + 6, this.udpChecksum());
  }

  #ip(path: AckPath): void {
    const v = this.#view;
    v.setUint16(FRAME.ip, 0x4500);
    v.setUint16(FRAME.ip + 2, DRIVER_ACK_BYTES - FRAME.ip);
    v.setUint16(FRAME.ip + 6, 0x4000);
    v.setUint8(FRAME.ip + 8, 64);
    v.setUint8(FRAME.ip + 9, UDP_PROTOCOL);
    v.setUint32(FRAME.ip + 12, path.ownIp);
    v.setUint32(FRAME.ip + 16, path.ip);
    v.setUint16(FRAME.ip + 10, folded(this.#sum(FRAME.ip, IPV4_BYTES)));
  }

  /** Overridable for planting. */
  protected udpChecksum(): number {
    const length = DRIVER_ACK_BYTES - FRAME.udp;
    const sum = folded(this.#sum(FRAME.ip + 12, 8) + UDP_PROTOCOL + length + this.#sum(FRAME.udp, length));
    return sum === 0 ? 0xffff : sum;
  }

  #sum(from: number, length: number): number {
    let sum = 0;
    for (let at = from; at < from + length; at += 2) sum += this.#view.getUint16(at);
    return sum;
  }
}

/** One's complement of a sum of 16-bit words. */
function folded(sum: number): number {
  let s = sum;
  while (s > 0xffff) s = (s & 0xffff) + (s >>> 16);
  return ~s & 0xffff;
}
