/**
 * Frames whose ICRC is known independently of this project: captured or published ones (`icrc.json`) and ones computed
 * with scapy's RoCE layer and a bitwise CRC (`icrc-computed.json`). Each says where it comes from.
 */

import { readFileSync } from 'node:fs';

export interface IcrcVector {
  readonly name: string;
  readonly source: string;
  /** What `hex` begins with: an Ethernet header or an IP header. */
  readonly layer: 'ethernet' | 'ip';
  readonly encapsulation: string;
  readonly opcode: string;
  readonly hex: string;
  readonly icrc: string;
}

/** All vectors of a file of tests/vectors. */
export function icrcVectors(file: 'icrc.json' | 'icrc-computed.json'): readonly IcrcVector[] {
  return JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8')) as IcrcVector[];
}
