import { expect } from 'chai';
import { ASYNC_EVENT, QP_TYPE } from '../../../rdma/verbs.ts';
import { QueuePairs } from '../../../scoreboard/model/queuePairs.ts';
import type { ScbId } from '../../../scoreboard/report/reportIds.ts';
import { FatalEvents } from '../../../scoreboard/rules/pcie/fatalEvents.ts';
import { Findings } from '../../../uvm/report/findings.ts';

const QPN = 14;

describe('events of queue pairs and devices that have failed', () => {
  let texts: string[] = [];
  let rules: FatalEvents;

  beforeEach(() => {
    texts = [];
    const error = (id: string, text: string | (() => string)): void => {
      texts.push(`${id} ${typeof text === 'string' ? text : text()}`);
    };
    const qps = new QueuePairs();
    Object.assign(qps.ensure(0, QPN), { process: 1, type: QP_TYPE.rc });
    rules = new FatalEvents(qps, new Findings<ScbId>({ error, countError: () => {}, errorNote: error }, 10));
  });

  it('are nothing to be said of where something could not be read', () => {
    rules.grounded(0, QPN);
    rules.deviceGrounded(1);
    rules.happened(0, ASYNC_EVENT.qpFatal, QPN);
    rules.happened(1, ASYNC_EVENT.deviceFatal, 0);
    rules.quiet();
    expect(texts).to.deep.equal([]);
  });

  it('are reported where all could be read, once nothing moves', () => {
    rules.happened(0, ASYNC_EVENT.qpFatal, QPN);
    expect(texts).to.deep.equal([]);
    rules.quiet();
    expect(texts.join()).to.match(/SCB_EVENT_GROUNDLESS QP_FATAL event: host 0 QP 14/);
  });

  it('are reported of a device at once', () => {
    rules.happened(0, ASYNC_EVENT.deviceFatal, 0);
    expect(texts.join()).to.match(/SCB_EVENT_GROUNDLESS DEVICE_FATAL event: host 0/);
  });

  it('need a ground in the life that the queue pair has', () => {
    rules.grounded(0, QPN);
    rules.made(0, QPN);
    rules.happened(0, ASYNC_EVENT.qpFatal, QPN);
    rules.quiet();
    expect(texts).to.have.length(1);
  });
});
