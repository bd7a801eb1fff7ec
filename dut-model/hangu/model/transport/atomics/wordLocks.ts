/**
 * Who may change a word of host memory: one atomic at a time, the others in the order in which they came
 * (roce-transport.md 3.10, atomic against other atomics of the same NIC).
 */

/** An atomic that wants a word for itself. */
export interface WordUser {
  /** Nobody waits for it any more: it is passed over. */
  readonly isAbandoned: boolean;
  /** The word is its own now. */
  wordGranted(): void;
}

/** Words are told apart by the lower half of their address: two that share it merely take turns. */
export class WordLocks {
  /** Users of each word in use, the one that has it first. */
  readonly #users = new Map<number, WordUser[]>();

  /** @returns false when the word is in use; `wordGranted` is called later then */
  take(word: number, user: WordUser): boolean {
    const users = this.#users.get(word);
    if (users === undefined) {
      this.#users.set(word, [user]);
      return true;
    }
    users.push(user);
    return false;
  }

  /** The user that has the word gives it back, or one that waits for it gives up. */
  release(word: number, user: WordUser): void {
    const users = this.#users.get(word) ?? [];
    const had = users[0] === user;
    const at = users.indexOf(user);
    if (at >= 0) users.splice(at, 1);
    while (users[0]?.isAbandoned === true) users.shift();
    if (users.length === 0) this.#users.delete(word);
    else if (had) (users[0] as WordUser).wordGranted();
  }

  /** Nothing is in use. */
  clear(): void {
    this.#users.clear();
  }
}
