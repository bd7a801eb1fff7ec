/** Covergroups of completions, and of the receives that they end. */

import { QP_STATE, WC_OPCODE, WC_STATUS } from '../../../rdma/verbs.ts';
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../../uvm/coverage/selection.ts';
import { SEVERAL_PACKETS, SIZE_CLASS } from '../../sizeClass.ts';
import { SERVICE } from '../queuePairs.ts';
import { RIGHTS } from './requestGroups.ts';

/** How full a receive is: bytes that came in the place that it had. */
export const FIT = { empty: 0, partly: 1, allButOne: 2, exactly: 3 } as const;

/** A completion in host memory. One object for all: valid while it is sampled. */
export class CompletionSample {
  service = 0;
  isSend = false;
  /** `WC_STATUS`. */
  status = 0;
  /** `WC_OPCODE`. */
  opcode = 0;
  /** `SIZE_CLASS` of the message. */
  size = 0;
  /** Requests and receives of its queue that are still without completion. */
  left = 0;
  /** It completes requests besides the one that it names. */
  several = false;
  /** A request of another queue pair that was posted before is still open. */
  overtakes = false;
  /** `FIT`; of a receive. */
  fit = 0;
  /** `WR_OPCODE` and `RIGHTS` of the request; of a send completion. */
  request = 0;
  rights = 0;
  /** `QP_STATE`. */
  state = 0;
  withImm = false;

  /** Whether `key` says all of it: it does of successes. */
  get hasKey(): boolean {
    const { opcode } = this;
    return this.status === WC_STATUS.success && (opcode === (opcode & 7) || (opcode & ~7) === RECEIVE_OPCODES_FROM);
  }

  /** All that covergroups tell apart of a success, in one number. */
  get key(): number {
    const { service, opcode, size, fit, request, rights } = this;
    const flags =
      (this.isSend ? 1 : 0) |
      (this.several ? 2 : 0) |
      (this.overtakes ? 4 : 0) |
      (this.withImm ? 8 : 0) |
      (opcode > 7 ? 16 : 0);
    const message = service | ((opcode & 7) << 2) | (size << 5) | (Math.min(this.left, 2) << 9) | (fit << 11);
    return message | (request << 13) | (rights << 17) | (flags << 20);
  }

  set key(key: number) {
    const flags = key >>> 20;
    this.status = WC_STATUS.success;
    this.service = key & 3;
    this.opcode = ((key >>> 2) & 7) | ((flags & 16) === 0 ? 0 : RECEIVE_OPCODES_FROM);
    this.size = (key >>> 5) & 15;
    this.left = (key >>> 9) & 3;
    this.fit = (key >>> 11) & 3;
    this.request = (key >>> 13) & 15;
    this.rights = (key >>> 17) & 7;
    this.isSend = (flags & 1) !== 0;
    this.several = (flags & 2) !== 0;
    this.overtakes = (flags & 4) !== 0;
    this.withImm = (flags & 8) !== 0;
  }
}

/** Codes of receives in `WC_OPCODE` begin here; those of requests are below 8. */
const RECEIVE_OPCODES_FROM = 128;

const SERVICES = enumBins(SERVICE);
const ERRORS = [
  'locLenErr',
  'locQpOpErr',
  'locProtErr',
  'wrFlushErr',
  'locAccessErr',
  'remInvReqErr',
  'remAccessErr',
  'remOpErr',
  'retryExcErr',
  'rnrRetryExcErr',
] as const;
const SEND_OPCODES = ['send', 'rdmaWrite', 'rdmaRead'] as const;
const RECEIVE_OPCODES = ['recv', 'recvRdmaWithImm'] as const;
const REMOTE = ['remInvReqErr', 'remAccessErr', 'remOpErr', 'retryExcErr', 'rnrRetryExcErr'];

const isGood = ({ status }: CompletionSample): boolean => status === WC_STATUS.success;
const isSend = (c: CompletionSample): boolean => c.isSend;

export const sendCompletionCg = covergroup<CompletionSample>(
  'send_completion_cg',
  { comment: 'completions of requests' },
  (g) => {
    const service = g.coverpoint('service', (c) => c.service, SERVICES, { iff: isSend });
    const opcode = g.coverpoint('opcode', (c) => c.opcode, enumBins(WC_OPCODE, SEND_OPCODES), {
      iff: (c) => c.isSend && isGood(c),
    });
    const size = g.coverpoint('size', (c) => c.size, enumBins(SIZE_CLASS), { iff: (c) => c.isSend && isGood(c) });
    const several = g.coverpoint('completes', (c) => (c.several ? 1 : 0), [bins('one', 0), bins('several', 1)], {
      iff: isSend,
    });
    const order = g.coverpoint('overtakes', (c) => (c.overtakes ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
      iff: isSend,
    });
    g.coverpoint('left', (c) => c.left, [bins('none', 0), bins('one', 1), bins('more', [2, 65535])], { iff: isSend });
    g.cross('service_x_opcode', [service, opcode], {
      ignore: {
        no_uc_read: binsof(service, 'uc').and(binsof(opcode, 'rdmaRead')),
        ud_sends_only: binsof(service, 'ud').and(where((_, o) => o !== 'send')),
      },
    });
    g.cross('opcode_x_size', [opcode, size]);
    g.cross('service_x_completes', [service, several]);
    g.cross('service_x_overtakes', [service, order]);
  },
);

export const receiveCompletionCg = covergroup<CompletionSample>(
  'receive_completion_cg',
  { comment: 'completions of receives' },
  (g) => {
    const iff = (c: CompletionSample): boolean => !c.isSend && isGood(c);
    const service = g.coverpoint('service', (c) => c.service, SERVICES, { iff });
    const opcode = g.coverpoint('opcode', (c) => c.opcode, enumBins(WC_OPCODE, RECEIVE_OPCODES), { iff });
    const immediate = g.coverpoint('immediate', (c) => (c.withImm ? 1 : 0), [bins('no', 0), bins('yes', 1)], { iff });
    const size = g.coverpoint('size', (c) => c.size, enumBins(SIZE_CLASS), { iff });
    const fit = g.coverpoint('fit', (c) => c.fit, enumBins(FIT), { iff: (c) => iff(c) && c.opcode === WC_OPCODE.recv });
    g.coverpoint('left', (c) => c.left, [bins('none', 0), bins('one', 1), bins('more', [2, 65535])], { iff });
    g.cross('service_x_opcode', [service, opcode], {
      ignore: { ud_sends_only: binsof(service, 'ud').and(binsof(opcode, 'recvRdmaWithImm')) },
    });
    g.cross('opcode_x_immediate', [opcode, immediate], {
      ignore: { always_with: binsof(opcode, 'recvRdmaWithImm').and(binsof(immediate, 'no')) },
    });
    g.cross('service_x_fit', [service, fit]);
    g.cross('service_x_size', [service, size], {
      ignore: {
        ud_one_packet: binsof(service, 'ud').and(where((_, bytes) => SEVERAL_PACKETS.includes(bytes as string))),
      },
    });
  },
);

export const errorCompletionCg = covergroup<CompletionSample>(
  'error_completion_cg',
  { comment: 'error statuses by side, service and operation' },
  (g) => {
    const iff = (c: CompletionSample): boolean => !isGood(c);
    const status = g.coverpoint('status', (c) => c.status, enumBins(WC_STATUS, ERRORS), { iff });
    const side = g.coverpoint('side', (c) => (c.isSend ? 0 : 1), [bins('requester', 0), bins('responder', 1)], { iff });
    const service = g.coverpoint('service', (c) => c.service, SERVICES, { iff });
    const left = g.coverpoint('left', (c) => Math.min(c.left, 1), [bins('none', 0), bins('some', 1)], { iff });
    // WR_OPCODE: the completion of a failed request does not say what it was.
    const request = g.coverpoint(
      'request',
      (c) => c.request,
      [bins('write', 0, 1), bins('send', 2, 3), bins('read', 4)],
      {
        iff: (c) => iff(c) && c.isSend,
      },
    );
    g.cross('status_x_side', [status, side], {
      ignore: {
        remote_is_the_requesters: where((s, at) => at === 'responder' && REMOTE.includes(s as string)),
        access_is_the_responders: where((s, at) => at === 'requester' && s === 'locAccessErr'),
      },
    });
    g.cross('status_x_service', [status, service], {
      ignore: { unreliable: where((s, of) => of !== 'rc' && REMOTE.includes(s as string)) },
    });
    g.cross('status_x_request', [status, request], {
      ignore: {
        responders: binsof(status, 'locAccessErr'),
        rnr_needs_a_receive: where((s, r) => s === 'rnrRetryExcErr' && r === 'read'),
        length_is_of_receives: where((s, r) => s === 'locLenErr' && r === 'read'),
      },
    });
    g.cross('status_x_left', [status, left]);
  },
);

export const accessOutcomeCg = covergroup<CompletionSample>(
  'access_outcome_cg',
  { comment: 'rights of the region that a request names, and the result' },
  (g) => {
    const iff = (c: CompletionSample): boolean =>
      c.isSend && (c.request <= 1 || c.request === 4) && c.status !== WC_STATUS.wrFlushErr;
    const request = g.coverpoint('request', (c) => c.request, [bins('write', 0, 1), bins('read', 4)], { iff });
    const rights = g.coverpoint('rights', (c) => c.rights, enumBins(RIGHTS), { iff });
    const outcome = g.coverpoint(
      'outcome',
      (c) => c.status,
      [bins('success', WC_STATUS.success), bins('remote_access_error', WC_STATUS.remAccessErr)],
      { iff },
    );
    g.cross('request_x_rights_x_outcome', [request, rights, outcome], {
      ignore: {
        granted: where((q, r, o) => o === 'remote_access_error' && (r === 'both' || r === q)),
        denied: where((q, r, o) => o === 'success' && r !== 'both' && r !== q),
      },
    });
  },
);

export const flushCg = covergroup<CompletionSample>(
  'flush_cg',
  { comment: 'requests and receives that are flushed' },
  (g) => {
    const iff = (c: CompletionSample): boolean => c.status === WC_STATUS.wrFlushErr;
    const side = g.coverpoint('side', (c) => (c.isSend ? 0 : 1), [bins('send', 0), bins('receive', 1)], { iff });
    const service = g.coverpoint('service', (c) => c.service, SERVICES, { iff });
    const state = g.coverpoint('state', (c) => c.state, enumBins(QP_STATE, ['rts', 'sqe', 'err']), {
      iff,
      comment: 'state that software was last notified of or asked for',
    });
    g.cross('side_x_service', [side, service]);
    g.cross('side_x_state', [side, state], {
      ignore: { receives_go_on: where((s, at) => s === 'receive' && at === 'sqe') },
    });
  },
);
