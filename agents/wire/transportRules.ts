/**
 * The rules of the transport that the wire shows, one row each: under which id a broken one is reported, by which clause of
 * roce-transport.md, and what breaks it. Several rows share an id that users count. `+JUDGE_WITHOUT` switches rows off, and
 * the judge's mutation test plays the planted bugs of an id without each of its rows.
 */

import type { WireReportId } from './wireRules.ts';

export interface TransportRule {
  readonly id: WireReportId;
  /** Of roce-transport.md. */
  readonly clause: string;
  /** What breaks it: what a packet is or does. */
  readonly text: string;
  /** Why other rows find every planted bug that this one finds; absent where one is found by this row alone. */
  readonly redundant?: string;
  /** A file of specs that fails without it, where no planted bug breaks it: NICs that could are too small, or there are none. */
  readonly spec?: string;
}

export const RULE = {
  // Paths and addresses.
  partitionKey: rule('WIRE_PATH', '1.4', 'has another partition key than the default one', { spec: 'pathChecker' }),
  pathPort: rule('WIRE_PORT', '1.2', 'leaves by another port of the NIC than its queue pair is bound to', {
    spec: 'rareRules',
  }),
  pathField: rule('WIRE_PATH', '1.2', 'has another IP version, traffic class, flow label or hop limit than was given'),
  sourcePort: rule('WIRE_PATH', '1.3', 'has another UDP source port than earlier packets of its queue pair', {
    spec: 'pathChecker',
  }),
  macAddress: rule('WIRE_ADDRESS', '1.1', 'has a MAC address that is not that of the sending or receiving port'),
  ipAddress: rule('WIRE_ADDRESS', '1.2', 'has an IP address that is not that of the sending or receiving port'),
  peerAddress: rule('WIRE_ADDRESS', '1.2', 'goes to a queue pair that is connected with another host', {
    spec: 'pathChecker',
  }),

  // What a requester sends.
  service: rule('WIRE_SERVICE', '4.1', 'has an opcode class that does not fit the type of its destination QP'),
  nextPsn: rule(
    'WIRE_PSN',
    '3.1',
    'has a PSN that is neither the next nor that of an earlier packet; on unreliable services, not the next',
  ),
  psnWindow: rule('WIRE_PSN', '3.1', 'is sent while more than half of all PSNs are outstanding', { spec: 'rareRules' }),
  beforeFirstPsn: rule('WIRE_PSN', '3.8', 'is a retransmission from before the first PSN of its connection', {
    spec: 'rareRules',
  }),
  opcodeOrder: rule('WIRE_SEQUENCE', '1.6', 'has an opcode that does not follow from the previous one of its flow'),
  pathMtu: rule('WIRE_MTU', '1.7', 'has a payload that does not fit the path MTU of its flow'),
  writeLength: rule(
    'WIRE_DMA_LENGTH',
    '4.2',
    'of a WRITE has more or fewer bytes than its RETH says, or more than 2^31',
  ),
  readLength: rule('WIRE_DMA_LENGTH', '1.5', 'requests more than 2^31 bytes', { spec: 'rareRules' }),
  ackRequestAtEnd: rule('WIRE_ACK_REQUEST', '1.7', 'ends a SEND or WRITE and does not request an acknowledgement'),
  ackRequestInside: rule(
    'WIRE_ACK_REQUEST',
    '1.7',
    'is one of 64 in a row inside a message that do not request an acknowledgement',
  ),
  readLimit: rule('WIRE_READ_LIMIT', '3.11', 'is a READ or atomic beyond the outstanding limit of its queue pair'),

  // What it sends again.
  againOther: rule('WIRE_RETRY', '3.8', 'has other headers or another payload than the first transmission'),
  againShape: rule('WIRE_RETRY', '3.8', 'has another opcode or length than the first transmission with this PSN', {
    spec: 'retransmissions',
  }),
  againRead: rule('WIRE_RETRY', '3.9', 'requests other data than the rest of its READ'),
  againAnswered: rule('WIRE_RETRY', '3.9', 'requests answers of a READ that have arrived'),
  leftOut: rule('WIRE_RETRY', '3.8', 'is retransmitted, and an older unanswered packet is skipped'),
  retryLimit: rule('WIRE_RETRY', '3.8', 'is retransmitted more than retry_cnt times without an answer'),
  overdue: rule('WIRE_RETRY', '3.8', 'is retransmitted by an idle NIC after the latest time of its timeout'),
  answeredBefore: rule('WIRE_UNPROVOKED', '3.8', 'is retransmitted after its answer has arrived'),
  tooSoon: rule('WIRE_UNPROVOKED', '3.8', 'is retransmitted before its timeout, and no arrived NAK requested it'),
  notAskedFor: rule(
    'WIRE_UNPROVOKED',
    '3.8',
    'is retransmitted before its timeout, and a NAK requested a later packet',
  ),
  nakIgnored: rule(
    'WIRE_NAK_IGNORED',
    '3.5',
    'is retransmitted only after its timeout, although a PSN sequence NAK for it had arrived',
  ),
  rnrWait: rule('WIRE_RNR', '3.4', 'is retransmitted before the time of an RNR NAK'),
  rnrLimit: rule('WIRE_RNR', '3.8', 'is retransmitted after more RNR NAKs than rnr_retry permits'),

  // What a responder sends.
  ackPsn: rule('WIRE_ACK_PSN', '3.3', 'answers a PSN that was not sent'),
  ackArrived: rule('WIRE_ACK_UNARRIVED', '3.3', 'answers a request that has not reached the responder'),
  readArrived: rule('WIRE_ACK_UNARRIVED', '3.9', 'answers a READ or atomic more often than it has arrived', {
    spec: 'rareRules',
  }),
  ackOrder: rule('WIRE_ACK_ORDER', '3.6', 'acknowledges a request beyond an unanswered READ or atomic'),
  nakAnswered: rule('WIRE_NAK', '3.4', 'refuses, or requests again, an acknowledged PSN'),
  nakInRead: rule('WIRE_NAK', '3.4', 'requests a PSN inside the answer to a READ', { spec: 'rareRules' }),
  nakNothingBehind: rule('WIRE_NAK', '3.5', 'reports a missing packet although no later packet has arrived'),
  nakTwice: rule('WIRE_NAK', '3.5', 'requests a packet again that has not arrived since'),
  rnrTimer: rule('WIRE_RNR', '3.4', 'is an RNR NAK with another timer than that of its queue pair'),
  msnOrder: rule('WIRE_MSN', '3.2', 'has a message number that decreased', {
    redundant: 'what counts backwards acknowledges all messages with too small a number too (msnBehind)',
  }),
  msnBeyond: rule('WIRE_MSN', '3.2', 'counts more messages than were sent'),
  msnBehind: rule('WIRE_MSN', '3.2', 'acknowledges all messages and counts fewer', {
    redundant: 'what counts too few messages goes backwards or miscounts what it refuses too (msnOrder, msnRefused)',
  }),
  msnRefused: rule('WIRE_MSN', '3.2', 'counts a message that it refuses, or fewer than those before it'),
  response: rule('WIRE_RESPONSE', '3.9', 'answers no outstanding READ or atomic, or comes out of sequence'),
  responseLength: rule('WIRE_READ_LENGTH', '3.9', 'is a READ response packet of the wrong length'),
  atomicRepeat: rule('WIRE_ATOMIC_REPEAT', '3.10', 'answers a duplicate atomic with another value than the first time'),

  // What the profile of a NIC declares.
  declaredMigration: rule('WIRE_DECLARED', '11', 'has another MigReq bit than its NIC declares'),
  declaredCredits: rule('WIRE_DECLARED', '11', 'grants other credits than its NIC declares'),
  declaredCompare: rule(
    'WIRE_DECLARED',
    '11',
    'is a FETCH_ADD that carries another value in its compare field than its NIC declares',
  ),
  nakAfterRefusal: rule(
    'WIRE_NAK',
    '11',
    'reports the packet as missing that its RNR NAK has refused, although its NIC declares that it does not',
  ),
  readNakPsn: rule(
    'WIRE_NAK',
    '11',
    'refuses the rest of a READ with another PSN than its NIC declares: that of the missing answer, or of the request',
  ),

  // Queue pairs that may not send.
  sentStopped: rule('WIRE_SILENT', '4.2', 'comes from a queue pair that software has stopped, reset or destroyed', {
    redundant:
      'the queue pair that breaks it sends requests after it was drained, or after its NAK, too (sentDrained, sentAfterNak)',
  }),
  sentDrained: rule('WIRE_SILENT', '6.4', 'is a request of a drained queue pair'),
  sentAfterNak: rule('WIRE_SILENT', '5.3', 'is an answer after a NAK that took its queue pair to the error state'),
  drainedEarly: rule('WIRE_DRAINED', '6.2', 'was sent and not answered when SQ_DRAINED was reported'),

  // Congestion.
  cnpUnmarked: rule(
    'WIRE_CNP_UNMARKED',
    '8',
    'is a CNP for a queue pair without an arrived marked packet since the last CNP',
  ),
  cnpPace: rule('WIRE_CNP_PACE', '8', 'is a CNP less than the interval of the NIC after the previous one'),
  cnpMissing: rule('WIRE_CNP_MISSING', '8', 'arrived marked and was accepted, and no CNP followed'),
} as const satisfies Readonly<Record<string, TransportRule>>;

export type RuleName = keyof typeof RULE;

/** Names of all rows. */
export const RULE_NAMES = Object.keys(RULE) as readonly RuleName[];

function rule(
  id: WireReportId,
  clause: string,
  text: string,
  more: Pick<TransportRule, 'redundant' | 'spec'> = {},
): TransportRule {
  const { redundant, spec } = more;
  const why = redundant === undefined ? {} : { redundant };
  return {
    id,
    clause,
    text,
    ...why,
    ...(spec === undefined ? {} : { spec: `tests/spec/agents/link/${spec}.spec.ts` }),
  };
}
