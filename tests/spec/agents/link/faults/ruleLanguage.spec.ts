import { expect } from 'chai';
import fc from 'fast-check';
import { ACTIONS, POSITION_NAMES, SERVICE_NAMES } from '../../../../../agents/link/faults/rule/faultRule.ts';
import { HEADER_FIELD_NAMES } from '../../../../../agents/link/faults/rule/headerFields.ts';
import { OPCODE_NAMES } from '../../../../../agents/link/faults/rule/opcodeNames.ts';
import { parseRule, splitRules } from '../../../../../agents/link/faults/rule/parseRule.ts';
import { ruleText } from '../../../../../agents/link/faults/rule/ruleText.ts';

const numbers = (min: number, max: number): fc.Arbitrary<string> => {
  const one = fc.integer({ min, max });
  const range = fc.tuple(one, one).map(([a, b]) => `${Math.min(a, b)}..${Math.max(a, b)}`);
  return fc.array(fc.oneof(one.map(String), range), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
};
const some = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.subarray([...names], { minLength: 1, maxLength: 3 }).map((chosen) => chosen.join(','));
const time = fc.tuple(fc.integer({ min: 1, max: 10 ** 6 }), fc.constantFrom('ps', 'ns', 'us')).map((t) => t.join(''));
const chance = fc.oneof(
  fc.double({ min: 1e-6, max: 1, noNaN: true }).map(String),
  fc.integer({ min: 1, max: 100 }).map((n) => `${n}%`),
);
const word = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> => value.map((v) => `${key}=${v}`);

const SELECTIONS: readonly fc.Arbitrary<string>[] = [
  word('host', numbers(0, 63)),
  word('to', numbers(0, 63)),
  word('qp', numbers(0, 9000)),
  word('qpn', numbers(0, 0xffffff)),
  word('service', some(SERVICE_NAMES)),
  word('opcode', some(OPCODE_NAMES)),
  word('psn', numbers(0, 0xffffff)),
  word('relpsn', numbers(0, 0xffffff)),
  word('frame', numbers(1, 1e9)),
  word('position', some(POSITION_NAMES)),
  word('transmission', fc.constantFrom('first', 'retransmission')),
  word('nth', numbers(1, 1e6)),
  word('from', time),
  word('probability', chance),
];
const WORDS: readonly fc.Arbitrary<string>[] = [
  fc.constant('drop'),
  fc.tuple(fc.integer({ min: 1, max: 9 }), time).map(([n, t]) => `duplicate times=${n} after=${t}`),
  time.map((t) => `delay by=${t}`),
  fc.tuple(time, time).map(([a, b]) => `delay by=normal(${a},${b})`),
  time.map((t) => `delay by=exponential(${t})`),
  numbers(1, 20).map((n) => `reorder by=${n}`),
  fc.constantFrom(...HEADER_FIELD_NAMES).map((field) => `corrupt field=${field} xor=1`),
  fc.integer({ min: 0, max: 255 }).map((n) => `corrupt byte=${n} set=${n} repaired`),
  fc.integer({ min: 1, max: 99 }).map((n) => `truncate cut=${n} repaired`),
  fc.constant('mark'),
  fc.integer({ min: 1, max: 99 }).map((n) => `rate gbps=${n}.5 queue=${n}KB`),
];

/** Texts of rules that make sense. */
const anyRule = fc
  .tuple(
    fc.oneof(...WORDS),
    fc
      .subarray([...SELECTIONS.keys()])
      .chain((chosen) => fc.tuple(...chosen.map((i) => SELECTIONS[i] as (typeof SELECTIONS)[number]))),
    fc.constantFrom('', ' optional'),
  )
  .map(([action, words, optional]) => `${[action, ...words].join(' ')}${optional}`);

function mistakes(text: string): string[] {
  return parseRule(text).mistakes.map(({ message }) => message);
}

describe('the language of fault rules', () => {
  it('is read back from what it is written as', () => {
    fc.assert(
      fc.property(anyRule, (text) => {
        const { rule } = parseRule(text);
        expect(rule, `${text}: ${mistakes(text).join()}`).not.to.equal(undefined);
        if (rule === undefined) return;
        const written = ruleText(rule);
        expect(parseRule(written).rule).to.deep.equal(rule);
        expect(ruleText(parseRule(written).rule ?? rule)).to.equal(written);
      }),
    );
  });

  it('never fails on any text, and says something about each that is no rule', () => {
    const anyWord = fc.oneof(fc.string(), fc.constantFrom('drop', 'host=', '=1', 'nth=1..', 'by=', 'optional=no'));
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 5 }), (words) => {
        const { rule, mistakes: found } = parseRule(words.join(' '));
        expect(rule === undefined).to.equal(found.length > 0);
      }),
    );
  });

  it('has one form for all that means the same', () => {
    for (const [text, form] of [
      ['drop nth=2 opcode=ack host=1', 'drop host=1 opcode=ack nth=2'],
      ['duplicate times=1', 'duplicate'],
      ['drop probability=1%', 'drop probability=0.01'],
      ['drop psn=16', 'drop psn=0x10'],
      ['delay by=1000', 'delay by=1us'],
      ['rate gbps=10 queue=65536', 'rate gbps=10'],
      ['corrupt repaired=true', 'corrupt repaired'],
    ] as const) {
      const { rule } = parseRule(text);
      expect(rule && ruleText(rule), text).to.equal(form);
    }
  });

  it('takes several rules of one text apart', () => {
    expect(splitRules(' drop ; mark every=2;; ')).to.deep.equal(['drop', 'mark every=2']);
  });

  for (const [text, ...messages] of [
    ['', 'names no action; a rule begins with one of drop, '],
    ['drp host=1', 'there is no action drp; did you mean drop?'],
    ['drop hots=1', 'hots=1: there is no hots here; did you mean host?'],
    ['drop times=2', 'there is no times here; times belongs to duplicate, and drop has no key of its own'],
    ['drop nth=0', 'nth=0: 0 is out of range: 1 to '],
    ['drop host=1..', 'host=1..: 1.. is no number; write 0, 0,2 or 0..2'],
    ['drop host=3..1', 'host=3..1: 3..1 begins behind its end; write 1..3'],
    ['drop host', 'host has no value; write host=, numbers from 0 to 63'],
    ['drop host=1 host=2', 'host is given twice; keep one'],
    ['drop opcode=akc', 'opcode=akc: there is no akc; did you mean ack'],
    ['drop probability=2', 'probability=2: 2 is more than all; write a share from 0 to 1, or in percent; try 2%'],
    ['drop probability=0', 'with probability=0 the rule never acts; leave the rule out'],
    ['drop from=5us until=2us', 'until is not behind from'],
    ['drop from=5parsec', "'5parsec' is not a time"],
    ['drop nth=1 every=2', 'nth and every: '],
    ['drop transmission=first round=1', 'round counts what is sent again'],
    ['delay', 'delay needs by=, a time: 5us, 1us..5us, '],
    ['delay by=5us..1us', 'it begins behind its end, write 1us..5us'],
    ['duplicate times=0', 'times=0: 0 is out of range; write a number from 1 to 1000, the nearest is 1'],
    ['corrupt xor=1 set=2', 'xor and set: one flips bits, the other sets the value'],
    ['corrupt field=psn byte=1', 'byte counts in field=payload, packet or icrc, and psn is a field'],
    ['corrupt field=icrc byte=4', 'byte=4: the invariant CRC has bytes 0 to 3; try byte=3'],
    ['corrupt field=icrc repaired', 'a repaired CRC is not corrupt'],
    ['corrupt field=tver set=16', 'set=16 does not fit tver: at most 15; try set=15'],
    ['corrupt xor=256', 'xor=256 does not fit a byte: at most 255; try xor=255'],
    ['burst enter=1% leave=1% probability=1%', 'burst has chances of its own'],
    ['rate gbps=0', 'gbps=0: 0 is no rate; write a rate in Gb/s'],
    ['rate gbps=1 queue=1GB', 'queue=1GB: 1GB is no size'],
    ['partition to=1', 'partition needs host=, the host whose frames do not pass'],
    ['link_down host=1 opcode=ack', 'link_down takes all frames; leave opcode out, or write drop'],
    [
      'drop host=99 opcode=x nth=0',
      '99 is out of range: 0 to 63 are possible; try 63',
      'there is no x',
      'nth=0: 0 is out of',
    ],
  ] as const) {
    it(`says of '${text}' all that is wrong and what to do`, () => {
      const found = mistakes(text);
      expect(found).to.have.length(messages.length);
      for (const [i, message] of messages.entries()) expect(found[i]).to.contain(message);
    });
  }

  it('is described word by word in docs/faults.md', async () => {
    const { readFileSync } = await import('node:fs');
    const page = readFileSync(new URL('../../../../../docs/faults.md', import.meta.url), 'utf8');
    for (const action of Object.keys(ACTIONS)) expect(page).to.contain(`| \`${action}\` |`);
    for (const [name, keys] of Object.entries(ACTIONS))
      for (const key of Object.keys(keys)) expect(page, `${key} of ${name}`).to.contain(key);
  });
});
