/**
 * Which lane of a capture answers which. A packet names the queue pair that it goes to and not the one that has sent it, so that
 * nobody says which two queue pairs are connected: answers show it by their PSNs, which begin anywhere. Where the PSNs of
 * several queue pairs agree, later answers decide, then what other queue pairs have taken, then the UDP source port.
 */

import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { Connections, Lane, Life } from './connections.ts';

/** PSNs before the newest answer, and before the first packet of the capture, that an answer may still name. */
const REPEATED = 1 << 12;
const BEFORE_CAPTURE = 1 << 10;

/** From this frame on, answers in a lane are to requests in that one. */
export interface Peer {
  readonly from: number;
  readonly lane: Lane;
}

class Answers {
  readonly peers: Peer[] = [];
  peer: Lane | null = null;
  /** Lanes that all answers so far fit, and the first frame of those. */
  candidates: readonly Lane[] | null = null;
  since = 0;
  port = 0;
}

/** What an answer may be about. */
function fits({ first, most, answered }: Life, psn: number): boolean {
  if (psnCompare(psn, most) >= 0 || psnCompare(psn, first) < -BEFORE_CAPTURE) return false;
  return psnCompare(psn, answered) >= -REPEATED;
}

export class Peers {
  readonly #connections: Connections;
  /** By lane of the answers. */
  readonly #answers = new Map<Lane, Answers>();
  /** UDP source ports of requests, by lane. */
  readonly #ports = new Map<Lane, number>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  requestSent(p: DecodedPacket, lane: Lane): void {
    this.#ports.set(lane, p.sourcePort);
  }

  /** An answer in `lane`, in frame `frame`. @returns the connection whose requester asked for it; null where that is not known */
  answerSent(p: DecodedPacket, lane: Lane, frame: number): Life | null {
    let answers = this.#answers.get(lane);
    if (answers === undefined) {
      answers = new Answers();
      this.#answers.set(lane, answers);
    }
    answers.port = p.sourcePort;
    const { peer } = answers;
    const asked = peer === null ? null : askedFor(peer, p.psn);
    if (asked !== null) return asked;
    if (answers.candidates === null) answers.since = frame;
    this.#search(answers, p, lane);
    return answers.peer === null ? null : askedFor(answers.peer, p.psn);
  }

  /** Settles what is open at the end of the capture. @returns by lane of the answers: what they are to, oldest first */
  settled(): ReadonlyMap<Lane, readonly Peer[]> {
    const taken = new Set([...this.#answers.values()].flatMap(({ peer }) => (peer === null ? [] : [peer])));
    for (const answers of this.#answers.values()) {
      const { candidates } = answers;
      if (candidates === null) continue;
      const free = candidates.filter((lane) => !taken.has(lane));
      const alike = free.filter((lane) => this.#ports.get(lane) === answers.port);
      const [only] = free.length === 1 ? free : alike;
      if (only === undefined || (free.length !== 1 && alike.length !== 1)) continue;
      taken.add(only);
      this.#connect(answers, only);
    }
    return new Map([...this.#answers].map(([lane, { peers }]) => [lane, peers]));
  }

  #search(answers: Answers, { psn }: DecodedPacket, { from, to }: Lane): void {
    const before = answers.candidates ?? this.#connections.reliableLanes(to, from);
    const candidates = before.filter((lane) => lane.life !== null && fits(lane.life, psn));
    if (candidates.length === 1) this.#connect(answers, candidates[0] as Lane);
    // An answer that fits no other connection is a wrong one of this.
    else answers.candidates = candidates.length === 0 || answers.peer !== null ? null : candidates;
  }

  #connect(answers: Answers, lane: Lane): void {
    answers.peers.push({ from: answers.since, lane });
    answers.peer = lane;
    answers.candidates = null;
  }
}

/** The connection of a lane that an answer with this PSN is about, the present one or the one before; null = none. */
export function askedFor({ life, former }: Lane, psn: number): Life | null {
  if (life !== null && fits(life, psn)) {
    if (psnCompare(psn, life.answered) > 0) life.answered = psn;
    return life;
  }
  return former !== null && fits(former, psn) ? former : null;
}
