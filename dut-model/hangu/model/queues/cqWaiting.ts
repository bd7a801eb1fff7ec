/** A completion queue whose context or translation is being fetched, with the entries that wait for that in order. */
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { CompletionEntry } from './completionEntry.ts';

/** Who goes on with a queue when what it waited for has come. */
export interface CqWaitingUser {
  goOn(waiting: CqWaiting): void;
}

export class CqWaiting implements Resumable {
  cqn = 0;
  /** First entry; null while this place is free. */
  head: CompletionEntry | null = null;
  /** The context of the queue is kept in its cache. */
  pinned = false;
  #tail: CompletionEntry | null = null;
  readonly #user: CqWaitingUser;

  constructor(user: CqWaitingUser) {
    this.#user = user;
  }

  append(e: CompletionEntry): void {
    if (this.head === null) {
      this.cqn = e.cqn;
      this.head = e;
    } else (this.#tail as CompletionEntry).next = e;
    this.#tail = e;
  }

  /** Whether an entry of this queue pair waits here. */
  holds(qpn: number): boolean {
    for (let e = this.head; e !== null; e = e.next) {
      if (e.qpn === qpn) return true;
    }
    return false;
  }

  resume(): void {
    if (this.head !== null) this.#user.goOn(this);
  }
}
