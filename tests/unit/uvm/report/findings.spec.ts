import { expect } from 'chai';
import { Findings, SHOWN_PER_ID } from '../../../../uvm/report/findings.ts';

describe('Findings', () => {
  function bench(limit?: number): { findings: Findings; lines: string[] } {
    const lines: string[] = [];
    return { findings: new Findings({ error: (id, text) => lines.push(`${id} ${text}`) }, limit), lines };
  }

  it('shows as many of each id as the limit says, tells which is the last, and counts the others', () => {
    const { findings, lines } = bench(2);
    for (const id of ['A', 'A', 'B', 'A', 'A']) findings.error(id, () => 'is wrong');
    expect(lines).to.deep.equal(['A is wrong', 'A is wrong (further A are only counted)', 'B is wrong']);
    expect([findings.count('A'), findings.count('B'), findings.count('C')]).to.deep.equal([4, 1, 0]);
  });

  it('builds no text that it does not show', () => {
    const { findings } = bench();
    let built = 0;
    for (let i = 0; i < 1000; i++) findings.error('A', () => `${built++}`);
    expect(built).to.equal(SHOWN_PER_ID);
  });

  it('says at the end, once, how many it has not shown', () => {
    const { findings, lines } = bench(1);
    for (const id of ['A', 'A', 'A', 'B']) findings.error(id, () => 'is wrong');
    lines.length = 0;
    findings.summarise();
    findings.summarise();
    expect(lines).to.deep.equal(['A 2 more findings of this kind, 3 in all']);
  });
});
