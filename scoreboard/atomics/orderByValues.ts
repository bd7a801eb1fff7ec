/**
 * The search where changes of memory are not seen. It goes forward by values: an operation can come next if the word holds
 * what it returned. What changes nothing is placed as soon as it can be, which takes no choice from anybody. Only where
 * several may come next is there a choice to be taken back; those are counted.
 */

import { PossibleValues } from './possibleValues.ts';
import { effectOf, type WordAtomic } from './wordAtomic.ts';
import {
  chainsOf,
  latestOf,
  MOST_STATES,
  type Chain,
  type SearchLimits,
  type SerialOrder,
  type WordProblem,
} from './wordProblem.ts';

export function orderByValues(problem: WordProblem, limits: SearchLimits): SerialOrder {
  return new Search(problem, limits).run();
}

/** The next operation of a chain. */
interface Move {
  readonly chain: number;
  /** What the word holds then; undefined = not known. */
  readonly value: bigint | undefined;
}

/** What a move is taken back to. */
interface Taken {
  readonly move: Move;
  readonly value: bigint | undefined;
  /** What else could have come next. */
  readonly others: Move[];
}

/** An end that was found: what is placed, and what the word may hold at this one and at others. */
interface End {
  readonly placed: readonly WordAtomic[];
  readonly finals: PossibleValues;
  readonly tied: boolean;
}

const ANY = PossibleValues.any;

class Search {
  readonly #problem: WordProblem;
  readonly #unheard: ReadonlySet<WordAtomic> | undefined;
  readonly #most: number;
  readonly #chains: readonly Chain[];
  #placed: number[] = [];
  readonly #taken: Taken[] = [];
  readonly #seen = new Set<string>();
  /** What the word holds, as far as that is known. */
  #value: bigint | undefined;
  #states = 0;
  #tied = false;

  constructor(problem: WordProblem, { unheard, states = MOST_STATES }: SearchLimits) {
    this.#problem = problem;
    this.#unheard = unheard;
    this.#most = states;
    this.#chains = chainsOf(problem.atomics);
  }

  run(): SerialOrder {
    let end: End | undefined;
    for (const start of this.#problem.start.list ?? [undefined]) {
      this.#begin(start);
      const next = this.#from();
      if (next === 'undecided') return { found: 'undecided' };
      if (next !== undefined)
        end = end === undefined ? next : { ...end, finals: end.finals.or(next.finals), tied: true };
    }
    if (end === undefined) return { found: 'none', explained: 0 };
    const { placed, finals, tied } = end;
    const settled = { steps: 0, passed: 0, atomics: tied ? [] : placed };
    return { found: 'order', settled, perhaps: tied ? placed : [], finals };
  }

  #begin(start: bigint | undefined): void {
    this.#value = start;
    this.#seen.clear();
    this.#taken.length = 0;
    this.#placed = this.#chains.map(() => 0);
  }

  /** Goes on until no choice is left: every end is looked for. */
  #from(): End | undefined | 'undecided' {
    let end: End | undefined;
    for (;;) {
      if (this.#chains.every(({ must }, c) => (this.#placed[c] as number) >= must)) {
        end = this.#found(end);
        if (end.finals.isAny) return end;
      }
      const moves = this.#moves();
      if (moves.length > 1 && this.#isKnown()) moves.length = 0;
      if (this.#states > this.#most) return end === undefined ? 'undecided' : { ...end, finals: ANY };
      if (moves.length > 0) {
        if (moves.length > 1) this.#tied = true;
        this.#take(moves.shift() as Move, moves);
      } else if (!this.#takeBack()) return end;
    }
  }

  #found(before: End | undefined): End {
    const ends = this.#value;
    const finals = ends === undefined ? ANY : PossibleValues.of(ends);
    if (before !== undefined) return { ...before, finals: before.finals.or(finals), tied: true };
    const placed = this.#chains.flatMap(({ atomics }, c) => atomics.slice(0, this.#placed[c]));
    return { placed, finals, tied: this.#tied };
  }

  /** What can come next. What returned the value that the word has, and leaves it, comes before all choices. */
  #moves(): Move[] {
    const moves: Move[] = [];
    const value = this.#value;
    const latest = latestOf(this.#chains, this.#placed);
    for (let chain = 0; chain < this.#chains.length; chain++) {
      const next = (this.#chains[chain] as Chain).atomics[this.#placed[chain] as number];
      if (next === undefined || next.from > latest) continue;
      const returned = this.#unheard?.has(next) === true ? undefined : next.returned;
      if (returned !== undefined && value !== undefined && returned !== value) continue;
      const found = returned ?? value;
      const becomes = found === undefined ? knownEnd(next) : effectOf(next, found);
      const move = { chain, value: becomes };
      const isQuiet = value !== undefined && returned === value && becomes === value && next.operation !== 'write';
      if (isQuiet) return [move];
      moves.push(move);
    }
    return moves;
  }

  /** Whether the search has been in this state before. */
  #isKnown(): boolean {
    this.#states++;
    const key = `${this.#value ?? ''} ${this.#placed.join()}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #take(move: Move, others: Move[]): void {
    this.#taken.push({ move, value: this.#value, others });
    this.#value = move.value;
    (this.#placed[move.chain] as number)++;
  }

  /** Goes back to the latest choice and takes the next of it. @returns false when there is none */
  #takeBack(): boolean {
    for (let last = this.#taken.pop(); last !== undefined; last = this.#taken.pop()) {
      const { move, value, others } = last;
      this.#value = value;
      (this.#placed[move.chain] as number)--;
      const other = others.shift();
      if (other === undefined) continue;
      this.#states++;
      this.#take(other, others);
      return true;
    }
    return false;
  }
}

/** What it leaves whatever it finds; undefined where that depends. */
function knownEnd({ operation, swap }: WordAtomic): bigint | undefined {
  return operation === 'write' ? swap : undefined;
}
