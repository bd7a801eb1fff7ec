import { expect } from 'chai';
import { ACTION, actionNames, parseActions } from '../../../../uvm/report/action.ts';
import { parseSeverity, SEVERITIES, severityName } from '../../../../uvm/report/severity.ts';
import { nearestVerbosity, parseVerbosity, verbosityName } from '../../../../uvm/report/verbosity.ts';

describe('names of report settings (1800.2 F.2.2)', () => {
  it('are read back as they are written', () => {
    for (const s of SEVERITIES) expect(parseSeverity(severityName(s))).to.equal(s);
    for (let bits = 0; bits < 128; bits++) expect(parseActions(actionNames(bits))).to.equal(bits);
    for (const v of [0, 100, 200, 300, 400, 500, 250]) expect(parseVerbosity(verbosityName(v))).to.equal(v);
  });

  it('accept short verbosity names in any case and any integer', () => {
    expect(parseVerbosity('high')).to.equal(300);
    expect(parseVerbosity('UVM_low')).to.equal(100);
    expect(parseVerbosity('-5')).to.equal(-5);
    expect(parseVerbosity('HIHG')).to.equal(undefined);
    expect(nearestVerbosity('HIHG')).to.deep.equal(['UVM_HIGH']);
  });

  it('reject a list with an unknown action', () => {
    expect(parseActions('UVM_DISPLAY|UVM_EXIT')).to.equal(ACTION.display | ACTION.exit);
    expect(parseActions('UVM_DISPLAY|UVM_QUIT')).to.equal(undefined);
  });
});
