import { expect } from 'chai';
import { ASYNC_EVENT, QP_TYPE } from '../../../rdma/verbs.ts';
import { GroundlessEvents } from '../../../scoreboard/checks/groundlessEvents.ts';
import { QueuePairs } from '../../../scoreboard/model/queuePairs.ts';
import type { ScbId } from '../../../scoreboard/report/reportIds.ts';
import { FatalEvents } from '../../../scoreboard/rules/pcie/fatalEvents.ts';
import { Findings } from '../../../uvm/report/findings.ts';

const QPN = 14;
const CQN = 254;

/** Queue pair 14 and completion queue 254 of host 0. */
class Bench {
  readonly qps = new QueuePairs();
  readonly rules: GroundlessEvents;
  readonly fatal: FatalEvents;
  readonly #texts: string[] = [];

  constructor() {
    const error = (id: string, text: string | (() => string)): void => {
      this.#texts.push(`${id} ${typeof text === 'string' ? text : text()}`);
    };
    const findings = new Findings<ScbId>({ error, countError: () => {}, errorNote: error }, 10);
    this.fatal = new FatalEvents(this.qps, findings);
    this.rules = new GroundlessEvents(this.qps, findings, this.fatal);
    Object.assign(this.qps.ensure(0, QPN), { process: 1, type: QP_TYPE.rc });
    this.rules.cqCreated(0, CQN);
  }

  /** What is reported of an event, '' for nothing. */
  event(event: number, number: number): string {
    this.#texts.length = 0;
    this.rules.happened({ host: 0, event, number });
    return this.#texts.join('; ');
  }
}

describe('asynchronous events of a NIC', () => {
  it('let a queue pair fail once, and again after software has changed it', () => {
    const b = new Bench();
    expect(b.event(ASYNC_EVENT.qpAccessErr, QPN)).to.equal('');
    expect(b.event(ASYNC_EVENT.qpAccessErr, QPN)).to.equal(
      'SCB_EVENT_GROUNDLESS QP_ACCESS_ERR event: host 0 QP 14 (process 1, RC): an event has said already that it is in ERR',
    );
    expect(b.event(ASYNC_EVENT.qpFatal, QPN)).to.contain('QP 14');
    b.rules.changes(0, QPN);
    b.rules.changes(0, QPN);
    expect(b.event(ASYNC_EVENT.qpReqErr, QPN)).to.equal('');
  });

  it('let a queue be drained as often as software has asked, and where an error may be the cause', () => {
    const b = new Bench();
    const drained = (): string => b.event(ASYNC_EVENT.sqDrained, QPN);
    expect(drained()).to.contain('nobody asked');
    b.rules.drainAsked(0, QPN);
    expect([drained(), drained() === '']).to.deep.equal(['', false]);
    b.rules.drainAsked(0, QPN);
    b.rules.drainRefused(0, QPN);
    expect(drained()).to.contain('nobody asked');
    b.rules.failed(0, QPN);
    expect(drained()).to.equal('');
    b.rules.anew(0, QPN);
    expect(drained()).to.contain('nobody asked');
  });

  it('let a completion queue overrun once it has been full', () => {
    const b = new Bench();
    expect(b.event(ASYNC_EVENT.cqErr, CQN)).to.contain('were never all in use');
    b.rules.cqFilled(0, CQN);
    expect(b.event(ASYNC_EVENT.cqErr, CQN)).to.equal('');
  });

  it('let a queue pair be talked to once for each time that it goes to RTR', () => {
    const b = new Bench();
    const established = (): string => b.event(ASYNC_EVENT.commEst, QPN);
    expect(established()).to.contain('since it went to RTR');
    for (let i = 0; i < 2; i++) {
      b.rules.toRtr(0, QPN);
      expect([established(), established() === '']).to.deep.equal(['', false]);
    }
  });

  it('may be late for what is gone, and are not judged where they are of another kind', () => {
    const b = new Bench();
    b.qps.gone(b.qps.find(0, QPN), 0);
    for (let i = 0; i < 2; i++) {
      for (const event of [ASYNC_EVENT.qpAccessErr, ASYNC_EVENT.sqDrained, ASYNC_EVENT.commEst])
        expect(b.event(event, QPN)).to.equal('');
      expect(b.event(ASYNC_EVENT.portActive, 1)).to.equal('');
    }
  });

  it('must not name queue pairs and completion queues that never were', () => {
    const b = new Bench();
    for (const event of [ASYNC_EVENT.qpAccessErr, ASYNC_EVENT.sqDrained, ASYNC_EVENT.commEst])
      for (const qpn of [QPN + 1, 0]) expect(b.event(event, qpn)).to.contain(`host 0 never had a queue pair ${qpn}`);
    expect(b.event(ASYNC_EVENT.cqErr, CQN - 1)).to.contain(`host 0 never had a completion queue ${CQN - 1}`);
  });
});
