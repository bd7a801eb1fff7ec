/** Address handles of a side for some of its datagrams, drawn at random: with any attributes, few of other domains, destroyed at any moment. */
import type { Ah, Pd } from '../../../env/verbs/verbsObjects.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { QpSide } from '../qpSide.ts';
import { drawHandle } from './drawHandle.ts';

/** Handles that are kept. */
const MOST = 4;
const FRESH = 0.3;
const FOREIGN = 0.06;
const DESTROYED = 0.2;

export class RandomHandles {
  readonly #side: QpSide;
  readonly #peerHost: number;
  readonly #random: RandomStream;
  readonly #percent: number;
  readonly #kept: Ah[] = [];
  #foreign: Pd | undefined;

  /** @param percent share of datagrams that have a handle of their own */
  constructor(side: QpSide, peerHost: number, random: RandomStream, percent: number) {
    this.#side = side;
    this.#peerHost = peerHost;
    this.#random = random;
    this.#percent = percent;
  }

  /** The handle of the datagram that is posted next; undefined: that of the connection. */
  next(): Ah | undefined {
    const random = this.#random;
    if (!random.chance(this.#percent / 100)) return undefined;
    if (this.#kept.length === 0 || random.chance(FRESH)) this.#kept.push(this.#create());
    if (this.#kept.length > MOST) this.#destroy();
    return random.pick(this.#kept);
  }

  /** A datagram has been posted: one of the handles may go, that of the datagram perhaps. */
  posted(): void {
    if (this.#kept.length > 0 && this.#random.chance(DESTROYED)) this.#destroy();
  }

  #create(): Ah {
    const { api, qp } = this.#side;
    const request = drawHandle(this.#random, api.capabilities.ipv6);
    return api.createAh(this.#random.chance(FOREIGN) ? this.#otherDomain() : qp.pd, this.#peerHost, request);
  }

  #destroy(): void {
    const [gone] = this.#kept.splice(this.#random.range(0, this.#kept.length - 1), 1);
    const { api } = this.#side;
    if (gone === undefined) return;
    if (this.#random.chance(0.5)) api.queryAh(gone);
    api.destroyAh(gone);
  }

  #otherDomain(): Pd {
    const { api, qp } = this.#side;
    this.#foreign ??= api.allocPd(qp.process);
    return this.#foreign;
  }
}
