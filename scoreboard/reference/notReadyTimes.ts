import { Windowed } from '../../agents/verbs/windowed.ts';

const NOT_KNOWN = -1;

/** Which time a receiver that is not ready must ask for (roce-transport.md 3.4), by the flow of requests to it. */
export class NotReadyTimes {
  /** Code of the time by flow; none where it is not known. */
  readonly #codes: (Windowed<number> | undefined)[] = [];

  /** The flow begins anew; its receiver must ask for the time with this code, if it is known. */
  begin(flow: number, code: number | undefined): void {
    this.#codes[flow] = code === undefined ? undefined : new Windowed(code);
  }

  /** As `begin`, but what the receiver was given in RTR stands, if that is where it gets on from. */
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
   * The code that is right in place of `code`, which was asked for; -1 if that is right as far as is known.
   * @param sentAt when the packet was sent, -1 when it is not known: a change leaves refusals of earlier ones as they are
   */
  rightOf(flow: number, code: number, sentAt: number): number {
    const right = this.#codes[flow];
    return right === undefined || right.mayBe(code, sentAt) ? NOT_KNOWN : right.next;
  }
}
