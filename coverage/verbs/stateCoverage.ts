/** Samples the covergroups of states of queue pairs, and of the commands that change them. */

import { QP_STATE } from '../../rdma/verbs.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { CommandSample, commandCg } from './queueGroups.ts';
import { qpStateCg, StateSample } from './queuePairGroups.ts';
import { type QueuePairFacts, SERVICE } from './queuePairs.ts';
import type { WireTraffic } from './wireTraffic.ts';

export class StateCoverage {
  readonly #traffic: WireTraffic;
  readonly #state = new StateSample();
  readonly #command = new CommandSample();
  readonly #states;
  readonly #commands;

  constructor(collector: CoverageCollector, traffic: WireTraffic) {
    this.#traffic = traffic;
    this.#states = collector.create(qpStateCg);
    this.#commands = collector.create(commandCg);
  }

  moved(qp: QueuePairFacts, to: number): void {
    const s = this.#state;
    s.service = qp.service;
    s.from = qp.state;
    s.to = to;
    s.sends = qp.sends.count;
    s.receives = qp.receives.count;
    s.onTheWire = this.#traffic.isUnderWay(qp.host, qp.qpn);
    qp.state = to;
    this.#states.sample(s);
  }

  /** A NIC that meets an error takes the queue pair to SQE, or to ERR (IBTA 10.3.1.6, 10.3.1.7). */
  failed(qp: QueuePairFacts, isSend: boolean): void {
    if (qp.state !== QP_STATE.rts && qp.state !== QP_STATE.rtr && qp.state !== QP_STATE.sqd) return;
    this.moved(qp, isSend && qp.service !== SERVICE.rc ? QP_STATE.sqe : QP_STATE.err);
  }

  /** @param command `COMMAND` */
  commanded(qp: QueuePairFacts, command: number): void {
    const c = this.#command;
    c.command = command;
    c.service = qp.service;
    c.outstanding = qp.sends.count;
    c.onTheWire = this.#traffic.isUnderWay(qp.host, qp.qpn);
    c.linkBusy = this.#traffic.isBusy;
    this.#commands.sample(c);
  }
}
