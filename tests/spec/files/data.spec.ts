import { expect } from 'chai';
import { z } from 'zod';
import { DataError } from '../../../files/dataError.ts';
import { jsonOf, parseJson } from '../../../files/json.ts';
import { YamlText } from '../../../files/yaml.ts';

const mistakeOf = (text: string): string => {
  const [first] = new YamlText(text).mistakes;
  return first === undefined ? 'read' : `${first.line}:${first.column}: ${first.message}`;
};

describe('a text that is read as YAML', () => {
  it('is refused with its place where it is nested without end, in whatever form', () => {
    const deep = /^\d+:\d+: values are nested more than 100 deep$/;
    for (const piece of ['[', '{a: ', '- ', '? ', ': ']) expect(mistakeOf(piece.repeat(20_000))).to.match(deep);
    const steps = Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    expect(mistakeOf(steps)).to.match(deep);
    expect(mistakeOf(`${'['.repeat(102)}${']'.repeat(102)}`)).to.match(deep);
    expect(mistakeOf(`${'['.repeat(90)}${']'.repeat(90)}`)).to.equal('read');
  });

  it('is refused where its aliases stand for more than memory holds, or for nothing', () => {
    const lines = ['bcdefgh'].flatMap((names) => [...names].map((name, i) => bomb(name, 'abcdefgh'[i] as string)));
    expect(mistakeOf(['a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]', ...lines].join('\n'))).to.match(
      /^7:7: aliases make this more than 1000000 values; write what is common to them once$/,
    );
    expect(mistakeOf('a: *b')).to.equal('1:4: the alias *b names nothing; no anchor &b stands before it');
  });

  it('has no key __proto__, not even by an alias', () => {
    const key = 'unknown key "__proto__"; leave it out';
    expect(mistakeOf('a: { __proto__: 1 }')).to.equal(`1:6: ${key}`);
    expect(mistakeOf('- &a __proto__\n- { *a : 1 }')).to.equal(`2:5: ${key}`);
    expect(mistakeOf('a: { toString: 1 }')).to.equal('read');
  });

  it('tells ten of very many mistakes', () => {
    const { mistakes } = new YamlText(`{${','.repeat(20_000)}`);
    expect(mistakes.map(({ message }) => message).slice(-2)).to.deep.equal([
      'not YAML: Unexpected , in flow map',
      'and more from here on',
    ]);
    expect(mistakes).to.have.length(11);
  });

  it('says where values and keys stand', () => {
    const text = new YamlText('a:\n  - b: 1\n    c: [2, 3]\n');
    expect(text.value).to.deep.equal({ a: [{ b: 1, c: [2, 3] }] });
    expect(text.placeOf(['a', 0, 'c', 1])).to.deep.equal({ line: 3, column: 12 });
    expect(text.placeOf(['a', 0, 'none', 4])).to.deep.equal({ line: 2, column: 5 });
    expect(text.placeOfKey(['a', 0], 'c')).to.deep.equal({ line: 3, column: 5 });
  });
});

describe('a text that is read as JSON', () => {
  it('is nested at most 100 deep and has no key __proto__', () => {
    expect(() => parseJson(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)).to.throw(
      DataError,
      '[0][0][0]: values are nested more than 100 deep',
    );
    expect(() => parseJson('{"a":[{"\\u005f_proto__":1}]}')).to.throw(DataError, 'a[0]: unknown key "__proto__"');
    expect(parseJson('{"toString":1}')).to.deep.equal({ toString: 1 });
  });

  it('is what a schema asks for, or the first field that is not is named with its value', () => {
    const schema = z.object({ jobs: z.array(z.object({ id: z.string().min(1), kind: z.enum(['a', 'b']) })) });
    const why = (text: string): string => {
      try {
        jsonOf(text, schema);
        return 'read';
      } catch (error) {
        return error instanceof DataError ? error.message : String(error);
      }
    };
    expect(why('{"jobs":[{"id":"x","kind":"a"}]}')).to.equal('read');
    expect(why('{"jobs":[{"id":"x","kind":"__proto__"}]}')).to.equal(
      'jobs[0].kind: expected one of "a"|"b" (here "__proto__")',
    );
    expect(why('{}')).to.equal('jobs: expected array, received undefined');
    expect(why('[')).to.equal('it is no JSON; it has been changed since it was written');
  });
});

function bomb(name: string, of: string): string {
  return `${name}: &${name} [${Array<string>(9).fill(`*${of}`).join(', ')}]`;
}
