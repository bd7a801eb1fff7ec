import { expect } from 'chai';
import fc from 'fast-check';
import { EVENT, EventLog } from '../../../../env/trace/eventLog.ts';
import { syndromeText } from '../../../../env/trace/eventTexts.ts';

describe('the log of events', () => {
  it('holds the latest events in their order, at least as many as it was asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 6000 }), (count, kept) => {
        const log = new EventLog(kept);
        for (let i = 0; i < count; i++) {
          const at = log.add(EVENT.postSend, i % 4, 10 * i, true);
          log.words[at] = i;
        }
        const events = log.events();
        expect(events.length).to.be.at.least(Math.min(count, kept));
        const first = count - events.length;
        for (const [i, event] of events.entries()) {
          const n = first + i;
          expect([event.number, event.host, event.time, event.words[0]]).to.deep.equal([n, n % 4, 10 * n, n]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('counts what every recorder sees, whatever else one sees besides', () => {
    const log = new EventLog(100);
    log.say(EVENT.state, 0, 1, true, 'a');
    log.say(EVENT.doorbell, 0, 2, false, 'b');
    log.say(EVENT.state, 1, 3, true, 'c');
    expect(log.events().map(({ number, text }) => [number, text])).to.deep.equal([
      [0, 'a'],
      [-1, 'b'],
      [1, 'c'],
    ]);
    expect(log.count).to.equal(2);
  });

  const WHOLE = { events: Number.POSITIVE_INFINITY };
  const texts = (log: EventLog): string[] => log.events().map(({ text }) => text);
  /** Every second event is one that only a close look shows. */
  function fill(log: EventLog, count: number): void {
    for (let i = 0; i < count; i++) {
      const isCommon = i % 2 === 0;
      if (isCommon || log.looksClosely) log.say(EVENT.state, 0, i, isCommon, String(i));
    }
  }

  it('sets apart what a close look has seen up to its end behind the first error, and goes on with the others', () => {
    const log = new EventLog(3000, { ...WHOLE, until: 1000, behindError: 2 });
    log.say(EVENT.state, 0, 1, true, 'error');
    log.errorCame();
    log.errorCame();
    expect(log.looksClosely).to.equal(true);
    fill(log, 20_000);
    expect([log.looksClosely, log.hasSeenClosely]).to.deep.equal([false, true]);
    expect(texts(log)).to.deep.equal(['error', '0', '1']);
    const latest = log.latest();
    expect(latest.map(({ number }) => number)).to.deep.equal(
      Array.from({ length: 3000 }, (_, i) => log.count - 3000 + i),
    );
    expect(latest.at(-1)?.text).to.equal('19998');
    expect(log.latest(2).map(({ text }) => text)).to.deep.equal(['19996', '19998']);
  });

  it('ends a close look after so many events without an error, and holds no more than others from then on', () => {
    const log = new EventLog(10, { ...WHOLE, until: 9000, behindError: 2 });
    fill(log, 9000);
    expect([log.looksClosely, log.hasSeenClosely, log.events().length]).to.deep.equal([false, true, 9000]);
    fill(log, 10_000);
    log.errorCame();
    expect([log.looksClosely, log.hasSeenClosely]).to.deep.equal([false, false]);
    expect(log.events().length).to.be.within(10, 2 * 2048);
    expect(log.events().every(({ number }) => number >= 0)).to.equal(true);
    expect(log.latest().map(({ number }) => number)).to.deep.equal(
      Array.from({ length: 10 }, (_, i) => log.count - 10 + i),
    );
  });

  it('holds the latest events of a close look that goes on until there is an error', () => {
    const log = new EventLog(10, { events: 3000, behindError: 1 });
    fill(log, 20_000);
    log.errorCame();
    fill(log, 2);
    expect(log.hasSeenClosely).to.equal(true);
    expect(texts(log).slice(-3)).to.deep.equal(['19998', '19999', '0']);
    expect(log.events().length).to.be.within(3000, 3000 + 2 * 2048);
  });

  it('has no text of an older event where a chunk is used again', () => {
    const log = new EventLog(1);
    for (let i = 0; i < 10_000; i++) {
      if (i < 5000) log.say(EVENT.state, 0, i, true, 'old');
      else log.add(EVENT.postSend, 0, i, true);
    }
    expect(log.events().some(({ text }) => text !== '')).to.equal(false);
  });
});

describe('a syndrome', () => {
  for (const [syndrome, text] of [
    [0x1f, 'ACK without credits'],
    [0x05, 'ACK, credit code 5'],
    [0x21, 'RNR NAK, wait 10us'],
    [0x20, 'RNR NAK, wait 655.36ms'],
    [0x60, 'NAK, PSN sequence error'],
    [0x62, 'NAK, remote access error'],
    [0x64, 'reserved syndrome 0x64'],
  ] as const) {
    it(`of 0x${syndrome.toString(16)} is told in words`, () => expect(syndromeText(syndrome)).to.equal(text));
  }
});
