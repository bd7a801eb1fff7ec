/** Compares the fields of a successful completion with the request and the message (roce-transport.md 5.2). */

import type { Message, QueuePair, Receive, AnyRequest } from '../model/work.ts';
import { NOT_TOLD, type WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { GRH_BYTES, QP_TYPE, WC_FLAG, WC_OF_WR, WC_OPCODE, WR_OPCODE, wcOpcodeName } from '../../rdma/verbs.ts';
import { requestName } from '../model/names.ts';
import { OP_IMM, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';
import { aValue } from '../../rdma/subjectParts.ts';
import type { ValueSubject } from '../../rdma/subject.ts';
import { theRequest } from '../report/subjects.ts';

/** Flags that the scoreboard can foretell. */
const KNOWN_FLAGS = WC_FLAG.grh | WC_FLAG.withImm | WC_FLAG.withInv;

export class CompletionFields {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A send completion. Length and remote queue pair are what its provider vouches for, unless it says `NOT_TOLD`. */
  send(q: QueuePair, r: Message, wc: WorkCompletion): void {
    const opcode = r.opcode;
    const expected = WC_OF_WR[opcode];
    if (wc.opcode !== expected) this.#wrongOpcode(r, wc.opcode, expected ?? -1);
    const length = r.length;
    if (wc.byteLen !== length && wc.byteLen !== NOT_TOLD)
      this.#wrong(SCB.byteLen, r, 'byte count', aValue('length', 32, wc.byteLen, length));
    if ((wc.flags & KNOWN_FLAGS) !== 0)
      this.#wrong(SCB.flags, r, 'flags', aValue('flags', 8, wc.flags & KNOWN_FLAGS, 0));
    const remote = this.#remoteOf(q, r);
    if (wc.srcQp !== remote && wc.srcQp !== NOT_TOLD)
      this.#wrong(SCB.remoteQpn, r, 'remote QPN', aValue('queue pair', 24, wc.srcQp, remote));
  }

  /** A receive completion; the message `filling` filled it. */
  recv(q: QueuePair, recv: Receive, filling: Message, wc: WorkCompletion): void {
    const message = filling;
    const opcode = message.opcode;
    const kind = operationKind(opcode);
    const ud = q.type === QP_TYPE.ud;
    const expectedOpcode = (kind & OP_WRITE) !== 0 ? WC_OPCODE.recvRdmaWithImm : WC_OPCODE.recv;
    if (wc.opcode !== expectedOpcode) this.#wrongOpcode(recv, wc.opcode, expectedOpcode);
    const length = message.length + (ud ? GRH_BYTES : 0);
    if (wc.byteLen !== length) this.#wrong(SCB.byteLen, recv, 'byte count', aValue('length', 32, wc.byteLen, length));
    if ((kind & OP_WRITE) === 0 && length > recv.length) this.#tooLong(recv, message, length);
    const imm = (kind & OP_IMM) !== 0;
    if (imm && (wc.imm | 0) !== message.imm) this.#wrongImm(recv, message, wc.imm);
    const inv = opcode === WR_OPCODE.sendWithInv ? WC_FLAG.withInv : 0;
    if (inv !== 0 && (wc.imm | 0) !== message.imm) this.#wrongImm(recv, message, wc.imm);
    const flags = (imm ? WC_FLAG.withImm : 0) | (ud ? WC_FLAG.grh : 0) | inv;
    if ((wc.flags & KNOWN_FLAGS) !== flags)
      this.#wrong(SCB.flags, recv, 'flags', aValue('flags', 8, wc.flags & KNOWN_FLAGS, flags));
    const sender = message.qp.qpn;
    if (wc.srcQp !== sender) this.#wrong(SCB.remoteQpn, recv, 'remote QPN', aValue('queue pair', 24, wc.srcQp, sender));
  }

  #remoteOf(q: QueuePair, r: Message): number {
    if (q.type !== QP_TYPE.ud) return q.remoteQpn;
    return r.dest.qpn;
  }

  #wrong(id: ScbId, r: AnyRequest, field: string, value: ValueSubject): void {
    const { found, expected } = value;
    const text = (): string => `${requestName(r)}: ${field} of the completion is ${found}, expected ${expected}`;
    this.#s.reporter.error(id, text, [theRequest(r), value]);
  }

  #wrongOpcode(r: AnyRequest, found: number, expected: number): void {
    const text = (): string => `is ${wcOpcodeName(found)}, expected ${wcOpcodeName(expected)}`;
    this.#s.reporter.error(SCB.opcode, () => `${requestName(r)}: opcode of the completion ${text()}`, [theRequest(r)]);
  }

  #wrongImm(recv: Receive, message: Message, found: number): void {
    const expected = message.imm;
    this.#s.reporter.error(
      SCB.imm,
      () => `${requestName(recv)}: immediate data ${hexDigits(found | 0, 8)}, expected ${hexDigits(expected, 8)}`,
      [theRequest(recv), theRequest(message), aValue('immediate data', 32, found, expected)],
    );
  }

  #tooLong(recv: Receive, message: Message, length: number): void {
    this.#s.reporter.error(
      SCB.recvLen,
      () => `${requestName(recv)} completed with success for ${requestName(message)}, ` + `which needs ${length} bytes`,
      [theRequest(recv), theRequest(message)],
    );
  }
}
