/**
 * Holds what the packets of requests carry against what was posted. Two NICs that share a mistake, the order of bytes
 * for example, understand each other: neither memory nor completions show it, and no other NIC would understand them.
 *
 * Judged are packets that are sent for the first time; the wire monitor sees to it that those sent again are the same.
 */

import { CAUSE } from '../model/outcomes.ts';
import { type Message, type QueuePair, UNATTRIBUTED, NO_MESSAGE } from '../model/work.ts';
import { BTH_CLASS, BTH_OP, PSN_MASK } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import type { WrongValue } from '../../rdma/subject.ts';
import { aLongValue, aValue, wrongBytes } from '../../rdma/subjectParts.ts';
import { QP_TYPE, WR_OPCODE } from '../../rdma/verbs.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import { startSource } from './messageBuffers.ts';
import { beginMessage, losePosition } from '../model/messageUnderWay.ts';
import { hintsOf, inBrackets } from '../report/mismatchHints.ts';
import { hexBytes, lengthText, requestName } from '../model/names.ts';
import { OP_ATOMIC, OP_IMM, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { SentBytes } from './sentBytes.ts';
import { readBuffer } from './bufferBytes.ts';
import type { BufferCursor } from './bufferCursor.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { thePacket, theRequest } from '../report/subjects.ts';

const OP_BITS = 0x1f;
/** What an operation of the BTH belongs to, `OP_*` bits; 0 for SENDs, whose word at the end says the rest. */
const KIND = new Uint8Array(32);
for (let op: number = BTH_OP.writeFirst; op <= BTH_OP.writeOnlyImm; op++) KIND[op] = OP_WRITE;
KIND[BTH_OP.readRequest] = OP_READ;
KIND[BTH_OP.compareSwap] = OP_ATOMIC;
KIND[BTH_OP.fetchAdd] = OP_ATOMIC;
const KINDS = OP_WRITE | OP_READ | OP_ATOMIC;
/** The word behind the other headers of the last packet: none, immediate data, a key to be invalidated. */
const WORD = { none: 0, immediate: 1, invalidate: 2 } as const;
const WORD_NAME = ['neither immediate data nor a key', 'immediate data', 'a key to be invalidated'];
const WORDS = new Uint8Array(32);
for (const op of [BTH_OP.sendLastImm, BTH_OP.sendOnlyImm, BTH_OP.writeLastImm, BTH_OP.writeOnlyImm])
  WORDS[op] = WORD.immediate;
for (const op of [BTH_OP.sendLastInv, BTH_OP.sendOnlyInv]) WORDS[op] = WORD.invalidate;

export class PacketContents {
  readonly #s: OracleState;
  readonly #sent: SentBytes;
  readonly #withData: boolean;

  constructor(state: OracleState) {
    this.#s = state;
    this.#sent = new SentBytes(state);
    this.#withData = state.options.level >= CHECK_LEVEL.memory;
  }

  /** A packet of a request of `q`, not sent before, with which a message begins (`starts`), ends, both or neither. @returns its request, none of those that exist where that is not known */
  check(q: QueuePair, p: WirePacket, starts: boolean, ends: boolean): Message {
    const r = starts ? beginMessage(q, p.psn) : q.tx.now;
    if (ends) q.tx.now = NO_MESSAGE;
    if (!r.exists) return r;
    const kind = KIND[p.opcode & OP_BITS] as number;
    if (starts && !this.#begins(q, r, p, kind)) {
      losePosition(q);
      return UNATTRIBUTED;
    }
    if (ends) this.#ends(r, p, WORDS[p.opcode & OP_BITS] as number);
    if ((kind & (OP_READ | OP_ATOMIC)) !== 0) return r;
    const before = ((p.psn - q.tx.first) & PSN_MASK) * q.mtu;
    if (ends && kind === 0) this.#length(r, p, before + p.payloadLength);
    if (this.#withData && p.payloadLength > 0) this.#payload(q, r, p, before);
    return r;
  }

  /** @returns false when it is no packet of this request, so that nothing else can be right */
  #begins(q: QueuePair, r: Message, p: WirePacket, kind: number): boolean {
    const posted = operationKind(r.opcode) & KINDS;
    if (kind !== posted) {
      this.#differs(r, p, () => 'is of another operation');
      return false;
    }
    if (kind !== 0) this.#remote(r, p);
    else if (q.type === QP_TYPE.ud && p.opcode >= BTH_CLASS.ud) this.#datagram(q, r, p);
    if ((kind & OP_ATOMIC) !== 0) this.#operands(r, p);
    if ((kind & OP_READ) !== 0 || (kind & OP_WRITE) !== 0) this.#length(r, p, p.dmaLength);
    return true;
  }

  /** RETH and AtomicETH, roce-transport.md 1.5. */
  #remote(r: Message, p: WirePacket): void {
    const { carriedHi: hi, carriedLo: lo, carriedKey: key } = r;
    if (p.vaHi !== hi || p.vaLo !== lo) {
      const value = aLongValue('address', { hi: p.vaHi, lo: p.vaLo }, { hi, lo });
      this.#differs(
        r,
        p,
        () => `names address ${hexAddress(p.vaHi, p.vaLo)}, and ${hexAddress(hi, lo)} was posted`,
        value,
      );
    }
    if (p.rkey !== key) {
      const value = aValue('key', 32, p.rkey, key);
      this.#differs(r, p, () => `carries R_Key ${hex(p.rkey >>> 0)}, and ${hex(key >>> 0)} was posted`, value);
    }
  }

  #operands(r: Message, p: WirePacket): void {
    const wrong = this.#s.atomics.sent(r, p);
    if (wrong !== undefined) this.#differs(r, p, () => wrong);
  }

  /** DETH: bit 31 of a posted Q_Key asks for that of the sending queue pair, at any time since. */
  #datagram(q: QueuePair, r: Message, p: WirePacket): void {
    const { carriedLo: dest, carriedKey: posted } = r;
    const { host } = r.dest;
    if (p.to !== host) this.#differs(r, p, () => `goes to host ${p.to}, and ${host} was posted`);
    if (p.destQp !== dest) {
      const value = aValue('queue pair', 24, p.destQp, dest);
      this.#differs(r, p, () => `goes to QP ${p.destQp}, and ${dest} was posted`, value);
    }
    const own = posted < 0;
    if (own ? q.qkey.mayBe(p.qkey, r.order) : p.qkey === posted) return;
    const key = own ? q.qkey.next : posted;
    const value = aValue('Q_Key', 32, p.qkey, key);
    this.#differs(r, p, () => `carries Q_Key ${hex(p.qkey >>> 0)} instead of ${hex(key >>> 0)}`, value);
  }

  #ends(r: Message, p: WirePacket, word: number): void {
    const opcode = r.opcode;
    const posted = wordOf(opcode);
    if (word !== posted) {
      this.#differs(r, p, () => `carries ${WORD_NAME[word]}, and ${WORD_NAME[posted]} was posted`);
    } else if (word !== WORD.none && p.immediate !== r.imm) {
      const [is, right] = [hex(p.immediate >>> 0), hex(r.imm >>> 0)];
      const value = aValue('immediate data', 32, p.immediate, r.imm);
      this.#differs(r, p, () => `carries ${is} as ${WORD_NAME[word]}, and ${right} was posted`, value);
    }
  }

  #length(r: Message, p: WirePacket, length: number): void {
    const posted = r.length;
    if (length === posted) return;
    const value = aValue('length', 32, length, posted);
    this.#differs(r, p, () => `is of a message of ${length} B, and ${lengthText(posted)} were posted`, value);
  }

  /** @param before bytes of the message in front of this packet's */
  #payload(q: QueuePair, r: Message, p: WirePacket, before: number): void {
    const s = this.#s;
    if (r.outcomes.has(CAUSE.localKey)) return;
    const sent = this.#sent;
    startSource(s, sent.source, r);
    if (!sent.source.skip(before)) return;
    const at = sent.firstDifference(p.payload, p.payloadLength, r);
    if (at < p.payloadLength) this.#otherData(q, r, p, before, at);
  }

  /** The rest of the message is not judged: once it is known to be wrong. */
  #otherData(q: QueuePair, r: Message, p: WirePacket, before: number, at: number): void {
    const s = this.#s;
    q.tx.now = NO_MESSAGE;
    const { sent, held } = this.#sent.shown(p.payload, at, p.payloadLength);
    const text = (): string => {
      const where = `byte ${at} of its payload, ${before + at} of the message`;
      return (
        `PSN ${psnText(p.psn)} of ${requestName(r)} carries, from ${where} on, ` +
        `${hexBytes(sent)} instead of ${hexBytes(held)} in the source${this.#hint(r, before + at, sent)}`
      );
    };
    s.reporter.error(SCB.wireData, text, [thePacket(p, q), theRequest(r), wrongBytes(sent, held)]);
  }

  /** What the bytes look like that were found at `at` of a message. */
  #hint(r: Message, at: number, actual: Uint8Array): string {
    const s = this.#s;
    const startSourceOf = (): BufferCursor => {
      startSource(s, this.#sent.source, r);
      return this.#sent.source;
    };
    const source = (from: number, count: number): Uint8Array => readBuffer(s, startSourceOf(), from, count);
    const found = { r, at, actual, source, startSource: startSourceOf };
    return inBrackets(hintsOf(s, found, true));
  }

  #differs(r: Message, p: WirePacket, what: () => string, ...values: readonly WrongValue[]): void {
    const s = this.#s;
    s.reporter.error(SCB.wireRequest, () => `PSN ${psnText(p.psn)} of ${requestName(r)} ${what()}`, [
      thePacket(p, r.qp),
      theRequest(r),
      ...values,
    ]);
  }
}

function wordOf(opcode: number): number {
  if ((operationKind(opcode) & OP_IMM) !== 0) return WORD.immediate;
  return opcode === WR_OPCODE.sendWithInv ? WORD.invalidate : WORD.none;
}
