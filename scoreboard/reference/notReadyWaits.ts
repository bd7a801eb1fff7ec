import { RNR_TIMER_PS } from '../../rdma/timers.ts';
import { lengthened, widened } from '../../uvm/bytes/widened.ts';

const NOT_KNOWN = -1;

/** Which packets of which flows a receiver that was not ready refused, and until when they must wait (roce-transport.md 3.4). */
export class NotReadyWaits {
  /** By flow: PSN that was refused last, -1 for none; time in ps until which it must wait. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #until = new Float64Array(64);
  /** By flow: code of the time that its receiver must ask for, -1 when not known. */
  #codes = new Int32Array(64).fill(NOT_KNOWN);
  /** By flow: codes that it was given before, a bit for each, and the time in ps of the latest change. */
  #former = new Int32Array(64);
  #changed = new Float64Array(64);

  /** The flow begins anew; its receiver must ask for the time with this code, if it is known. */
  begin(flow: number, code: number | undefined): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#until[flow] = 0;
    this.#codes[flow] = code ?? NOT_KNOWN;
    this.#former[flow] = 0;
  }

  /** As `begin`, but what the receiver was given and has asked for in RTR stands, if that is where it gets on from. */
  goOn(flow: number, code: number | undefined): void {
    if (flow >= this.#codes.length || this.#codes[flow] !== code) this.begin(flow, code);
  }

  /** The receiver of the flow is about to be given another code; until `changed` it may ask for either time. */
  change(flow: number, code: number): void {
    this.#reserve(flow);
    const before = this.#codes[flow] as number;
    if (before === code || before === NOT_KNOWN) return;
    this.#codes[flow] = code;
    this.#former[flow] = (this.#former[flow] as number) | (1 << before);
    this.#changed[flow] = Number.POSITIVE_INFINITY;
  }

  /** What `change` has announced is done. */
  changed(flow: number, time: number): void {
    if (this.#changed[flow] === Number.POSITIVE_INFINITY) this.#changed[flow] = time;
  }

  /**
   * The time of code `code` was asked for.
   * @param sentAt when the packet was sent, -1 when it is not known: a change leaves refusals of earlier ones as they are
   * @returns the code that is right, or -1 if this one is as far as is known
   */
  refused(flow: number, psn: number, code: number, time: number, sentAt: number): number {
    if (flow >= this.#psns.length) return NOT_KNOWN;
    this.#psns[flow] = psn;
    this.#until[flow] = time + (RNR_TIMER_PS[code] as number);
    const right = this.#codes[flow] as number;
    if (right === code || this.#wasRight(flow, code, sentAt)) return NOT_KNOWN;
    return right;
  }

  /** Whether a packet of the flow is sent again too early at `time`. A refused packet is judged once. */
  isTooEarly(flow: number, psn: number, time: number): boolean {
    if (flow >= this.#psns.length || this.#psns[flow] !== psn) return false;
    this.#psns[flow] = NOT_KNOWN;
    return time < (this.#until[flow] as number);
  }

  /** Until when the latest refusal of the flow asks its requester to wait, ps; 0 when there was none. */
  until(flow: number): number {
    return this.#until[flow] ?? 0;
  }

  #wasRight(flow: number, code: number, sentAt: number): boolean {
    return (((this.#former[flow] as number) >> code) & 1) !== 0 && sentAt <= (this.#changed[flow] as number);
  }

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#codes = widened(this.#codes, flow + 1).fill(NOT_KNOWN, before);
    this.#former = widened(this.#former, flow + 1);
    this.#until = lengthened(this.#until, this.#psns.length);
    this.#changed = lengthened(this.#changed, this.#psns.length);
  }
}
