/** What software can ask of a port, without a command: its driver knows. */
import type { PortAddress } from '../../../agents/wire/pathChecker.ts';
import { GID_ENTRIES, GID_INDEX } from '../ah/ahAttributes.ts';
import { HostApiError } from '../hostErrors.ts';

export interface PortAttributes {
  /** Largest MTU code. */
  readonly maxMtu: number;
  readonly gidEntries: number;
  readonly pkeyEntries: number;
}

/** The default partition, full member, alone. */
const PARTITIONS = [0xffff] as const;

export function portAttributes(maxMtu: number): PortAttributes {
  return { maxMtu, gidEntries: GID_ENTRIES, pkeyEntries: PARTITIONS.length };
}

/** Words of an entry of the GID table, most significant first. @throws HostApiError of kind ATTRIBUTE for one that there is not */
export function gidOf(where: string, { ipv4, ipv6 }: PortAddress, index: number): PortAddress['ipv6'] {
  checkIndex(where, 'GID', index, GID_ENTRIES);
  return index === GID_INDEX.ipv6 ? ipv6 : [0, 0, 0xffff, ipv4];
}

/** @throws HostApiError of kind ATTRIBUTE for an entry that there is not */
export function pkeyOf(where: string, index: number): number {
  checkIndex(where, 'P_Key', index, PARTITIONS.length);
  return PARTITIONS[index] as number;
}

/** @throws HostApiError of kind ATTRIBUTE */
export function checkPort(where: string, port: number, ports: number): void {
  if (Number.isInteger(port) && port >= 1 && port <= ports) return;
  throw new HostApiError('ATTRIBUTE', where, `port ${port}`, `use 1 .. ${ports}`, port);
}

function checkIndex(where: string, table: string, index: number, entries: number): void {
  if (Number.isInteger(index) && index >= 0 && index < entries) return;
  throw new HostApiError('ATTRIBUTE', where, `entry ${index} of the ${table} table`, `use 0 .. ${entries - 1}`, index);
}
