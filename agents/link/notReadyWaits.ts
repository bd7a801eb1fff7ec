import { RNR_TIMER_10US } from '../../rdma/bth.ts';
import { widened } from '../../uvm/bytes/widened.ts';

const UNIT = 10_000_000;
const NOT_KNOWN = -1;

/** Which packets of which flows a receiver that was not ready refused, and until when they must wait (roce-transport.md 3.4). */
export class NotReadyWaits {
  /** By flow: PSN that was refused last, -1 for none; time in ps until which it must wait. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #until = new Float64Array(64);
  /** By flow: code of the time that its receiver must ask for, -1 when not known. */
  #codes = new Int32Array(64).fill(NOT_KNOWN);

  /** The flow begins anew; its receiver must ask for the time with this code, if it is known. */
  begin(flow: number, code: number | undefined): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#codes[flow] = code ?? NOT_KNOWN;
  }

  /** The time of code `code` was asked for. @returns the code that is right, or -1 if this one is as far as is known */
  refused(flow: number, psn: number, code: number, time: number): number {
    if (flow >= this.#psns.length) return NOT_KNOWN;
    this.#psns[flow] = psn;
    this.#until[flow] = time + (RNR_TIMER_10US[code] as number) * UNIT;
    const right = this.#codes[flow] as number;
    return right === code ? NOT_KNOWN : right;
  }

  /** Whether a packet of the flow is sent again too early at `time`. A refused packet is judged once. */
  isTooEarly(flow: number, psn: number, time: number): boolean {
    if (flow >= this.#psns.length || this.#psns[flow] !== psn) return false;
    this.#psns[flow] = NOT_KNOWN;
    return time < (this.#until[flow] as number);
  }

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#codes = widened(this.#codes, flow + 1).fill(NOT_KNOWN, before);
    const until = new Float64Array(this.#psns.length);
    until.set(this.#until);
    this.#until = until;
  }
}
