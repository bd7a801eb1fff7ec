/**
 * Software of the windows: a copy takes a window, selects the sub-window of its bytes, accesses them, and waits until its writes have
 * reached the card before it lets the window go: the root complex may have the select of the next owner overtake writes that are
 * posted. A copy that crosses the end of a sub-window takes a window for each part.
 */
import type { ProviderHost } from '../../../env/providers/provider.ts';
import { DONE } from '../../../env/verbs/done.ts';
import { Semaphore } from '../../../uvm/kernel/semaphore.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { CardLayout } from '../layout/geometry.ts';
import { CardThread } from './apertureThread.ts';

/** Bytes that lie together on the card and in memory of software. */
export interface CardPiece {
  readonly card: number;
  /** Place in what is copied. */
  readonly at: number;
  readonly n: number;
}

/** What a window shows is not known: it is selected before it is used. */
const UNKNOWN = -1;

export class WindowManager {
  protected readonly layout: CardLayout;
  readonly #host: ProviderHost;
  readonly #locks: readonly Semaphore[];
  /** Sub-window that each window shows, as software knows it. */
  readonly #shown: number[];
  readonly #threads: CardThread[] = [];
  #next = 0;

  constructor(host: ProviderHost, layout: CardLayout) {
    this.#host = host;
    this.layout = layout;
    this.#locks = Array.from({ length: layout.windows }, (_, k) => new Semaphore(1, `window ${k}`));
    this.#shown = Array.from({ length: layout.windows }, () => UNKNOWN);
  }

  *write(pieces: readonly CardPiece[], data: Uint8Array): Proc<void> {
    for (const run of this.runs(pieces))
      yield* this.#inWindow(run, true, (thread, { card, at, n }, offset) => {
        thread.write(offset(card), data.subarray(at, at + n));
        return DONE;
      });
  }

  *read(pieces: readonly CardPiece[], found: Uint8Array): Proc<void> {
    for (const run of this.runs(pieces))
      yield* this.#inWindow(run, false, function* (thread, { card, at, n }, offset) {
        found.set(yield* thread.read(offset(card), n), at);
      });
  }

  /** The NIC was reset: no window shows what it did. Overridable for planting. */
  forget(): void {
    this.#shown.fill(UNKNOWN);
  }

  /** Pieces by the window that they need: none of them crosses the end of a sub-window. Overridable for planting. */
  protected runs(pieces: readonly CardPiece[]): readonly (readonly CardPiece[])[] {
    const runs: CardPiece[][] = [];
    let last = UNKNOWN;
    for (const piece of pieces) {
      const subWindow = this.subWindowOf(piece);
      if (subWindow !== last) runs.push([]);
      runs.at(-1)?.push(piece);
      last = subWindow;
    }
    return runs;
  }

  protected subWindowOf({ card }: CardPiece): number {
    return Math.floor(card / this.layout.subWindowBytes);
  }

  /** Takes a window; overridable for planting. */
  protected lock(window: Semaphore): Proc<void> {
    return window.get();
  }

  protected unlock(window: Semaphore): void {
    window.put();
  }

  /** Whether writes reach the card before the window is let go; overridable for planting. */
  protected get flushesFirst(): boolean {
    return true;
  }

  /** Whether a window need not be selected anew; overridable for planting. */
  protected isShown(shown: number, subWindow: number): boolean {
    return shown === subWindow;
  }

  *#inWindow(
    run: readonly CardPiece[],
    isWrite: boolean,
    access: (thread: CardThread, piece: CardPiece, offset: (card: number) => number) => Proc<void>,
  ): Proc<void> {
    const [first] = run;
    const last = run.at(-1);
    if (first === undefined || last === undefined) return;
    const subWindow = this.subWindowOf(first);
    const window = this.#windowFor(subWindow);
    const lock = this.#locks[window] as Semaphore;
    const { subWindowBytes } = this.layout;
    const offset = (card: number): number => window * subWindowBytes + (card % subWindowBytes);
    const thread = this.#threads.pop() ?? new CardThread(this.#host);
    yield* this.lock(lock);
    let held = true;
    try {
      this.#select(thread, window, subWindow);
      for (const piece of run) yield* access(thread, piece, offset);
      if (!this.flushesFirst) {
        this.unlock(lock);
        held = false;
      }
      // A read of the last byte pushes what was posted before.
      if (isWrite) yield* thread.read(offset(last.card + last.n - 1), 1);
    } finally {
      if (held) this.unlock(lock);
      this.#threads.push(thread);
    }
  }

  #select(thread: CardThread, window: number, subWindow: number): void {
    if (this.isShown(this.#shown[window] as number, subWindow)) return;
    thread.select(window, subWindow);
    this.#shown[window] = subWindow;
  }

  /** A free window that shows the sub-window already, or another free one, or each in turn. */
  #windowFor(subWindow: number): number {
    const free = this.#locks.flatMap(({ available }, window) => (available > 0 ? [window] : []));
    const showing = free.find((window) => this.#shown[window] === subWindow);
    this.#next = (this.#next + 1) % this.#locks.length;
    return showing ?? free[0] ?? this.#next;
  }
}
