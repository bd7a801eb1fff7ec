import { expect } from 'chai';
import { Component } from '../../../../uvm/base/component.ts';
import { Factory } from '../../../../uvm/base/factory.ts';
import { ACTION } from '../../../../uvm/report/action.ts';
import { type ErrorSink, Findings, SHOWN_PER_ID } from '../../../../uvm/report/findings.ts';
import { SEVERITY } from '../../../../uvm/report/severity.ts';
import { Run } from '../../../../uvm/run.ts';

class Monitor extends Component {}

describe('Findings', () => {
  function bench(limit?: number): { findings: Findings; lines: string[]; counted: string[] } {
    const lines: string[] = [];
    const counted: string[] = [];
    const sink: ErrorSink = {
      error: (id, text) => lines.push(`${id} ${text}`),
      countError: (id) => counted.push(id),
      errorNote: (id, text) => lines.push(`${id} note: ${text}`),
    };
    return { findings: new Findings(sink, limit), lines, counted };
  }

  function component(): { run: Run; findings: Findings; lines: string[] } {
    const lines: string[] = [];
    const run = new Run({ seed: 1, testName: 't', factory: new Factory(), sink: (line) => lines.push(line) });
    return { run, findings: new Findings(new Monitor('monitor', run)), lines };
  }

  it('shows as many of each id as the limit says, tells which is the last, and counts the others', () => {
    const { findings, lines, counted } = bench(2);
    for (const id of ['A', 'A', 'B', 'A', 'A']) findings.error(id, () => 'is wrong', []);
    expect(lines).to.deep.equal(['A is wrong', 'A is wrong (further A are only counted)', 'B is wrong']);
    expect(counted).to.deep.equal(['A', 'A']);
    expect([findings.count('A'), findings.count('B'), findings.count('C')]).to.deep.equal([4, 1, 0]);
  });

  it('builds no text that it does not show', () => {
    const { findings } = bench();
    let built = 0;
    for (let i = 0; i < 1000; i++) findings.error('A', () => `${built++}`, []);
    expect(built).to.equal(SHOWN_PER_ID);
  });

  it('says at the end, once, how many it has not shown', () => {
    const { findings, lines } = bench(1);
    for (const id of ['A', 'A', 'A', 'B']) findings.error(id, () => 'is wrong', []);
    lines.length = 0;
    findings.summarise();
    findings.summarise();
    expect(lines).to.deep.equal(['A note: 2 more findings of this kind, 3 in all']);
  });

  it('counts those it does not show in the report summary, and the line about them not at all', () => {
    const { run, findings, lines } = component();
    for (let i = 0; i < 184; i++) findings.error('SCB_DATA', () => 'is wrong', []);
    findings.summarise();
    expect([run.reports.severityCount(SEVERITY.error), run.reports.idCount('SCB_DATA')]).to.deep.equal([184, 184]);
    expect(lines).to.have.length(SHOWN_PER_ID + 1);
    expect(lines.at(-1)).to.contain('UVM_ERROR').and.to.contain('164 more findings of this kind, 184 in all');
  });

  it('ends the run at the quit count, also where the finding that reaches it is not shown', () => {
    const { run, findings } = component();
    run.reports.setMaxQuitCount(50);
    for (let i = 0; i < 49; i++) findings.error('A', () => 'is wrong', []);
    expect(run.reports.exitReason).to.equal(undefined);
    findings.error('A', () => 'is wrong', []);
    expect([run.reports.exitReason, run.reports.quitCount]).to.deep.equal(['quit-count', 50]);
  });

  it('shows the texts of all to catchers, whose decision counts for those that are not shown too', () => {
    const { run, findings } = component();
    run.reports.addCatcher({ name: 'known', catch: (m) => (m.text.includes('known') ? 'caught' : 'throw') });
    for (let i = 0; i < 100; i++) findings.error('A', () => 'is known', []);
    findings.error('A', () => 'is new', []);
    expect([run.reports.severityCount(SEVERITY.error), run.reports.catcherCounts.caught[SEVERITY.error]]).to.deep.equal(
      [1, 100],
    );
  });

  it('counts each as switched off where report settings switch the id off', () => {
    const { run, findings, lines } = component();
    run.reports.reporter('monitor').setAction(ACTION.none, SEVERITY.error, 'A');
    for (let i = 0; i < 30; i++) findings.error('A', () => 'is wrong', []);
    findings.summarise();
    expect([lines.length, run.reports.switchedOffCounts().get('A')]).to.deep.equal([0, 30]);
  });
});
