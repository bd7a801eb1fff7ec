/** What coverage knows of queue pairs: from verbs events alone. */

import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import { RequestFifo } from './work/requestFifo.ts';

/** Services, numbered for tables. */
export const SERVICE = { rc: 0, uc: 1, ud: 2 } as const;

/** Of a queue pair that nobody has told of yet: the smallest that there is. */
const LEAST_MTU = 256;

export class QueuePairFacts {
  readonly host: number;
  readonly qpn: number;
  service: number = SERVICE.rc;
  mtu = LEAST_MTU;
  /** `QP_STATE`. */
  state: number = QP_STATE.reset;
  /** Host and number of the peer, -1 for UD. */
  remoteHost = -1;
  remoteQpn = -1;
  sendCqn = -1;
  recvCqn = -1;
  /** Shared receive queue, -1 where it has receives of its own. */
  srqn = -1;
  /** Protection domain, where that is known. */
  pd: number | undefined;
  signalAll = false;
  rnrRetry = 0;
  readonly sends = new RequestFifo();
  readonly receives = new RequestFifo();
  /** Slots of the latest entries of its rings; -1 before the first. */
  sendSlot = -1;
  receiveSlot = -1;
  /** When the latest packet to it was sent, ps; not a number at first, so that the engine keeps a double from the start. */
  packetAt = Number.NaN;
  /** PSN with which its peer began to send again, how often from there on, and the furthest that it has sent. */
  againFrom = -1;
  rounds = 0;
  furthest = -1;
  isGoingBack = false;
  /** When a fault of the link last hit a packet of its requests or of their answers, ps, and whether that was an answer. */
  faultAt = -1;
  faultWasAnswer = false;
  /** A command that takes it out of INIT is under way. */
  leavesInit = false;

  constructor(host: number, qpn: number) {
    this.host = host;
    this.qpn = qpn;
    this.packetAt = -1;
  }

  /** Whether anything that was posted has not come to its end. */
  get isBusy(): boolean {
    return this.sends.count > 0;
  }

  learn(info: QpInfo): void {
    this.service = info.type === QP_TYPE.ud ? SERVICE.ud : info.type === QP_TYPE.uc ? SERVICE.uc : SERVICE.rc;
    this.mtu = info.mtu;
    this.remoteHost = info.remoteHost;
    this.remoteQpn = info.remoteQpn;
    this.sendCqn = info.sendCqn;
    this.recvCqn = info.recvCqn;
    this.srqn = info.srqn ?? -1;
    this.pd = info.pd;
    this.signalAll = info.signalAll;
    this.rnrRetry = info.rnrRetry;
  }

  /** Back to RESET: queues are empty. */
  forget(): void {
    this.state = QP_STATE.reset;
    this.sends.clear();
    this.receives.clear();
    this.sendSlot = -1;
    this.receiveSlot = -1;
    this.againFrom = -1;
    this.rounds = 0;
    this.furthest = -1;
  }
}

/** All queue pairs of all hosts. */
export class QueuePairs {
  readonly #known = new Map<number, QueuePairFacts>();
  /** By host and service: queue pairs that send. */
  readonly #ready = new Map<number, number>();

  /** Also one that nobody has told of. */
  of(host: number, qpn: number): QueuePairFacts {
    const key = host * 0x100_0000 + qpn;
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const made = new QueuePairFacts(host, qpn);
    this.#known.set(key, made);
    return made;
  }

  /** Queue pairs of a service that are in RTS on a host. */
  ready(host: number, service: number): number {
    return this.#ready.get(4 * host + service) ?? 0;
  }

  /** @param change 1 for one that has come to RTS, -1 for one that has left it for good */
  count({ host, service }: QueuePairFacts, change: number): void {
    this.#ready.set(4 * host + service, Math.max(0, this.ready(host, service) + change));
  }
}
