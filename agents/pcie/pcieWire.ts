import type { Tlp } from '../../dut-model/nic.ts';
import type { Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { PcieHostSettings } from './pcieSettings.ts';

/**
 * When the two directions of a PCIe link are free, and what may not be overtaken. Shared by master and slave.
 *
 * What is called for every request leaves its results in fields: a time is no small integer, and a call that is not
 * inlined would put each one that it takes or returns on the heap.
 */
export class PcieWire {
  /** Arrival of the latest posted write of the NIC: nothing sent after it may take effect earlier. */
  lastPosted: SimTime = Number.NaN;
  /** When the host has the answer to the latest read ready. */
  ready: SimTime = Number.NaN;
  /** When the first part of the latest answer arrives at the NIC. */
  answered: SimTime = Number.NaN;

  readonly #scheduler: Scheduler;
  // A field that starts as what it will be is kept as that: a double, and small integers.
  readonly #psPerByte: number = Number.NaN;
  readonly #header: number = 0;
  readonly #upLatency: number = 0;
  readonly #downLatency: number = 0;
  /** From a read request's end on the wire to the answer. */
  readonly #readLatency: number = 0;
  #upFree: SimTime = Number.NaN;
  #downFree: SimTime = Number.NaN;
  /** Arrival of the latest host access at the NIC. */
  #lastAccess: SimTime = Number.NaN;

  constructor(scheduler: Scheduler, settings: PcieHostSettings) {
    this.#scheduler = scheduler;
    this.#psPerByte = 8000 / settings.rate;
    this.#header = settings.headerBytes;
    this.#upLatency = settings.upLatency;
    this.#downLatency = settings.downLatency;
    this.#readLatency = settings.upLatency + settings.memoryLatency;
    this.lastPosted = 0;
    this.ready = 0;
    this.answered = 0;
    this.#upFree = 0;
    this.#downFree = 0;
    this.#lastAccess = 0;
  }

  /** Time on the wire of a packet with `bytes` of payload, ps. */
  transferTime(bytes: number): SimTime {
    return Math.ceil((bytes + this.#header) * this.#psPerByte);
  }

  /** Occupies the direction to the host with a request that carries `bytes`. */
  up(t: Tlp, bytes: number): void {
    let start = this.#scheduler.now;
    if (t.readyAt > start) start = t.readyAt;
    if (this.#upFree > start) start = this.#upFree;
    this.#upFree = start + Math.ceil((bytes + this.#header) * this.#psPerByte);
  }

  /** The host takes nothing for so long (ps) after what it has been sent. */
  hold(time: SimTime): void {
    const { now } = this.#scheduler;
    this.#upFree = (this.#upFree > now ? this.#upFree : now) + time;
  }

  /** A write on its way to the host, held up by `delay`: sets `lastPosted` to its arrival. */
  post(t: Tlp, delay: SimTime): void {
    this.up(t, t.length);
    const arrival = this.#upFree + this.#upLatency + delay;
    if (arrival > this.lastPosted) this.lastPosted = arrival;
  }

  /** A read on its way to the host, held up by `delay`: sets `ready`, after every write sent before it. */
  request(t: Tlp, delay: SimTime): void {
    this.up(t, 0);
    const ready = this.#upFree + this.#readLatency + delay;
    this.ready = ready < this.lastPosted ? this.lastPosted : ready;
  }

  /** The NIC's answer of `bytes` to a BAR read. @returns its arrival, after every write sent before it. */
  reply(t: Tlp, bytes: number): SimTime {
    this.up(t, bytes);
    const arrival = this.#upFree + this.#upLatency;
    return arrival < this.lastPosted ? this.lastPosted : arrival;
  }

  /**
   * Occupies the direction to the NIC for the whole answer, of `bytes`, to the latest read, from `ready` on; sets
   * `answered` to when its first part, of `firstPart` bytes, arrives.
   */
  answer(bytes: number, firstPart: number): void {
    const start = this.#downFree > this.ready ? this.#downFree : this.ready;
    const end = start + Math.ceil((bytes + this.#header) * this.#psPerByte);
    this.#downFree = end;
    const sent = firstPart === bytes ? end : start + Math.ceil((firstPart + this.#header) * this.#psPerByte);
    this.answered = sent + this.#downLatency;
  }

  /**
   * Arrival at the NIC of a host access of `bytes` sent now; of the last one, when it is several of them. Accesses
   * arrive one after the other, in the order in which they are sent. They are few and small, so they delay no completion.
   */
  access(bytes: number, count = 1): SimTime {
    const sent = this.#scheduler.now + this.#downLatency;
    this.#lastAccess = (this.#lastAccess > sent ? this.#lastAccess : sent) + count * (this.transferTime(bytes) || 1);
    return this.#lastAccess;
  }
}
