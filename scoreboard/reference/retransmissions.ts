import type { FlowKnowledge } from './flowKnowledge.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, type FlowTable, generationOf, stateOf } from './flowTable.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import { ASKED, type ReadHistory } from './readHistory.ts';
import { type RetryCache, shapeOf, VARYING, varyingOf } from './retryCache.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { WireIcrc } from '../../agents/wire/wireIcrc.ts';
import { MESSAGE } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** More than a packet takes from its IP header to its ICRC. */
const LARGEST_PACKET = 4352;

/**
 * Checks that requests are sent again with the same headers and data as the first time (roce-transport.md 3.8), READs
 * also in part (3.9). The invariant CRC stands for all that must be equal. It covers three fields that may be others:
 * the AckReq bit, the IPv4 identification, which counts packets, and the UDP source port, which another rule judges.
 */
export class Retransmissions {
  readonly #bytes: ByteStore;
  readonly #flows: FlowTable;
  readonly #cache: RetryCache;
  readonly #reads: ReadHistory;
  readonly #report: RuleReporter;
  /** Made when first needed. */
  #icrc: WireIcrc | null = null;
  #scratch = 0;

  constructor(bytes: ByteStore, known: FlowKnowledge, report: RuleReporter) {
    this.#reads = known.asked;
    this.#bytes = bytes;
    this.#flows = known.flows;
    this.#cache = known.cache;
    this.#report = report;
  }

  /** A request of `packets` PSNs is sent for the first time. `kind` is that of its message. */
  first(p: DecodedPacket, flow: number, kind: number, packets: number): void {
    this.#cache.note(flow, generationOf(this.#flows.state[stateOf(flow)] as number), p);
    if (kind >= MESSAGE.read) this.#reads.note(flow, p, packets);
  }

  /** A request is sent again. */
  again(p: DecodedPacket, flow: number, kind: number): void {
    const cache = this.#cache;
    const entry = cache.find(flow, generationOf(this.#flows.state[stateOf(flow)] as number), p.psn);
    if (entry >= 0) cache.again(entry, p.handedOver);
    const asked = kind >= MESSAGE.read ? this.#reads.find(flow, p.psn) : -1;
    if (asked >= 0 && kind === MESSAGE.read) this.#readAgain(p, flow, asked);
    else if (entry >= 0) this.#compare(p, entry);
    if (asked >= 0 && kind === MESSAGE.atomic) this.#noteBehind(p, flow, asked);
  }

  /** A request that was sent just now arrives once more. */
  repeatedByLink({ psn }: DecodedPacket, flow: number): void {
    const entry = this.#cache.find(flow, generationOf(this.#flows.state[stateOf(flow)] as number), psn);
    if (entry >= 0) this.#cache.repeated(entry);
  }

  /** The flow begins anew. */
  forget(flow: number): void {
    this.#reads.forget(flow);
  }

  #compare(p: DecodedPacket, entry: number): void {
    const cache = this.#cache;
    if (p.icrc === cache.icrc(entry)) return;
    if (shapeOf(p) !== cache.shape(entry)) {
      const first = cache.shape(entry);
      const [opcode, length] = [first >> 16, first & 0xffff];
      const what = `carries ${p.payloadLength} B of payload; with this PSN ${opcodeName(opcode)} with ${length} B was sent first`;
      this.#report.broken(RULE.againShape, p, what);
    } else if (!this.#differsRightly(p, cache.varying(entry), cache.icrc(entry))) {
      this.#report.broken(RULE.againOther, p, 'has other headers or another payload than with this PSN the first time');
    }
  }

  /** Whether the packet would have the ICRC of its first transmission, had it the fields of that which may be others. */
  #differsRightly(p: DecodedPacket, varying: number, icrc: number): boolean {
    const length = p.payload + p.payloadLength + p.padCount - p.network;
    if (((varyingOf(p) ^ varying) & VARYING.ipv6) !== 0 || length > LARGEST_PACKET) return true;
    const computer = this.#computer();
    const at = this.#scratch;
    const transport = at + p.transport - p.network;
    this.#bytes.copy(at, p.network, length);
    const { u8 } = this.#bytes;
    if (p.ipVersion === 4) put16(u8, at + 4, varying >>> VARYING.identificationShift);
    put16(u8, transport - 8, 0xc000 | ((varying >>> VARYING.portShift) & VARYING.portMask));
    u8[transport + 8] = ((u8[transport + 8] as number) & 0x7f) | ((varying & VARYING.ackRequest) << 7);
    return computer.compute(p.ipVersion, at, transport, at + length) === icrc;
  }

  #computer(): WireIcrc {
    if (this.#icrc === null) {
      this.#icrc = new WireIcrc(this.#bytes);
      this.#scratch = this.#bytes.alloc(LARGEST_PACKET);
    }
    return this.#icrc;
  }

  /** @param read index of the first transmission in the history */
  #readAgain(p: DecodedPacket, flow: number, read: number): void {
    const reads = this.#reads;
    const w = reads.words;
    const s = this.#flows.state;
    const at = stateOf(flow);
    reads.locate(read, p.psn, s[at + FLOW.mtu] as number);
    const { skipped, hi, lo } = reads;
    const rkey = w[read + ASKED.rkey] as number;
    if (p.dmaLength !== ((w[read + ASKED.length] as number) >>> 0) - skipped) {
      this.#otherRead(p, `${p.dmaLength} bytes, which is not the rest of the original request`);
    } else if (p.rkey !== rkey) {
      this.#otherRead(p, `bytes by R_Key ${hex(p.rkey >>> 0)}; the original request had ${hex(rkey >>> 0)}`);
    } else if (p.vaHi !== hi || p.vaLo !== lo) {
      const right = hexAddress(hi, lo);
      this.#otherRead(p, `bytes from ${hexAddress(p.vaHi, p.vaLo)} on; by the original request it is ${right}`);
    } else {
      this.#noteBehind(p, flow, read);
    }
  }

  /** How many the responder has had to remember since, and whether it can have to remember it. `find` was for that one. */
  #noteBehind(p: DecodedPacket, flow: number, read: number): void {
    const acknowledged = this.#flows.state[stateOf(flow) + FLOW.acknowledged] as number;
    p.readsBehind = this.#reads.behind;
    p.wasAnswered = psnCompare(acknowledged, this.#reads.words[read + ASKED.psn] as number) > 0;
  }

  #otherRead(p: DecodedPacket, what: string): void {
    this.#report.broken(RULE.againRead, p, `asks for ${what}`);
  }
}

function put16(u8: Uint8Array, at: number, value: number): void {
  u8[at] = (value >>> 8) & 0xff;
  u8[at + 1] = value & 0xff;
}
