/**
 * Regions that software deregisters while requests of its own name them in their lists. What the NIC had in hand by then
 * may still be done; the rest ends with LOC_PROT_ERR (roce-transport.md 4.4, 4.5). A message sent when the NIC had said
 * that the key is void must find it void: its receive cannot succeed.
 *
 * Lists are kept by address, so where another region has the same bytes it is not known which key a request names.
 */

import { CAUSE } from '../model/outcomes.ts';
import type { QueuePairs } from '../model/queuePairs.ts';
import type { Messages } from '../model/messages.ts';
import { type Message, type QueuePair, NONE, type AnyRequest, Receive, UnattributedMessage } from '../model/work.ts';
import { SGE_WORDS } from '../model/messages.ts';
import type { Sge } from '../../agents/verbs/verbsItems.ts';
import type { Windowed } from '../../agents/verbs/windowed.ts';
import { QP_TYPE, SEND_FLAG } from '../../rdma/verbs.ts';
import type { SgeList } from './localKeys.ts';
import { type MrTable, NO_REGION, type Region } from '../model/mrTable.ts';
import { hex } from '../../uvm/report/hexTexts.ts';

/** A request with an entry whose key is void, or may be. */
interface DeregisteredKey {
  /** The request as of `Message.order`: its record may be that of another one by now. */
  readonly order: number;
  /** Another region has the bytes, too. */
  readonly ambiguous: boolean;
  /** Whether the key opens its region, by the places of messages in the order of posting. */
  readonly valid: Windowed<boolean>;
}

/** What is known of queue pairs, regions and requests. */
interface Tables {
  readonly qps: QueuePairs;
  readonly mrs: MrTable;
  readonly requests: Messages;
  /** Receivers to which parts of messages may come that nobody waits for. */
  readonly partialMessages: ReadonlyMap<QueuePair, number>;
}

/** Where in a list the first entry lies that a region holds. */
interface Found {
  readonly region: Region;
  /** Bytes of the entries in front of it. */
  readonly before: number;
  readonly ambiguous: boolean;
}

export class DeregisteredKeys {
  /** Told of each send of an unreliable queue pair with such a key. */
  stops: (q: QueuePair, r: Message) => void = () => {};
  readonly #s: Tables;
  readonly #requests = new Map<AnyRequest, DeregisteredKey>();

  constructor(tables: Tables) {
    this.#s = tables;
  }

  /** Software has begun to deregister a region of the table. @param spared queue pair whose sends are done before */
  begins(region: Region, spared: QueuePair | undefined = undefined): void {
    const { qps, mrs } = this.#s;
    const host = mrs.host(region);
    if (qps.inUse(host) === 0) return;
    for (const q of qps.all) {
      if (q.host !== host || q.process !== mrs.process(region)) continue;
      if (q.gone) continue;
      if (q !== spared) this.#sends(q, region);
      this.#receives(q, region);
    }
  }

  /** A request is posted on queue pair `q`, with a list that is not inline, while regions go: it may name one of them. */
  posted(q: QueuePair, r: AnyRequest, host: number, list: SgeList): void {
    const found = this.#firstGoing(q, host, list, r instanceof Receive);
    if (found === undefined) return;
    if (r instanceof Receive) this.#receive(r, found);
    else this.#send(q, r, found);
  }

  /** Whether a request names, or may name, such a key. */
  has(r: AnyRequest): boolean {
    return this.#of(r) !== undefined;
  }

  /** Whether a receive of queue pair `q` with such a key may have been filled all the same, since its message came before. */
  mayBeFilled(q: QueuePair, recv: Receive): boolean {
    const found = this.#of(recv);
    if (found === undefined) return false;
    if (found.ambiguous || q.type === QP_TYPE.ud) return true;
    const message = q.inbound.head;
    return message instanceof UnattributedMessage || (message.exists && found.valid.mayBe(true, message.order));
  }

  #of(r: AnyRequest): DeregisteredKey | undefined {
    const found = this.#requests.get(r);
    return found?.order === r.order ? found : undefined;
  }

  #sends(q: QueuePair, region: Region): void {
    for (let r = q.sq.head; r.exists; r = r.next) {
      const inline = (r.flags & SEND_FLAG.inline) !== 0;
      const found = inline ? undefined : this.#find(r, region);
      if (found !== undefined) this.#send(q, r, found);
    }
  }

  #receives(q: QueuePair, region: Region): void {
    for (let r = q.rq.head; r.exists; r = r.next) {
      const found = this.#find(r, region);
      if (found === undefined) continue;
      this.#receive(r, found);
      // A part of a message that nobody waits for may be coming into it.
      if (!this.#s.partialMessages.has(q)) continue;
      r.outcomes.allow(CAUSE.entryKey);
      q.mayFlush();
    }
  }

  #send(q: QueuePair, r: Message, { region, ambiguous }: Found): void {
    this.#note(r, region, ambiguous);
    // Of UC and UD only the send queue stops for it.
    if (q.type === QP_TYPE.rc) q.mayFlush();
    else this.stops(q, r);
  }

  #receive(r: Receive, { region, before, ambiguous }: Found): void {
    const { mrs } = this.#s;
    const open = r.openBytes;
    if (open !== NONE && open <= before) return;
    this.#note(r, region, ambiguous);
    r.openBytes = before;
    r.outcomes.explain(CAUSE.entryKey, `key ${hex(mrs.key(region))} of an entry was deregistered`);
  }

  #note(r: AnyRequest, region: Region, ambiguous: boolean): void {
    const valid = this.#s.mrs.validity(region);
    if (valid !== undefined) this.#requests.set(r, { order: r.order, ambiguous, valid });
  }

  /** The first entry of a list whose key names a region that goes. */
  #firstGoing(q: QueuePair, host: number, { sges, numSge }: SgeList, isReceive: boolean): Found | undefined {
    const { mrs } = this.#s;
    let before = 0;
    for (let i = 0; i < numSge; i++) {
      const { lkey, length } = sges[i] as Sge;
      const region = length === 0 ? NO_REGION : mrs.find(host, lkey);
      const isGoing = region !== NO_REGION && mrs.isDeregistering(region);
      if (isGoing && (isReceive || !mrs.isOpenedBy(region, q))) return { region, before, ambiguous: false };
      before += length;
    }
    return undefined;
  }

  /** The first entry of a request that a region holds. */
  #find(r: AnyRequest, region: Region): Found | undefined {
    const { requests, mrs } = this.#s;
    const e = requests.sges.words;
    let before = 0;
    for (let i = 0; i < r.numSge; i++) {
      const at = r.sges + i * SGE_WORDS;
      const [hi, lo, length] = [e[at] as number, e[at + 1] as number, (e[at + 2] as number) >>> 0];
      if (length > 0 && isIn(mrs, region, hi, lo, length))
        return { region, before, ambiguous: this.#isElsewhere(region, hi, lo, length) };
      before += length;
    }
    return undefined;
  }

  /** Whether another region of the same process has the bytes. */
  #isElsewhere(region: Region, hi: number, lo: number, length: number): boolean {
    const { mrs } = this.#s;
    for (const other of mrs.all()) {
      if (
        other === region ||
        mrs.isDeregistering(other) ||
        mrs.host(other) !== mrs.host(region) ||
        mrs.process(other) !== mrs.process(region)
      )
        continue;
      if (isIn(mrs, other, hi, lo, length)) return true;
    }
    return false;
  }
}

function isIn(mrs: MrTable, region: Region, hi: number, lo: number, length: number): boolean {
  const from = mrs.distance(region, hi, lo);
  return from >= 0 && from + length <= mrs.length(region);
}
