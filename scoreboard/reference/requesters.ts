import { Attributes } from '../model/attributes.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';

/** Of a flow whose requester has said nothing: it waits for ever, and may do anything. */
const UNKNOWN = new Attributes();

/** By flow: what the queue pair that sends in it was given. */
export class Requesters {
  readonly #byFlow: (Attributes | undefined)[] = [];
  /** By flow: the host of that queue pair. */
  readonly #hosts: number[] = [];

  /** Attributes of the requester of a flow. To be read: those of flows of which nobody has spoken are shared. */
  of(flow: number): Attributes {
    return this.#byFlow[flow] ?? UNKNOWN;
  }

  /** Host of the requester of a flow; -1 of flows of which nobody has spoken. */
  hostOf(flow: number): number {
    return this.#hosts[flow] ?? -1;
  }

  /** Requests of a queue pair begin in a flow, under the attributes that it has now. */
  begin(flow: number, info: QpInfo): void {
    const attributes = this.#byFlow[flow] ?? new Attributes();
    attributes.set(info);
    this.#byFlow[flow] = attributes;
    this.#hosts[flow] = info.host;
  }

  /** Software begins to change them, at `time` in ps; in RTR, where nothing is sent, there are none yet. */
  change(flow: number, info: QpInfo, time: number): void {
    this.#byFlow[flow]?.begin(info, time);
  }

  /** The NIC has done so, or has refused: what `info` says holds. */
  changed(flow: number, info: QpInfo, time: number): void {
    this.#byFlow[flow]?.end(info, time);
  }
}
