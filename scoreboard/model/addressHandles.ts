/** Address handles of all hosts: the path and the protection domain of each (roce-transport.md 7.2). */
import type { AhInfo, QpPath } from '../../agents/verbs/verbsItems.ts';
import type { QueuePair } from './work.ts';

/** Handles of all hosts, also those that are destroyed: an index is not used again before its device is closed. */
export class AddressHandles {
  readonly #byHost: AhInfo[][] = [];

  made(info: AhInfo): void {
    const own = this.#byHost[info.host] ?? [];
    own[info.index] = info;
    this.#byHost[info.host] = own;
  }

  /** Undefined where the handle is not known. */
  pathOf(host: number, index: number): QpPath | undefined {
    return this.#byHost[host]?.[index]?.path;
  }

  /** Whether a handle belongs to another protection domain than a queue pair; false where either is not known. */
  isForeign(q: QueuePair, index: number): boolean {
    const pd = this.#byHost[q.host]?.[index]?.pd;
    return pd !== undefined && q.pd >= 0 && pd !== q.pd;
  }
}
