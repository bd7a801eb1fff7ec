import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { QpPath } from '../verbs/verbsItems.ts';
import { MOST_PORTS } from '../../dut-model/nic.ts';
import { Windowed } from '../verbs/windowed.ts';
import type { DecodedPacket } from './decodedPacket.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import type { RuleReporter } from './ruleReporter.ts';
import { wholeWord, wordAt } from './wireWords.ts';
import { RULE } from './transportRules.ts';

/** Network addresses of a host's port; IP addresses as 32-bit words, most significant first. */
export interface PortAddress {
  readonly macHigh: number;
  readonly macLow: number;
  readonly ipv4: number;
  readonly ipv6: readonly [number, number, number, number];
}

/** Partition of every queue pair: the default one, full member. */
const PARTITION_KEY = 0xffff;
/** Of a UDP source port: none has been seen yet. */
const ANY_PORT = -1;

/** A path that a queue pair was given, and what its packets on it have shown. */
class KnownPath {
  /** Undefined where software has not said which; not its caller's, who may change that. */
  readonly path: QpPath | undefined;
  /** UDP source port. */
  port: number;

  constructor(path: QpPath | undefined, port = ANY_PORT) {
    this.path = path;
    this.port = port;
  }
}

/** What is known of the sender of a flow. */
interface FlowPath {
  readonly sender: number;
  readonly given: Windowed<KnownPath>;
}

/** How old a packet may be when it is seen. */
export interface PacketAge {
  /**
   * When a NIC may have begun to make a packet, ps: at the earliest by what its queue pair was then. Negative where that
   * is not known.
   * @param flow of the requests to the queue pair that the packet goes to
   */
  earliest(p: DecodedPacket, flow: number): number;
}

/**
 * Checks that packets go from and to the ports that they claim, on the path that their queue pair was given: MAC and
 * IP addresses, IP version, traffic class, flow label, hop limit, partition, and one UDP source port for each queue
 * pair (roce-transport.md 1.2 to 1.4); and that they keep to the port of their queue pair.
 */
export class PathChecker {
  readonly #bytes: ByteStore;
  readonly #report: RuleReporter;
  /** By host and port. */
  readonly #ports: (PortWords | undefined)[] = [];
  /** By flow, where anything is known. */
  readonly #flows: (FlowPath | undefined)[] = [];
  readonly #ages: PacketAge;
  /** By queue pair: the port that its datagrams leave by. */
  readonly #datagramPorts = new Map<number, number>();
  /** Paths of the datagrams from one host to another, nearly always one. */
  readonly #datagrams: (QpPath[] | undefined)[] = [];
  /** The path that a queue pair was given last. */
  #latest: QpPath | undefined;

  constructor(bytes: ByteStore, ages: PacketAge, report: RuleReporter) {
    this.#ages = ages;
    this.#bytes = bytes;
    this.#report = report;
  }

  /** Addresses of a host's port. Packets between ports without any are not checked for addresses. */
  portReady(host: number, address: PortAddress, port = 1): void {
    this.#ports[placeOf(host, port)] = new PortWords(address);
  }

  /** Packets of this flow will come from `host` on this path; nothing is asked of one whose path is not known. */
  announce(flow: number, host: number, path: QpPath | undefined): void {
    this.forget(flow);
    if (path !== undefined) this.#flows[flow] = { sender: host, given: new Windowed(new KnownPath(this.#kept(path))) };
  }

  /** The sender is about to be given another path, at `time` in ps; until `changed` it may use either. */
  change(flow: number, path: QpPath | undefined, time: number): void {
    const given = this.#flows[flow]?.given;
    if (given === undefined) return;
    const { path: before, port } = given.next;
    if (isSame(before, path)) return;
    // The UDP source port follows from the flow label (roce-transport.md 1.3).
    const samePort = (before?.flowLabel ?? 0) === (path?.flowLabel ?? 0);
    given.begin(new KnownPath(this.#kept(path), samePort ? port : ANY_PORT), time);
  }

  /** The NIC has done so, or has refused: it sends on `path` from now on, at `time`. */
  changed(flow: number, path: QpPath | undefined, time: number): void {
    const given = this.#flows[flow]?.given;
    if (given === undefined || !given.isOpen) return;
    given.end(time, isSame(given.next.path, path) ? given.next : given.now);
  }

  /** Datagrams of this queue pair leave by this port, and go to the same one. */
  datagramsFrom(host: number, qpn: number, port: number): void {
    this.#datagramPorts.set(senderOf(host, qpn), port);
  }

  /** Datagrams from `host` to `to` will come on this path, or on one announced before. */
  announceDatagrams(host: number, to: number, path: QpPath): void {
    const pair = pairOf(host, to);
    const known = this.#datagrams[pair];
    // Never forgotten: nobody says when an address handle is used for the last time.
    if (known === undefined) this.#datagrams[pair] = [{ ...path }];
    else if (!known.some((other) => isSame(other, path))) known.push({ ...path });
  }

  /** The flow begins anew. */
  forget(flow: number): void {
    if (this.#flows[flow] !== undefined) this.#flows[flow] = undefined;
  }

  /** A packet with well-formed headers, whose IP header is copied to the words from `at` on; `flow` is -1 for datagrams. */
  check(p: DecodedPacket, at: number, flow: number): void {
    // One that leaves by a wrong port has the addresses of the right one, and nothing else is wrong with it.
    const bound =
      flow < 0 ? this.#datagramPorts.get(senderOf(p.host, p.sourceQp)) : this.#flows[flow]?.given.next.path?.port;
    const port = bound ?? p.port;
    const from = this.#ports[placeOf(p.host, port)];
    const to = p.to < 0 ? undefined : this.#ports[placeOf(p.to, port)];
    if (from !== undefined && to !== undefined) this.#addresses(p, at, from, to);
    if (p.partitionKey !== PARTITION_KEY) {
      this.#report.broken(
        RULE.partitionKey,
        p,
        `has partition key ${hex(p.partitionKey)}; ${hex(PARTITION_KEY)} is right`,
      );
    }
    if (flow < 0) {
      if (p.port !== port) this.#wrongPort(p, port);
      const paths = p.to < 0 ? undefined : this.#datagrams[pairOf(p.host, p.to)];
      if (paths !== undefined) this.#datagram(p, paths);
      return;
    }
    const known = this.#flows[flow];
    if (known !== undefined) this.#path(p, flow, known);
  }

  /** A copy of a path, which queue pairs share that are given the same one after another. */
  #kept(path: QpPath | undefined): QpPath | undefined {
    if (path === undefined) return undefined;
    if (!isSame(this.#latest, path)) this.#latest = { ...path };
    return this.#latest;
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
    this.#report.broken(RULE.macAddress, p, `has ${which} MAC address ${found}; that of host ${host} is ${port.mac()}`);
  }

  /** @param at offset of the address in the IP header */
  #wrongIp(p: DecodedPacket, which: string, at: number, host: number, port: PortWords): void {
    const length = p.ipVersion === 4 ? 4 : 16;
    const found = ipText(this.#bytes.u8.subarray(p.network + at, p.network + at + length));
    const right = port.ip(p.ipVersion);
    this.#report.broken(RULE.ipAddress, p, `has ${which} IP address ${found}; that of host ${host} is ${right}`);
  }

  #path(p: DecodedPacket, flow: number, { sender, given }: FlowPath): void {
    if (sender !== p.host) {
      this.#report.broken(RULE.peerAddress, p, `goes to a queue pair that is connected with host ${sender}`);
      return;
    }
    if (!given.isSettled && this.#onOtherPath(p, flow, given)) return;
    const known = given.next;
    if (known.port === ANY_PORT) known.port = p.sourcePort;
    else if (known.port !== p.sourcePort) {
      const first = hex(known.port);
      this.#report.broken(
        RULE.sourcePort,
        p,
        `has UDP source port ${hex(p.sourcePort)}; the queue pair had ${first} before`,
      );
    }
    const { path } = known;
    if (path !== undefined && !isOnPath(p, path)) this.#offPath(p, path);
  }

  /** Whether the packet may have been made when another path was, and looks so. */
  #onOtherPath(p: DecodedPacket, flow: number, given: Windowed<KnownPath>): boolean {
    const latest = given.next;
    return given.some(this.#ages.earliest(p, flow), (known) => {
      if (known === latest) return false;
      const samePort = known.port === ANY_PORT || known.port === p.sourcePort;
      return samePort && (known.path === undefined || isOnPath(p, known.path));
    });
  }

  /** A datagram must be on one of the paths; if it is on none, that which was announced last is named. */
  #datagram(p: DecodedPacket, paths: readonly QpPath[]): void {
    for (const path of paths) if (isOnPath(p, path, p.port)) return;
    this.#offPath(p, paths[paths.length - 1] as QpPath, p.port);
  }

  #wrongPort(p: DecodedPacket, port: number): void {
    this.#report.broken(RULE.pathPort, p, `leaves by port ${p.port}; its queue pair is bound to port ${port}`);
  }

  #offPath(p: DecodedPacket, path: QpPath, port = path.port ?? 1): void {
    const version = path.ipv6 ? 6 : 4;
    if (p.port !== port) this.#wrongPort(p, port);
    else if (p.ipVersion !== version) this.#wrongField(p, 'IP version', p.ipVersion, version);
    else if (p.trafficClass !== path.trafficClass) {
      this.#wrongField(p, 'traffic class', p.trafficClass, path.trafficClass);
    } else if (p.hopLimit !== path.hopLimit) this.#wrongField(p, 'hop limit', p.hopLimit, path.hopLimit);
    else this.#wrongField(p, 'flow label', p.flowLabel, path.flowLabel);
  }

  #wrongField(p: DecodedPacket, field: string, is: number, should: number): void {
    this.#report.broken(RULE.pathField, p, `has ${field} ${is}; its queue pair was given ${should}`);
  }
}

/** @param port that it is to leave by */
function isOnPath(p: DecodedPacket, path: QpPath, port = path.port ?? 1): boolean {
  return (
    p.port === port &&
    p.ipVersion === (path.ipv6 ? 6 : 4) &&
    p.trafficClass === path.trafficClass &&
    p.hopLimit === path.hopLimit &&
    (!path.ipv6 || p.flowLabel === path.flowLabel)
  );
}

function isSame(a: QpPath | undefined, b: QpPath | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    (a.port ?? 1) === (b.port ?? 1) &&
    a.ipv6 === b.ipv6 &&
    a.trafficClass === b.trafficClass &&
    a.flowLabel === b.flowLabel &&
    a.hopLimit === b.hopLimit
  );
}

/** A queue pair of a host in one number. */
function senderOf(host: number, qpn: number): number {
  return (host << 24) | qpn;
}

/** A port of a host in one number. */
function placeOf(host: number, port: number): number {
  return host * MOST_PORTS + port - 1;
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
