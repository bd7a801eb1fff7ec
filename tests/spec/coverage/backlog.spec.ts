import { expect } from 'chai';
import { Backlog, READER_BITS } from '../../../coverage/backlog.ts';

describe('A backlog', () => {
  /** Notes numbers, of which each reader takes its own. */
  function noting(): { readonly backlog: Backlog; readonly seen: string[]; note(reader: 'a' | 'b', n: number): void } {
    const backlog = new Backlog();
    const seen: string[] = [];
    const { words, numbers } = backlog;
    const a = backlog.reader((at) => {
      seen.push(`a${(words[at] as number) >>> READER_BITS}`);
      return at + 2;
    });
    const b = backlog.reader((at) => {
      seen.push(`b${numbers[(at + 2) >> 1]}`);
      return at + 4;
    });
    const note = (reader: 'a' | 'b', n: number): void => {
      const at = backlog.note(reader === 'a' ? 2 : 4);
      words[at] = reader === 'a' ? a | (n << READER_BITS) : b;
      if (reader === 'b') numbers[(at + 2) >> 1] = n;
    };
    return { backlog, seen, note };
  }

  it('gives notes to their readers in the order in which they were made, and not before it is told to', () => {
    const { backlog, seen, note } = noting();
    note('b', 2 ** 40 + 0.5);
    note('a', 7);
    note('b', -1);
    expect(seen).to.deep.equal([]);
    backlog.work();
    expect(seen).to.deep.equal([`b${2 ** 40 + 0.5}`, 'a7', 'b-1']);
    backlog.work();
    expect(seen).to.have.length(3);
  });

  it('works by itself when it is full, and loses nothing', () => {
    const { backlog, seen, note } = noting();
    const expected = Array.from({ length: 20_000 }, (_, n) => (n % 3 === 0 ? `b${n}` : `a${n}`));
    for (let n = 0; n < 20_000; n++) note(n % 3 === 0 ? 'b' : 'a', n);
    expect(seen.length).to.be.greaterThan(10_000);
    backlog.work();
    expect(seen).to.deep.equal(expected);
  });

  it('refuses a note that it has no room for, and one reader too many', () => {
    const { backlog } = noting();
    expect(() => backlog.note(1 << 20)).to.throw(RangeError);
    for (let n = 2; n < 1 << READER_BITS; n++) backlog.reader(() => 0);
    expect(() => backlog.reader(() => 0)).to.throw(RangeError);
  });
});
