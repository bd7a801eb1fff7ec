import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { widened } from '../../uvm/bytes/widened.ts';
import type { QpPath } from '../verbs/verbsItems.ts';
import type { DecodedPacket } from './decodedPacket.ts';
import { PathNumbers, UNKNOWN_PATH } from './pathNumbers.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import type { RuleReporter } from './ruleReporter.ts';
import { wholeWord, wordAt } from './wireWords.ts';

/** Network addresses of a host's port; IP addresses as 32-bit words, most significant first. */
export interface PortAddress {
  readonly macHigh: number;
  readonly macLow: number;
  readonly ipv4: number;
  readonly ipv6: readonly [number, number, number, number];
}

/** Partition of every queue pair: the default one, full member. */
const PARTITION_KEY = 0xffff;
/** Words of a flow: one with the parts below, and the number of its path. */
const PATH_WORDS = 2;
/** Its UDP source port less the first possible one, whether that is known, sender, whether all that is known. */
const PORT_MASK = 0x3fff;
const PORT_KNOWN = 0x4000;
const SENDER_SHIFT = 15;
const SENDER_MASK = 63;
const ANNOUNCED = 1 << 21;
/** Set in a flow's word once its path has been changed. The sign bit, for a short test. */
const CHANGED = 1 << 31;

/** Words that a flow had before its path was changed, with the numbers, and the time in ps at which that was done. */
interface FormerPaths {
  readonly words: number[];
  readonly numbers: number[];
  until: number;
}

/** Whether a NIC may have made a packet by what its queue pair was before software changed it. */
export interface PacketAge {
  /**
   * @param flow of the requests to the queue pair that the packet goes to
   * @param change time in ps at which the NIC had taken the change
   */
  mayPrecede(p: DecodedPacket, flow: number, change: number): boolean;
}

/**
 * Checks that packets go from and to the ports that they claim, on the path that their queue pair was given: MAC and
 * IP addresses, IP version, traffic class, flow label, hop limit, partition, and one UDP source port for each queue
 * pair (roce-transport.md 1.2 to 1.4).
 */
export class PathChecker {
  readonly #bytes: ByteStore;
  readonly #report: RuleReporter;
  readonly #ports: (PortWords | undefined)[] = [];
  readonly #paths = new PathNumbers();
  /** `PATH_WORDS` for each flow, 0 while nothing is known. */
  #flows = new Int32Array(64);
  readonly #former = new Map<number, FormerPaths>();
  readonly #ages: PacketAge;
  /** Paths of the datagrams from one host to another, nearly always one. */
  readonly #datagrams: (number[] | undefined)[] = [];

  constructor(bytes: ByteStore, ages: PacketAge, report: RuleReporter) {
    this.#ages = ages;
    this.#bytes = bytes;
    this.#report = report;
  }

  /** A host's addresses. Packets between hosts without any are not checked for addresses. */
  portReady(host: number, address: PortAddress): void {
    this.#ports[host] = new PortWords(address);
  }

  /** Packets of this flow will come from `host` on this path; nothing is asked of one whose path is not known. */
  announce(flow: number, host: number, path: QpPath | undefined): void {
    const at = flow * PATH_WORDS;
    if (at >= this.#flows.length) this.#flows = widened(this.#flows, at + PATH_WORDS);
    this.forget(flow);
    if (path === undefined) return;
    this.#flows[at] = ANNOUNCED | (host << SENDER_SHIFT);
    this.#flows[at + 1] = this.#paths.take(path);
  }

  /** The sender is about to be given another path; until `changed` it may use either. */
  change(flow: number, path: QpPath | undefined): void {
    const at = flow * PATH_WORDS;
    const known = at < this.#flows.length ? (this.#flows[at] as number) : 0;
    if (known === 0) return;
    const before = this.#flows[at + 1] as number;
    const number = this.#paths.take(path);
    if (number === before) {
      this.#paths.release(number);
      return;
    }
    // The UDP source port follows from the flow label (roce-transport.md 1.3).
    const samePort = this.#paths.of(before).flowLabel === this.#paths.of(number).flowLabel;
    const others = samePort ? known : known & ~(PORT_KNOWN | PORT_MASK);
    this.#keepFormer(flow, known & ~CHANGED, before);
    this.#flows[at] = others | CHANGED;
    this.#flows[at + 1] = number;
  }

  /** What `change` has announced is done. */
  changed(flow: number, time: number): void {
    const former = this.#former.get(flow);
    if (former !== undefined && former.until === Number.POSITIVE_INFINITY) former.until = time;
  }

  /** Datagrams from `host` to `to` will come on this path, or on one announced before. */
  announceDatagrams(host: number, to: number, path: QpPath): void {
    const pair = pairOf(host, to);
    const known = this.#datagrams[pair];
    // Never forgotten: nobody says when an address handle is used for the last time.
    const number = this.#paths.take(path);
    if (known === undefined) this.#datagrams[pair] = [number];
    else if (known.includes(number)) this.#paths.release(number);
    else known.push(number);
  }

  /** The flow begins anew. */
  forget(flow: number): void {
    for (const number of this.#former.get(flow)?.numbers ?? []) this.#paths.release(number);
    this.#former.delete(flow);
    const at = flow * PATH_WORDS;
    if (at >= this.#flows.length) return;
    this.#paths.release(this.#flows[at + 1] as number);
    this.#flows.fill(0, at, at + PATH_WORDS);
  }

  /** A packet with well-formed headers, whose IP header is copied to the words from `at` on; `flow` is -1 for datagrams. */
  check(p: DecodedPacket, at: number, flow: number): void {
    const from = this.#ports[p.host];
    const to = this.#ports[p.to];
    if (from !== undefined && to !== undefined) this.#addresses(p, at, from, to);
    if (p.partitionKey !== PARTITION_KEY) {
      this.#report.broken('WIRE_PATH', p, `has partition key ${hex(p.partitionKey)}; ${hex(PARTITION_KEY)} is right`);
    }
    if (flow < 0) {
      const paths = p.to < 0 ? undefined : this.#datagrams[pairOf(p.host, p.to)];
      if (paths !== undefined) this.#datagram(p, paths);
      return;
    }
    const word = flow * PATH_WORDS;
    if (word >= this.#flows.length) return;
    const known = this.#flows[word] as number;
    if (known !== 0) this.#path(p, flow, known);
  }

  /** A flow may have been on a path until now. */
  #keepFormer(flow: number, word: number, number: number): void {
    const former = this.#former.get(flow) ?? { words: [], numbers: [], until: 0 };
    former.until = Number.POSITIVE_INFINITY;
    this.#former.set(flow, former);
    if (former.words.some((known, i) => known === word && former.numbers[i] === number)) this.#paths.release(number);
    else {
      former.words.push(word);
      former.numbers.push(number);
    }
  }

  #addresses(p: DecodedPacket, at: number, from: PortWords, to: PortWords): void {
    const w = this.#bytes.i32;
    if (!from.hasMac(w, p.frame + 6)) this.#wrongMac(p, 'source', p.frame + 6, p.host, from);
    if (!to.hasMac(w, p.frame)) this.#wrongMac(p, 'destination', p.frame, p.to, to);
    const ip = p.ipVersion === 4;
    if (ip ? w[at + 3] !== from.ipv4 : !from.hasIpv6(w, at + 2)) this.#wrongIp(p, 'source', ip ? 12 : 8, p.host, from);
    if (ip ? w[at + 4] !== to.ipv4 : !to.hasIpv6(w, at + 6)) this.#wrongIp(p, 'destination', ip ? 16 : 24, p.to, to);
  }

  #wrongMac(p: DecodedPacket, which: string, at: number, host: number, port: PortWords): void {
    const found = macText(this.#bytes.u8.subarray(at, at + 6));
    this.#report.broken('WIRE_ADDRESS', p, `has ${which} MAC address ${found}; that of host ${host} is ${port.mac()}`);
  }

  /** @param at offset of the address in the IP header */
  #wrongIp(p: DecodedPacket, which: string, at: number, host: number, port: PortWords): void {
    const length = p.ipVersion === 4 ? 4 : 16;
    const found = ipText(this.#bytes.u8.subarray(p.network + at, p.network + at + length));
    const right = port.ip(p.ipVersion);
    this.#report.broken('WIRE_ADDRESS', p, `has ${which} IP address ${found}; that of host ${host} is ${right}`);
  }

  #path(p: DecodedPacket, flow: number, known: number): void {
    const sender = (known >> SENDER_SHIFT) & SENDER_MASK;
    if (sender !== p.host) {
      this.#report.broken('WIRE_ADDRESS', p, `goes to a queue pair that is connected with host ${sender}`);
      return;
    }
    if (known < 0 && this.#onFormerPath(p, flow)) return;
    const port = p.sourcePort & PORT_MASK;
    if ((known & PORT_KNOWN) === 0) this.#flows[flow * PATH_WORDS] = known | PORT_KNOWN | port;
    else if ((known & PORT_MASK) !== port) {
      const first = hex(0xc000 | (known & PORT_MASK));
      this.#report.broken(
        'WIRE_PATH',
        p,
        `has UDP source port ${hex(p.sourcePort)}; the queue pair had ${first} before`,
      );
    }
    const number = this.#flows[flow * PATH_WORDS + 1] as number;
    if (number === UNKNOWN_PATH) return;
    const path = this.#paths.of(number);
    if (!isOnPath(p, path)) this.#offPath(p, path);
  }

  /** Whether the packet may have been made before the change of a path, and looks so. */
  #onFormerPath(p: DecodedPacket, flow: number): boolean {
    const { words, numbers, until } = this.#former.get(flow) as FormerPaths;
    if (!this.#ages.mayPrecede(p, flow, until)) return false;
    return words.some((word, i) => {
      const samePort = (word & PORT_KNOWN) === 0 || (word & PORT_MASK) === (p.sourcePort & PORT_MASK);
      return samePort && this.#isOn(p, numbers[i] as number);
    });
  }

  /** A datagram must be on one of the paths; if it is on none, that which was announced last is named. */
  #datagram(p: DecodedPacket, paths: readonly number[]): void {
    for (const number of paths) if (this.#isOn(p, number)) return;
    this.#offPath(p, this.#paths.of(paths[paths.length - 1] as number));
  }

  #isOn(p: DecodedPacket, number: number): boolean {
    return number === UNKNOWN_PATH || isOnPath(p, this.#paths.of(number));
  }

  #offPath(p: DecodedPacket, path: QpPath): void {
    const version = path.ipv6 ? 6 : 4;
    if (p.ipVersion !== version) this.#wrongField(p, 'IP version', p.ipVersion, version);
    else if (p.trafficClass !== path.trafficClass) {
      this.#wrongField(p, 'traffic class', p.trafficClass, path.trafficClass);
    } else if (p.hopLimit !== path.hopLimit) this.#wrongField(p, 'hop limit', p.hopLimit, path.hopLimit);
    else this.#wrongField(p, 'flow label', p.flowLabel, path.flowLabel);
  }

  #wrongField(p: DecodedPacket, field: string, is: number, should: number): void {
    this.#report.broken('WIRE_PATH', p, `has ${field} ${is}; its queue pair was given ${should}`);
  }
}

function isOnPath(p: DecodedPacket, path: QpPath): boolean {
  return (
    p.ipVersion === (path.ipv6 ? 6 : 4) &&
    p.trafficClass === path.trafficClass &&
    p.hopLimit === path.hopLimit &&
    (!path.ipv6 || p.flowLabel === path.flowLabel)
  );
}

/** Two hosts, 0 .. 63, in one number. */
function pairOf(host: number, to: number): number {
  return (host << 6) | to;
}

/** A port's addresses, as words of the wire hold them. */
class PortWords {
  readonly ipv4: number;
  /** Bytes 0 to 3 and 2 to 5, as words. */
  readonly #macStart: number;
  readonly #macEnd: number;
  readonly #ipv6: readonly number[];
  readonly #address: PortAddress;

  constructor(address: PortAddress) {
    const { macHigh, macLow } = address;
    this.#address = address;
    this.ipv4 = wholeWord(address.ipv4);
    this.#ipv6 = address.ipv6.map(wholeWord);
    this.#macStart = wholeWord((macHigh << 16) | (macLow >>> 16));
    this.#macEnd = wholeWord(macLow);
  }

  /** @param at offset in the byte store */
  hasMac(w: Int32Array, at: number): boolean {
    return wordAt(w, at + 2) === this.#macEnd && wordAt(w, at) === this.#macStart;
  }

  /** For messages, as `ip`. */
  mac(): string {
    const { macHigh, macLow } = this.#address;
    return macText([macHigh >> 8, macHigh & 255, ...bytesOf(macLow)]);
  }

  ip(version: number): string {
    const { ipv4, ipv6 } = this.#address;
    return ipText(version === 4 ? bytesOf(ipv4) : ipv6.flatMap(bytesOf));
  }

  hasIpv6(w: Int32Array, at: number): boolean {
    const a = this.#ipv6;
    return w[at + 3] === a[3] && w[at] === a[0] && w[at + 1] === a[1] && w[at + 2] === a[2];
  }
}

/** Bytes of a word, most significant first. */
function bytesOf(word: number): number[] {
  return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
}

function macText(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Bytes of an IPv4 address, or of an IPv6 one with all its digits. */
function ipText(bytes: ArrayLike<number>): string {
  if (bytes.length === 4) return Array.from(bytes).join('.');
  return macText(Array.from(bytes)).replaceAll(/(..):(..)(:|$)/g, '$1$2$3');
}
