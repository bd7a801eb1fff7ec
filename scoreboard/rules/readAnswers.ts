/**
 * Answers to READs, first ones and those that are asked for again (roce-transport.md 3.9): they carry what is in memory,
 * also where the first ones reach the requester and nobody takes the second. Judged are pages that nobody has ever
 * written: of others it is not known what they held when they were read.
 */

import { NO_MESSAGE } from '../model/work.ts';
import { PSN_MASK } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { carried } from '../../uvm/bytes/words.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { inBrackets, otherPageHint } from '../report/mismatchHints.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { hexBytes, qpName } from '../model/names.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { SentBytes } from '../memory/sentBytes.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { thePacket } from '../report/subjects.ts';

export class ReadAnswers {
  readonly #s: OracleState;
  readonly #sent: SentBytes;
  /** PSN of the latest wrong packet, by host and number of the queue pair that it answers. */
  readonly #wrong = new Map<string, number>();

  constructor(state: OracleState) {
    this.#s = state;
    this.#sent = new SentBytes(state);
  }

  /** A READ response. */
  check(p: WirePacket): void {
    const s = this.#s;
    const region = s.mrs.find(p.host, p.rkey);
    if (s.options.level < CHECK_LEVEL.memory || region === NO_REGION || s.mrs.isDeregistering(region)) return;
    const offset = s.mrs.offset(region, p.vaHi, p.vaLo);
    if (offset < 0 || offset + p.payloadLength > s.mrs.length(region)) return;
    const low = (s.mrs.lo(region) >>> 0) + offset;
    const hi = carried(s.mrs.hi(region), low);
    this.#sent.source.startRange(p.host, s.mrs.process(region), hi, low | 0, p.payloadLength);
    const at = this.#sent.firstDifference(p.payload, p.payloadLength, NO_MESSAGE);
    if (at < p.payloadLength && !this.#isSaid(p)) this.#report(p, at);
  }

  /** Whether the packet before, of the same answer, was wrong as well: that has been said. */
  #isSaid(p: WirePacket): boolean {
    const whom = `${p.to}:${p.destQp}`;
    const latest = this.#wrong.get(whom);
    this.#wrong.set(whom, p.psn);
    return latest !== undefined && p.psn === ((latest + 1) & PSN_MASK) && !p.beginsAnswer;
  }

  #report(p: WirePacket, at: number): void {
    const s = this.#s;
    const low = (p.vaLo >>> 0) + at;
    const where = hexAddress(carried(p.vaHi, low), low | 0);
    const peer = s.qps.find(p.to, p.destQp);
    const text = (): string => {
      const whom = !peer.exists ? `host ${p.to}` : qpName(peer);
      const { sent, held } = this.#sent.shown(p.payload, at, p.payloadLength);
      const hint = otherPageHint(s, this.#sent.source, sent);
      return (
        `host ${p.host} answers PSN ${psnText(p.psn)} of ${whom}${p.answersAgain ? ' again' : ''}; from ${where} on it ` +
        `sends ${hexBytes(sent)} instead of ${hexBytes(held)}${inBrackets(hint === '' ? [] : [hint])}`
      );
    };
    s.reporter.error(p.answersAgain ? SCB.readAgain : SCB.wireData, text, [thePacket(p, s.qps.peerOf(peer))]);
  }
}
