/**
 * Completion queues that overflow (roce-transport.md 5.5). Software tells the NIC how many completions it has taken; a queue is full
 * when as many are written more as it holds. Between the moment at which software says so and that at which its NIC hears it, a
 * completion finds room or none, and both are right. Once the NIC has said CQ_ERR, once, nothing is written there any more.
 */

import type { Subject } from '../../rdma/subject.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { US } from '../../uvm/kernel/time.ts';
import { aCompletionQueue } from '../../rdma/subjectParts.ts';

/** What software has said: how many it had taken, and when. */
interface Told {
  readonly index: number;
  readonly at: SimTime;
}

/** A queue of which its NIC is told what software has taken. */
interface Watched {
  readonly host: number;
  readonly cqn: number;
  /** Completions that it holds, by the smaller and by the larger one of two sizes that it may have. */
  least: number;
  most: number;
  written: number;
  /** The oldest first: what the NIC had surely heard when the latest completion was written, and what it may not have heard. */
  told: Told[];
  /** It may have been full: whoever is to be told of that has been. */
  mayOverflow: boolean;
  /** Its NIC has said that it has overflowed. */
  lost: boolean;
}

const UNTOLD: Told = { index: 0, at: -1 };
/** What software says is heard, and the completion that comes before or behind it seen, within this time: ps. */
const LONGEST_WAY = 100 * US;

export class CqOverflows {
  /** Some queue is watched. */
  any = false;
  /** Called when a queue may overflow from now on. */
  onMayOverflow: (host: number, cqn: number) => void = () => {};
  readonly #reporter: Findings<ScbId, Subject>;
  readonly #clock: { readonly now: SimTime };
  readonly #watched = new Map<number, Watched>();

  constructor(reporter: Findings<ScbId, Subject>, clock: { readonly now: SimTime }) {
    this.#reporter = reporter;
    this.#clock = clock;
  }

  /** A queue is made, or gets another size: it has one of two until that is done. */
  sized(host: number, cqn: number, least: number, most: number): void {
    this.any = true;
    const known = this.#find(host, cqn);
    const w = known ?? { host, cqn, least, most, written: 0, told: [UNTOLD], mayOverflow: false, lost: false };
    if (known === undefined) this.#watched.set(keyOf(host, cqn), w);
    w.least = least;
    w.most = most;
    if (known !== undefined) this.#look(w);
  }

  gone(host: number, cqn: number): void {
    this.#watched.delete(keyOf(host, cqn));
  }

  /** Software tells the NIC how many completions it has taken. */
  told(host: number, cqn: number, index: number): void {
    this.#find(host, cqn)?.told.push({ index, at: this.#clock.now });
  }

  /** A completion has become visible. */
  completed(host: number, cqn: number): void {
    const w = this.#find(host, cqn);
    if (w === undefined) return;
    const newest = (w.told.at(-1) as Told).index;
    if (w.lost) this.#report(w, 'a completion was written although its NIC has said that it has overflowed');
    else if (w.written - newest >= w.most) {
      const held = `${w.written} had been written and software had taken ${newest}`;
      this.#report(w, `a completion was written although all ${w.most} entries were in use: ${held}`);
    }
    w.written++;
    this.#forgetOld(w);
    this.#look(w);
  }

  /** CQ_ERR has come. @returns what is wrong with that, '' where it may be right, undefined of a queue that is not watched */
  happened(host: number, cqn: number): string | undefined {
    const w = this.#find(host, cqn);
    if (w === undefined) return undefined;
    const name = `host ${host} CQ ${cqn}`;
    if (w.lost) return `${name}: it has been said before that it has overflowed`;
    const held = heldAtMost(w);
    if (held < w.least)
      return `${name}: of its ${w.least} entries ${held} were in use at most, by what its NIC had been told`;
    w.lost = true;
    return '';
  }

  /** Whether what is to be written to a queue is lost. */
  isLost(host: number, cqn: number): boolean {
    return this.any && this.#find(host, cqn)?.lost === true;
  }

  /** Whether a completion may have found no room. */
  #look(w: Watched): void {
    if (w.mayOverflow || heldAtMost(w) < w.least) return;
    w.mayOverflow = true;
    this.onMayOverflow(w.host, w.cqn);
  }

  /** With the latest completion it is sure what the NIC had heard before. Nothing is written behind one that found no room. */
  #forgetOld(w: Watched): void {
    const sure = this.#clock.now - LONGEST_WAY;
    let heard = 0;
    while (heard + 1 < w.told.length && (w.told[heard + 1] as Told).at <= sure) heard++;
    if (heard > 0) w.told.splice(0, heard);
  }

  #find(host: number, cqn: number): Watched | undefined {
    return this.#watched.get(keyOf(host, cqn));
  }

  #report({ host, cqn }: Watched, what: string): void {
    this.#reporter.error(SCB.cqOverflow, () => `host ${host} CQ ${cqn}: ${what}`, [aCompletionQueue(host, cqn)]);
  }
}

/** Completions that it held at most, by what its NIC knew, when the latest one was written. */
function heldAtMost({ written, told }: Watched): number {
  return written - (told[0] as Told).index;
}

/** Numbers of completion queues have fewer than 24 bits. */
function keyOf(host: number, cqn: number): number {
  return host * 2 ** 24 + cqn;
}
