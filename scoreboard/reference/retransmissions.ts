import type { FlowKnowledge } from './flowKnowledge.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, type FlowTable } from './flowTable.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { ReadPart } from './reliable/readRequests.ts';
import { type SentPackets, shapeOf, VARYING, varyingOf } from './reliable/sentPackets.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { WireIcrc } from '../../agents/wire/wireIcrc.ts';
import { MESSAGE } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** More than a packet takes from its IP header to its ICRC. */
const LARGEST_PACKET = 4352;
const NOT_KNOWN = -1;

/**
 * Checks that requests are sent again with the same headers and data as the first time (roce-transport.md 3.8), READs
 * also in part (3.9). The invariant CRC stands for all that must be equal. It covers three fields that may be others:
 * the AckReq bit, the IPv4 identification, which counts packets, and the UDP source port, which another rule judges.
 */
export class Retransmissions {
  readonly #bytes: ByteStore;
  readonly #flows: FlowTable;
  readonly #report: RuleReporter;
  /** Made when first needed. */
  #icrc: WireIcrc | null = null;
  #scratch = 0;

  constructor(bytes: ByteStore, known: FlowKnowledge, report: RuleReporter) {
    this.#bytes = bytes;
    this.#flows = known.flows;
    this.#report = report;
  }

  /** A request is sent again. `kind` is that of its message. @param at index of its flow in `FlowTable.state` */
  again(p: DecodedPacket, at: number, kind: number): void {
    const { packets, reads } = this.#flows.connection(at);
    const place = packets?.find(p.psn) ?? NOT_KNOWN;
    if (place >= 0) packets?.again(place, p.handedOver);
    const part = kind >= MESSAGE.read ? reads?.part(p.psn, this.#flows.state[at + FLOW.mtu] as number) : undefined;
    if (part !== undefined && kind === MESSAGE.read) this.#readAgain(p, at, part);
    else if (packets !== null && place >= 0) this.#compare(p, packets, place);
    if (part !== undefined && kind === MESSAGE.atomic) this.#noteBehind(p, at, part);
  }

  #compare(p: DecodedPacket, packets: SentPackets, place: number): void {
    if (p.icrc === packets.icrc(place)) return;
    if (shapeOf(p) !== packets.shape(place)) {
      const first = packets.shape(place);
      const [opcode, length] = [first >> 16, first & 0xffff];
      const what = `carries ${p.payloadLength} B of payload; with this PSN ${opcodeName(opcode)} with ${length} B was sent first`;
      this.#report.broken(RULE.againShape, p, what);
    } else if (!this.#differsRightly(p, packets.varying(place), packets.icrc(place))) {
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

  #readAgain(p: DecodedPacket, at: number, part: ReadPart): void {
    const { request, skipped, hi, lo } = part;
    if (p.dmaLength !== request.length - skipped) {
      this.#otherRead(p, `${p.dmaLength} bytes, which is not the rest of the original request`);
    } else if (p.rkey !== request.rkey) {
      const [given, right] = [p.rkey, request.rkey].map((key) => hex(key >>> 0));
      this.#otherRead(p, `bytes by R_Key ${given}; the original request had ${right}`);
    } else if (p.vaHi !== hi || p.vaLo !== lo) {
      const right = hexAddress(hi, lo);
      this.#otherRead(p, `bytes from ${hexAddress(p.vaHi, p.vaLo)} on; by the original request it is ${right}`);
    } else {
      this.#noteBehind(p, at, part);
    }
  }

  /** How many the responder has had to remember since, and whether it can have to remember it. */
  #noteBehind(p: DecodedPacket, at: number, { request, behind }: ReadPart): void {
    p.readsBehind = behind;
    p.wasAnswered = psnCompare(this.#flows.state[at + FLOW.acknowledged] as number, request.psn) > 0;
  }

  #otherRead(p: DecodedPacket, what: string): void {
    this.#report.broken(RULE.againRead, p, `asks for ${what}`);
  }
}

function put16(u8: Uint8Array, at: number, value: number): void {
  u8[at] = (value >>> 8) & 0xff;
  u8[at + 1] = value & 0xff;
}
