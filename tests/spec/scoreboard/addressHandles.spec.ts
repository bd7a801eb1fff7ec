/** What becomes of datagrams whose address handle is of another protection domain, or is destroyed while they are under way. */

import { expect } from 'chai';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import type { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { type Entry, FakeWorld, QPN, SRC_HI, type WorldOptions } from './fakeWorld.ts';

const SOURCE: readonly Entry[] = [[SRC_HI, 0, 60]];
const PATH = { ipv6: false, trafficClass: 0, flowLabel: 0, hopLimit: 64 };
const OWN = 1;
const OTHER = 0x100_0001;

/** Host 0 has a queue pair in domain 1 and address handle 0 in `pd`. */
function worldWith(pd: number, options: WorldOptions = {}): FakeWorld {
  const w = new FakeWorld(options, QP_TYPE.ud);
  w.qp(0, QPN[0], QP_TYPE.ud, true, 7, OWN);
  w.oracle.ahMade({ host: 0, index: 0, remoteHost: 1, path: PATH, pd });
  return w;
}

function ends(w: FakeWorld, item: PostedSend, status: number): string[] {
  w.sendDone(item, { status });
  w.oracle.finish();
  return w.ids();
}

const LOSES = { ...HANGU_PROFILE, choices: { ...HANGU_PROFILE.choices, foreignHandle: 'lost' as const } };

describe('a datagram by an address handle', () => {
  it('of another domain ends with LOC_QP_OP_ERR, and not with success', () => {
    for (const [status, expected] of [
      [WC_STATUS.locQpOpErr, []],
      [WC_STATUS.success, [SCB.status]],
    ] as const) {
      const w = worldWith(OTHER);
      expect(ends(w, w.send(SOURCE, { unsent: true }), status)).to.deep.equal(expected);
    }
  });

  it('of its own domain, or of one that is not known, does not end so', () => {
    for (const pd of [OWN, undefined]) {
      const w = worldWith(pd as number);
      expect(ends(w, w.send(SOURCE, { unsent: true }), WC_STATUS.locQpOpErr)).to.include(SCB.status);
    }
  });

  it('of another domain is lost without a word where its kind of NIC declares that, and does not end with an error', () => {
    for (const [status, expected] of [
      [WC_STATUS.success, []],
      [WC_STATUS.locQpOpErr, [SCB.status]],
    ] as const) {
      const w = worldWith(OTHER, { profile: LOSES });
      expect(ends(w, w.send(SOURCE, { unsent: true }), status)).to.deep.equal(expected);
    }
  });

  it('that is destroyed before it has arrived may end with LOC_QP_OP_ERR', () => {
    const w = worldWith(OWN);
    const item = w.send(SOURCE, { unsent: true });
    w.oracle.ahGone(0, 0);
    expect(ends(w, item, WC_STATUS.locQpOpErr)).to.deep.equal([]);
  });

  it('that is destroyed when it has arrived, or when another handle is, may not', () => {
    for (const [unsent, gone] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const w = worldWith(OWN);
      const item = w.send(SOURCE, { unsent });
      w.oracle.ahGone(0, gone);
      expect(ends(w, item, WC_STATUS.locQpOpErr)).to.include(SCB.status);
    }
  });
});
