/** Writes the pair of descriptors of a chunk (blue-rdma.md section 5.2). */
import { DESCRIPTOR_WORDS, HEADER, SEND_0, SEND_1, SEND_DESCRIPTOR_FLAG } from '../../layout/descriptors.ts';
import { carried } from '../../../../uvm/bytes/words.ts';
import type { MessagePart } from '../tracking/messageCut.ts';
import { psnAfter } from '../tracking/psn.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';

/** The path of a queue pair. */
export interface SendPath {
  readonly qpn: number;
  readonly destQpn: number;
  readonly type: number;
  readonly macHigh: number;
  readonly macLow: number;
  readonly ip: number;
  readonly pmtuCode: number;
  readonly ecn: boolean;
}

export class SendDescriptors {
  readonly first = new Int32Array(DESCRIPTOR_WORDS);
  readonly second = new Int32Array(DESCRIPTOR_WORDS);

  /** @param retry the part has been sent before */
  fill(path: SendPath, request: SendRequest, part: MessagePart, retry: boolean): void {
    this.#fillFirst(path, request, part);
    this.#fillSecond(path, request, part, retry);
  }

  #fillFirst(path: SendPath, r: SendRequest, part: MessagePart): void {
    const w = this.first;
    // Every request asks for acknowledgements, those too that have no completion: else a lost one would never be known.
    const flags =
      SEND_DESCRIPTOR_FLAG.signaled |
      (r.solicited ? SEND_DESCRIPTOR_FLAG.solicited : 0) |
      (r.fence ? SEND_DESCRIPTOR_FLAG.fence : 0);
    const at = (r.remoteLo >>> 0) + part.offset;
    w[0] = (flags << SEND_0.flags.shift) | (path.destQpn << SEND_0.destQpn.shift);
    w[1] = (path.type << SEND_0.type.shift) | (psnAfter(r.psn, part.packet) << SEND_0.psn.shift);
    w[SEND_0.remoteLo] = at | 0;
    w[SEND_0.remoteHi] = carried(r.remoteHi, at);
    w[SEND_0.destIp] = path.ip;
    w[SEND_0.rkey] = r.rkey;
    w[SEND_0.total] = r.length;
    w[7] = (r.opcode << HEADER.opcodeShift) | HEADER.hasNext | HEADER.valid | r.msn;
  }

  #fillSecond(path: SendPath, r: SendRequest, part: MessagePart, retry: boolean): void {
    const w = this.second;
    const at = (r.localLo >>> 0) + part.offset;
    w[SEND_1.localLo] = at | 0;
    w[SEND_1.localHi] = carried(r.localHi, at);
    w[SEND_1.length] = part.length;
    w[SEND_1.lkey] = r.lkey;
    w[SEND_1.sourceAndMac] = (path.qpn >>> 8) | (path.macLow << 16);
    w[SEND_1.macHigh] = (path.macHigh << 16) | (path.macLow >>> 16);
    w[SEND_1.imm] = r.imm;
    w[7] =
      (r.opcode << HEADER.opcodeShift) |
      HEADER.valid |
      (path.qpn & 0xff) |
      (path.ecn ? SEND_1.ecn : 0) |
      (retry ? SEND_1.retry : 0) |
      (part.last ? SEND_1.last : 0) |
      (part.first ? SEND_1.first : 0) |
      (path.pmtuCode << SEND_1.pmtuShift);
  }
}
