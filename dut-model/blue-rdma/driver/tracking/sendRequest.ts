/** A request of a send queue from its posting to its completion; READ responses are requests without a completion. */
import { SEND_OPCODE } from '../../layout/descriptors.ts';

export class SendRequest {
  wrId = 0;
  /** Running number in its send queue; -1 for what software has not posted. */
  number = -1;
  /** `SEND_OPCODE` and completion opcode. */
  opcode = 0;
  wcOpcode = 0;
  /** It has a completion of its own, if it succeeds. */
  signaled = true;
  solicited = false;
  fence = false;
  imm = 0;
  remoteHi = 0;
  remoteLo = 0;
  rkey = 0;
  localHi = 0;
  localLo = 0;
  length = 0;
  lkey = 0;

  /** Once it is started. */
  psn = 0;
  packets = 0;
  msn = 0;
  /** Position in the send ring behind its last descriptor so far; -1 while some of it is not written. */
  position = -1;
  /** Descriptor pairs that are not in the ring yet. */
  unwritten = 0;
  /** Of a READ: its data are here. */
  dataHere = false;
  /** The peer's driver has refused it: `WC_STATUS`. */
  refused = 0;

  get isRead(): boolean {
    return this.opcode === SEND_OPCODE.read;
  }

  /** It takes a receive of the peer. */
  get needsReceive(): boolean {
    return (
      this.opcode === SEND_OPCODE.send || this.opcode === SEND_OPCODE.sendImm || this.opcode === SEND_OPCODE.writeImm
    );
  }
}
