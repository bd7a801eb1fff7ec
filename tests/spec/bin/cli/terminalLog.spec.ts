import { expect } from 'chai';
import pc from 'picocolors';
import wrap from 'wrap-ansi';
import { type Fold, terminalLines } from '../../../../bin/cli/terminalLog.ts';

const fold: Fold = (text, columns) => wrap(text, columns, { hard: true, trim: false });
const plain = pc.createColors(false);
const coloured = pc.createColors(true);

describe('lines of a log on a terminal', () => {
  it('are folded at blanks, with what follows indented, and lose no word', () => {
    const text = `UVM_ERROR @ 10ns: uvm_test_top.env [SCB_DATA] ${'word '.repeat(60).trim()}`;
    const lines = terminalLines(text, 80, plain, fold);
    expect(lines).to.have.length.above(4);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(80);
    expect(lines.slice(1).every((line) => line.startsWith('    word'))).to.equal(true);
    expect(lines.map((line) => line.trim()).join(' ')).to.equal(text);
  });

  it('have the severity in colour', () => {
    const severities = ['INFO', 'WARNING', 'ERROR', 'FATAL'].map(
      (name) => terminalLines(`UVM_${name} @ 0ns: top [ID] text`, 80, coloured, fold)[0]?.split('UVM_')[0],
    );
    expect(new Set(severities).size).to.equal(4);
    expect(terminalLines('no line of a log', 80, coloured, fold)).to.deep.equal(['no line of a log']);
  });

  it('show what was drawn in columns, with what is long below', () => {
    const drawn =
      "UVM_INFO @ 0ns: reporter [PARAM] PARAM_DRAWN: +A=1 +B=2 +C=3 '+NET_FAULT=drop host=1 opcode=ack nth=2'";
    expect(terminalLines(drawn, 60, plain, fold)).to.deep.equal([
      'UVM_INFO @ 0ns: reporter [PARAM] PARAM_DRAWN',
      '    +A=1  +B=2  +C=3',
      "    '+NET_FAULT=drop host=1 opcode=ack nth=2'",
    ]);
  });

  it('show control characters, and colour nothing by themselves', () => {
    expect(terminalLines('UVM_INFO @ 0ns: top [ID] a\u001b[31mb', 80, plain, fold)).to.deep.equal([
      'UVM_INFO @ 0ns: top [ID] a\\x1b[31mb',
    ]);
  });
});
