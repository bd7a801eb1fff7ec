import type { QpPath } from '../verbs/verbsItems.ts';

/** Stands for a path that nobody announced. */
export const UNKNOWN_PATH = 0;

/** Numbers for the paths in use: equal paths have one, and it is given to another path when nobody uses it any more. */
export class PathNumbers {
  /** By number. */
  readonly #paths: QpPath[] = [{ ipv6: false, trafficClass: 0, flowLabel: 0, hopLimit: 0 }];
  readonly #users: number[] = [0];
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];

  /** The path of a number that is in use. */
  of(number: number): QpPath {
    return this.#paths[number] as QpPath;
  }

  /** Number of a path, for one more user. */
  take(path: QpPath | undefined): number {
    if (path === undefined) return UNKNOWN_PATH;
    const key = keyOf(path);
    const number = this.#numbers.get(key) ?? this.#add(key, path);
    this.#users[number] = (this.#users[number] as number) + 1;
    return number;
  }

  /** One user less. */
  release(number: number): void {
    if (number === UNKNOWN_PATH) return;
    const left = (this.#users[number] as number) - 1;
    this.#users[number] = left;
    if (left > 0) return;
    this.#numbers.delete(keyOf(this.of(number)));
    this.#free.push(number);
  }

  #add(key: string, path: QpPath): number {
    const number = this.#free.pop() ?? this.#paths.length;
    this.#paths[number] = { ...path };
    this.#users[number] = 0;
    this.#numbers.set(key, number);
    return number;
  }
}

function keyOf({ ipv6, trafficClass, flowLabel, hopLimit }: QpPath): string {
  return `${ipv6} ${trafficClass} ${flowLabel} ${hopLimit}`;
}
