/** Findings about the frames of a capture, each with Wireshark's number of the frame. Only so many are kept; all are counted. */

import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import type { TransportRule } from '../../agents/wire/transportRules.ts';
import type { WireReportId } from '../../agents/wire/wireRules.ts';

export interface CaptureFinding {
  readonly id: WireReportId;
  /** As Wireshark numbers them. */
  readonly frame: number;
  /** Since the first frame, ps. */
  readonly time: number;
  readonly text: string;
}

export class CaptureFindings implements RuleReporter {
  readonly kept: CaptureFinding[] = [];
  readonly counts = new Map<WireReportId, number>();
  /** Number of the frame that is judged. */
  frame = 0;
  /** Whether rules of senders and of causes hold for it. */
  isOff: (id: WireReportId) => boolean = () => false;

  readonly #most: number;
  readonly #nameOf: (p: DecodedPacket) => string;

  /** @param most findings that are kept @param nameOf a packet in front of what is wrong with it */
  constructor(most: number, nameOf: (p: DecodedPacket) => string) {
    this.#most = most;
    this.#nameOf = nameOf;
  }

  get total(): number {
    let total = 0;
    for (const count of this.counts.values()) total += count;
    return total;
  }

  broken({ id }: TransportRule, p: DecodedPacket, what: string): void {
    this.found(id, p, what);
  }

  /** A packet, in itself or in its flow, breaks what is reported under `id`. */
  found(id: WireReportId, p: DecodedPacket, what: string): void {
    if (!this.isOff(id)) this.keep(id, p, what);
  }

  /** As `found`, whatever `isOff` says. */
  keep(id: WireReportId, p: DecodedPacket, what: string): void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    if (this.kept.length >= this.#most) return;
    this.kept.push({ id, frame: this.frame, time: p.time, text: `${this.#nameOf(p)} ${what}` });
  }

  /** What no packet shows by itself needs the hosts. */
  brokenAtRest(): void {}
}
