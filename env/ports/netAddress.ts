/**
 * Network addresses of the hosts. Usually MAC 02:00:00:00:00:<host+1>, IPv4 10.0.0.<host+1> and IPv6 GID fd00::<host+1>;
 * or of any value that a port may have, so that fields that are cut too short, and comparisons of a part, show.
 */

import type { PortAddress } from '../../agents/wire/pathChecker.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';

/** `usual`: numbered from one; `any`: drawn from the seed. */
export type AddressMode = 'usual' | 'any';

/** The addresses of the ports of a run's hosts, and whose an address is. */
export class NetAddresses {
  readonly #ports: readonly (readonly PortAddress[])[];

  /** @param ports by port number from 0 and host number, with a MAC, an IPv4 address and a GID each that no other has */
  constructor(...ports: readonly (readonly PortAddress[])[]) {
    this.#ports = ports;
  }

  /** Numbered from one. @param ports of each host */
  static usual(hosts: number, ports = 1): NetAddresses {
    const ofPort = (port: number): PortAddress[] =>
      Array.from({ length: hosts }, (_, host) => usualAddress(host, port));
    return new NetAddresses(...Array.from({ length: ports }, (_, i) => ofPort(i + 1)));
  }

  /** @param random stream of the addresses alone */
  static any(hosts: number, random: FastStream, ports = 1): NetAddresses {
    const drawn: PortAddress[] = [];
    while (drawn.length < hosts * ports) {
      const port = anyAddress(random);
      if (!drawn.some((other) => isAlike(port, other))) drawn.push(port);
    }
    return new NetAddresses(...Array.from({ length: ports }, (_, i) => drawn.slice(i * hosts, (i + 1) * hosts)));
  }

  /** @param port from 1 */
  of(host: number, port = 1): PortAddress {
    const address = this.#ports[port - 1]?.[host];
    if (address !== undefined) return address;
    const hosts = this.#ports[0]?.length ?? 0;
    if (host >= hosts) throw new RangeError(`host ${host} has no addresses: there are ${hosts} hosts`);
    throw new RangeError(`host ${host} has no addresses for port ${port}: there are ${this.#ports.length} ports`);
  }

  /** Host with this MAC address, at any of its ports; -1 if there is none. */
  hostOf(macHigh: number, macLow: number): number {
    for (const hosts of this.#ports) {
      const host = hosts.findIndex((port) => port.macHigh === macHigh && port.macLow === macLow >>> 0);
      if (host >= 0) return host;
    }
    return -1;
  }
}

/**
 * @param port from 1
 * @returns MAC 02:00:00:00:00:<host+1>, IPv4 10.0.0.<host+1>, GID fd00::<host+1>; of other ports MAC 02:00:00:<port-1>:00:<host+1>,
 * IPv4 10.0.<port-1>.<host+1>, GID fd00::<port-1>:0:<host+1>
 */
export function usualAddress(host: number, port = 1): PortAddress {
  return {
    macHigh: 0x0200,
    macLow: ((port - 1) << 16) | (host + 1),
    ipv4: (0x0a00_0000 | ((port - 1) << 8) | (host + 1)) >>> 0,
    ipv6: [0xfd00_0000, 0, port - 1, host + 1],
  };
}

/** Unicast ones: what a port may have. IPv4 leaves 0/8 and loopback out, IPv6 multicast and what embeds IPv4. */
function anyAddress(random: FastStream): PortAddress {
  const word = (): number => random.uint32();
  return {
    macHigh: word() & 0xfeff,
    macLow: word(),
    ipv4: ((anyNetwork(random) << 24) | (word() & 0xff_ffff)) >>> 0,
    ipv6: [((random.range(0x01, 0xfe) << 24) | (word() & 0xff_ffff)) >>> 0, word(), word(), word()],
  };
}

const LOOPBACK = 127;

function anyNetwork(random: FastStream): number {
  const network = random.range(1, 222);
  return network < LOOPBACK ? network : network + 1;
}

function isAlike(a: PortAddress, b: PortAddress): boolean {
  return (
    (a.macHigh === b.macHigh && a.macLow === b.macLow) ||
    a.ipv4 === b.ipv4 ||
    a.ipv6.every((word, i) => word === b.ipv6[i])
  );
}
