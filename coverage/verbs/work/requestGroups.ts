/** Covergroups of posted requests. */

import { ACCESS, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../../uvm/coverage/selection.ts';
import { bytesOfSize, SEVERAL_PACKETS, SIZE_CLASS } from '../../sizeClass.ts';
import { SERVICE } from '../queuePairs.ts';
import { ALIGNMENT_BINS } from './bufferGroups.ts';

/** Operations that every NIC of the harness has. */
export const OPERATIONS = ['rdmaWrite', 'rdmaWriteWithImm', 'send', 'sendWithImm', 'rdmaRead'] as const;

/** A request as it is posted. One object for all: valid while it is sampled. */
export class RequestSample {
  service = 0;
  /** `WR_OPCODE`. */
  opcode = 0;
  bytes = 0;
  /** `SIZE_CLASS`. */
  size = 0;
  numSge = 0;
  /** Entries of length 0, and whether the others have one length. */
  emptySges = 0;
  equalSges = true;
  /** Keys that its entries name. */
  keys = 0;
  /** `SEND_FLAG` bits. */
  flags = 0;
  signalled = true;
  /** Requests of its queue pair without completion, itself left out. */
  outstanding = 0;
  /** It stands before the one that was posted before it in the ring. */
  wrapped = false;
  /** Power of two that the remote address is a multiple of, and pages that it reaches into beyond the first. */
  remoteAlignment = 0;
  remoteCrossings = 0;
  remoteOver4Gib = false;
  /** `RIGHTS` of the region that its remote key opens. */
  rights = 0;
  /** Host that it goes to: the next one (1), the one before (2), another (3). Of two hosts both are the next. */
  remoteHost = 0;

  /** What is asked for and how full its queue is, in one number. */
  get workKey(): number {
    const { service, opcode, size, flags, outstanding, remoteHost } = this;
    const bits = (this.signalled ? 1 : 0) | (this.wrapped ? 2 : 0);
    const fill = outstanding <= 2 ? outstanding : outstanding < 8 ? 2 : outstanding < 32 ? 3 : 4;
    return service | (opcode << 2) | (size << 6) | (flags << 10) | (fill << 14) | (remoteHost << 17) | (bits << 19);
  }

  set workKey(key: number) {
    this.service = key & 3;
    this.opcode = (key >>> 2) & 15;
    this.size = (key >>> 6) & 15;
    this.flags = (key >>> 10) & 15;
    this.outstanding = LEAST_OUTSTANDING[(key >>> 14) & 7] as number;
    this.remoteHost = (key >>> 17) & 3;
    this.signalled = (key & (1 << 19)) !== 0;
    this.wrapped = (key & (2 << 19)) !== 0;
  }

  /** Its list and its place at the peer, in one number. */
  get placeKey(): number {
    const { opcode, numSge, emptySges, remoteAlignment, remoteCrossings } = this;
    const bits = (this.equalSges ? 1 : 0) | (this.keys > 1 ? 2 : 0) | (this.remoteOver4Gib ? 4 : 0);
    const list = opcode | (Math.min(numSge, 7) << 4) | (Math.min(emptySges, 2) << 7);
    return list | (remoteAlignment << 9) | (Math.min(remoteCrossings, 2) << 13) | (bits << 15);
  }

  set placeKey(key: number) {
    this.opcode = key & 15;
    this.numSge = (key >>> 4) & 7;
    this.emptySges = (key >>> 7) & 3;
    this.remoteAlignment = (key >>> 9) & 15;
    this.remoteCrossings = (key >>> 13) & 3;
    this.equalSges = (key & (1 << 15)) !== 0;
    this.keys = (key & (2 << 15)) === 0 ? 1 : 2;
    this.remoteOver4Gib = (key & (4 << 15)) !== 0;
  }
}

/** Of each fill that is told apart. */
const LEAST_OUTSTANDING = [0, 1, 2, 8, 32];

const SERVICES = enumBins(SERVICE);
const OPCODES = enumBins(WR_OPCODE, OPERATIONS);

/** Mandatory numbers of `test_direct_param`; a hole names those that matter. */
const SERVICE_ARGUMENTS: Readonly<Record<string, string>> = {
  rc: '+RC_QP_NUM=2',
  uc: '+UC_QP_NUM=2',
  ud: '+UD_QP_NUM=2',
};
const OPCODE_ARGUMENTS: Readonly<Record<string, string>> = {
  rdmaWrite: '+WRITE_WQE_NUM=4',
  send: '+SEND_WQE_NUM=4',
  rdmaRead: '+READ_WQE_NUM=4',
};
const MTU = 1024;

/** Of a request that has one remote address. */
export const isRdma = ({ opcode }: RequestSample): boolean =>
  opcode === WR_OPCODE.rdmaRead || opcode === WR_OPCODE.rdmaWrite || opcode === WR_OPCODE.rdmaWriteWithImm;

export const requestCg = covergroup<RequestSample>(
  'request_cg',
  { comment: 'service, operation and size of requests' },
  (g) => {
    const service = g.coverpoint('service', (r) => r.service, SERVICES, { fromBin: (bin) => SERVICE_ARGUMENTS[bin] });
    const opcode = g.coverpoint('opcode', (r) => r.opcode, OPCODES, { fromBin: (bin) => OPCODE_ARGUMENTS[bin] });
    const size = g.coverpoint('size', (r) => r.size, enumBins(SIZE_CLASS), {
      comment: 'bytes relative to the path MTU',
      fromBin: (bin) => `+DATA_CNT=${bytesOfSize(bin, MTU)} +DATA_UNIT=B +MTU=${MTU}`,
    });
    // Unreliable connections have no READ, datagrams SEND alone (IBTA table 45); a datagram is one packet.
    const impossible = {
      no_uc_read: binsof(service, 'uc').and(binsof(opcode, 'rdmaRead')),
      ud_sends_only: binsof(service, 'ud').and(where((_, o) => o !== 'send' && o !== 'sendWithImm')),
    };
    g.cross('service_x_opcode', [service, opcode], { ignore: impossible });
    g.cross('service_x_opcode_x_size', [service, opcode, size], {
      ignore: {
        ...impossible,
        ud_one_packet: binsof(service, 'ud').and(where((_s, _o, bytes) => SEVERAL_PACKETS.includes(bytes as string))),
      },
    });
  },
);

export const sgListCg = covergroup<RequestSample>('sg_list_cg', { comment: 'shape of scatter/gather lists' }, (g) => {
  const opcode = g.coverpoint('opcode', (r) => r.opcode, OPCODES);
  const entries = g.coverpoint(
    'entries',
    (r) => r.numSge,
    [bins('none', 0), bins('one', 1), bins('two', 2), bins('three_to_five', [3, 5]), bins('six_or_more', [6, 64])],
    {
      fromBin: (bin) =>
        ({ one: '+SG_NUM=1', two: '+SG_NUM=2', three_to_five: '+SG_NUM=4', six_or_more: '+SG_NUM=6' })[bin],
    },
  );
  const empty = g.coverpoint('empty_entries', (r) => Math.min(r.emptySges, 2), [
    bins('none', 0),
    bins('one', 1),
    bins('more', 2),
  ]);
  const lengths = g.coverpoint('lengths', (r) => (r.equalSges ? 0 : 1), [bins('equal', 0), bins('unequal', 1)], {
    iff: (r) => r.numSge > 1,
  });
  g.coverpoint('keys', (r) => r.keys, [bins('one', 1), bins('several', [2, 64])], { iff: (r) => r.numSge > 1 });
  g.cross('opcode_x_entries', [opcode, entries]);
  g.cross('entries_x_empty', [entries, empty], {
    ignore: {
      nothing_to_be_empty: binsof(entries, 'none').and(binsof(empty).intersect([1, 2])),
      one_entry: binsof(entries, 'one').and(binsof(empty, 'more')),
    },
  });
  g.cross('entries_x_lengths', [entries, lengths], {
    ignore: { single: where((n) => n === 'none' || n === 'one') },
  });
});

export const sendFlagsCg = covergroup<RequestSample>('send_flags_cg', { comment: 'flags of send requests' }, (g) => {
  const opcode = g.coverpoint('opcode', (r) => r.opcode, OPCODES);
  const signalled = g.coverpoint('signalled', (r) => (r.signalled ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
  const solicited = g.coverpoint('solicited', (r) => ((r.flags & SEND_FLAG.solicited) === 0 ? 0 : 1), [
    bins('no', 0),
    bins('yes', 1),
  ]);
  const fence = g.coverpoint(
    'fence',
    (r) => ((r.flags & SEND_FLAG.fence) === 0 ? 0 : 1),
    [bins('no', 0), bins('yes', 1)],
    {
      iff: (r) => r.service === SERVICE.rc,
    },
  );
  const inline = g.coverpoint('inline', (r) => ((r.flags & SEND_FLAG.inline) === 0 ? 0 : 1), [
    bins('no', 0),
    bins('yes', 1),
  ]);
  g.cross('opcode_x_signalled', [opcode, signalled]);
  g.cross('opcode_x_solicited', [opcode, solicited], {
    // Solicited events are those of receives (IBTA 11.4.2.2).
    ignore: { no_receive: where((o, s) => s === 'yes' && (o === 'rdmaWrite' || o === 'rdmaRead')) },
  });
  g.cross('opcode_x_fence', [opcode, fence]);
  g.cross('opcode_x_inline', [opcode, inline], {
    ignore: { no_data: where((o, i) => o === 'rdmaRead' && i === 'yes') },
  });
});

export const inlineCg = covergroup<RequestSample>(
  'inline_cg',
  { comment: 'requests whose data are in the entry' },
  (g) => {
    const iff = (r: RequestSample): boolean => (r.flags & SEND_FLAG.inline) !== 0;
    const bytes = g.coverpoint(
      'bytes',
      (r) => r.bytes,
      [bins('none', 0), bins('one', 1), bins('few', [2, 15]), bins('some', [16, 63]), bins('many', [64, 4096])],
      { iff },
    );
    const entries = g.coverpoint('entries', (r) => r.numSge, [bins('one', [0, 1]), bins('several', [2, 64])], { iff });
    const service = g.coverpoint('service', (r) => r.service, SERVICES, { iff });
    g.cross('service_x_bytes', [service, bytes], { iff });
    g.cross('bytes_x_entries', [bytes, entries], {
      iff,
      ignore: { nothing: binsof(bytes).intersect([0, 1]).and(binsof(entries, 'several')) },
    });
  },
);

export const sendQueueCg = covergroup<RequestSample>(
  'send_queue_cg',
  { comment: 'fill and wrap of send queues' },
  (g) => {
    const service = g.coverpoint('service', (r) => r.service, SERVICES);
    const outstanding = g.coverpoint('outstanding', (r) => r.outstanding, [
      bins('none', 0),
      bins('one', 1),
      bins('few', [2, 7]),
      bins('some', [8, 31]),
      bins('many', [32, 65535]),
    ]);
    const wrap = g.coverpoint('wrap', (r) => (r.wrapped ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.cross('service_x_outstanding', [service, outstanding]);
    g.cross('service_x_wrap', [service, wrap]);
  },
);

export const remoteAddressCg = covergroup<RequestSample>(
  'remote_address_cg',
  { comment: 'where READs and WRITEs take place at the peer' },
  (g) => {
    const opcode = g.coverpoint(
      'opcode',
      (r) => r.opcode,
      enumBins(WR_OPCODE, ['rdmaWrite', 'rdmaWriteWithImm', 'rdmaRead']),
    );
    const alignment = g.coverpoint('alignment', (r) => r.remoteAlignment, ALIGNMENT_BINS, { iff: isRdma });
    const pages = g.coverpoint(
      'page_crossings',
      (r) => r.remoteCrossings,
      [bins('none', 0), bins('one', 1), bins('several', [2, 1 << 20])],
      { iff: isRdma },
    );
    g.coverpoint('over_4_gib', (r) => (r.remoteOver4Gib ? 1 : 0), [bins('no', 0), bins('yes', 1)], { iff: isRdma });
    g.cross('opcode_x_alignment', [opcode, alignment]);
    g.cross('opcode_x_pages', [opcode, pages]);
  },
);

/** Rights of the region that a remote key opens, as far as a request is concerned. */
export const RIGHTS = { none: 0, read: 1, write: 2, both: 3, noRegion: 4 } as const;

/** @param access `ACCESS` bits */
export function rightsOf(access: number): number {
  return (
    ((access & ACCESS.remoteRead) === 0 ? 0 : RIGHTS.read) | ((access & ACCESS.remoteWrite) === 0 ? 0 : RIGHTS.write)
  );
}

export const addressedHostCg = covergroup<RequestSample>(
  'addressed_host_cg',
  { comment: 'whom requests go to' },
  (g) => {
    const service = g.coverpoint('service', (r) => r.service, SERVICES);
    const peer = g.coverpoint('peer', (r) => r.remoteHost, [bins('next', 1), bins('before', 2), bins('other', 3)]);
    g.cross('service_x_peer', [service, peer]);
  },
);
