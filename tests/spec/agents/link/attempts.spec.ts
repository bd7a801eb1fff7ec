import { expect } from 'chai';
import type { Attempt } from '../../../../scoreboard/reference/attempts.ts';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

/** 4.096 us * 2^8. */
const TIMEOUT = 1_048_576_000;
const US = 1_000_000;

function connection(retryCnt = 3): WireBench {
  return new WireBench(true).connect({ ackTimeout: 8, retryCnt });
}

function send(b: WireBench, psn = 0x100): void {
  b.request({ opcode: 4, psn, payload: 4 });
}

/** What host 0's queue pair has tried. */
function attempt(b: WireBench): Attempt | undefined {
  return b.transport.attempt(0, 0x10, 1, 0x11);
}

/** How often it may have sent its oldest packet without an answer again; -1 where everything is answered. */
function made(b: WireBench): number {
  return attempt(b)?.givenUp?.[0]?.made ?? -1;
}

describe('Attempts', () => {
  it('counts how often a requester has gone back, also after its peer is gone', () => {
    for (const goes of [0, 1, 3]) {
      const b = connection();
      for (let i = 0; i <= 3; i++) {
        if (i === goes) b.transport.qpGone(1, 0x11);
        send(b);
        expect(attempt(b), `${i} of ${goes}`).to.include({ wanted: 3, answered: false });
        b.wait(TIMEOUT);
      }
      expect(made(b), `${goes}`).to.be.within(3, 4);
    }
  });

  it('keeps the count where the peer goes in the middle of what is sent again', () => {
    const b = connection();
    for (let i = 0; i <= 3; i++) {
      for (const psn of [0x100, 0x101]) {
        if (i === 2 && psn === 0x101) b.transport.qpGone(1, 0x11);
        send(b, psn);
      }
      b.wait(TIMEOUT);
    }
    expect(made(b)).to.be.within(3, 4);
  });

  it('counts a return that may have been the first, since the peer had gone', () => {
    const b = connection();
    send(b);
    b.wait(TIMEOUT);
    send(b);
    b.response({ opcode: 17, psn: 0x100, ext: aeth(0x1f, 1) });
    send(b, 0x101);
    b.transport.qpGone(1, 0x11);
    for (let i = 0; i < 3; i++) {
      b.wait(TIMEOUT);
      send(b, 0x101);
    }
    expect(made(b)).to.be.within(3, 4);
  });

  it('counts what is sent twice as a return although the peer had gone each time', () => {
    const b = connection();
    send(b);
    b.wait(TIMEOUT);
    send(b);
    b.response({ opcode: 17, psn: 0x100, ext: aeth(0x1f, 1) });
    send(b, 0x101);
    for (let i = 0; i < 2; i++) {
      b.transport.qpGone(1, 0x11);
      b.wait(TIMEOUT);
      send(b, 0x101);
    }
    expect(made(b)).to.be.within(2, 3);
  });

  it('grants a requester that got on meanwhile one retry that was not seen', () => {
    const b = connection();
    for (const psn of [0x100, 0x101]) send(b, psn);
    b.wait(TIMEOUT);
    for (const psn of [0x100, 0x101]) send(b, psn);
    expect(made(b)).to.equal(1);
    b.response({ opcode: 17, psn: 0x100, ext: aeth(0x1f, 1) });
    b.wait(TIMEOUT);
    send(b, 0x101);
    expect(made(b)).to.equal(2);
  });

  it('tells whether everything is answered, and when an answer fell due', () => {
    const b = connection();
    b.wait(7 * US);
    send(b);
    expect(attempt(b)).to.include({ answered: false, sentAt: 7 * US, retryTime: 4 * TIMEOUT });
    b.response({ opcode: 17, psn: 0x100, ext: aeth(0x1f, 1) });
    expect(attempt(b)?.answered).to.equal(true);
    b.wait(US);
    b.request({ opcode: 6, psn: 0x101, ext: reth(600), payload: 256 });
    expect(attempt(b), 'in a message').to.include({ answered: false, sentAt: -1 });
  });

  it('tells when an answer to what it had tried again, or a refusal, has reached it', () => {
    for (const [syndrome, psn] of [
      [0x1f, 0x100],
      [0x21, 0x100],
    ] as const) {
      const b = connection();
      send(b);
      b.wait(TIMEOUT);
      send(b);
      expect(attempt(b)?.givenUp?.map(({ repliedAt }) => repliedAt)).to.deep.equal([-1]);
      b.wait(US);
      b.response({ opcode: 17, psn, ext: aeth(syndrome, 1) });
      const [given] = attempt(b)?.givenUp ?? [];
      expect(given, `${syndrome}`).to.include({ psn, repliedAt: TIMEOUT + US, until: 2 * TIMEOUT - 10 * US });
    }
  });

  it('counts the RNR NAKs that a requester may have counted, each behind the wait for the one before', () => {
    const b = connection();
    const now = (): number => b.run.scheduler.now;
    send(b);
    for (const age of [0, 5 * US, 5 * US]) {
      b.wait(age);
      b.response({ opcode: 17, psn: 0x100, ext: aeth(0x21, 1) });
    }
    expect(attempt(b)?.notReady(0x100, now())).to.equal(2);
    expect(attempt(b)?.notReady(0x100, now() + 10 * US)).to.equal(3);
    expect(attempt(b)?.notReady(0x101, now())).to.equal(0);
  });

  it('tells when it sent last, also where it has not come as far again as before', () => {
    const b = connection();
    for (const psn of [0x100, 0x101]) send(b, psn);
    b.wait(TIMEOUT);
    send(b);
    expect(attempt(b)?.sentAt).to.equal(TIMEOUT);
  });

  it('tells when the last time-out may have expired, before and after a retry', () => {
    const b = connection();
    const until = (): number | undefined => attempt(b)?.givenUp?.[0]?.until;
    send(b);
    expect(until()).to.equal(TIMEOUT - 10 * US);
    b.wait(TIMEOUT);
    send(b);
    expect(until()).to.equal(2 * TIMEOUT - 10 * US);
  });

  it('goes by the smaller of two numbers of retries that a queue pair was given', () => {
    const b = connection();
    b.change({ ackTimeout: 8, retryCnt: 5 });
    expect(attempt(b)?.wanted).to.equal(3);
    b.change({ ackTimeout: 8, retryCnt: 1 });
    expect(attempt(b)?.wanted).to.equal(1);
  });

  it('knows nothing of queue pairs that were not announced, or whose peer has another by now', () => {
    const b = connection();
    expect(b.transport.attempt(0, 0x22, 1, 0x23)).to.equal(undefined);
    b.connect({ qpn: 0x20 });
    expect(attempt(b)).to.equal(undefined);
    expect(b.transport.attempt(0, 0x20, 1, 0x11)).not.to.equal(undefined);
  });
});
