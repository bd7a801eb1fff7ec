import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RegressionReporter } from '../../../../bin/many/report/regressionReporter.ts';
import { partingView } from '../../../../regress/page/partingView.ts';
import { readRegressions } from '../../../../regress/page/storedRegression.ts';
import type { RunFailure } from '../../../../regress/runRecord.ts';
import { aFailure, storeRegression } from '../../support/storedRegressions.ts';

const NS = 1000;

describe('A failed run on the page', () => {
  const failureOf = (against: RunFailure['against']): RunFailure => ({ time: 50 * NS, against }) as RunFailure;

  it('says where it parts from a healthy run, how long before the error, and what followed', () => {
    const view = partingView(
      failureOf({
        from: 'the run without +DUT_FAULT=x',
        why: '',
        here: null,
        there: { time: 20 * NS, text: 'ACK of PSN 7' },
        followed: [{ time: 60 * NS, text: 'completion 1', is: 'at another time', late: 10 * NS }],
        leftOut: 2,
      }),
    );
    expect(view?.when).to.match(/^30\S* ?ns before the error$/);
    expect(view?.rows.map(({ where, text }) => [where, text.replace(/\d+\S* ?ns/, 'T')])).to.deep.equal([
      ['first, here', 'nothing that differs'],
      ['first, there', 'ACK of PSN 7'],
      ['at another time', 'completion 1, T later than there'],
    ]);
    expect(view?.leftOut).to.match(/^2 lines/);
    expect(partingView(failureOf(null))).to.equal(undefined);
    const why = partingView(
      failureOf({ from: 'x', why: 'it ended early', here: null, there: null, followed: [], leftOut: 0 }),
    );
    expect([why?.why, why?.rows]).to.deep.equal(['it ended early', []]);
  });

  it('has its shrunk scenario with the line that plays it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parting-'));
    try {
      const shrunk = {
        scenario: 's.yaml',
        replay: './hca_test --scenario s.yaml',
        calls: 4,
        requests: 1,
        legal: 'it passes without the bug',
        ended: '',
      };
      storeRegression(folder, [
        aFailure('f/a', '[SCB_DATA] x', { cause: { page: '', accuses: [], decides: '', shrunk } }),
      ]);
      const path = join(folder, 'report.html');
      expect(new RegressionReporter(readRegressions(folder), { pageFolder: folder }).writePage(path)).to.equal(
        undefined,
      );
      const page = readFileSync(path, 'utf8');
      expect(page)
        .to.contain('Shrunk scenario')
        .and.to.contain('1 request, 4 calls. Legal: it passes without the bug.');
      expect(page).to.contain('hca_test --scenario s.yaml</code>');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
