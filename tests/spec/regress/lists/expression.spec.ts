import { expect } from 'chai';
import fc from 'fast-check';
import { compileExpression, ExpressionError, type Value } from '../../../../regress/lists/expression.ts';

function evaluate(text: string, values: Record<string, Value> = {}): Value {
  return compileExpression(text).evaluate(new Map(Object.entries(values)));
}

describe('the expressions of regression lists', () => {
  it('refuses what is deeper or longer than anybody writes, without a stack trace', () => {
    const deep = [`${'('.repeat(20_000)}1${')'.repeat(20_000)}`, `${'!'.repeat(20_000)}1`, `${'-'.repeat(900)}1`];
    for (const text of [...deep, `${'(('.repeat(30)}1${'))'.repeat(30)}`])
      expect(() => compileExpression(text)).to.throw(ExpressionError, /more than (50 deep at character 51|1000 words)/);
    expect(() => compileExpression(Array(20_000).fill('1').join('+'))).to.throw(
      ExpressionError,
      /more than 1000 words/,
    );
    expect(compileExpression(Array(499).fill('1').join('+')).evaluate(new Map())).to.equal(499);
    expect(compileExpression(`${'('.repeat(40)}7${')'.repeat(40)}`).evaluate(new Map())).to.equal(7);
  });

  it('binds as everywhere', () => {
    expect(evaluate('1 + 2 * 3 - 4 / 2 % 3')).to.equal(5);
    expect(evaluate('!0 && (1 > 2 || 3 >= 3)')).to.equal(1);
    expect(evaluate('A == "B" && N != 3', { A: 'B', N: 4 })).to.equal(1);
    expect(evaluate('bytes(DATA_CNT, DATA_UNIT)', { DATA_CNT: 4, DATA_UNIT: 'KB' })).to.equal(4096);
    expect(evaluate('max(1, min(5, 3)) - -2')).to.equal(5);
  });

  it('agrees with JavaScript on integer arithmetic', () => {
    const tree = fc.letrec<{ e: string }>((tie) => ({
      e: fc.oneof(
        { depthSize: 'small' },
        fc.nat({ max: 99 }).map(String),
        fc
          .tuple(tie('e'), fc.constantFrom('+', '-', '*', '<', '>=', '=='), tie('e'))
          .map(([a, op, b]) => `(${a} ${op} ${b})`),
      ),
    })).e;
    fc.assert(
      fc.property(tree, (text) => {
        const expected: unknown = new Function(`return Number(${text.replaceAll('==', '===')})`)();
        // JavaScript's comparisons give booleans, ours 0 and 1; as operands they are the same numbers.
        if (!/===/.test(text.replaceAll('==', '==='))) expect(evaluate(text)).to.equal(expected);
        else expect(evaluate(text)).to.be.a('number');
      }),
    );
  });

  it('says what it cannot read and where', () => {
    for (const text of ['1 +', '(1', '1 2', 'f(1)', 'A # 2', '', '&& 1']) {
      expect(() => compileExpression(text), text).to.throw(ExpressionError);
    }
    for (const name of ['f', 'valueOf', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(() => compileExpression(`${name}(1) == 1`), name)
        .to.throw(ExpressionError)
        .with.property('message', `${name}() is unknown; there are bytes, min, max`);
    for (const unit of ['constructor', 'valueOf', '__proto__'])
      expect(() => evaluate(`bytes(1, "${unit}")`), unit).to.throw(ExpressionError, /not a unit; there are B, KB/);
    expect(() => evaluate('A + 1')).to.throw(/A has no value/);
    expect(() => evaluate('DB_NUM == 1', { RC_QP_NUM: 1 })).to.throw(/no defaults; give the entry a value for DB_NUM$/);
    expect(() => evaluate('RC_QP_NUN == 1', { RC_QP_NUM: 1 })).to.throw(/no defaults; did you mean RC_QP_NUM\?/);
    expect(() => evaluate('A = 1')).to.throw('unknown sign "=" at character 3; write == to compare');
    expect(() => evaluate('A + 1', { A: 'x' })).to.throw(/not a number/);
    expect(() => evaluate('1 / 0')).to.throw(/division by 0/);
    expect(() => evaluate('bytes(1, "TB")')).to.throw(/not a unit/);
  });
});
