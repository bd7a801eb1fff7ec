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

/** A packet. One object for all: valid while it is sampled. */
export class PacketSample {
  service = 0;
  kind = 0;
  position = 0;
  again = false;
  payload = 0;
  mtu = 256;
  padCount = 0;
  psn = 0;
  ackRequest = false;
  solicited = false;
  immediate = false;
  ipVersion = 4;
  trafficClass = 0;
  hopLimit = 0;
  flowLabel = 0;
  neighbour = 0;
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
  const payload = g.coverpoint(
    'payload',
    (p) =>
      p.payload === p.mtu
        ? 5
        : p.payload === 0
          ? 0
          : p.payload < 4
            ? 1
            : p.payload < 64
              ? 2
              : p.payload < p.mtu - 1
                ? 3
                : 4,
    [
      bins('none', 0),
      bins('below_dword', 1),
      bins('below_line', 2),
      bins('below_mtu', 3),
      bins('mtu_minus_one', 4),
      bins('mtu', 5),
    ],
  );
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
  const psn = g.coverpoint('psn', (p) => p.psn, [
    bins('zero', 0),
    bins('just_after_wrap', [1, 63]),
    bins('low', [64, 0x7f_ffbf]),
    bins('around_half', [0x7f_ffc0, 0x80_003f]),
    bins('high', [0x80_0040, 0xff_ffbf]),
    bins('just_before_wrap', [0xff_ffc0, 0xff_fffe]),
    bins('last', 0xff_ffff),
  ]);
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
  const version = g.coverpoint('ip', (p) => p.ipVersion, [bins('v4', 4), bins('v6', 6)]);
  const traffic = g.coverpoint('dscp', (p) => p.trafficClass >>> 2, [bins('zero', 0), bins('other', [1, 63])]);
  const ecn = g.coverpoint('ecn', (p) => p.trafficClass & 3, [
    bins('not_capable', 0),
    bins('capable', 1, 2),
    bins('congested', 3),
  ]);
  g.coverpoint('hop_limit', (p) => p.hopLimit, [bins('one', [0, 1]), bins('some', [2, 254]), bins('most', 255)]);
  g.coverpoint('flow_label', (p) => p.flowLabel, [bins('zero', 0), bins('other', [1, 0xf_ffff])], {
    iff: (p) => p.ipVersion === 6,
  });
  g.cross('service_x_ip', [service, version]);
  g.cross('ip_x_dscp', [version, traffic]);
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

export const answerCg = covergroup<PacketSample>(
  'answer_cg',
  { comment: 'acknowledgements and what they say' },
  (g) => {
    const answer = g.coverpoint(
      'answer',
      (p) => p.answer,
      enumBins(ANSWER, ['ack', 'rnrNak', 'nakSequence', 'nakInvalid', 'nakAccess', 'nakOperation']),
    );
    const psn = g.coverpoint('psn', (p) => p.psn, [
      bins('around_wrap', [0, 63], [0xff_ffc0, 0xff_ffff]),
      bins('other', [64, 0xff_ffbf]),
    ]);
    g.coverpoint(
      'rnr_timer',
      (p) => p.rnrTimer,
      [bins('longest', 0), bins('short', [1, 8]), bins('middle', [9, 20]), bins('long', [21, 31])],
      {
        iff: (p) => p.answer === ANSWER.rnrNak,
      },
    );
    g.cross('answer_x_psn', [answer, psn]);
  },
);

export const retransmissionCg = covergroup<PacketSample>(
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
