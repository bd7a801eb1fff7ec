import { expect } from 'chai';
import { ASYNC_EVENT, WC_STATUS } from '../../../rdma/verbs.ts';
import { AsyncEvents } from '../../../scoreboard/checks/asyncEvents.ts';
import { Findings } from '../../../uvm/report/findings.ts';

describe('AsyncEvents', () => {
  function bench(): { events: AsyncEvents; finish: () => string[] } {
    const texts: string[] = [];
    const error = (id: string, text: string | (() => string)): void => {
      texts.push(`${id} ${typeof text === 'string' ? text : text()}`);
    };
    const events = new AsyncEvents(new Findings({ error, countError: () => {}, errorNote: error }, 10));
    events.listen(1);
    const finish = (): string[] => {
      events.finish();
      return texts;
    };
    return { events, finish };
  }

  it('may come before or after the refusal is known', () => {
    const { events, finish } = bench();
    events.happened(1, ASYNC_EVENT.qpAccessErr, 14);
    events.refused(1, 14, WC_STATUS.remAccessErr, 'a WRITE');
    events.refused(1, 15, WC_STATUS.remInvReqErr, 'a READ');
    events.happened(1, ASYNC_EVENT.qpReqErr, 15);
    expect(finish()).to.deep.equal([]);
  });

  it('are missed when they never come, once for each refusal', () => {
    const { events, finish } = bench();
    events.refused(1, 14, WC_STATUS.remAccessErr, 'a WRITE');
    events.refused(1, 14, WC_STATUS.remAccessErr, 'a READ');
    events.happened(1, ASYNC_EVENT.qpAccessErr, 14);
    expect(finish()).to.deep.equal([
      'SCB_ASYNC_EVENT host 1 QP 14: no QP_ACCESS_ERR event came although it refused a READ; no event came in its place',
    ]);
  });

  it('are missed when they name another queue pair, host or event', () => {
    for (const [host, event, number] of [
      [1, ASYNC_EVENT.qpAccessErr, 15],
      [1, ASYNC_EVENT.qpReqErr, 14],
      [0, ASYNC_EVENT.qpAccessErr, 14],
    ] as const) {
      const { events, finish } = bench();
      events.happened(host, event, number);
      events.refused(1, 14, WC_STATUS.remAccessErr, 'a WRITE');
      expect(finish(), `${host} ${event} ${number}`).to.have.length(1);
    }
  });

  it('are owed for what is received in RTR', () => {
    const { events, finish } = bench();
    events.received(1, 14, 'a SEND');
    events.received(1, 15, 'a SEND');
    events.happened(1, ASYNC_EVENT.commEst, 15);
    expect(finish()).to.deep.equal([
      'SCB_ASYNC_EVENT host 1 QP 14: no COMM_EST event came although it received a SEND in RTR; no event came in its place',
    ]);
  });

  it('are compared without a look at all others, and named where they came for nothing', () => {
    const { events, finish } = bench();
    const most = 60_000;
    for (let i = 0; i < most; i++) events.happened(1, ASYNC_EVENT.qpAccessErr, i);
    for (let i = most; i-- > 0; ) events.refused(1, i + 1, WC_STATUS.remAccessErr, 'a WRITE');
    expect(finish()).to.deep.equal([
      `SCB_ASYNC_EVENT host 1 QP ${most}: no QP_ACCESS_ERR event came although it refused a WRITE; in its place: QP_ACCESS_ERR for number 0`,
    ]);
  });

  it('say nothing of drained send queues, for which software waits by itself', () => {
    const { events, finish } = bench();
    events.happened(1, ASYNC_EVENT.sqDrained, 14);
    events.received(1, 14, 'a SEND');
    expect(finish()[0]).to.match(/in RTR; no event came in its place$/);
  });

  it('are owed again for what is refused after the event of an earlier refusal', () => {
    const { events, finish } = bench();
    events.refused(1, 14, WC_STATUS.remAccessErr, 'a WRITE');
    events.happened(1, ASYNC_EVENT.qpAccessErr, 14);
    events.refused(1, 14, WC_STATUS.remAccessErr, 'a READ');
    expect(finish()).to.have.length(1);
    expect(finish()[0]).to.contain('although it refused a READ');
  });

  it('are not owed for other errors, nor to software that has not asked for them', () => {
    const { events, finish } = bench();
    events.refused(1, 14, WC_STATUS.locProtErr, 'a WRITE');
    events.refused(0, 14, WC_STATUS.remAccessErr, 'a WRITE');
    expect(finish()).to.deep.equal([]);
  });
});
