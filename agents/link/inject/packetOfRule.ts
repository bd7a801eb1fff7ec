/** The packet that a rule of injection stands for, with what is known of queue pairs when it is sent. */

import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../../rdma/bth.ts';
import { operationNamed } from '../faults/rule/opcodeNames.ts';
import { wholeNumber } from '../faults/rule/numberSet.ts';
import type { QpEntry } from '../faults/frame/qpDirectory.ts';
import type { InjectedPacket } from './injectedPacket.ts';
import type { Injection } from './injectRule.ts';

const OPERATION_BITS = 0x1f;
const PSN_MASK = 0xff_ffff;

/** @param target its queue pair, undefined for one that does not exist @returns what is wrong where it cannot be sent */
export function packetOf(rule: Injection, target: QpEntry | undefined): InjectedPacket | string {
  const destQp = rule.qpn ?? target?.qpn;
  if (destQp === undefined) return `host ${rule.to} has no queue pair ${rule.qp} then; write a later at=, or qpn=`;
  if (rule.relpsn !== null && target === undefined)
    return `host ${rule.to} has no queue pair ${destQp} then, from whose first PSN relpsn counts; write psn=`;
  const opcode = opcodeOf(rule);
  return {
    from: rule.from,
    to: rule.to,
    opcode,
    destQp,
    psn: psnOf(rule, opcode, target),
    payload: rule.payload,
    icrc: rule.icrc,
    ...given('port', rule.port),
    ...given('version', rule.version),
    ...given('partitionKey', rule.p_key),
    ...given('qkey', rule.q_key),
    ...given('sourceQp', rule.source_qp),
    ...given('rkey', rule.r_key),
    ...given('dmaLength', rule.dma_length),
    ...given('syndrome', rule.syndrome),
    ...given('msn', rule.msn),
    ...given('immediate', rule.immediate),
    ...given('solicited', rule.solicited),
    ...given('ackRequest', rule.ack_request),
    ...given('ipv6', rule.ipv6),
    ...(rule.va === null ? {} : { va: BigInt(rule.va) }),
  };
}

function opcodeOf({ opcode, service }: Injection): number {
  const number = wholeNumber(opcode);
  if (number !== undefined) return number;
  return opcode === 'cnp' ? OPCODE_CNP : BTH_CLASS[service] | (operationNamed(opcode) as number);
}

/** Of answers from the first PSN that the queue pair has sent. */
function psnOf({ psn, relpsn }: Injection, opcode: number, target: QpEntry | undefined): number {
  if (relpsn === null || target === undefined) return psn ?? 0;
  const operation = opcode & OPERATION_BITS;
  const answers = operation >= BTH_OP.readResponseFirst && operation <= BTH_OP.atomicAcknowledge;
  return ((answers ? target.sqPsn : target.rqPsn) + relpsn) & PSN_MASK;
}

function given<K extends keyof InjectedPacket>(name: K, value: InjectedPacket[K] | null): Partial<InjectedPacket> {
  return value === null ? {} : { [name]: value };
}
