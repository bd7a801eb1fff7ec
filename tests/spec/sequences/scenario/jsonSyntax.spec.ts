import { expect } from 'chai';
import fc from 'fast-check';
import { findJsonMistake } from '../../../../config/scenario/file/jsonSyntax.ts';

describe('findJsonMistake', () => {
  it('finds nothing in any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        expect(findJsonMistake(text)).to.equal(null);
        expect(findJsonMistake(JSON.stringify(JSON.parse(text), null, indent))).to.equal(null);
      }),
    );
  });

  it('agrees with JSON.parse on texts with one character taken out or put in', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', ']', '"', ':', '0', '.', 'x', '\n'),
        (text, n, put) => {
          const at = n % (text.length + 1);
          const changed = text.slice(0, at) + put + text.slice(put === '' ? at + 1 : at);
          let legal = true;
          try {
            JSON.parse(changed);
          } catch {
            legal = false;
          }
          expect(findJsonMistake(changed) === null, changed).to.equal(legal);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('names the place and what would be right', () => {
    expect(findJsonMistake('{"a": [1, 2,]}')).to.deep.equal({ at: 12, message: 'a value is expected, not ]' });
    expect(findJsonMistake('{"a": 1,\n}')?.message).to.equal('a name in double quotes is expected, not }');
    expect(findJsonMistake('{"a": 1 "b": 2}')?.message).to.equal('"," or "}" is expected, not "');
    expect(findJsonMistake('[1')?.message).to.equal('"," or "]" is expected, not the end of the file');
    expect(findJsonMistake('{} more')).to.deep.equal({ at: 3, message: 'the end of the file is expected, not more' });
    expect(findJsonMistake('[012]')).to.deep.equal({ at: 2, message: '"," or "]" is expected, not 12' });
  });
});
