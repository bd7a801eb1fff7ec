import { expect } from 'chai';
import fc from 'fast-check';
import { visibleText } from '../../../../uvm/report/visibleText.ts';

describe('a text of others that is shown', () => {
  it('is as it was where it does nothing, tabs and new lines included', () => {
    const text = 'byte 3 is 0x1b\n\tGröße 5 µs, 名前, 😀';
    expect(visibleText(text)).to.equal(text);
  });

  it('shows what a terminal would obey, and what turns the direction of writing', () => {
    expect(visibleText('\x1b]0;title\x07 \0 \r \x7f \x9b2J')).to.equal('\\x1b]0;title\\x07 \\x00 \\x0d \\x7f \\x9b2J');
    expect(visibleText('a\u202egnp.exe\u2066')).to.equal('a\\u202egnp.exe\\u2066');
  });

  it('has no control character left, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(visibleText(text))).to.equal(false);
      }),
    );
  });
});
