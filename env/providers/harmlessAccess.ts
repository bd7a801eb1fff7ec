/** An access to a BAR that the NIC must take without doing anything else. @public */

export interface HarmlessAccess {
  /** What is accessed, for messages: `doorbell of queue pair 15, which does not exist`. */
  readonly what: string;
  readonly bar: number;
  readonly offset: number;
  /** 32-bit words of a write; left out for a read, which the NIC must answer. */
  readonly words?: readonly number[];
  /** Bits of the answer to a read that are always the same once the NIC is up. Default 0: any answer is right. */
  readonly constant?: number;
  /** What these bits are, without sign, where that is known. */
  readonly value?: number;
}
