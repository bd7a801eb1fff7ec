import { RNR_TIMER_PS } from '../../rdma/timers.ts';
import type { TransportChoices } from '../model/transportChoices.ts';
import { Windowed } from '../../agents/verbs/windowed.ts';
import { lengthened, widened } from '../../uvm/bytes/widened.ts';

const NOT_KNOWN = -1;
const CODE_25 = 25;

/** Which packets of which flows a receiver that was not ready refused, and until when they must wait (roce-transport.md 3.4). */
export class NotReadyWaits {
  /** By flow: PSN that was refused last, -1 for none; time in ps until which it must wait. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #until = new Float64Array(64);
  /** By flow: code of the time that its receiver must ask for; none where it is not known. */
  readonly #codes: (Windowed<number> | undefined)[] = [];

  /** What code 25 stands for, ps: implementations differ in that one. */
  readonly #code25: number;

  constructor({ rnrCode25 }: Pick<TransportChoices, 'rnrCode25'>) {
    this.#code25 = rnrCode25;
  }

  /** The flow begins anew; its receiver must ask for the time with this code, if it is known. */
  begin(flow: number, code: number | undefined): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#until[flow] = 0;
    this.#codes[flow] = code === undefined ? undefined : new Windowed(code);
  }

  /** As `begin`, but what the receiver was given and has asked for in RTR stands, if that is where it gets on from. */
  goOn(flow: number, code: number | undefined): void {
    if (code === undefined || this.#codes[flow]?.next !== code) this.begin(flow, code);
  }

  /** The receiver of the flow is about to be given another code, at `time` in ps: until `changed` it may ask for either time. */
  change(flow: number, code: number | undefined, time: number): void {
    if (code !== undefined) this.#codes[flow]?.begin(code, time);
  }

  /** The NIC has done so, or has refused: `code` holds. */
  changed(flow: number, code: number | undefined, time: number): void {
    if (code !== undefined) this.#codes[flow]?.end(time, code);
  }

  /**
   * The time of code `code` was asked for.
   * @param sentAt when the packet was sent, -1 when it is not known: a change leaves refusals of earlier ones as they are
   * @returns the code that is right, or -1 if this one is as far as is known
   */
  refused(flow: number, psn: number, code: number, time: number, sentAt: number): number {
    if (flow >= this.#psns.length) return NOT_KNOWN;
    this.#psns[flow] = psn;
    this.#until[flow] = time + (code === CODE_25 ? this.#code25 : (RNR_TIMER_PS[code] as number));
    const right = this.#codes[flow];
    return right === undefined || right.mayBe(code, sentAt) ? NOT_KNOWN : right.next;
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

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#until = lengthened(this.#until, this.#psns.length);
  }
}
