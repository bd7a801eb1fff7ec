/** A packet that no NIC has sent, by the fields of its headers. */

/** Whose frame it is: no tag that anybody gives to frames of NICs. */
export const INJECTED_TAG = -1;

/**
 * A RoCEv2 packet. Which extended headers it has follows from its opcode (roce-transport.md 1.6); an opcode that is not
 * known has none. Values that are left out are those that a NIC would send, or 0.
 */
export interface InjectedPacket {
  /** Host whose addresses it carries as those of its sender, and host that it goes to. */
  readonly from: number;
  readonly to: number;
  /** Port of both NICs, from 1. Default: that of the queue pair that it goes to, else the first. */
  readonly port?: number;
  /** BTH opcode with its class, 0 to 255: `BTH_CLASS` and `BTH_OP` of rdma/bth.ts. */
  readonly opcode: number;
  readonly destQp: number;
  readonly psn?: number;
  /** Transport version; 0 is the only one that there is. */
  readonly version?: number;
  /** Default 0xffff. */
  readonly partitionKey?: number;
  readonly solicited?: boolean;
  readonly ackRequest?: boolean;
  readonly fecn?: boolean;
  /** Default: true in a CNP. */
  readonly becn?: boolean;
  /** Default: what the length of the payload needs. */
  readonly padCount?: number;
  /** Bytes, or how many of 0. Default none. */
  readonly payload?: Uint8Array | number;
  /** DETH. */
  readonly qkey?: number;
  readonly sourceQp?: number;
  /** RETH and AtomicETH; the length is that of the payload by default. */
  readonly va?: bigint;
  readonly rkey?: number;
  readonly dmaLength?: number;
  /** AtomicETH: swap or add operand and compare operand, 64 bits; default 0. */
  readonly swapAdd?: bigint;
  readonly compare?: bigint;
  /** AtomicAckETH: 64 bits; default 0. */
  readonly original?: bigint;
  /** AETH; default an ACK without credits, 0x1f. */
  readonly syndrome?: number;
  readonly msn?: number;
  /** ImmDt or IETH. */
  readonly immediate?: number;
  /** Over IPv6; default IPv4. */
  readonly ipv6?: boolean;
  /** TOS or traffic class. */
  readonly trafficClass?: number;
  /** `wrong`: one bit of the invariant CRC is flipped. Default `right`. */
  readonly icrc?: 'right' | 'wrong';
}
