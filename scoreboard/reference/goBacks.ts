import { lengthened, widened } from '../../uvm/bytes/widened.ts';

const NOT_KNOWN = -1;

/**
 * How often in a row the sender of each flow has gone back to the same packet, for whatever reason: that many retries at
 * least it has made before it gives up (roce-transport.md 3.8). Where it is not certain whether a packet is sent again,
 * it counts.
 */
export class GoBacks {
  /** By flow: a sender that still sends so long after an answer, in ps, has heard it. */
  readonly #answerTimeOf: (flow: number) => number;
  /** By flow: PSN of the packet, how often, and the host that sends it. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #counts = new Int32Array(64);
  #hosts = new Int32Array(64).fill(NOT_KNOWN);
  /** By flow: when the latest answer to anything new was handed over, ps. */
  #answered = new Float64Array(64);
  /** By flow: when the latest refusal was handed over, ps. */
  #refused = new Float64Array(64);
  /** By flow: the least time in ps that an answer or a refusal left before a time-out may have expired, and when. */
  #left = new Float64Array(64).fill(Number.POSITIVE_INFINITY);
  #leftAt = new Float64Array(64);

  constructor(answerTimeOf: (flow: number) => number) {
    this.#answerTimeOf = answerTimeOf;
  }

  /** The flow begins anew. */
  begin(flow: number): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#counts[flow] = 0;
    this.#hosts[flow] = NOT_KNOWN;
    this.#left[flow] = Number.POSITIVE_INFINITY;
  }

  /** Something is answered for the first time, at `time` in ps. */
  answered(flow: number, time: number): void {
    if (flow < this.#answered.length) this.#answered[flow] = time;
  }

  /** When that happened last. */
  answeredAt(flow: number): number {
    return this.#answered[flow] ?? 0;
  }

  /** Something is refused, at `time` in ps. */
  refused(flow: number, time: number): void {
    if (flow < this.#refused.length) this.#refused[flow] = time;
  }

  /** When that happened last. */
  refusedAt(flow: number): number {
    return this.#refused[flow] ?? 0;
  }

  /**
   * An answer or a refusal is on the wire at `time`, ps, `left` ps before its time-out may have expired.
   * @param sentAt when the sender handed over its latest packet, ps, -1 when that is not known
   */
  noteLeft(flow: number, left: number, time: number, sentAt: number): void {
    if (flow >= this.#left.length) return;
    if (left >= (this.#left[flow] as number) && sentAt <= (this.#leftAt[flow] as number) + this.#answerTimeOf(flow))
      return;
    this.#left[flow] = left;
    this.#leftAt[flow] = time;
  }

  /** The least time in ps that answers and refusals have left of late before time-outs may have expired. */
  left(flow: number): number {
    return this.#left[flow] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * `host` goes back to this packet, or may have done so. The first of all packets apart, it may have counted a retry
   * before it sent the packet at all: when the time-out of one before expired, which was sent again and answered meanwhile.
   */
  another(flow: number, psn: number, host: number): void {
    if (flow >= this.#psns.length) return;
    const known = this.#psns[flow] as number;
    const unseen = known === NOT_KNOWN ? 0 : 1;
    this.#counts[flow] = known === psn ? (this.#counts[flow] as number) + 1 : 1 + unseen;
    this.#psns[flow] = psn;
    this.#hosts[flow] = host;
  }

  /** PSN of the packet to which `host` went back last, -1 when there is none. */
  latest(flow: number, host: number): number {
    return flow < this.#psns.length && this.#hosts[flow] === host ? (this.#psns[flow] as number) : NOT_KNOWN;
  }

  /** Retries that were made. */
  made(flow: number): number {
    return flow < this.#psns.length ? (this.#counts[flow] as number) : 0;
  }

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#counts = widened(this.#counts, flow + 1);
    this.#hosts = widened(this.#hosts, flow + 1).fill(NOT_KNOWN, before);
    this.#answered = lengthened(this.#answered, this.#psns.length);
    this.#refused = lengthened(this.#refused, this.#psns.length);
    this.#left = lengthened(this.#left, this.#psns.length).fill(Number.POSITIVE_INFINITY, before);
    this.#leftAt = lengthened(this.#leftAt, this.#psns.length);
  }
}
