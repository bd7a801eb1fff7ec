import { expect } from 'chai';
import { packetTime, stream } from '../../../support/blueRdma/stream.ts';

const US = 1e6;
const MIB = 1 << 20;
/** Reports after each message: a stream without a pause is acknowledged while it lasts. */
const knobs = { ACK_REPORT: 1 };

describe('a stream of WRITEs on blue-rdma', () => {
  it('fills a link of 100 Gb/s but for its headers, whatever the MTU (P-1)', () => {
    for (const [mtu, least, most] of [
      [4096, 96, 97.3],
      [1024, 88, 89.6],
      [256, 66, 68.2],
    ] as const) {
      const { wireGbps, again } = stream({ mtu, messages: 2, length: mtu * 256, knobs });
      expect(wireGbps, `MTU ${mtu}`).to.be.within(least, most);
      expect(again).to.equal(0);
    }
  });

  it('delivers more under loss by sending again what is missing than by going back, and much more far away (P-2)', () => {
    const run = (resend: 'selective' | 'gbn', loss: number): number =>
      stream({ mtu: 4096, messages: 4, length: MIB, loss, delayPs: 25 * US, knobs, settings: { resend } }).goodput;
    for (const [loss, factor] of [
      [0.001, 1],
      [0.01, 1.4],
      [0.05, 1.4],
    ] as const) {
      expect(run('selective', loss), `loss of ${loss}`).to.be.at.least(factor * run('gbn', loss) * 0.95);
    }
  });

  it('reports a loss 112 to 127 packets later, and sends again three turns of the driver after that (P-4)', () => {
    const mtu = 4096;
    const t = stream({ mtu, messages: 1, length: 140 * mtu, lost: [5], delayPs: US });
    const reported = t.reportedAt - t.lostAt - US;
    expect(reported).to.be.within(112 * packetTime(mtu), 128 * packetTime(mtu) + 2 * US);
    const answered = t.againAt - t.reportedAt - US;
    expect(answered).to.be.within(9 * US, 9 * US + 5 * US);
    expect([t.again, t.timeouts]).to.deep.equal([1, 0]);
  });

  it('recovers a loss at its end by one time-out (P-4)', () => {
    const whole = stream({ mtu: 4096, messages: 1, length: 140 * 4096 });
    const t = stream({ mtu: 4096, messages: 1, length: 140 * 4096, lost: [135] });
    const timeout = 4.096 * 2 ** 6 * US;
    expect(t.timeouts).to.equal(1);
    // The period counts from when the driver sees that its NIC has fetched the message: it looks after a quarter of one.
    expect(t.took - whole.took).to.be.within(timeout * 0.8, timeout * 1.25 + 40 * US);
  });

  it('sends nothing again for disorder within the window, and the more the further it goes (P-5)', () => {
    const run = (packets: number): number =>
      stream({ mtu: 1024, messages: 1, length: 1024 * 1000, late: { every: 40, packets } }).again;
    expect(run(90)).to.equal(0);
    const [near, far] = [run(150), run(400)];
    expect(near).to.be.above(0);
    expect(far).to.be.at.least(near);
  });

  it('completes a WRITE a few turns of two drivers after its data have arrived (P-7)', () => {
    const run = (reaction: number): number =>
      stream({ mtu: 4096, messages: 1, length: 64, settings: { reaction } }).took;
    const [quick, usual, slow] = [run(0), run(3 * US), run(12 * US)];
    expect(usual - quick).to.be.at.least(3 * 3 * US);
    // Each turn counts once: what a driver takes is in proportion to its reaction time.
    expect((slow - quick) / (usual - quick)).to.be.within(3.5, 4.5);
  });
});
