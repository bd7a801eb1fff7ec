/** Covergroups of packets as NICs send them. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../uvm/coverage/selection.ts';
import { SERVICE } from '../verbs/queuePairs.ts';

/** What a packet belongs to. */
export const PACKET_KIND = { send: 0, write: 1, readRequest: 2, readResponse: 3, acknowledge: 4, other: 5 } as const;
/** Where in its message it stands. */
export const POSITION = { middle: 0, first: 1, last: 2, only: 3 } as const;
/** What an acknowledgement says. */
export const ANSWER = {
  ack: 0,
  rnrNak: 1,
  nakSequence: 2,
  nakInvalid: 3,
  nakAccess: 4,
  nakOperation: 5,
  other: 6,
} as const;
/** The request packet that its sender has sent before it. */
export const NEIGHBOUR = { sameMessage: 0, sameQp: 1, otherQp: 2, otherService: 3 } as const;

/** Bytes of payload, relative to the path MTU. */
export const PAYLOAD_LENGTH = { none: 0, belowDword: 1, belowLine: 2, belowMtu: 3, mtuMinusOne: 4, mtu: 5 } as const;
/** Where in the circle of PSNs one is. */
export const PSN_PLACE = { zero: 0, afterWrap: 1, low: 2, aroundHalf: 3, high: 4, beforeWrap: 5, last: 6 } as const;
export const HOP_LIMIT = { one: 0, some: 1, most: 2 } as const;

/** PSNs that are near the end of the circle, or near its half. */
const NEAR = 64;
const LAST = 0xff_ffff;
const HALF = 0x80_0000;

/** @returns `PAYLOAD_LENGTH` */
export function payloadLength(bytes: number, mtu: number): number {
  if (bytes >= mtu - 1) return bytes === mtu - 1 ? PAYLOAD_LENGTH.mtuMinusOne : PAYLOAD_LENGTH.mtu;
  if (bytes >= 64) return PAYLOAD_LENGTH.belowMtu;
  return bytes === 0 ? PAYLOAD_LENGTH.none : bytes < 4 ? PAYLOAD_LENGTH.belowDword : PAYLOAD_LENGTH.belowLine;
}

/** @returns `PSN_PLACE` */
export function psnPlace(psn: number): number {
  if (psn < NEAR) return psn === 0 ? PSN_PLACE.zero : PSN_PLACE.afterWrap;
  if (psn > LAST - NEAR) return psn === LAST ? PSN_PLACE.last : PSN_PLACE.beforeWrap;
  if (psn >= HALF + NEAR) return PSN_PLACE.high;
  return psn < HALF - NEAR ? PSN_PLACE.low : PSN_PLACE.aroundHalf;
}

/** A packet. One object for all: valid while it is sampled. */
export class PacketSample {
  service = 0;
  kind = 0;
  position = 0;
  again = false;
  /** `PAYLOAD_LENGTH`, `PSN_PLACE`, `HOP_LIMIT`. */
  payload = 0;
  psn = 0;
  hopLimit = 0;
  padCount = 0;
  ackRequest = false;
  solicited = false;
  immediate = false;
  ipv6 = false;
  /** Differentiated services, and congestion bits. */
  dscp = false;
  ecn = 0;
  flowLabel = false;
  /** `NEIGHBOUR`; -1 for what is no request, or the first of its NIC. */
  neighbour = 0;

  /** All of it in one number. */
  get key(): number {
    const bits =
      (this.again ? 1 : 0) |
      (this.ackRequest ? 2 : 0) |
      (this.solicited ? 4 : 0) |
      (this.immediate ? 8 : 0) |
      (this.ipv6 ? 16 : 0) |
      (this.dscp ? 32 : 0) |
      (this.flowLabel ? 64 : 0);
    const { service, kind, position, payload, padCount, psn, hopLimit, ecn, neighbour } = this;
    const message = service | (kind << 2) | (position << 5) | (payload << 7) | (padCount << 10) | (psn << 12);
    return message | (hopLimit << 15) | (ecn << 17) | ((neighbour + 1) << 19) | (bits << 22);
  }

  set key(key: number) {
    const bits = key >>> 22;
    this.service = key & 3;
    this.kind = (key >>> 2) & 7;
    this.position = (key >>> 5) & 3;
    this.payload = (key >>> 7) & 7;
    this.padCount = (key >>> 10) & 3;
    this.psn = (key >>> 12) & 7;
    this.hopLimit = (key >>> 15) & 3;
    this.ecn = (key >>> 17) & 3;
    this.neighbour = ((key >>> 19) & 7) - 1;
    this.again = (bits & 1) !== 0;
    this.ackRequest = (bits & 2) !== 0;
    this.solicited = (bits & 4) !== 0;
    this.immediate = (bits & 8) !== 0;
    this.ipv6 = (bits & 16) !== 0;
    this.dscp = (bits & 32) !== 0;
    this.flowLabel = (bits & 64) !== 0;
  }
}

/** An acknowledgement, or a packet with which a requester goes back. One object for all: valid while it is sampled. */
export class FlowSample {
  kind = 0;
  position = 0;
  /** `PSN_PLACE`. */
  psn = 0;
  /** `ANSWER`, code of the RNR timer; of responses. */
  answer = 0;
  rnrTimer = 0;
  /** How often the same PSN has been the first to be sent again, and packets that are sent again with it. */
  round = 0;
  distance = 0;
}

const SERVICES = enumBins(SERVICE);
const POSITIONS = enumBins(POSITION);
const KINDS = enumBins(PACKET_KIND, ['send', 'write', 'readRequest', 'readResponse', 'acknowledge']);
const isRequest = ({ kind }: PacketSample): boolean => kind <= PACKET_KIND.readRequest;

const ONE_PACKET = ['readRequest', 'acknowledge'];

export const packetCg = covergroup<PacketSample>(
  'packet_cg',
  { comment: 'packets by service, kind and place in their message' },
  (g) => {
    const service = g.coverpoint('service', (p) => p.service, SERVICES);
    const kind = g.coverpoint('kind', (p) => p.kind, KINDS);
    const position = g.coverpoint('position', (p) => p.position, POSITIONS);
    const again = g.coverpoint('transmission', (p) => (p.again ? 1 : 0), [bins('first', 0), bins('again', 1)]);
    const impossible = {
      unreliable_has_no_answers: where(
        (s, k) => s !== 'rc' && ['readRequest', 'readResponse', 'acknowledge'].includes(k as string),
      ),
      datagrams_are_sends: where((s, k) => s === 'ud' && k !== 'send'),
    };
    g.cross('service_x_kind_x_position', [service, kind, position], {
      ignore: {
        ...impossible,
        one_packet: where((s, k, at) => (s === 'ud' || ONE_PACKET.includes(k as string)) && at !== 'only'),
      },
    });
    g.cross('kind_x_position_x_transmission', [kind, position, again], {
      ignore: {
        one_packet: where((k, at) => ONE_PACKET.includes(k as string) && at !== 'only'),
        answers_are_judged_by_requests: where((k, _, t) => k === 'acknowledge' && t === 'again'),
      },
    });
  },
);

export const payloadCg = covergroup<PacketSample>('payload_cg', { comment: 'payload and padding of packets' }, (g) => {
  const payload = g.coverpoint('payload', (p) => p.payload, enumBins(PAYLOAD_LENGTH));
  const pad = g.coverpoint('pad', (p) => p.padCount, [
    bins('pad_0', 0),
    bins('pad_1', 1),
    bins('pad_2', 2),
    bins('pad_3', 3),
  ]);
  const kind = g.coverpoint('kind', (p) => p.kind, enumBins(PACKET_KIND, ['send', 'write', 'readResponse']));
  g.cross('kind_x_payload', [kind, payload]);
  g.cross('kind_x_pad', [kind, pad]);
});

export const psnCg = covergroup<PacketSample>('psn_cg', { comment: 'PSNs on the wire' }, (g) => {
  const psn = g.coverpoint('psn', (p) => p.psn, enumBins(PSN_PLACE));
  const kind = g.coverpoint('kind', (p) => p.kind, KINDS);
  const position = g.coverpoint('position', (p) => p.position, POSITIONS);
  g.cross('kind_x_psn', [kind, psn]);
  g.cross('position_x_psn', [position, psn]);
});

export const requestBitsCg = covergroup<PacketSample>(
  'request_bits_cg',
  { comment: 'bits of request headers' },
  (g) => {
    const position = g.coverpoint('position', (p) => p.position, POSITIONS);
    const ack = g.coverpoint('ack_request', (p) => (p.ackRequest ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
      iff: (p) => p.service === SERVICE.rc,
    });
    const solicited = g.coverpoint('solicited', (p) => (p.solicited ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    const immediate = g.coverpoint('immediate', (p) => (p.immediate ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    const service = g.coverpoint('service', (p) => p.service, SERVICES);
    const early = (at: string | undefined): boolean => at === 'first' || at === 'middle';
    g.cross('position_x_ack_request', [position, ack]);
    // Both are of the last packet (IBTA 9.2.3, 9.4).
    g.cross('position_x_solicited', [position, solicited], {
      ignore: { at_the_end: where((at, s) => early(at) && s === 'yes') },
    });
    g.cross('position_x_immediate', [position, immediate], {
      ignore: { at_the_end: where((at, i) => early(at) && i === 'yes') },
    });
    g.cross('service_x_immediate', [service, immediate]);
  },
);

export const networkCg = covergroup<PacketSample>('network_cg', { comment: 'IP headers' }, (g) => {
  const service = g.coverpoint('service', (p) => p.service, SERVICES);
  const version = g.coverpoint('ip', (p) => (p.ipv6 ? 6 : 4), [bins('v4', 4), bins('v6', 6)]);
  const dscp = g.coverpoint('dscp', (p) => (p.dscp ? 1 : 0), [bins('zero', 0), bins('other', 1)]);
  const ecn = g.coverpoint('ecn', (p) => p.ecn, [bins('not_capable', 0), bins('capable', 1, 2), bins('congested', 3)]);
  g.coverpoint('hop_limit', (p) => p.hopLimit, enumBins(HOP_LIMIT));
  g.coverpoint('flow_label', (p) => (p.flowLabel ? 1 : 0), [bins('zero', 0), bins('other', 1)], { iff: (p) => p.ipv6 });
  g.cross('service_x_ip', [service, version]);
  g.cross('ip_x_dscp', [version, dscp]);
  g.cross('ip_x_ecn', [version, ecn]);
});

export const interleavingCg = covergroup<PacketSample>(
  'interleaving_cg',
  { comment: 'what a NIC sends between the packets of a message' },
  (g) => {
    const neighbour = g.coverpoint('before', (p) => p.neighbour, enumBins(NEIGHBOUR), { iff: isRequest });
    const position = g.coverpoint('position', (p) => p.position, POSITIONS, { iff: isRequest });
    const service = g.coverpoint('service', (p) => p.service, SERVICES, { iff: isRequest });
    g.cross('before_x_position', [neighbour, position], {
      ignore: {
        begins: where((n, at) => n === 'sameMessage' && (at === 'first' || at === 'only')),
        goes_on: where((n, at) => n === 'sameQp' && (at === 'middle' || at === 'last')),
      },
    });
    g.cross('before_x_service', [neighbour, service], {
      ignore: { one_packet: binsof(neighbour, 'sameMessage').and(binsof(service, 'ud')) },
    });
  },
);

export const answerCg = covergroup<FlowSample>('answer_cg', { comment: 'acknowledgements and what they say' }, (g) => {
  const answer = g.coverpoint(
    'answer',
    (p) => p.answer,
    enumBins(ANSWER, ['ack', 'rnrNak', 'nakSequence', 'nakInvalid', 'nakAccess', 'nakOperation']),
  );
  const psn = g.coverpoint('psn', (p) => p.psn, [bins('around_wrap', 0, 1, 5, 6), bins('other', [2, 4])]);
  g.coverpoint(
    'rnr_timer',
    (p) => p.rnrTimer,
    [bins('longest', 0), bins('short', [1, 8]), bins('middle', [9, 20]), bins('long', [21, 31])],
    {
      iff: (p) => p.answer === ANSWER.rnrNak,
    },
  );
  g.cross('answer_x_psn', [answer, psn]);
});

export const retransmissionCg = covergroup<FlowSample>(
  'retransmission_cg',
  { comment: 'requests that are sent again' },
  (g) => {
    const kind = g.coverpoint('kind', (p) => p.kind, enumBins(PACKET_KIND, ['send', 'write', 'readRequest']));
    const position = g.coverpoint('position', (p) => p.position, POSITIONS, {
      comment: 'of the packet with which it begins',
    });
    const round = g.coverpoint('round', (p) => p.round, [
      bins('first', 1),
      bins('second', 2),
      bins('third', 3),
      bins('later', [4, 1 << 20]),
    ]);
    const distance = g.coverpoint(
      'distance',
      (p) => p.distance,
      [bins('one', [0, 1]), bins('few', [2, 8]), bins('many', [9, 0x7f_ffff])],
      {
        comment: 'packets that had been sent from there on',
      },
    );
    g.cross('kind_x_position', [kind, position], {
      ignore: { one_packet: where((k, at) => k === 'readRequest' && at !== 'only') },
    });
    g.cross('kind_x_round', [kind, round]);
    g.cross('round_x_distance', [round, distance]);
  },
);
