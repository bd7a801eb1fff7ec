import { expect } from 'chai';
import { ACTION } from '../../../../uvm/report/action.ts';
import { Reporter } from '../../../../uvm/report/reporter.ts';
import type { ReportMessage } from '../../../../uvm/report/reportMessage.ts';
import { SEVERITY } from '../../../../uvm/report/severity.ts';
import { UVM_DEBUG, UVM_HIGH, UVM_LOW, UVM_MEDIUM, UVM_NONE } from '../../../../uvm/report/verbosity.ts';

function reporter(): { r: Reporter; seen: ReportMessage[]; off: string[] } {
  const seen: ReportMessage[] = [];
  const off: string[] = [];
  const target = {
    clock: { now: 7 },
    process: (m: ReportMessage) => void seen.push(m),
    hasCatchers: false,
    switchedOff: (id: string) => void off.push(id),
  };
  return { r: new Reporter('top.a', target), seen, off };
}

describe('Reporter (1800.2 6.4)', () => {
  it('lets through what is not above its verbosity, UVM_MEDIUM by default', () => {
    const { r, seen } = reporter();
    for (const level of [UVM_NONE, UVM_LOW, UVM_MEDIUM, UVM_HIGH]) r.report(SEVERITY.info, 'ID', String(level), level);
    expect(seen.map((m) => m.text)).to.deep.equal(['0', '100', '200']);
  });

  it('treats one id apart, upwards and downwards', () => {
    const { r, seen } = reporter();
    r.setVerbosity(UVM_DEBUG, 'CHATTY');
    r.setVerbosity(UVM_NONE, 'QUIET');
    r.report(SEVERITY.info, 'CHATTY', 'a', UVM_DEBUG);
    r.report(SEVERITY.info, 'QUIET', 'b', UVM_LOW);
    r.report(SEVERITY.info, 'OTHER', 'c', UVM_HIGH);
    expect(seen.map((m) => m.text)).to.deep.equal(['a']);
    expect(r.threshold).to.equal(UVM_DEBUG);
  });

  it('lowers its threshold again when the default is lowered', () => {
    const { r } = reporter();
    r.setVerbosity(UVM_HIGH);
    r.setVerbosity(UVM_LOW);
    expect(r.threshold).to.equal(UVM_LOW);
  });

  it('lets no verbosity switch off warnings, errors and fatal messages', () => {
    const { r, seen, off } = reporter();
    r.setVerbosity(-1);
    r.setVerbosity(-5, 'ID');
    for (const severity of Object.values(SEVERITY)) r.report(severity, 'ID', 'text', UVM_NONE);
    expect(seen.map((m) => m.severity)).to.deep.equal([SEVERITY.warning, SEVERITY.error, SEVERITY.fatal]);
    r.report(SEVERITY.error, 'ID', 'of a higher verbosity by choice', UVM_LOW);
    expect(seen).to.have.length(3);
    expect(off).to.deep.equal([]);
  });

  it('tells of errors that an action or a lower severity takes away', () => {
    const { r, seen, off } = reporter();
    r.setAction(ACTION.none, SEVERITY.error, 'QUIET');
    r.setSeverityOverride(SEVERITY.error, SEVERITY.info, 'LOWERED');
    for (const id of ['QUIET', 'LOWERED', 'OTHER']) r.report(SEVERITY.error, id, 'text', UVM_NONE);
    r.setAction(ACTION.none, SEVERITY.warning);
    r.report(SEVERITY.warning, 'QUIET', 'text', UVM_NONE);
    expect(off).to.deep.equal(['QUIET', 'LOWERED']);
    expect(seen.map((m) => m.severity)).to.deep.equal([SEVERITY.info, SEVERITY.error]);
  });

  it('knows whether a setting for an id has met a message', () => {
    const { r } = reporter();
    r.setSeverityOverride(SEVERITY.error, SEVERITY.info, 'MET');
    r.setSeverityOverride(SEVERITY.error, SEVERITY.info, 'MTE');
    r.report(SEVERITY.error, 'MET', 'text', UVM_NONE);
    expect(r.idUsed('severity', 'MET', SEVERITY.error)).to.equal(true);
    expect(r.idUsed('severity', 'MTE', SEVERITY.error)).to.equal(false);
  });

  it('calls a text function only for a message that is shown', () => {
    const { r, seen } = reporter();
    let calls = 0;
    r.setAction(ACTION.none, SEVERITY.info, 'NEVER');
    r.report(SEVERITY.info, 'ID', () => `${++calls}`, UVM_HIGH);
    r.report(SEVERITY.info, 'NEVER', () => `${++calls}`, UVM_LOW);
    expect(calls).to.equal(0);
    r.report(SEVERITY.info, 'ID', () => `${++calls}`, UVM_LOW);
    expect(seen[0]?.text).to.equal('1');
  });

  it('prefers the action of severity and id to that of the id, and that to the one of the severity (6.3)', () => {
    const { r, seen } = reporter();
    r.setAction(ACTION.log, SEVERITY.error);
    r.setAction(ACTION.count, undefined, 'ID');
    r.setAction(ACTION.record, SEVERITY.error, 'ID');
    r.report(SEVERITY.error, 'ID', '', UVM_NONE);
    r.report(SEVERITY.warning, 'ID', '', UVM_NONE);
    r.report(SEVERITY.error, 'OTHER', '', UVM_NONE);
    expect(seen.map((m) => m.action)).to.deep.equal([ACTION.record, ACTION.count, ACTION.log]);
  });

  it('overrides a severity for all ids or one, and then uses the actions of the new severity', () => {
    const { r, seen } = reporter();
    r.setSeverityOverride(SEVERITY.error, SEVERITY.warning);
    r.setSeverityOverride(SEVERITY.error, SEVERITY.info, 'NOTE');
    r.report(SEVERITY.error, 'ID', '', UVM_NONE);
    r.report(SEVERITY.error, 'NOTE', '', UVM_NONE);
    expect(seen.map((m) => m.severity)).to.deep.equal([SEVERITY.warning, SEVERITY.info]);
    expect(seen[0]?.action).to.equal(ACTION.display);
  });

  it('asks the hook for messages with that action, which may suppress the rest', () => {
    const { r, seen } = reporter();
    r.setAction(ACTION.display | ACTION.callHook, SEVERITY.info);
    r.hook = (m) => m.id === 'KEEP';
    r.report(SEVERITY.info, 'KEEP', '', UVM_LOW);
    r.report(SEVERITY.info, 'DROP', '', UVM_LOW);
    expect(seen.map((m) => m.id)).to.deep.equal(['KEEP']);
  });
});
