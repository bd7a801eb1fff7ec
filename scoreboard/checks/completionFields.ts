/** Compares the fields of a successful completion with the request and the message (roce-transport.md 5.2). */

import { NOT_TOLD, type WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { GRH_BYTES, QP_TYPE, WC_FLAG, WC_OF_WR, WC_OPCODE, WR_OPCODE, wcOpcodeName } from '../../rdma/verbs.ts';
import { requestName } from '../model/names.ts';
import { OP_IMM, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { Q_QPN, Q_REMOTE_QPN, Q_TYPE } from '../model/qps.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import { OPCODE_MASK, R_DEST, R_IMM, R_QP, R_STATE } from '../model/requests.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';

/** Flags that the scoreboard can foretell. */
const KNOWN_FLAGS = WC_FLAG.grh | WC_FLAG.withImm | WC_FLAG.withInv;

export class CompletionFields {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A send completion. Length and remote queue pair are what its provider vouches for, unless it says `NOT_TOLD`. */
  send(q: number, r: number, wc: WorkCompletion): void {
    const s = this.#s;
    const opcode = (s.requests.words[r + R_STATE] as number) & OPCODE_MASK;
    const expected = WC_OF_WR[opcode];
    if (wc.opcode !== expected) this.#wrongOpcode(r, wc.opcode, expected ?? -1);
    const length = s.requests.length(r);
    if (wc.byteLen !== length && wc.byteLen !== NOT_TOLD) this.#wrong(SCB.byteLen, r, 'byte count', wc.byteLen, length);
    if ((wc.flags & KNOWN_FLAGS) !== 0) this.#wrong(SCB.flags, r, 'flags', wc.flags & KNOWN_FLAGS, 0);
    const remote = this.#remoteOf(q, r);
    if (wc.srcQp !== remote && wc.srcQp !== NOT_TOLD) this.#wrong(SCB.remoteQpn, r, 'remote QPN', wc.srcQp, remote);
  }

  /** A receive completion; the message `filling` filled it. */
  recv(q: number, recv: number, filling: number, wc: WorkCompletion): void {
    const s = this.#s;
    const m = s.requests.words;
    const message = filling & INDEX_BITS;
    const opcode = (m[message + R_STATE] as number) & OPCODE_MASK;
    const kind = operationKind(opcode);
    const ud = s.qps.words[q + Q_TYPE] === QP_TYPE.ud;
    const expectedOpcode = (kind & OP_WRITE) !== 0 ? WC_OPCODE.recvRdmaWithImm : WC_OPCODE.recv;
    if (wc.opcode !== expectedOpcode) this.#wrongOpcode(recv, wc.opcode, expectedOpcode);
    const length = s.requests.length(message) + (ud ? GRH_BYTES : 0);
    if (wc.byteLen !== length) this.#wrong(SCB.byteLen, recv, 'byte count', wc.byteLen, length);
    if ((kind & OP_WRITE) === 0 && length > s.requests.length(recv)) this.#tooLong(recv, message, length);
    const imm = (kind & OP_IMM) !== 0;
    if (imm && (wc.imm | 0) !== m[message + R_IMM]) this.#wrongImm(recv, message, wc.imm);
    const inv = opcode === WR_OPCODE.sendWithInv ? WC_FLAG.withInv : 0;
    const flags = (imm ? WC_FLAG.withImm : 0) | (ud ? WC_FLAG.grh : 0) | inv;
    if ((wc.flags & KNOWN_FLAGS) !== flags) this.#wrong(SCB.flags, recv, 'flags', wc.flags & KNOWN_FLAGS, flags);
    const sender = s.qps.words[(m[message + R_QP] as number) + Q_QPN] as number;
    if (wc.srcQp !== sender) this.#wrong(SCB.remoteQpn, recv, 'remote QPN', wc.srcQp, sender);
  }

  #remoteOf(q: number, r: number): number {
    const w = this.#s.qps.words;
    if (w[q + Q_TYPE] !== QP_TYPE.ud) return w[q + Q_REMOTE_QPN] as number;
    return w[(this.#s.requests.words[r + R_DEST] as number) + Q_QPN] as number;
  }

  #wrong(id: ScbId, r: number, field: string, found: number, expected: number): void {
    this.#s.reporter.error(
      id,
      () => `${requestName(this.#s, r)}: ${field} of the completion is ${found}, expected ${expected}`,
    );
  }

  #wrongOpcode(r: number, found: number, expected: number): void {
    const text = (): string => `is ${wcOpcodeName(found)}, expected ${wcOpcodeName(expected)}`;
    this.#s.reporter.error(SCB.opcode, () => `${requestName(this.#s, r)}: opcode of the completion ${text()}`);
  }

  #wrongImm(recv: number, message: number, found: number): void {
    const expected = this.#s.requests.words[message + R_IMM] as number;
    this.#s.reporter.error(
      SCB.imm,
      () =>
        `${requestName(this.#s, recv)}: immediate data ${hexDigits(found | 0, 8)}, expected ${hexDigits(expected, 8)}`,
    );
  }

  #tooLong(recv: number, message: number, length: number): void {
    this.#s.reporter.error(
      SCB.recvLen,
      () =>
        `${requestName(this.#s, recv)} completed with success for ${requestName(this.#s, message)}, ` +
        `which needs ${length} bytes`,
    );
  }
}
