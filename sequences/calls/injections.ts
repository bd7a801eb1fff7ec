/**
 * Packets that no NIC has sent, from fields to names and back: whatever is taken out of a scenario, its packet goes to the same
 * queue pair, aims at the same memory, and has the PSN that is as far from what is expected next.
 */

import type { InjectedPacket } from '../../agents/link/inject/injectedPacket.ts';
import type { PsnCounter } from '../../env/trace/psnCounter.ts';
import { psnAdd, psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { CallPacket } from '../../config/scenario/calls/callScenario.ts';
import { opcodeOf, PACKET_FLAGS, PACKET_NUMBERS, writtenOpcode } from '../../config/scenario/calls/packetFields.ts';
import { type BoundObjects, hostOf, UnboundName } from './boundObjects.ts';
import type { ObjectNames } from './objectNames.ts';

const KEPT = [...PACKET_NUMBERS, ...PACKET_FLAGS, 'icrc'] as const;

/** As a scenario says it. */
export function packetStep(packet: InjectedPacket, names: ObjectNames, psns: PsnCounter): CallPacket {
  const { from, to, destQp, opcode, psn, payload, va, rkey, qkey = 0 } = packet;
  const target = names.qpOf(to, destQp);
  const next = psns.nextPsn(to, destQp, opcode);
  const kept = KEPT.flatMap((field) => (packet[field] === undefined ? [] : [[field, packet[field]] as const]));
  const { qkey: _, ...others } = Object.fromEntries(kept);
  const known = names.qpNamed(target);
  return {
    from: `host${from}`,
    ...(target === undefined ? { to: `host${to}`, destQp } : { to: target }),
    opcode: writtenOpcode(opcode),
    ...(psn === undefined ? {} : next === undefined ? { psn } : { ahead: psnCompare(psn, next) }),
    ...(known !== undefined && known.qkey >>> 0 === qkey >>> 0 ? {} : { qkey }),
    ...(payload === undefined ? {} : { payload: bytesText(payload) }),
    ...(va === undefined && rkey === undefined ? {} : { remote: names.memory(to, rkey ?? 0, ...halves(va ?? 0n)) }),
    ...others,
  };
}

/** @throws UnboundName where a name stands for nothing */
export function packetOf(args: CallPacket, objects: BoundObjects, psns: PsnCounter): InjectedPacket {
  const opcode = opcodeOf(args.opcode);
  if (opcode === undefined) throw new UnboundName(`'${args.opcode}' is no opcode`);
  const target = args.destQp === undefined ? objects.qp(args.to) : undefined;
  const to = hostOf(args.to);
  const destQp = args.destQp ?? (target?.qpn as number);
  const next = psns.nextPsn(to, destQp, opcode) ?? 0;
  const kept = Object.fromEntries(KEPT.flatMap((field) => (args[field] === undefined ? [] : [[field, args[field]]])));
  return {
    ...kept,
    from: hostOf(args.from),
    to,
    opcode,
    destQp,
    psn: args.psn ?? psnAdd(next, args.ahead ?? 0),
    qkey: args.qkey ?? target?.qkey ?? 0,
    ...(args.payload === undefined ? {} : { payload: bytesOf(args.payload) }),
    ...(args.remote === undefined ? {} : aimOf(args.remote, objects)),
  };
}

function aimOf(remote: NonNullable<CallPacket['remote']>, objects: BoundObjects): Pick<InjectedPacket, 'va' | 'rkey'> {
  const { hi, lo, key } = objects.memory(remote);
  return { va: (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0), rkey: key };
}

function halves(address: bigint): [hi: number, lo: number] {
  return [Number(BigInt.asIntN(32, address >> 32n)), Number(BigInt.asIntN(32, address))];
}

function bytesText(payload: Uint8Array | number): string | number {
  return typeof payload === 'number' ? payload : Buffer.from(payload).toString('hex');
}

function bytesOf(payload: string | number): Uint8Array | number {
  return typeof payload === 'number' ? payload : new Uint8Array(Buffer.from(payload, 'hex'));
}
