/** Covergroups of receive queues, completion queues, regions, commands and events. */

import { ACCESS, ASYNC_EVENT } from '../../rdma/verbs.ts';
import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../uvm/coverage/selection.ts';
import { SERVICE } from './queuePairs.ts';

const SERVICES = enumBins(SERVICE);

/** Bytes of the longest receive that counts. */
const MOST_BYTES = 2 ** 32;

/** A posted receive. One object for all: valid while it is sampled. */
export class ReceiveSample {
  service = 0;
  numSge = 0;
  bytes = 0;
  outstanding = 0;
  wrapped = false;
  /** `QP_STATE` of its queue pair. */
  state = 0;

  /** All that the covergroup tells apart, in one number. */
  get key(): number {
    const { service, bytes, outstanding, state } = this;
    const length = bytes === 0 ? 0 : bytes < 40 ? 1 : bytes === 40 ? 2 : bytes < 4096 ? 3 : bytes <= MOST_BYTES ? 4 : 5;
    const fill = outstanding < 2 ? outstanding : outstanding < 16 ? 2 : 3;
    const list = service | (Math.min(this.numSge, 3) << 2) | (length << 4);
    return list | (fill << 7) | (state << 9) | ((this.wrapped ? 1 : 0) << 13);
  }

  set key(key: number) {
    this.service = key & 3;
    this.numSge = (key >>> 2) & 3;
    this.bytes = LEAST_BYTES[(key >>> 4) & 7] as number;
    this.outstanding = LEAST_OUTSTANDING[(key >>> 7) & 3] as number;
    this.state = (key >>> 9) & 15;
    this.wrapped = (key & (1 << 13)) !== 0;
  }
}

/** Of each length and each fill that is told apart. */
const LEAST_BYTES = [0, 1, 40, 41, 4096, MOST_BYTES + 1];
const LEAST_OUTSTANDING = [0, 1, 2, 16];

export const receiveCg = covergroup<ReceiveSample>('receive_cg', { comment: 'posted receives' }, (g) => {
  const service = g.coverpoint('service', (r) => r.service, SERVICES);
  const entries = g.coverpoint('entries', (r) => r.numSge, [
    bins('none', 0),
    bins('one', 1),
    bins('two', 2),
    bins('more', [3, 64]),
  ]);
  g.coverpoint('bytes', (r) => r.bytes, [
    bins('none', 0),
    bins('below_grh', [1, 39]),
    bins('grh', 40),
    bins('below_page', [41, 4095]),
    bins('page_or_more', [4096, MOST_BYTES]),
  ]);
  const outstanding = g.coverpoint('outstanding', (r) => r.outstanding, [
    bins('none', 0),
    bins('one', 1),
    bins('few', [2, 15]),
    bins('many', [16, 65535]),
  ]);
  const wrap = g.coverpoint('wrap', (r) => (r.wrapped ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
  const state = g.coverpoint('state', (r) => r.state, [
    bins('init', 1),
    bins('rtr', 2),
    bins('rts', 3),
    bins('sqd', 4),
    bins('err', 6),
  ]);
  g.cross('service_x_entries', [service, entries]);
  g.cross('service_x_outstanding', [service, outstanding]);
  g.cross('service_x_wrap', [service, wrap]);
  g.cross('service_x_state', [service, state]);
});

/** A completion queue that is armed. One object for all: valid while it is sampled. */
export class ArmSample {
  solicitedOnly = false;
  /** Completions that software has not taken. */
  unseen = 0;
  /** It was armed already, and has sent no event since. */
  again = false;
}

export const cqArmCg = covergroup<ArmSample>('cq_arm_cg', { comment: 'arming of completion queues' }, (g) => {
  const kind = g.coverpoint('kind', (a) => (a.solicitedOnly ? 1 : 0), [bins('any', 0), bins('solicited', 1)]);
  const unseen = g.coverpoint('unseen', (a) => a.unseen, [bins('none', 0), bins('one', 1), bins('more', [2, 65535])]);
  const again = g.coverpoint('armed_before', (a) => (a.again ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
  g.cross('kind_x_unseen', [kind, unseen]);
  g.cross('kind_x_armed_before', [kind, again]);
});

/** A completion that follows another in its queue. One object for all: valid while it is sampled. */
export class MixSample {
  /** The one before it is of another queue pair; of another kind of queue. */
  switchesQp = false;
  switchesSide = false;

  /** All of it in one number. */
  get key(): number {
    return (this.switchesQp ? 1 : 0) | (this.switchesSide ? 2 : 0);
  }

  set key(key: number) {
    this.switchesQp = (key & 1) !== 0;
    this.switchesSide = (key & 2) !== 0;
  }
}

export const cqMixCg = covergroup<MixSample>('cq_mix_cg', { comment: 'neighbours in completion queues' }, (g) => {
  const qp = g.coverpoint('queue_pair', (c) => (c.switchesQp ? 1 : 0), [bins('same', 0), bins('other', 1)]);
  const side = g.coverpoint('side', (c) => (c.switchesSide ? 1 : 0), [bins('same', 0), bins('other', 1)]);
  g.cross('queue_pair_x_side', [qp, side]);
});

/** A completion queue as software makes, resizes or destroys it. One object for all: valid while it is sampled. */
export class RingSample {
  bytes = 0;
  entryBytes = 1;
  /** It takes the place of another ring of the queue. */
  replaces = false;
}

export const cqRingCg = covergroup<RingSample>(
  'cq_ring_cg',
  { comment: 'depth and resizing of completion queues' },
  (g) => {
    const depth = g.coverpoint('depth', (r) => Math.floor(r.bytes / r.entryBytes), [
      bins('tiny', [1, 16]),
      bins('small', [17, 128]),
      bins('middle', [129, 1024]),
      bins('large', [1025, 1 << 24]),
    ]);
    const why = g.coverpoint('why', (r) => (r.replaces ? 1 : 0), [bins('made', 0), bins('resized', 1)]);
    g.cross('depth_x_why', [depth, why]);
  },
);

/** A region as the NIC learns of it. One object for all: valid while it is sampled. */
export class RegionSample {
  /** `ACCESS` bits. */
  access = 0;
  zeroBased = false;
  length = 0;
  /** Within its page. */
  offset = 0;
  /** Its key was that of another region before. */
  reused = false;
  /** Its memory is open to another key too. */
  overlaps = false;
  /** Regions of its host, itself included. */
  count = 0;
}

export const regionCg = covergroup<RegionSample>('region_cg', { comment: 'memory regions' }, (g) => {
  const access = g.coverpoint(
    'access',
    (r) => r.access & (ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead),
    [
      bins('read_only', 0),
      bins('local_write', 1),
      bins('remote_read', 4),
      bins('local_write_remote_read', 5),
      bins('remote_write', 3),
      bins('all', 7),
    ],
  );
  const based = g.coverpoint('addresses', (r) => (r.zeroBased ? 1 : 0), [bins('virtual', 0), bins('zero_based', 1)]);
  const length = g.coverpoint('length', (r) => r.length, [
    bins('below_page', [1, 4095]),
    bins('page', 4096),
    bins('pages', [4097, 0x1f_ffff]),
    bins('large', [0x20_0000, 2 ** 40]),
  ]);
  g.coverpoint('start', (r) => r.offset, [
    bins('page', 0),
    bins('line', ...[64, 128, 256, 512, 1024, 2048]),
    bins('other', [1, 63], [65, 127], [129, 255], [257, 511], [513, 1023], [1025, 2047], [2049, 4095]),
  ]);
  const reused = g.coverpoint('key', (r) => (r.reused ? 1 : 0), [bins('fresh', 0), bins('reused', 1)]);
  g.coverpoint('count', (r) => r.count, [
    bins('one', 1),
    bins('few', [2, 15]),
    bins('some', [16, 255]),
    bins('many', [256, 1 << 20]),
  ]);
  g.cross('access_x_addresses', [access, based]);
  g.cross('access_x_length', [access, length]);
  g.cross('access_x_key', [access, reused]);
});

/** What software does to an object while work may be under way. */
export const COMMAND = {
  modify: 0,
  drain: 1,
  resume: 2,
  toErr: 3,
  reset: 4,
  destroy: 5,
  recover: 6,
} as const;

/** A command on a queue pair. One object for all: valid while it is sampled. */
export class CommandSample {
  command = 0;
  service = 0;
  outstanding = 0;
  /** Packets of the queue pair, and of any, may be on their way. */
  onTheWire = false;
  linkBusy = false;
}

export const commandCg = covergroup<CommandSample>(
  'command_cg',
  { comment: 'commands on queue pairs while they have work and packets in flight' },
  (g) => {
    const command = g.coverpoint('command', (c) => c.command, enumBins(COMMAND));
    const service = g.coverpoint('service', (c) => c.service, SERVICES);
    const work = g.coverpoint('outstanding', (c) => c.outstanding, [
      bins('none', 0),
      bins('one', 1),
      bins('more', [2, 65535]),
    ]);
    const wire = g.coverpoint('packets', (c) => (c.onTheWire ? 2 : c.linkBusy ? 1 : 0), [
      bins('none', 0),
      bins('of_others', 1),
      bins('its_own', 2),
    ]);
    const impossible = { rc_has_no_sqe: binsof(command, 'recover').and(where((_, s) => s === 'rc')) };
    g.cross('command_x_service', [command, service], { ignore: impossible });
    g.cross('command_x_outstanding', [command, work]);
    g.cross('command_x_packets', [command, wire]);
  },
);

/** A region that is deregistered. One object for all: valid while it is sampled. */
export class DeregisterSample {
  /** Requests of its host and of others that are open. */
  localWork = false;
  remoteWork = false;
  linkBusy = false;
}

export const deregisterCg = covergroup<DeregisterSample>(
  'deregister_cg',
  { comment: 'regions that are deregistered or changed while work is outstanding' },
  (g) => {
    const local = g.coverpoint('own_requests', (d) => (d.localWork ? 1 : 0), [bins('none', 0), bins('open', 1)]);
    const remote = g.coverpoint('requests_of_peers', (d) => (d.remoteWork ? 1 : 0), [bins('none', 0), bins('open', 1)]);
    const link = g.coverpoint('link', (d) => (d.linkBusy ? 1 : 0), [bins('idle', 0), bins('busy', 1)]);
    g.cross('own_x_peers', [local, remote]);
    g.cross('peers_x_link', [remote, link]);
  },
);

/** An asynchronous event. One object for all: valid while it is sampled. */
export class EventSample {
  /** `ASYNC_EVENT`. */
  event = 0;
  service = 0;
  outstanding = 0;
}

export const asyncEventCg = covergroup<EventSample>('async_event_cg', { comment: 'asynchronous events' }, (g) => {
  const ofQps = ['qpFatal', 'qpReqErr', 'qpAccessErr', 'commEst', 'sqDrained'] as const;
  g.coverpoint(
    'event',
    (e) => e.event,
    enumBins(ASYNC_EVENT, ['cqErr', 'srqLimitReached', 'lastWqeReached', ...ofQps]),
  );
  const event = g.coverpoint('queue_pair_event', (e) => e.event, enumBins(ASYNC_EVENT, ofQps));
  const service = g.coverpoint('service', (e) => e.service, SERVICES);
  const work = g.coverpoint('outstanding', (e) => Math.min(e.outstanding, 1), [bins('none', 0), bins('some', 1)]);
  g.cross('event_x_service', [event, service], {
    ignore: { request_errors_of_rc: where((e, s) => s !== 'rc' && (e === 'qpReqErr' || e === 'qpAccessErr')) },
  });
  g.cross('event_x_outstanding', [event, work]);
});

/** A host as it is built. One object for all: valid while it is sampled. */
export class TopologySample {
  hosts = 0;
  processes = 0;
}

export const topologyCg = covergroup<TopologySample>(
  'topology_cg',
  { comment: 'hosts and processes that have queue pairs' },
  (g) => {
    const hosts = g.coverpoint(
      'hosts',
      (t) => t.hosts,
      [bins('two', 2), bins('three', 3), bins('four', 4), bins('more', [5, 64])],
      {
        fromBin: (bin) => `+HOST_NUM=${{ two: 2, three: 3, four: 4, more: 6 }[bin]}`,
      },
    );
    const processes = g.coverpoint(
      'processes',
      (t) => t.processes,
      [bins('one', 1), bins('two', 2), bins('few', [3, 8]), bins('many', [9, 2047])],
      {
        fromBin: (bin) => `+PROC_NUM=${{ one: 1, two: 2, few: 4, many: 16 }[bin]}`,
      },
    );
    g.cross('hosts_x_processes', [hosts, processes]);
  },
);

/** What is posted between two doorbells. One object for all: valid while it is sampled. */
export class BatchSample {
  requests = 0;
  queuePairs = 0;
}

export const batchCg = covergroup<BatchSample>('batch_cg', { comment: 'requests that one doorbell announces' }, (g) => {
  const requests = g.coverpoint('requests', (b) => b.requests, [
    bins('one', 1),
    bins('two', 2),
    bins('few', [3, 7]),
    bins('some', [8, 29]),
    bins('most', [30, 65535]),
  ]);
  const qps = g.coverpoint('queue_pairs', (b) => b.queuePairs, [bins('one', 1), bins('several', [2, 65535])]);
  g.cross('requests_x_queue_pairs', [requests, qps], {
    ignore: { one_of_one: binsof(requests, 'one').and(binsof(qps, 'several')) },
  });
});
