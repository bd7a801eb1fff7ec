/** Covergroups of queue pairs: their states, their attributes, and how many there are. */

import { MTU_BYTES, QP_STATE_NAME } from '../../rdma/verbs.ts';
import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../uvm/coverage/selection.ts';
import { SERVICE } from './queuePairs.ts';

const SERVICES = enumBins(SERVICE);
const STATES = QP_STATE_NAME.map((name, state) => bins(name.toLowerCase(), state));

/** A change of state. One object for all: valid while it is sampled. */
export class StateSample {
  service = 0;
  /** `QP_STATE`. */
  from = 0;
  to = 0;
  /** Requests without completion, and receives. */
  sends = 0;
  receives = 0;
  /** A packet of the queue pair has left less than a trip over the link ago. */
  onTheWire = false;
}

/** Transitions that software asks for (IBTA 10.3.1), and that of a NIC which has met an error in an unreliable request. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  reset: ['init'],
  init: ['init', 'rtr'],
  rtr: ['rts'],
  rts: ['rts', 'sqd', 'sqe'],
  sqd: ['rts', 'sqd'],
  sqe: ['rts'],
};

/** Every state may go to ERR and to RESET. */
function isTransition(from: string, to: string): boolean {
  return (
    (ALLOWED[from] ?? []).includes(to) ||
    (to === 'err' && from !== 'err' && from !== 'reset') ||
    (to === 'reset' && from !== 'reset')
  );
}

export const qpStateCg = covergroup<StateSample>(
  'qp_state_cg',
  { comment: 'transitions of the state machine of queue pairs, with work outstanding or not' },
  (g) => {
    const from = g.coverpoint('from', (s) => s.from, STATES);
    const to = g.coverpoint('to', (s) => s.to, STATES);
    const work = g.coverpoint('work', (s) => (s.sends > 0 ? 2 : s.receives > 0 ? 1 : 0), [
      bins('none', 0),
      bins('receives', 1),
      bins('requests', 2),
    ]);
    const service = g.coverpoint('service', (s) => s.service, SERVICES);
    const wire = g.coverpoint('on_the_wire', (s) => (s.onTheWire ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
      comment: 'a packet of the queue pair is in flight when the command is given',
    });
    const none = { no_transition: where((a, b) => !isTransition(a as string, b as string)) };
    g.cross('from_x_to', [from, to], { ignore: none });
    g.cross('from_x_to_x_service', [from, to, service], {
      ignore: {
        ...none,
        // Reliable connections go to ERR at once (IBTA 10.3.1.7).
        sqe_of_unreliable: where((a, b, s) => (a === 'sqe' || b === 'sqe') && s === 'rc'),
      },
    });
    g.cross('from_x_to_x_work', [from, to, work], {
      ignore: {
        ...none,
        nothing_posted: where((a, b, w) => a === 'reset' && (w !== 'none' || b === 'rts')),
        sends_need_rts: where((a, _, w) => (a === 'init' || a === 'rtr') && w === 'requests'),
      },
    });
    g.cross('from_x_to_x_wire', [from, to, wire], {
      ignore: {
        ...none,
        silent: where((a, _, w) => w === 'yes' && !['rts', 'sqd', 'sqe', 'err', 'rtr'].includes(a as string)),
      },
    });
  },
);

/** Attributes of a queue pair that has come to RTS. One object for all: valid while it is sampled. */
export class AttributesSample {
  service = 0;
  mtu = 0;
  ackTimeout = 0;
  retryCnt = 0;
  rnrRetry = 0;
  minRnrTimer = 0;
  maxRdAtomic = 0;
  sqPsn = 0;
  rqPsn = 0;
  signalAll = false;
  ipv6 = false;
  trafficClass = 0;
  hopLimit = 0;
  flowLabel = 0;
  /** One completion queue for requests and receives. */
  oneCq = false;
  /** Other queue pairs that share its completion queue of requests. */
  sharers = 0;
}

const isReliable = ({ service }: AttributesSample): boolean => service === SERVICE.rc;
const TOP = 0xff_ffff;

export const qpAttributesCg = covergroup<AttributesSample>(
  'qp_attributes_cg',
  { comment: 'attributes of queue pairs at RTS' },
  (g) => {
    const service = g.coverpoint('service', (a) => a.service, SERVICES);
    const mtu = g.coverpoint(
      'mtu',
      (a) => a.mtu,
      MTU_BYTES.slice(1).map((bytes) => bins(`mtu_${bytes}`, bytes)),
      {
        fromBin: (bin) => `+MTU=${bin.slice(4)}`,
      },
    );
    const retries = g.coverpoint(
      'retry_cnt',
      (a) => a.retryCnt,
      [bins('none', 0), bins('some', [1, 6]), bins('most', 7)],
      {
        iff: isReliable,
        fromBin: (bin) => `+RETRY_CNT=${{ none: 0, some: 3, most: 7 }[bin]}`,
      },
    );
    const rnr = g.coverpoint(
      'rnr_retry',
      (a) => a.rnrRetry,
      [bins('none', 0), bins('some', [1, 6]), bins('for_ever', 7)],
      {
        iff: isReliable,
        fromBin: (bin) => `+RNR_RETRY=${{ none: 0, some: 3, for_ever: 7 }[bin]}`,
      },
    );
    g.coverpoint(
      'ack_timeout',
      (a) => a.ackTimeout,
      [bins('never', 0), bins('short', [1, 7]), bins('middle', [8, 15]), bins('long', [16, 31])],
      {
        iff: isReliable,
        fromBin: (bin) => `+ACK_TIMEOUT=${{ never: 0, short: 4, middle: 10, long: 17 }[bin]}`,
      },
    );
    g.coverpoint(
      'min_rnr_timer',
      (a) => a.minRnrTimer,
      [bins('longest', 0), bins('short', [1, 8]), bins('middle', [9, 20]), bins('long', [21, 31])],
      {
        iff: isReliable,
        fromBin: (bin) => `+MIN_RNR_TIMER=${{ longest: 0, short: 4, middle: 12, long: 24 }[bin]}`,
      },
    );
    g.coverpoint('max_rd_atomic', (a) => a.maxRdAtomic, [bins('one', 1), bins('few', [2, 7]), bins('many', [8, 255])], {
      iff: isReliable,
      fromBin: (bin) => `+MAX_RD_ATOMIC=${{ one: 1, few: 4, many: 16 }[bin]}`,
    });
    const signal = g.coverpoint('signal_all', (a) => (a.signalAll ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.cross('service_x_mtu', [service, mtu]);
    g.cross('service_x_signal_all', [service, signal]);
    g.cross('retry_x_rnr', [retries, rnr]);
  },
);

/** With which a first PSN is likely to be of a place. */
const FIRST_PSNS: Readonly<Record<string, string>> = {
  zero: '0',
  low: '1000',
  middle: '4194304',
  half: '8388600',
  high: '12582912',
  before_wrap: 'wrap',
  last: '16777215',
};

export const startPsnCg = covergroup<AttributesSample>(
  'start_psn_cg',
  { comment: 'first PSNs of connections' },
  (g) => {
    const places = [
      bins('zero', 0),
      bins('low', [1, 0xffff]),
      bins('middle', [0x1_0000, 0x7f_fff0]),
      // Where a comparison by sign would change its mind.
      bins('half', [0x7f_fff1, 0x80_000f]),
      bins('high', [0x80_0010, TOP - 64]),
      bins('before_wrap', [TOP - 63, TOP - 1]),
      bins('last', TOP),
    ];
    const service = g.coverpoint('service', (a) => a.service, SERVICES);
    const fromBin = (bin: string): string => `+PSN=${FIRST_PSNS[bin]}`;
    const sq = g.coverpoint('sq_psn', (a) => a.sqPsn, places, { fromBin });
    const rq = g.coverpoint('rq_psn', (a) => a.rqPsn, places, { iff: (a) => a.service !== SERVICE.ud, fromBin });
    g.cross('service_x_sq_psn', [service, sq]);
    g.cross('service_x_rq_psn', [service, rq], { ignore: { datagrams_expect_none: binsof(service, 'ud') } });
  },
);

export const pathCg = covergroup<AttributesSample>('path_cg', { comment: 'paths of connections' }, (g) => {
  const iff = (a: AttributesSample): boolean => a.service !== SERVICE.ud;
  const version = g.coverpoint('ip', (a) => (a.ipv6 ? 6 : 4), [bins('v4', 4), bins('v6', 6)], {
    iff,
    fromBin: (bin) => `+IPV6=${bin === 'v6' ? 1 : 0}`,
  });
  const traffic = g.coverpoint('traffic_class', (a) => a.trafficClass, [bins('zero', 0), bins('other', [1, 255])], {
    iff,
    fromBin: (bin) => `+TRAFFIC_CLASS=${bin === 'zero' ? 0 : 96}`,
  });
  const hops = g.coverpoint(
    'hop_limit',
    (a) => a.hopLimit,
    [bins('one', [0, 1]), bins('some', [2, 254]), bins('most', 255)],
    {
      iff,
      fromBin: (bin) => `+HOP_LIMIT=${{ one: 1, some: 64, most: 255 }[bin]}`,
    },
  );
  g.coverpoint('flow_label', (a) => a.flowLabel, [bins('zero', 0), bins('other', [1, 0xf_ffff])], {
    iff: (a) => iff(a) && a.ipv6,
    fromBin: (bin) => (bin === 'other' ? '+IPV6=1 +FLOW_LABEL=0x12345' : '+IPV6=1'),
  });
  g.cross('ip_x_traffic_class', [version, traffic]);
  g.cross('ip_x_hop_limit', [version, hops]);
});

export const cqSharingCg = covergroup<AttributesSample>(
  'cq_sharing_cg',
  { comment: 'completion queues that queue pairs share' },
  (g) => {
    const service = g.coverpoint('service', (a) => a.service, SERVICES);
    const one = g.coverpoint('queues', (a) => (a.oneCq ? 0 : 1), [bins('one_for_both', 0), bins('one_each', 1)]);
    const sharers = g.coverpoint('sharers', (a) => a.sharers, [
      bins('alone', 0),
      bins('one_other', 1),
      bins('few_others', [2, 7]),
      bins('many_others', [8, 8192]),
    ]);
    g.cross('service_x_queues', [service, one]);
    g.cross('service_x_sharers', [service, sharers]);
  },
);

/** How many queue pairs a host has in RTS when another comes. One object for all: valid while it is sampled. */
export class PopulationSample {
  rc = 0;
  uc = 0;
  ud = 0;
}

export const populationCg = covergroup<PopulationSample>(
  'qp_population_cg',
  { comment: 'queue pairs of a host that are up together' },
  (g) => {
    const total = g.coverpoint(
      'count',
      (p) => p.rc + p.uc + p.ud,
      [
        bins('one', 1),
        bins('two', 2),
        bins('few', [3, 8]),
        bins('some', [9, 64]),
        bins('many', [65, 1023]),
        bins('thousands', [1024, 8192]),
      ],
      {
        fromBin: (bin) =>
          ({
            one: '+RC_QP_NUM=1',
            two: '+RC_QP_NUM=2',
            few: '+RC_QP_NUM=6',
            some: '+RC_QP_NUM=32',
            many: '+RC_QP_NUM=256',
            thousands: '+RC_QP_NUM=2048',
          })[bin],
      },
    );
    const mix = g.coverpoint('services', (p) => (p.rc > 0 ? 1 : 0) + (p.uc > 0 ? 2 : 0) + (p.ud > 0 ? 4 : 0), [
      bins('rc', 1),
      bins('uc', 2),
      bins('rc_uc', 3),
      bins('ud', 4),
      bins('rc_ud', 5),
      bins('uc_ud', 6),
      bins('all', 7),
    ]);
    g.cross('count_x_services', [total, mix], {
      ignore: {
        too_few: where(
          (count, services) =>
            (count === 'one' && !['rc', 'uc', 'ud'].includes(services as string)) ||
            (count === 'two' && services === 'all'),
        ),
      },
    });
  },
);
