import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ACTION } from '../../../../uvm/report/action.ts';
import { FatalStop } from '../../../../uvm/report/fatalStop.ts';
import { FileSink } from '../../../../uvm/report/fileSink.ts';
import type { CatchResult, ReportCatcher } from '../../../../uvm/report/reportCatcher.ts';
import type { ReportMessage } from '../../../../uvm/report/reportMessage.ts';
import { ReportServer } from '../../../../uvm/report/reportServer.ts';
import { SEVERITY } from '../../../../uvm/report/severity.ts';
import { UVM_LOW, UVM_NONE } from '../../../../uvm/report/verbosity.ts';

function server(now = 0): { s: ReportServer; lines: string[]; exits: string[] } {
  const lines: string[] = [];
  const exits: string[] = [];
  const s = new ReportServer({ now }, (line) => lines.push(line));
  s.onExit = (reason) => exits.push(reason);
  return { s, lines, exits };
}

function error(s: ReportServer, id = 'E', text = 'bad'): void {
  s.reporter('top').report(SEVERITY.error, id, text, UVM_NONE);
}

describe('ReportServer (1800.2 6.5)', () => {
  it('prints severity, time in ns, path, context and id in the form that tools look for', () => {
    const { s, lines } = server(1_250_500);
    s.reporter('top.env').report(SEVERITY.info, 'ID', 'hello', UVM_LOW);
    s.reporter('top.sqr').report(SEVERITY.warning, 'ID', 'there', UVM_NONE, 'seq.child');
    expect(lines).to.deep.equal([
      'UVM_INFO @ 1250.5ns: top.env [ID] hello',
      'UVM_WARNING @ 1250.5ns: top.sqr@@seq.child [ID] there',
    ]);
  });

  it('ends the run once the quit count is reached, without unwinding the reporter of the error', () => {
    const { s, exits } = server();
    s.setMaxQuitCount(2);
    error(s);
    expect(exits).to.deep.equal([]);
    error(s);
    error(s);
    expect(exits).to.deep.equal(['quit-count']);
  });

  it('counts no further once the limit is reached, though it prints what the same instant still reports', () => {
    const { s, lines } = server();
    s.setMaxQuitCount(2);
    for (let i = 0; i < 4; i++) error(s);
    expect([s.quitCount, s.severityCount(SEVERITY.error), lines.length]).to.deep.equal([2, 4, 4]);
    expect(s.summary()).to.contain('Quit count reached!\nQuit count :     2 of     2');
  });

  it('keeps a quit count that was set as not overridable', () => {
    const { s } = server();
    s.setMaxQuitCount(5, false);
    s.setMaxQuitCount(1);
    expect(s.maxQuitCount).to.equal(5);
  });

  it('counts no error whose action has no COUNT', () => {
    const { s, exits } = server();
    s.setMaxQuitCount(1);
    s.reporter('top').setAction(ACTION.display, SEVERITY.error, 'KNOWN');
    error(s, 'KNOWN');
    expect([s.quitCount, s.severityCount(SEVERITY.error), exits.length]).to.deep.equal([0, 1, 0]);
  });

  it('ends the run on a fatal message and unwinds its caller', () => {
    const { s, exits } = server();
    expect(() => s.reporter('top').report(SEVERITY.fatal, 'F', 'dead', UVM_NONE)).to.throw(FatalStop, 'dead');
    expect(exits).to.deep.equal(['fatal']);
  });

  it('ends the run on an action EXIT of a lesser severity without unwinding', () => {
    const { s, exits } = server();
    s.reporter('top').setAction(ACTION.display | ACTION.exit, SEVERITY.warning);
    s.reporter('top').report(SEVERITY.warning, 'W', '', UVM_NONE);
    expect(exits).to.deep.equal(['exit-action']);
  });

  it('lets a catcher demote, change or drop a message, and counts that', () => {
    const { s, lines } = server();
    s.addCatcher({
      name: 'demote',
      catch: (m) => {
        if (m.id === 'DROP') return 'caught';
        m.severity = SEVERITY.info;
        m.action = ACTION.display;
        m.text += ' (known)';
        return 'throw';
      },
    });
    error(s);
    error(s, 'DROP');
    expect(lines).to.deep.equal(['UVM_INFO @ 0ns: top [E] bad (known)']);
    expect([s.quitCount, s.severityCount(SEVERITY.error)]).to.deep.equal([0, 0]);
    expect(s.summary()).to.match(/Number of demoted UVM_ERROR reports :\s+1/);
    expect(s.summary()).to.match(/Number of caught UVM_ERROR reports {2}:\s+1/);
  });

  it('stops asking catchers after removal and after the one that caught', () => {
    const { s } = server();
    const asked: string[] = [];
    const catcher = (name: string, result: CatchResult): ReportCatcher => ({
      name,
      catch: () => {
        asked.push(name);
        return result;
      },
    });
    const first = catcher('first', 'caught');
    s.addCatcher(first);
    s.addCatcher(catcher('second', 'throw'));
    error(s);
    s.removeCatcher(first);
    error(s);
    expect(asked).to.deep.equal(['first', 'second']);
  });

  it('writes to a file what has the action LOG, also when it is not displayed', () => {
    const { s, lines } = server();
    const file: string[] = [];
    const r = s.reporter('top');
    r.setFile((line) => file.push(line));
    r.setAction(ACTION.log, SEVERITY.info);
    r.report(SEVERITY.info, 'ID', 'to file', UVM_LOW);
    expect([lines.length, file]).to.deep.equal([0, ['UVM_INFO @ 0ns: top [ID] to file']]);
  });

  it('hands messages to listeners after overrides, and to recorders by action', () => {
    const { s } = server();
    const heard: ReportMessage[] = [];
    const recorded: ReportMessage[] = [];
    s.onMessage((m) => heard.push(m));
    s.onRecord((m) => recorded.push(m));
    s.reporter('top').setSeverityOverride(SEVERITY.error, SEVERITY.warning);
    s.reporter('top').setAction(ACTION.record, undefined, 'REC');
    error(s);
    error(s, 'REC');
    expect(heard.map((m) => m.severity)).to.deep.equal([SEVERITY.warning, SEVERITY.warning]);
    expect(recorded.map((m) => m.id)).to.deep.equal(['REC']);
  });

  it('summarises counts by severity and id in the golden form', () => {
    const { s } = server();
    s.setMaxQuitCount(10);
    error(s, 'SCB_DATA');
    error(s, 'SCB_DATA');
    s.reporter('top').report(SEVERITY.info, 'DONE', '', UVM_LOW);
    expect(s.summary().split('\n')).to.deep.equal([
      '',
      '--- UVM Report Summary ---',
      '',
      'Quit count :     2 of    10',
      '** Report counts by severity',
      'UVM_INFO :    1',
      'UVM_WARNING :    0',
      'UVM_ERROR :    2',
      'UVM_FATAL :    0',
      '** Report counts by id',
      '[DONE]     1',
      '[SCB_DATA]     2',
      '',
    ]);
  });
});

describe('FileSink', () => {
  it('writes all lines in order and loses what comes after the close', () => {
    const folder = mkdtempSync(join(tmpdir(), 'uvm-sink-'));
    const sink = new FileSink(join(folder, 'log'));
    for (let i = 0; i < 20000; i++) sink.write(`line ${i}`);
    sink.close();
    sink.write('late');
    sink.close();
    const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n');
    rmSync(folder, { recursive: true });
    expect([lines.length, lines[0], lines[19999], lines[20000]]).to.deep.equal([20001, 'line 0', 'line 19999', '']);
  });
});
