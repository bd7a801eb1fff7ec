/** Counts from which PSN on the next request of each queue pair will have its packets, by the order of posting alone. */

import { OPCODE, WireOpcodes } from '../../agents/wire/wireOpcodes.ts';
import type { PostedSend, QpInfo } from '../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { QueuePairs } from './queuePairs.ts';

export class PsnCounter implements VerbsObserver {
  readonly #pairs = new QueuePairs();
  readonly #opcodes = new WireOpcodes();

  qpInRtr(info: QpInfo): void {
    this.#pairs.set(info);
  }

  qpInRts(info: QpInfo): void {
    this.#pairs.set(info);
  }

  qpChanged(info: QpInfo): void {
    this.#pairs.change(info);
  }

  postedSend({ host, qpn, wr }: PostedSend): void {
    this.#pairs.take(host, qpn, wr);
  }

  /**
   * The PSN of what the connection that a queue pair belongs to asks for next: of a request to it the next one that its peer
   * posts, of an answer to it the next one that it posts itself. Undefined where that is not known.
   */
  nextPsn(host: number, qpn: number, opcode: number): number | undefined {
    const known = this.#pairs.of(host, qpn);
    const isRequest = ((this.#opcodes.flags[opcode & 0xff] as number) & OPCODE.request) !== 0;
    if (!isRequest || known === undefined) return known?.nextPsn;
    const { remoteHost, remoteQpn } = known.info;
    return remoteHost < 0 ? undefined : this.#pairs.of(remoteHost, remoteQpn)?.nextPsn;
  }
}
