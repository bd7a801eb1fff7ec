/** Tells what is sent for the first time from what is sent again, by the PSNs of each flow. */

import { psnAdd, psnCompare } from '../../../wire/psnArithmetic.ts';

/** Packets of one direction and kind between two queue pairs. */
interface Flow {
  /** First PSN of the connection: another one means another connection. */
  first: number;
  /** PSN behind the newest packet. */
  next: number;
  /** How often packets have been sent before, by PSN; of those alone that have been sent again. */
  readonly rounds: Map<number, number>;
}

export class Transmissions {
  readonly #flows = new Map<number, Flow>();

  /**
   * Notes a packet.
   * @param key of its flow
   * @param first PSN of the first packet of the connection
   * @param span PSNs that it stands for
   * @returns how often it has been sent before
   */
  note(key: number, first: number, psn: number, span: number): number {
    const flow = this.#flows.get(key);
    if (flow === undefined || flow.first !== first) {
      this.#flows.set(key, { first, next: psnAdd(psn, span), rounds: new Map() });
      return 0;
    }
    if (psnCompare(psn, flow.next) >= 0) {
      // PSNs come round.
      if (flow.rounds.size > 0) for (let i = 0; i < span; i++) flow.rounds.delete(psnAdd(psn, i));
      flow.next = psnAdd(psn, span);
      return 0;
    }
    const round = (flow.rounds.get(psn) ?? 0) + 1;
    flow.rounds.set(psn, round);
    return round;
  }
}
