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
  sourcePort: rule('WIRE_PATH', '1.3', 'has another UDP source port than the packets of its queue pair before it', {
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
    'has a PSN that is neither the next nor one sent before; on unreliable services, not the next',
  ),
  psnWindow: rule('WIRE_PSN', '3.1', 'is sent while more than half of all PSNs are outstanding', { spec: 'rareRules' }),
  beforeFirstPsn: rule('WIRE_PSN', '3.8', 'is sent again from before the first PSN of its connection', {
    spec: 'rareRules',
  }),
  opcodeOrder: rule('WIRE_SEQUENCE', '1.6', 'has an opcode that does not follow from the previous one of its flow'),
  pathMtu: rule('WIRE_MTU', '1.7', 'carries another payload than the path MTU of its flow asks for'),
  writeLength: rule(
    'WIRE_DMA_LENGTH',
    '4.2',
    'of a WRITE carries more or fewer bytes than its RETH says, or more than 2^31',
  ),
  readLength: rule('WIRE_DMA_LENGTH', '1.5', 'asks for more than 2^31 bytes', { spec: 'rareRules' }),
  ackRequestAtEnd: rule('WIRE_ACK_REQUEST', '1.7', 'ends a SEND or WRITE and does not ask for an acknowledgement'),
  ackRequestInside: rule(
    'WIRE_ACK_REQUEST',
    '1.7',
    'is one of 64 in a row inside a message that do not ask for an acknowledgement',
  ),
  readLimit: rule(
    'WIRE_READ_LIMIT',
    '3.11',
    'is a READ or atomic beyond those that its queue pair may have outstanding',
  ),

  // What it sends again.
  againOther: rule('WIRE_RETRY', '3.8', 'has other headers or another payload than the first time'),
  againShape: rule('WIRE_RETRY', '3.8', 'is another opcode or length than with this PSN the first time', {
    spec: 'retransmissions',
  }),
  againRead: rule('WIRE_RETRY', '3.9', 'asks for something else than the rest of its READ'),
  againAnswered: rule('WIRE_RETRY', '3.9', 'asks for answers of a READ that have come'),
  leftOut: rule('WIRE_RETRY', '3.8', 'is sent again, and an older packet without an answer is left out'),
  retryLimit: rule('WIRE_RETRY', '3.8', 'is sent again more often without an answer than retry_cnt says'),
  overdue: rule('WIRE_RETRY', '3.8', 'is sent again by a NIC at rest later than its time-out expires at the latest'),
  answeredBefore: rule('WIRE_UNPROVOKED', '3.8', 'is sent again after its answer has come'),
  tooSoon: rule(
    'WIRE_UNPROVOKED',
    '3.8',
    'is sent again before its time-out, and nothing that has arrived asked for it',
  ),
  notAskedFor: rule('WIRE_UNPROVOKED', '3.8', 'is sent again before its time-out, and a NAK asked for a later packet'),
  nakIgnored: rule(
    'WIRE_NAK_IGNORED',
    '3.5',
    'is sent again only for its time-out, and a sequence NAK for it had come',
  ),
  rnrWait: rule('WIRE_RNR', '3.4', 'is sent again before the time that an RNR NAK asked for'),
  rnrLimit: rule('WIRE_RNR', '3.8', 'is sent again after more RNR NAKs than rnr_retry says'),

  // What a responder sends.
  ackPsn: rule('WIRE_ACK_PSN', '3.3', 'answers a PSN that was not sent'),
  ackArrived: rule('WIRE_ACK_UNARRIVED', '3.3', 'answers a request that has not reached the responder'),
  readArrived: rule('WIRE_ACK_UNARRIVED', '3.9', 'answers a READ or atomic more often than that has arrived', {
    spec: 'rareRules',
  }),
  ackOrder: rule('WIRE_ACK_ORDER', '3.6', 'acknowledges what is beyond a READ or atomic that has not been answered'),
  nakAnswered: rule('WIRE_NAK', '3.4', 'refuses, or asks again for, a PSN that has been acknowledged'),
  nakInRead: rule('WIRE_NAK', '3.4', 'asks for a PSN inside the answer to a READ', { spec: 'rareRules' }),
  nakNothingBehind: rule('WIRE_NAK', '3.5', 'misses a packet behind which nothing has arrived'),
  nakTwice: rule('WIRE_NAK', '3.5', 'asks once more for a packet that has not arrived since'),
  rnrTimer: rule('WIRE_RNR', '3.4', 'is an RNR NAK that asks for another time than its queue pair was given'),
  msnOrder: rule('WIRE_MSN', '3.2', 'has a message number that went backwards', {
    redundant: 'what counts backwards acknowledges all messages with too small a number too (msnBehind)',
  }),
  msnBeyond: rule('WIRE_MSN', '3.2', 'counts more messages than were sent'),
  msnBehind: rule('WIRE_MSN', '3.2', 'acknowledges all messages and counts fewer', {
    redundant: 'what counts too few messages goes backwards or miscounts what it refuses too (msnOrder, msnRefused)',
  }),
  msnRefused: rule('WIRE_MSN', '3.2', 'counts a message that it refuses, or fewer than those before it'),
  response: rule('WIRE_RESPONSE', '3.9', 'answers no outstanding READ or atomic, or comes out of sequence'),
  responseLength: rule('WIRE_READ_LENGTH', '3.9', 'is a READ response packet of the wrong length'),
  atomicRepeat: rule(
    'WIRE_ATOMIC_REPEAT',
    '3.10',
    'answers an atomic that comes again with another value than the first time',
  ),

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
    'misses the packet that its RNR NAK has refused, and its NIC declares that it says nothing more then',
  ),
  readNakPsn: rule(
    'WIRE_NAK',
    '11',
    'refuses the rest of a READ under another PSN than its NIC declares: that of the missing answer, or of the request',
  ),

  // Queue pairs that may not send.
  sentStopped: rule('WIRE_SILENT', '4.2', 'comes from a queue pair that software has stopped, reset or destroyed', {
    redundant:
      'the queue pair that breaks it sends requests after it was drained, or after its NAK, too (sentDrained, sentAfterNak)',
  }),
  sentDrained: rule('WIRE_SILENT', '6.4', 'is a request of a drained queue pair'),
  sentAfterNak: rule(
    'WIRE_SILENT',
    '5.3',
    'is an answer after a NAK with which its queue pair went to the error state',
  ),
  drainedEarly: rule('WIRE_DRAINED', '6.2', 'was sent and not answered when its send queue was said to be drained'),

  // Congestion.
  cnpUnmarked: rule(
    'WIRE_CNP_UNMARKED',
    '8',
    'is a CNP for a queue pair of which no packet has arrived marked since the last one',
  ),
  cnpPace: rule('WIRE_CNP_PACE', '8', 'is a CNP in less than the interval of the NIC after the one before'),
  cnpMissing: rule('WIRE_CNP_MISSING', '8', 'arrived marked and was accepted, and no CNP tells of it'),
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
