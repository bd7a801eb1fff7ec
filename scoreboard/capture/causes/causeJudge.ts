/**
 * Rules of causes, where a capture shows what reaches a NIC and what leaves it: what it may answer, refuse, notify of, and send
 * again. A connection into which the testbench has put packets is left alone from there on.
 */

import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { psnCompare, psnsOf } from '../../../agents/wire/psnArithmetic.ts';
import { LAST_ACK } from '../../../agents/wire/syndromes.ts';
import { RULE, type TransportRule } from '../../../agents/wire/transportRules.ts';
import { MESSAGE, messageOf } from '../../../agents/wire/wireOpcodes.ts';
import { BTH_OP } from '../../../rdma/bth.ts';
import type { Life } from '../connections.ts';
import { ArrivedRequests } from './arrivedRequests.ts';
import { HeardAnswers } from './heardAnswers.ts';

/** Reports a broken rule. */
export type Report = (rule: TransportRule, p: DecodedPacket, text: string) => void;

/** The code with which a responder asks for what is missing. */
const SEQUENCE_NAK = 0x60;
const MARKED = 3;
/** What arrived this long before the capture may still be answered with a notification, ps. */
const BEFORE_CAPTURE = 10_000_000;
const LEAST_MTU = 256;

/** For so long a notification may wait for its transmitter, ps. */
const IN_LINE = 2_000_000;

/** Packets that have arrived marked and were not answered by a notification, and when the latest came. */
interface Marks {
  readonly count: number;
  readonly latest: number;
}

const NO_MARKS: Marks = { count: 0, latest: 0 };

/** A connection as both of its NICs have seen it. */
class Knowledge {
  readonly arrived = new ArrivedRequests();
  readonly heard = new HeardAnswers();
  /** How many PSNs its READs take is not known. */
  isOpen = false;
}

export class CauseJudge {
  readonly #report: Report;
  readonly #timeout: number;
  /** By number of the life. */
  readonly #lives: Knowledge[] = [];
  /** Packets that have arrived marked: from one address to another, and to one of its queue pairs. */
  readonly #marked = new Map<string, Marks>();

  /** @param timeout least time-out of queue pairs, ps */
  constructor(report: Report, timeout: number) {
    this.#report = report;
    this.#timeout = timeout;
  }

  /** Any sound packet reaches a NIC. */
  arrives({ host, to, destQp, trafficClass, time }: DecodedPacket): void {
    if ((trafficClass & 3) !== MARKED) return;
    for (const way of [`${host} ${to}`, `${host} ${to} ${destQp}`]) {
      const marks = this.#marked.get(way);
      this.#marked.set(way, { count: (marks?.count ?? 0) + 1, latest: time });
    }
  }

  /** A request of a reliable connection reaches its responder. @param mtu path MTU in bytes; 0 = not known */
  requestArrives(p: DecodedPacket, life: Life, mtu: number): void {
    // A copy of a packet of an earlier connection.
    if (psnCompare(p.psn, life.first) < 0 || psnCompare(p.psn, life.most) >= 0) return;
    this.#of(life).arrived.arrived(p.psn, spanOf(p, mtu));
  }

  /**
   * A request of a reliable connection is sent.
   * @param its what is learnt of the connection: path MTU in bytes, whether it is known, whether the testbench disturbs it
   * @param since when its frame may have come in line for the transmitter at the earliest, ps
   */
  requestSent(
    p: DecodedPacket,
    life: Life,
    { mtu, isKnown, isDisturbed }: { readonly mtu: number; readonly isKnown: boolean; readonly isDisturbed: boolean },
    since: number,
  ): void {
    const known = this.#of(life);
    const { heard } = known;
    const isRead = messageOf(p.flags) >= MESSAGE.read;
    const early = heard.sent({ psn: p.psn, span: spanOf(p, mtu), isRead, time: p.time, since }, this.#timeout);
    if (mtu === 0 && isRead && p.dmaLength > LEAST_MTU) known.isOpen = true;
    if (isKnown && !isDisturbed && early !== undefined && !known.isOpen) this.#report(early.rule, p, early.text);
  }

  /** An answer reaches the requester of a connection. */
  answerArrives(p: DecodedPacket, life: Life): void {
    const { heard } = this.#of(life);
    if (p.opcode === BTH_OP.acknowledge) heard.acknowledged(p.psn, p.syndrome, p.time, this.#timeout);
    else heard.answered(p.psn, p.time);
  }

  /** A responder sends an answer. */
  answerSent(p: DecodedPacket, life: Life): void {
    const { arrived } = this.#of(life);
    const isAck = p.opcode === BTH_OP.acknowledge;
    if (isAck && p.syndrome === SEQUENCE_NAK) {
      if (!arrived.hasBehind(p.psn))
        this.#report(RULE.nakNothingBehind, p, 'reports a missing packet although no later packet has arrived');
      else if (arrived.asksAgain(p.psn))
        this.#report(RULE.nakTwice, p, 'requests a packet again that has not arrived since');
    } else if (!arrived.has(p.psn)) {
      const verb = isAck && p.syndrome > LAST_ACK ? 'refuses' : 'answers';
      this.#report(RULE.ackArrived, p, `${verb} a request that has not reached the responder`);
    }
  }

  /**
   * A NIC sends a congestion notification.
   * @param of number of the queue pair that it comes from; undefined where that is not known, and it may come from any
   * @param isKnown what reached that queue pair is in the capture from its beginning on
   */
  notifies(p: DecodedPacket, of: number | undefined, isKnown: boolean): void {
    const way = of === undefined ? `${p.to} ${p.host}` : `${p.to} ${p.host} ${of}`;
    const { count, latest } = this.#marked.get(way) ?? NO_MARKS;
    // Of a queue pair it answers all before it, but for what came while it was in line for its transmitter.
    const others = of === undefined ? count - 1 : p.time - latest < IN_LINE ? 1 : 0;
    this.#marked.set(way, { count: Math.min(Math.max(0, count - 1), others), latest });
    if (count === 0 && (isKnown || p.time > BEFORE_CAPTURE))
      this.#report(RULE.cnpUnmarked, p, 'is a notification, and no packet has arrived marked since the last one');
  }

  #of({ index }: Life): Knowledge {
    let known = this.#lives[index];
    if (known === undefined) {
      known = new Knowledge();
      this.#lives[index] = known;
    }
    return known;
  }
}

/** PSNs that a request takes. Without a path MTU as many as its READ can take. */
function spanOf({ flags, dmaLength }: DecodedPacket, mtu: number): number {
  return messageOf(flags) === MESSAGE.read ? psnsOf(dmaLength, mtu === 0 ? LEAST_MTU : mtu) : 1;
}
