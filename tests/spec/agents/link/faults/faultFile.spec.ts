import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readFaultFile } from '../../../../../agents/link/faults/file/faultFile.ts';
import { parseFaultFile } from '../../../../../agents/link/faults/file/parseFaultFile.ts';
import { ruleText } from '../../../../../agents/link/faults/rule/ruleText.ts';

function textsOf(text: string): string[] {
  const { rules, problems } = parseFaultFile(text, 'f.yaml');
  expect(problems).to.deep.equal([]);
  return rules.map(({ rule }) => ruleText(rule));
}

function problemsOf(text: string): readonly string[] {
  return parseFaultFile(text, 'f.yaml').problems;
}

describe('a file of fault rules', () => {
  it('may say the same in each of its forms', () => {
    const form = 'drop host=1 opcode=ack,nak nth=2 optional';
    for (const rule of [
      `'${form}'`,
      'drop: { host: 1, opcode: [ack, nak], nth: 2, optional: true }',
      'drop: { optional: true, nth: "2", opcode: "ack,nak", host: 0x1 }',
    ])
      expect(textsOf(`faults:\n  - ${rule}\n`), rule).to.deep.equal([form]);
    const json = JSON.stringify({ faults: [{ drop: { host: 1, opcode: ['ack', 'nak'], nth: 2, optional: true } }] });
    expect(textsOf(json)).to.deep.equal([form]);
  });

  it('keeps the order of its rules, and where each stands', () => {
    const text = 'description: two\nfaults:\n  - mark: {}\n  - drop:\n      host: 1\n';
    expect(textsOf(text)).to.deep.equal(['mark', 'drop host=1']);
    expect(parseFaultFile(text, 'f.yaml').rules.map(({ source }) => source)).to.deep.equal([
      'f.yaml:3:5',
      'f.yaml:4:5',
    ]);
  });

  it('may use a switch that is off, and an action without keys', () => {
    expect(textsOf('faults: [{ corrupt: { repaired: false } }, { drop: }]')).to.deep.equal(['corrupt', 'drop']);
  });

  for (const [text, ...messages] of [
    ['', 'f.yaml:1:1: this is no file of fault rules'],
    ['faults: 3', 'f.yaml:1:1: there is no list of rules under faults; write faults: with a list'],
    ['falts: []', 'f.yaml:1:1: there is no falts here; did you mean faults?'],
    ['faults:\n  - 3', "f.yaml:2:5: this is no rule; write a text such as 'drop host=1', or drop: { host: 1 }"],
    ['faults:\n  - drop: 3', 'f.yaml:2:5: this is no rule'],
    ['faults:\n  - { drop: {}, mark: {} }', 'f.yaml:2:5: a rule has one action, here drop and mark'],
    ['faults:\n  - drp: { host: 1 }', 'f.yaml:2:5: there is no action drp; did you mean drop?'],
    [
      'faults:\n  - drop:\n      host: 0\n      hots: 1',
      'f.yaml:4:7: hots=1: there is no hots here; did you mean host?',
    ],
    [
      'faults:\n  - drop: { nth: 0 }\n  - delay: {}',
      'f.yaml:2:13: nth=0: 0 is out of range',
      'f.yaml:3:5: delay needs by=',
    ],
    ["faults:\n  - 'drop hots=1'", 'f.yaml:2:5: hots=1: there is no hots here'],
    ['faults: [drop: {', 'f.yaml:1:17: not YAML: ', 'f.yaml:1:17: not YAML: '],
  ] as const) {
    it(`is refused with line and column: ${JSON.stringify(text)}`, () => {
      const found = problemsOf(text);
      expect(found.length, found.join('\n')).to.be.at.least(1);
      expect(found.length, found.join('\n')).to.be.at.most(messages.length);
      for (const [i, problem] of found.entries()) expect(problem).to.contain(messages[i]);
    });
  }

  it('is read with its hash, and a missing one is named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    writeFileSync(join(folder, 'f.yaml'), 'faults:\n  - drop: {}\n');
    const file = readFaultFile('f.yaml', folder);
    expect(file).to.deep.include({ path: 'f.yaml', problems: [] });
    expect(file.sha256).to.match(/^[0-9a-f]{64}$/);
    expect(readFaultFile('g.yaml', folder).problems).to.deep.equal([
      'the fault rules g.yaml cannot be read: there is no such file',
    ]);
    rmSync(folder, { recursive: true });
  });
});
