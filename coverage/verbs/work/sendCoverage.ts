/** Samples the covergroups of requests. */

import type { PostedSend, Sge } from '../../../agents/verbs/verbsItems.ts';
import { SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import { Tally } from '../../../uvm/coverage/tally.ts';
import { type Backlog, READER_BITS } from '../../backlog.ts';
import { alignmentOf, crosses4Gib, pageCrossings, sizeClass } from '../../sizeClass.ts';
import type { AhCoverage } from '../ah/ahCoverage.ts';
import type { KnownVerbs } from '../knownVerbs.ts';
import { SERVICE } from '../queuePairs.ts';
import type { BufferCoverage } from './bufferCoverage.ts';
import { BUFFER_USE } from './bufferGroups.ts';
import type { DoorbellCoverage } from './doorbellCoverage.ts';
import {
  addressedHostCg,
  inlineCg,
  isRdma,
  RequestSample,
  RIGHTS,
  remoteAddressCg,
  requestCg,
  rightsOf,
  sendFlagsCg,
  sendQueueCg,
  sgListCg,
} from './requestGroups.ts';

/** Words of a note before its scatter/gather entries, and of each of those. */
const NOTE_WORDS = 12;
const ENTRY_WORDS = 3;

export class SendCoverage {
  readonly #known: KnownVerbs;
  readonly #buffers: BufferCoverage;
  readonly #doorbells: DoorbellCoverage;
  readonly #handles: AhCoverage;
  readonly #backlog: Backlog;
  readonly #reader: number;
  /** By host: number of the latest request. */
  readonly #posted: Float64Array;
  readonly #request = new RequestSample();
  readonly #work = new Tally();
  readonly #places = new Tally();
  readonly #groups;

  constructor(
    collector: CoverageCollector,
    known: KnownVerbs,
    buffers: BufferCoverage,
    doorbells: DoorbellCoverage,
    handles: AhCoverage,
    backlog: Backlog,
  ) {
    this.#known = known;
    this.#buffers = buffers;
    this.#doorbells = doorbells;
    this.#handles = handles;
    this.#backlog = backlog;
    this.#reader = backlog.reader((at) => this.#workThrough(at));
    this.#posted = new Float64Array(known.hosts);
    this.#groups = {
      request: collector.create(requestCg),
      sgList: collector.create(sgListCg),
      sendFlags: collector.create(sendFlagsCg),
      inline: collector.create(inlineCg),
      sendQueue: collector.create(sendQueueCg),
      remoteAddress: collector.create(remoteAddressCg),
      addressedHost: collector.create(addressedHostCg),
    };
    collector.beforeHits(() => this.#flush());
  }

  postedSend({ host, qpn, wr, wqeIndex, remoteHost }: PostedSend): void {
    const { numSge, sges } = wr;
    const { words, numbers } = this.#backlog;
    const at = this.#backlog.note(noteWords(numSge));
    words[at] = this.#reader | (numSge << READER_BITS);
    words[at + 1] = qpn;
    numbers[(at + 2) >> 1] = wr.wrId;
    words[at + 4] = host | (remoteHost << 16);
    words[at + 5] = wqeIndex;
    words[at + 6] = wr.opcode;
    words[at + 7] = wr.flags;
    words[at + 8] = wr.remoteLo;
    words[at + 9] = wr.rkey;
    words[at + 10] = wr.ah;
    for (let i = 0, to = at + NOTE_WORDS; i < numSge; i++, to += ENTRY_WORDS) {
      const sge = sges[i] as Sge;
      words[to] = sge.lo;
      words[to + 1] = sge.length;
      words[to + 2] = sge.lkey;
    }
  }

  #workThrough(at: number): number {
    const { words, numbers } = this.#backlog;
    const qpn = words[at + 1] as number;
    const hosts = words[at + 4] as number;
    const host = hosts & 0xffff;
    const wqeIndex = words[at + 5] as number;
    const numSge = (words[at] as number) >>> READER_BITS;
    const qp = this.#known.pairs.of(host, qpn);
    const r = this.#request;
    r.service = qp.service;
    r.opcode = words[at + 6] as number;
    r.flags = words[at + 7] as number;
    const bytes = this.#list(r, at + NOTE_WORDS, numSge);
    r.bytes = bytes;
    r.size = sizeClass(bytes, qp.mtu);
    r.signalled = qp.signalAll || (r.flags & SEND_FLAG.signaled) !== 0;
    r.outstanding = qp.sends.count;
    r.wrapped = wqeIndex < qp.sendSlot;
    r.remoteHost = this.#distance(host, hosts >> 16);
    r.rights = this.#remote(r, hosts >> 16, words[at + 8] as number, words[at + 9] as number);
    qp.sendSlot = wqeIndex;
    this.#doorbells.posted(host, qpn);
    if (qp.service === SERVICE.ud) this.#handles.used(qp, words[at + 10] as number);
    this.#known.opened(host, 1);
    const number = (this.#posted[host] as number) + 1;
    this.#posted[host] = number;
    qp.sends.add(numbers[(at + 2) >> 1] as number, number, r.opcode, bytes, r.rights);
    this.#work.count(r.workKey);
    this.#places.count(r.placeKey);
    if ((r.flags & SEND_FLAG.inline) !== 0) this.#groups.inline.sample(r);
    return at + noteWords(numSge);
  }

  /** @param from place of the first entry @returns bytes of all */
  #list(r: RequestSample, from: number, numSge: number): number {
    const { words } = this.#backlog;
    const use = r.opcode === WR_OPCODE.rdmaRead ? BUFFER_USE.readTarget : BUFFER_USE.source;
    const inline = (r.flags & SEND_FLAG.inline) !== 0;
    let bytes = 0;
    let empty = 0;
    let first = -1;
    let equal = true;
    let keys = 1;
    for (let i = 0, at = from; i < numSge; i++, at += ENTRY_WORDS) {
      const length = (words[at + 1] as number) >>> 0;
      bytes += length;
      if (length === 0) empty++;
      else if (first < 0) first = length;
      else if (length !== first) equal = false;
      if (i > 0 && words[at + 2] !== words[at + 2 - ENTRY_WORDS]) keys++;
      if (!inline) this.#buffers.sample(use, words[at] as number, length);
    }
    r.numSge = numSge;
    r.emptySges = empty;
    r.equalSges = equal;
    r.keys = keys;
    return bytes;
  }

  /** @returns `RIGHTS` */
  #remote(r: RequestSample, remoteHost: number, remoteLo: number, rkey: number): number {
    const { opcode } = r;
    if (opcode !== WR_OPCODE.rdmaRead && opcode > WR_OPCODE.rdmaWriteWithImm) return RIGHTS.noRegion;
    r.remoteAlignment = alignmentOf(remoteLo);
    r.remoteCrossings = pageCrossings(remoteLo, r.bytes);
    r.remoteOver4Gib = crosses4Gib(remoteLo, r.bytes);
    const access = this.#known.regions.access(remoteHost, rkey);
    return access < 0 ? RIGHTS.noRegion : rightsOf(access);
  }

  #distance(from: number, to: number): number {
    const { hosts } = this.#known;
    const distance = (to - from + hosts) % hosts;
    return distance === 1 ? 1 : distance === hosts - 1 ? 2 : 3;
  }

  #flush(): void {
    const { request, sgList, sendFlags, sendQueue, remoteAddress, addressedHost } = this.#groups;
    const r = this.#request;
    this.#work.flush((key, times) => {
      r.workKey = key;
      request.sample(r, times);
      sendFlags.sample(r, times);
      sendQueue.sample(r, times);
      addressedHost.sample(r, times);
    });
    this.#places.flush((key, times) => {
      r.placeKey = key;
      sgList.sample(r, times);
      if (isRdma(r)) remoteAddress.sample(r, times);
    });
  }
}

function noteWords(entries: number): number {
  return (NOTE_WORDS + ENTRY_WORDS * entries + 1) & ~1;
}
