/** The 40 bytes in front of a UD message in its receive buffer (roce-transport.md 4.6). */

import type { Message, Receive } from '../model/work.ts';
import type { QpPath } from '../../agents/verbs/verbsItems.ts';
import { GRH_BYTES } from '../../rdma/verbs.ts';
import { NOT_STORED } from '../memory/dataPages.ts';
import { startLocal } from '../memory/messageBuffers.ts';
import { hexBytes } from '../model/names.ts';
import { OP_IMM, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from '../memory/scoreboardMemory.ts';
import type { HostAddress } from '../memory/scoreboardMemory.ts';
import { BufferCursor } from '../memory/bufferCursor.ts';

const UDP = 17;
const IPV4_START = 0x45;
const IPV4_AT = 20;
const IPV4_BYTES = 20;
/** The ECN bits of a traffic class. */
const CONGESTION = 3;
/** UDP header, BTH, DETH and ICRC. */
const DATAGRAM_BYTES = 8 + 12 + 8 + 4;

/** Header of the message that a receive completed with. */
export class UdHeader {
  readonly #s: OracleState;
  readonly #cursor = new BufferCursor();
  readonly #at: number;
  #available = false;

  constructor(state: OracleState) {
    this.#s = state;
    this.#at = state.bytes.alloc(GRH_BYTES, 16);
  }

  /** Copies the header area of a receive buffer. False when the buffer has no room for it or was never written. */
  load(recv: Receive): boolean {
    const { bytes, pages } = this.#s;
    const c = this.#cursor;
    startLocal(this.#s, c, recv);
    this.#available = false;
    for (let done = 0; done < GRH_BYTES; ) {
      if (!c.load()) return false;
      const n = Math.min(GRH_BYTES - done, c.left, PAGE_BYTES - c.offset);
      if (!c.located) c.locate(pages);
      if (c.place === NOT_STORED) return false;
      bytes.copy(this.#at + done, c.place + c.offset, n);
      c.advance(n);
      done += n;
    }
    this.#available = true;
    return true;
  }

  /** True when the header names host `from` as its source and host `to` as its destination, as far as they are known. */
  names(from: number, to: number): boolean {
    return this.problem(from, to) === '';
  }

  /** What is wrong with the header of a message between two hosts; empty = nothing. */
  problem(from: number, to: number): string {
    if (!this.#available) return 'nothing was written there';
    const { addresses, portAddresses } = this.#s.options;
    const problem = this.#addressProblem(addresses[from], addresses[to]);
    // By which port it came is judged on the wire: both are at the same one.
    if (problem === '' || portAddresses.length === 0) return problem;
    return portAddresses.some((hosts) => this.#addressProblem(hosts[from], hosts[to]) === '') ? '' : problem;
  }

  #addressProblem(source: HostAddress | undefined, target: HostAddress | undefined): string {
    const b = this.#s.bytes.u8;
    const at = this.#at;
    // What stands before an IPv4 header is not defined, and an IPv6 source address may look like the beginning of one.
    const asFour = b[at + IPV4_AT] === IPV4_START ? this.#ipv4(source, target) : null;
    if (asFour === '') return '';
    if ((b[at] as number) >> 4 === 6) return this.#ipv6(source, target);
    return asFour ?? `no IP version found in ${this.#text()}`;
  }

  /**
   * What of the header does not follow from the request of the message, whose addresses are right: path, length and
   * checksum; empty = nothing. Not asked of a packet that the link has changed, where it is not certain which message came, or the path is not known.
   */
  pathProblem(host: number, message: Message): string {
    const path = this.#s.handles.pathOf(host, message.ah);
    if (path === undefined || message.altered || message.mayVanish) return '';
    const imm = (operationKind(message.opcode) & OP_IMM) !== 0;
    const udpBytes = DATAGRAM_BYTES + (imm ? 4 : 0) + ((message.length + 3) & ~3);
    return path.ipv6 ? this.#sixProblem(path, udpBytes) : this.#fourProblem(path, udpBytes);
  }

  #fourProblem(path: QpPath, udpBytes: number): string {
    const at = this.#at + IPV4_AT;
    const start = this.#word(at);
    if (start >>> 24 !== IPV4_START) return `IPv4 was to be used; the bytes are ${this.#text()}`;
    if (!hasClass((start >>> 16) & 0xff, path)) return this.#wrong('type of service', path.trafficClass);
    if ((start & 0xffff) !== udpBytes + IPV4_BYTES) return this.#wrong('total length', udpBytes + IPV4_BYTES);
    if (this.#word(at + 8) >>> 24 !== path.hopLimit) return this.#wrong('time to live', path.hopLimit);
    let sum = 0;
    for (let i = 0; i < IPV4_BYTES; i += 4) {
      const word = this.#word(at + i);
      sum += (word >>> 16) + (word & 0xffff);
    }
    return sum % 0xffff === 0 ? '' : `the IPv4 checksum is wrong in ${this.#text()}`;
  }

  #sixProblem(path: QpPath, udpBytes: number): string {
    const at = this.#at;
    const start = this.#word(at);
    const next = this.#word(at + 4);
    if (start >>> 28 !== 6) return `IPv6 was to be used; the bytes are ${this.#text()}`;
    if (!hasClass((start >>> 20) & 0xff, path)) return this.#wrong('traffic class', path.trafficClass);
    if ((start & 0xfffff) !== path.flowLabel) return this.#wrong('flow label', path.flowLabel);
    if (next >>> 16 !== udpBytes) return this.#wrong('payload length', udpBytes);
    return (next & 0xff) === path.hopLimit ? '' : this.#wrong('hop limit', path.hopLimit);
  }

  #wrong(field: string, right: number): string {
    return `the ${field} is not ${right} in ${this.#text()}`;
  }

  #ipv4(source: HostAddress | undefined, target: HostAddress | undefined): string {
    const at = this.#at + IPV4_AT;
    if (this.#s.bytes.u8[at + 9] !== UDP) return `the IPv4 protocol is not UDP in ${this.#text()}`;
    if (source && this.#word(at + 12) !== source.ipv4 >>> 0)
      return `the IPv4 source is not the sender in ${this.#text()}`;
    if (target && this.#word(at + 16) !== target.ipv4 >>> 0)
      return `the IPv4 destination is not this host in ${this.#text()}`;
    return '';
  }

  #ipv6(source: HostAddress | undefined, target: HostAddress | undefined): string {
    const at = this.#at;
    if (this.#s.bytes.u8[at + 6] !== UDP) return `the IPv6 next header is not UDP in ${this.#text()}`;
    if (!this.#isIpv6(at + 8, source)) return `the IPv6 source is not the sender in ${this.#text()}`;
    return this.#isIpv6(at + 24, target) ? '' : `the IPv6 destination is not this host in ${this.#text()}`;
  }

  /** Right is the host's own IPv6 address, and the IPv4 address as ::ffff:a.b.c.d. */
  #isIpv6(at: number, host: HostAddress | undefined): boolean {
    if (host === undefined) return true;
    const mapped = [0, 0, 0xffff, host.ipv4];
    return [mapped, host.ipv6 ?? mapped].some((words) =>
      words.every((word, i) => this.#word(at + 4 * i) === word >>> 0),
    );
  }

  #word(at: number): number {
    const b = this.#s.bytes.u8;
    const high = ((b[at] as number) << 8) | (b[at + 1] as number);
    return ((high << 16) | ((b[at + 2] as number) << 8) | (b[at + 3] as number)) >>> 0;
  }

  #text(): string {
    return hexBytes(this.#s.bytes.u8.slice(this.#at, this.#at + GRH_BYTES));
  }
}

/** A packet that can do with congestion marks may come with one, ECN 11 (roce-transport.md 1.2, 8): the link has set it. */
function hasClass(found: number, { trafficClass }: QpPath): boolean {
  const isMarked = (trafficClass & CONGESTION) !== 0 && found === (trafficClass | CONGESTION);
  return found === trafficClass || isMarked;
}
