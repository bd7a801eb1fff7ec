/**
 * Network addresses of the hosts: MAC 02:00:00:00:00:<host+1>, IPv4 10.0.0.<host+1>, IPv6 GID fd00::<host+1>.
 */

import type { PortAddress } from '../agents/wire/pathChecker.ts';

/** Upper 16 bits of every host's MAC address. */
export const MAC_HIGH = 0x0200;

/** Lower 32 bits of a host's MAC address. */
export function macLow(host: number): number {
  return host + 1;
}

/** IPv4 address of a host, as an unsigned number. */
export function ipv4(host: number): number {
  return (0x0a00_0000 | (host + 1)) >>> 0;
}

/** IPv6 address of a host as four words, most significant first. */
export function gid(host: number): readonly [number, number, number, number] {
  return [0xfd00_0000, 0, 0, host + 1];
}

/** All addresses of a host. */
export function portAddress(host: number): PortAddress {
  return { macHigh: MAC_HIGH, macLow: macLow(host), ipv4: ipv4(host), ipv6: gid(host) };
}
