/** Samples the covergroups of completions. */

import type { VisibleCompletion } from '../../../agents/verbs/verbsItems.ts';
import { GRH_BYTES, WC_FLAG, WC_STATUS } from '../../../rdma/verbs.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import { Tally } from '../../../uvm/coverage/tally.ts';
import { type Backlog, READER_BITS } from '../../backlog.ts';
import { sizeClass } from '../../sizeClass.ts';
import type { KnownVerbs } from '../knownVerbs.ts';
import { cqMixCg, MixSample } from '../queueGroups.ts';
import { SERVICE } from '../queuePairs.ts';
import type { SrqCoverage } from '../srq/srqCoverage.ts';
import { ENDING, unsignalledCg, UnsignalledSample } from './unsignalledGroups.ts';
import type { StateCoverage } from '../stateCoverage.ts';
import {
  accessOutcomeCg,
  CompletionSample,
  errorCompletionCg,
  FIT,
  flushCg,
  receiveCompletionCg,
  sendCompletionCg,
} from './completionGroups.ts';

const NOTE_WORDS = 8;
const IS_SEND = 1 << READER_BITS;
const STATUS_SHIFT = READER_BITS + 1;

export class CompletionCoverage {
  readonly #known: KnownVerbs;
  readonly #states: StateCoverage;
  readonly #shared: SrqCoverage;
  readonly #backlog: Backlog;
  readonly #reader: number;
  /** By host: number of the request that was completed last. */
  readonly #newest: Float64Array;
  readonly #completion = new CompletionSample();
  readonly #completions = new Tally();
  readonly #unsignalled = new UnsignalledSample();
  readonly #mix = new MixSample();
  readonly #mixes = new Tally();
  readonly #groups;

  constructor(
    collector: CoverageCollector,
    known: KnownVerbs,
    states: StateCoverage,
    shared: SrqCoverage,
    backlog: Backlog,
  ) {
    this.#known = known;
    this.#states = states;
    this.#shared = shared;
    this.#backlog = backlog;
    this.#reader = backlog.reader((at) => this.#workThrough(at));
    this.#newest = new Float64Array(known.hosts);
    this.#groups = {
      sendCompletion: collector.create(sendCompletionCg),
      receiveCompletion: collector.create(receiveCompletionCg),
      errorCompletion: collector.create(errorCompletionCg),
      accessOutcome: collector.create(accessOutcomeCg),
      flush: collector.create(flushCg),
      cqMix: collector.create(cqMixCg),
      unsignalled: collector.create(unsignalledCg),
    };
    collector.beforeHits(() => this.#flush());
  }

  completion({ host, cqn, wc }: VisibleCompletion): void {
    const { status } = wc;
    const { words, numbers } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS);
    words[at] = this.#reader | (wc.isSend ? IS_SEND : 0) | (status << STATUS_SHIFT);
    words[at + 1] = wc.qpn;
    numbers[(at + 2) >> 1] = wc.wrId;
    words[at + 4] = host | (wc.flags << 16);
    words[at + 5] = cqn;
    words[at + 6] = wc.opcode;
    words[at + 7] = wc.byteLen;
    // An error takes its queue pair to another state, and what is on the wire then is known now alone.
    if (status !== WC_STATUS.success || this.#shared.isWatching) this.#backlog.work();
  }

  #workThrough(at: number): number {
    const { words, numbers } = this.#backlog;
    const first = words[at] as number;
    const isSend = (first & IS_SEND) !== 0;
    const status = first >> STATUS_SHIFT;
    const flags = (words[at + 4] as number) >> 16;
    const host = (words[at + 4] as number) & 0xffff;
    const qp = this.#known.pairs.of(host, words[at + 1] as number);
    const queue = isSend ? qp.sends : qp.receives;
    const before = queue.count;
    const wrId = numbers[(at + 2) >> 1] as number;
    const room = !isSend && qp.srqn >= 0 ? this.#shared.completed(qp, wrId, status) : undefined;
    if (room === undefined && !queue.take(wrId)) return at + NOTE_WORDS;
    const c = this.#completion;
    c.service = qp.service;
    c.isSend = isSend;
    c.status = status;
    c.opcode = words[at + 6] as number;
    c.left = queue.count;
    c.several = before - queue.count > 1;
    c.state = qp.state;
    c.withImm = (flags & WC_FLAG.withImm) !== 0;
    if (isSend) {
      const newest = this.#newest[host] as number;
      this.#known.opened(host, queue.count - before);
      c.request = queue.opcode;
      c.rights = queue.rights;
      c.size = sizeClass(queue.bytes, qp.mtu);
      c.overtakes = queue.number < newest;
      if (queue.number > newest) this.#newest[host] = queue.number;
      if (!qp.signalAll) this.#unsignalledBefore(c, before - queue.count - 1);
    } else {
      const bytes = (words[at + 7] as number) >>> 0;
      const grh = qp.service === SERVICE.ud ? GRH_BYTES : 0;
      c.size = sizeClass(Math.max(0, bytes - grh), qp.mtu);
      c.fit = fitOf(bytes, room ?? queue.bytes);
    }
    if (c.hasKey) this.#completions.count(c.key);
    else this.#sample(c, 1);
    if (status !== WC_STATUS.success && status !== WC_STATUS.wrFlushErr) this.#states.failed(qp, isSend);
    this.#neighbours(host, words[at + 5] as number, words[at + 1] as number, isSend);
    return at + NOTE_WORDS;
  }

  /** @param count of requests that a completion stands for besides its own */
  #unsignalledBefore({ service, status, left }: CompletionSample, count: number): void {
    const u = this.#unsignalled;
    u.service = service;
    u.standsFor = count;
    u.ending =
      status === WC_STATUS.success ? ENDING.success : status === WC_STATUS.wrFlushErr ? ENDING.flushed : ENDING.error;
    u.left = left;
    this.#groups.unsignalled.sample(u);
  }

  #sample(c: CompletionSample, times: number): void {
    const { sendCompletion, receiveCompletion, errorCompletion, accessOutcome, flush } = this.#groups;
    if (c.isSend) {
      sendCompletion.sample(c, times);
      accessOutcome.sample(c, times);
    } else receiveCompletion.sample(c, times);
    if (c.status === WC_STATUS.success) return;
    errorCompletion.sample(c, times);
    flush.sample(c, times);
  }

  #neighbours(host: number, cqn: number, qpn: number, isSend: boolean): void {
    const cq = this.#known.cqs.of(host, cqn);
    if (cq.lastQpn >= 0) {
      const m = this.#mix;
      m.switchesQp = cq.lastQpn !== qpn;
      m.switchesSide = cq.lastWasSend !== isSend;
      this.#mixes.count(m.key);
    }
    cq.lastQpn = qpn;
    cq.lastWasSend = isSend;
  }

  #flush(): void {
    const c = this.#completion;
    const m = this.#mix;
    this.#completions.flush((key, times) => {
      c.key = key;
      this.#sample(c, times);
    });
    this.#mixes.flush((key, times) => {
      m.key = key;
      this.#groups.cqMix.sample(m, times);
    });
  }
}

function fitOf(bytes: number, room: number): number {
  if (bytes === 0) return FIT.empty;
  if (bytes >= room) return FIT.exactly;
  return bytes === room - 1 ? FIT.allButOne : FIT.partly;
}
