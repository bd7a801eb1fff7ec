/**
 * Regions that software deregisters while requests of its own name them in their lists. What the NIC had in hand by then
 * may still be done; the rest ends with LOC_PROT_ERR (roce-transport.md 4.4, 4.5). A message sent when the NIC had said
 * that the key is void must find it void: its receive cannot succeed.
 *
 * Lists are kept by address, so where another region has the same bytes it is not known which key a request names.
 */

import type { Sge } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG } from '../../rdma/verbs.ts';
import type { SgeList } from './localKeys.ts';
import { type MrTable, NO_REGION } from '../model/mrTable.ts';
import {
  NONE,
  Q_FLAGS,
  Q_HOST,
  Q_IN_HEAD,
  Q_PROCESS,
  Q_RQ_HEAD,
  Q_SQ_HEAD,
  Q_TYPE,
  QF_GONE,
  type Qps,
} from '../model/qps.ts';
import {
  FLAGS_SHIFT,
  R_NEXT,
  R_NUM_SGE,
  R_OPEN_BYTES,
  R_SGES,
  R_STATE,
  type Requests,
  S_RECV,
  SGE_WORDS,
} from '../model/requests.ts';
import { hex } from '../../uvm/report/hexTexts.ts';

/** A request with an entry whose key is void, or may be. */
interface Withdrawn {
  /** The request as of `Requests.orderOf`: its record may be that of another one by now. */
  readonly order: number;
  readonly host: number;
  readonly key: number;
  /** Another region has the bytes, too. */
  readonly doubtful: boolean;
  /** The first request posted since the key is void, as of `Requests.orderOf`; undefined while the NIC is at it. */
  voidFrom: number | undefined;
}

/** What is known of queue pairs, regions and requests; `fault` notes what is wrong with a request. */
interface Tables {
  readonly qps: Qps;
  readonly mrs: MrTable;
  readonly requests: Requests;
  fault(r: number, found: { readonly local: string }): void;
}

/** Where in a list the first entry lies that a region holds. */
interface Found {
  readonly region: number;
  /** Bytes of the entries in front of it. */
  readonly before: number;
  readonly doubtful: boolean;
}

export class WithdrawnKeys {
  /** Told of each send of an unreliable queue pair with such a key. */
  stops: (q: number, r: number) => void = () => {};
  readonly #s: Tables;
  readonly #requests = new Map<number, Withdrawn>();

  constructor(tables: Tables) {
    this.#s = tables;
  }

  /** Software begins to deregister a region of the table. */
  begins(region: number): void {
    const { qps, mrs } = this.#s;
    const host = mrs.host(region);
    if (qps.inUse(host) === 0) return;
    for (let i = 0; i < qps.count; i++) {
      const q = qps.at(i);
      const w = qps.words;
      if (w[q + Q_HOST] !== host || w[q + Q_PROCESS] !== mrs.process(region)) continue;
      if (((w[q + Q_FLAGS] as number) & QF_GONE) !== 0) continue;
      this.#sends(q, region);
      this.#receives(q, region);
    }
  }

  /** A request is posted on queue pair `q`, with a list that is not inline, while regions go: it may name one of them. */
  posted(q: number, r: number, host: number, list: SgeList): void {
    const found = this.#firstGoing(host, list);
    if (found === undefined) return;
    const receive = ((this.#s.requests.words[r + R_STATE] as number) & S_RECV) !== 0;
    if (receive) this.#receive(r, found);
    else this.#send(q, r, found);
  }

  /** The NIC has done it. */
  ends(host: number, key: number): void {
    for (const found of this.#requests.values())
      if (found.host === host && found.key === key) found.voidFrom ??= this.#s.requests.nextOrder;
  }

  /** Whether a request names, or may name, such a key. */
  has(r: number): boolean {
    return this.#of(r) !== undefined;
  }

  /** Whether a receive of queue pair `q` with such a key may have been filled all the same, since its message came before. */
  mayBeFilled(q: number, recv: number): boolean {
    const found = this.#of(recv);
    if (found === undefined) return false;
    const { qps, requests } = this.#s;
    if (found.doubtful || qps.words[q + Q_TYPE] === QP_TYPE.ud) return true;
    const message = qps.words[q + Q_IN_HEAD] as number;
    return message !== NONE && (found.voidFrom === undefined || requests.isBefore(message, found.voidFrom));
  }

  #of(r: number): Withdrawn | undefined {
    const found = this.#requests.get(r);
    return found?.order === this.#s.requests.orderOf(r) ? found : undefined;
  }

  #sends(q: number, region: number): void {
    const { qps, requests } = this.#s;
    for (let r = qps.words[q + Q_SQ_HEAD] as number; r !== NONE; r = requests.words[r + R_NEXT] as number) {
      const inline = (((requests.words[r + R_STATE] as number) >> FLAGS_SHIFT) & SEND_FLAG.inline) !== 0;
      const found = inline ? undefined : this.#find(r, region);
      if (found !== undefined) this.#send(q, r, found);
    }
  }

  #receives(q: number, region: number): void {
    const { qps, requests } = this.#s;
    for (let r = qps.words[q + Q_RQ_HEAD] as number; r !== NONE; r = requests.words[r + R_NEXT] as number) {
      const found = this.#find(r, region);
      if (found !== undefined) this.#receive(r, found);
    }
  }

  #send(q: number, r: number, { region, doubtful }: Found): void {
    const { qps } = this.#s;
    this.#note(r, region, doubtful);
    // Of UC and UD only the send queue stops for it.
    if (qps.words[q + Q_TYPE] === QP_TYPE.rc) qps.mayFlush(q);
    else this.stops(q, r);
  }

  #receive(r: number, { region, before, doubtful }: Found): void {
    const { requests, mrs } = this.#s;
    const open = requests.words[r + R_OPEN_BYTES] as number;
    if (open !== NONE && open <= before) return;
    this.#note(r, region, doubtful);
    requests.words[r + R_OPEN_BYTES] = before;
    this.#s.fault(r, { local: `key ${hex(mrs.key(region))} of an entry was deregistered` });
  }

  #note(r: number, region: number, doubtful: boolean): void {
    const { mrs, requests } = this.#s;
    const [host, key, order] = [mrs.host(region), mrs.key(region), requests.orderOf(r)];
    this.#requests.set(r, { host, key, order, doubtful, voidFrom: undefined });
  }

  /** The first entry of a list whose key names a region that goes. */
  #firstGoing(host: number, { sges, numSge }: SgeList): Found | undefined {
    const { mrs } = this.#s;
    let before = 0;
    for (let i = 0; i < numSge; i++) {
      const { lkey, length } = sges[i] as Sge;
      const region = length === 0 ? NO_REGION : mrs.find(host, lkey);
      if (region !== NO_REGION && mrs.isGoing(region)) return { region, before, doubtful: false };
      before += length;
    }
    return undefined;
  }

  /** The first entry of a request that a region holds. */
  #find(r: number, region: number): Found | undefined {
    const { requests, mrs } = this.#s;
    const e = requests.sges.words;
    let before = 0;
    for (let i = 0; i < (requests.words[r + R_NUM_SGE] as number); i++) {
      const at = (requests.words[r + R_SGES] as number) + i * SGE_WORDS;
      const [hi, lo, length] = [e[at] as number, e[at + 1] as number, (e[at + 2] as number) >>> 0];
      if (length > 0 && isIn(mrs, region, hi, lo, length))
        return { region, before, doubtful: this.#isElsewhere(region, hi, lo, length) };
      before += length;
    }
    return undefined;
  }

  /** Whether another region of the same process has the bytes. */
  #isElsewhere(region: number, hi: number, lo: number, length: number): boolean {
    const { mrs } = this.#s;
    for (const other of mrs.all()) {
      if (
        other === region ||
        mrs.isGoing(other) ||
        mrs.host(other) !== mrs.host(region) ||
        mrs.process(other) !== mrs.process(region)
      )
        continue;
      if (isIn(mrs, other, hi, lo, length)) return true;
    }
    return false;
  }
}

function isIn(mrs: MrTable, region: number, hi: number, lo: number, length: number): boolean {
  const from = mrs.distance(region, hi, lo);
  return from >= 0 && from + length <= mrs.length(region);
}
