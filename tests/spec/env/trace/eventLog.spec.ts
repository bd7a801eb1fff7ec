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

  it('takes so many events more and is closed then', () => {
    const log = new EventLog(100);
    log.say(EVENT.state, 0, 1, true, 'a');
    log.closeAfter(2);
    for (let i = 0; i < 5 && log.isOpen; i++) log.say(EVENT.state, 0, i, true, String(i));
    expect(log.events().map(({ text }) => text)).to.deep.equal(['a', '0', '1']);
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
