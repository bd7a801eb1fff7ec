/**
 * READs that are asked for again (roce-transport.md 3.9): their second answers carry what is in memory as well, also
 * where the first ones reach the requester and nobody takes the second. Judged are pages that nobody has ever written:
 * of others it is not known what they held when they were read.
 */

import { NOT_STORED } from './dataPages.ts';
import { NO_REGION } from './mrTable.ts';
import { qpName } from './names.ts';
import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
import { SCB } from './reportIds.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';
import type { WirePacket } from './wirePacket.ts';
import { carried } from '../uvm/bytes/words.ts';
import { hexAddress } from '../uvm/report/hexTexts.ts';
import { psnText } from '../rdma/psnText.ts';

export class ReadsAgain {
  readonly #s: OracleState;
  readonly #source = new SideCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A READ response that was sent before. */
  check(p: WirePacket): void {
    const s = this.#s;
    const region = s.mrs.find(p.host, p.rkey);
    if (s.options.level < CHECK_LEVEL.memory || region === NO_REGION || s.mrs.isZeroBased(region)) return;
    if (s.mrs.isGoing(region) || !s.mrs.holds(region, p.vaHi, p.vaLo, p.payloadLength)) return;
    s.checks++;
    this.#source.startRange(p.host, s.mrs.process(region), p.vaHi, p.vaLo, p.payloadLength);
    const at = this.#firstDifference(p.payload, p.payloadLength);
    if (at < p.payloadLength) this.#report(p, at);
  }

  /** Position of the first byte that differs, `length` if there is none. */
  #firstDifference(payload: number, length: number): number {
    const { bytes, pages } = this.#s;
    const source = this.#source;
    for (let at = 0; at < length; ) {
      source.locate(pages);
      const n = Math.min(length - at, PAGE_BYTES - source.offset);
      if (source.place === NOT_STORED) {
        const differs = bytes.firstDifferenceSeeded(pages.key(source.entry), source.offset, payload + at, n);
        if (differs >= 0) return at + differs;
      }
      source.advance(n);
      at += n;
    }
    return length;
  }

  #report(p: WirePacket, at: number): void {
    const s = this.#s;
    const low = (p.vaLo >>> 0) + at;
    const where = hexAddress(carried(p.vaHi, low), low | 0);
    s.reporter.error(SCB.readAgain, () => {
      const peer = s.qps.find(p.to, p.destQp);
      const whom = peer < 0 ? `host ${p.to}` : qpName(s, peer);
      return `host ${p.host} answers PSN ${psnText(p.psn)} of ${whom} again; from ${where} on it sends other bytes than are there`;
    });
  }
}
