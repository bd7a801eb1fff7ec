/** What is counted, and not judged, of packets that arrive otherwise than any NIC has sent them. */

import { expect } from 'chai';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { certaintyCounts, certaintyText } from '../../../../scoreboard/model/certainty.ts';
import { play } from '../../tests/harness.ts';
import { WireBench } from '../support/wireBench.ts';

const FIRST = 0x100;

describe('the certainty of the judge', () => {
  let b: WireBench;
  beforeEach(() => {
    b = new WireBench(false, false);
    b.connect();
  });

  function sends(psn: number, edited?: boolean): void {
    b.request({ opcode: BTH_OP.sendOnly, psn, ackRequest: true });
    if (edited !== undefined) b.delivers(edited);
  }

  function counts(): Readonly<Record<string, number>> {
    const { certainty } = b.transport;
    return certainty === undefined ? {} : certaintyCounts(certainty);
  }

  it('is whole where packets arrive as they were sent, or are lost', () => {
    sends(FIRST, false);
    sends(FIRST + 1);
    expect(counts()).to.deep.equal({ messages_followed: 2, messages_undecided: 0, accepted_foreign: 0 });
    expect(b.ids()).to.deep.equal({});
  });

  it('ends with a packet that was changed under a right CRC and has the number that is expected', () => {
    sends(FIRST, true);
    sends(FIRST + 1, false);
    expect(counts()).to.deep.equal({ messages_followed: 2, messages_undecided: 1, accepted_foreign: 1 });
    expect(certaintyText(b.transport.certainty as never)).to.contain('1 of 2 messages undecided, 1 accepted');
    expect(b.ids()).to.deep.equal({});
  });

  it('is whole where no more than marks of congestion were changed', () => {
    let arrivals = 0;
    b.monitor.arrivals.connect({ write: () => void arrivals++ });
    b.request({ opcode: BTH_OP.sendOnly, psn: FIRST, ackRequest: true });
    b.deliversMarked();
    sends(FIRST + 1, false);
    expect(counts()).to.deep.equal({ messages_followed: 2, messages_undecided: 0, accepted_foreign: 0 });
    expect(arrivals).to.equal(0);
    b.delivers(true);
    expect(arrivals).to.equal(1);
  });

  it('is whole on queue pairs of UC and UD whose notifications of congestion are marked', async () => {
    const line = '+RC_QP_NUM=0 +UC_QP_NUM=2 +UD_QP_NUM=2 +SEND_WQE_NUM=8 +DATA_CNT=400 +ECN_PCT=100 +MTU=4096';
    const played = await play('test_direct_param', line, 1);
    expect(played.verdict, played.log).to.equal('passed');
    expect(played.log).to.match(/, 0 of [1-9]\d* messages undecided/);
  });

  it('accepts nothing foreign that has another number than the expected one', () => {
    sends(FIRST);
    sends(FIRST + 1, true);
    expect(counts()).to.include({ accepted_foreign: 0, messages_undecided: 0 });
  });

  it('begins anew with the connection', () => {
    sends(FIRST, true);
    b.connect();
    sends(FIRST, false);
    expect(counts()).to.include({ messages_followed: 2, messages_undecided: 0 });
  });

  it('counts what is left of an earlier connection and has the number that is expected', () => {
    sends(FIRST);
    b.connect();
    b.delivers();
    expect(counts()).to.include({ accepted_foreign: 1 });
    expect(b.ids()).to.deep.equal({});
  });
});
