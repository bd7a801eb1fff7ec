import { expect } from 'chai';
import { failedRow, measuredRow, type Target, unmeasuredRow } from '../../../bench/goal.ts';
import { resultJson, resultTable } from '../../../bench/report.ts';

const TARGET: Target = { direction: 'at least', target: 0.5, stretch: 0.9 };
const GOOD = measuredRow({
  id: '1',
  title: 'good',
  ours: '6 B/s',
  reference: '10 B/s',
  target: TARGET,
  rounds: [0.6, 0.7, 0.5],
});
const BAD = measuredRow({ ...GOOD, id: '2', title: 'bad', rounds: [0.6, 0.4, 0.4] });
const NONE = unmeasuredRow('3', 'none', TARGET, 'no compiler');

describe('bench report', () => {
  it('judges a row by its rounds', () => {
    expect([GOOD.pass, BAD.pass, NONE.pass]).to.deep.equal([true, false, undefined]);
    expect(failedRow('4', 'x', TARGET, 'why').pass).to.equal(false);
  });

  it('shows ratio, target and verdict in one line a row, and the notes below', () => {
    const text = resultTable([GOOD, BAD, NONE]);
    expect(text).to.match(/\| 1 .*0\.6 \(0\.55-0\.65\).*>= 0\.5.*>= 0\.9.*met/);
    expect(text).to.match(/\| 2 .*MISSED/);
    expect(text).to.match(/\n3: no compiler$/);
  });

  it('leaves the value beyond the target out where none is known to be within reach', () => {
    const plain = measuredRow({ ...GOOD, target: { direction: 'at least', target: 0.5 } });
    expect(resultTable([plain])).to.match(/>= 0\.5 +\| +\| .*met/);
    expect(resultTable([plain])).not.to.contain('stretch too');
    expect(JSON.parse(resultJson(plain))).to.include({ stretch: null, pass: true });
  });

  it('says in JSON what was measured, and null for what was not', () => {
    const good = JSON.parse(resultJson(GOOD)) as Record<string, unknown>;
    expect(good).to.include({ id: '1', ratio: 0.6, target: 0.5, pass: true });
    const none = JSON.parse(resultJson(NONE)) as Record<string, unknown>;
    expect(none).to.include({ id: '3', ratio: null, pass: null, note: 'no compiler' });
  });
});
