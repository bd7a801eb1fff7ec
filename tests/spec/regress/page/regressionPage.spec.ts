/** The page of a regression, and the same in a browser. That needs Chromium, `apt-get install chromium`; skipped where there is none. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { RegressionReporter } from '../../../../bin/many/report/regressionReporter.ts';
import type { JobResult } from '../../../../regress/job.ts';
import { readRegressions } from '../../../../regress/page/storedRegression.ts';
import { type OpenPage, PageOpener } from '../../support/chromium.ts';
import { aResult } from '../../support/jobs.ts';
import { aFailure, aTimeLine, storeRegression, storeTimeLine } from '../../support/storedRegressions.ts';

/** What would be an element, an attribute, a request or the end of a script, if it came into the page as it is. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '"><svg onload=alert(3)>',
  "'><iframe src=https://example.invalid>",
  '<link rel=stylesheet href=https://example.invalid/a.css>',
  '</title></style><h1 id=planted>planted</h1>',
  '{{#failures}}{{{script}}}{{/failures}}',
  '<!--<script>',
  '&lt;b&gt;<b id=planted>',
  'javascript:alert(4)',
  ']]><meta http-equiv=refresh content="0;url=https://example.invalid">',
];

describe('The page of a regression', () => {
  const root = mkdtempSync(join(tmpdir(), 'report-'));
  const earlier = join(root, 'before');
  const now = join(root, 'now');

  const started = (i: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, i % 60)).toISOString();
  const passed = Array.from({ length: 900 }, (_, i) =>
    aResult({ id: `f/${i}`, seed: i, worker: i % 2, started: started(i) }),
  );
  const results: JobResult[] = [
    ...passed,
    aFailure('f/a', '[SCB_DATA] byte 3 differs'),
    aFailure('f/b', '[SCB_DATA] byte 17 differs'),
    aFailure('f/c', '[SCB_ORDER] completion 4 before completion 3'),
    ...HOSTILE.map((text, i) =>
      aFailure(`h/${i}`, `[SCB_LEN] ${text}`, {
        title: text,
        replay: text,
        cause: { page: text, accuses: [text], decides: text },
        unused: [text],
      }),
    ),
  ];

  before(() => {
    storeRegression(earlier, [
      ...passed,
      aFailure('f/a', '[SCB_DATA] byte 4 differs'),
      aFailure('f/b', '[WIRE_PSN] 5'),
    ]);
    storeRegression(now, results, { source: '<img src=x>' });
    for (const id of ['f/a', 'f/b']) storeTimeLine(now, id, aTimeLine());
    const [text] = HOSTILE;
    const marks = aTimeLine().marks.map((mark) => ({ ...mark, text: text as string }));
    storeTimeLine(now, 'h/0', aTimeLine({ marks, subject: HOSTILE }));
  });

  after(() => rmSync(root, { recursive: true, force: true }));

  const made = (): RegressionReporter =>
    new RegressionReporter(readRegressions(now), { base: readRegressions(earlier), pageFolder: now });

  it('says in Markdown what has come and gone since an earlier one, and no text of a run is more than text', () => {
    const text = made().markdown();
    expect(text).to.match(/^\*\*FAILED\*\*: 900 of 915 passed/);
    expect(text).to.contain('Still failing: 1:').and.to.contain('Gone: 1:').and.to.contain('**WIRE_PSN**');
    expect(text)
      .to.contain('\\<img src=x onerror=alert(1)\\>')
      .and.not.to.match(/(?<!\\)<(?!\/?code>)/);
  });

  describe('in a browser', () => {
    const file = join(now, 'report.html');
    let opener: PageOpener | undefined;
    let opened: OpenPage;
    let page: Page;

    before(async function () {
      opener = await PageOpener.start(this);
      expect(made().writePage(file)).to.equal(undefined);
      opened = await opener.open(file);
      page = opened.page;
    });

    after(async () => opener?.close());

    it('shows summary, signatures, failures, runs and workers, loads nothing, and breaks no rule of its policy', async () => {
      expect(await page.locator('header').innerText())
        .to.contain('FAILED')
        .and.to.contain('900 of 915 passed');
      expect(await page.locator('article.bucket').first().innerText()).to.match(/^2 SCB_DATA byte # differs/);
      expect(await page.locator('details.failure').count()).to.equal(15);
      expect(await page.locator('#run-table tbody tr').count()).to.equal(200);
      expect(await page.locator('#time svg').first().innerHTML()).to.contain('worker 1');
      expect(opened.requests).to.have.length(1);
      expect(opened.complaints).to.deep.equal([]);
      expect(statSync(file).size).to.be.below(1_000_000);
    });

    it('says which signatures are new, still fail and are gone', async () => {
      const heads = await page.locator('#comparison h3').allInnerTexts();
      expect(heads.map((head) => head.split(':')[0])).to.deep.equal(['New', 'Still failing', 'Gone']);
    });

    it('makes neither elements nor requests of hostile names', async () => {
      expect(await page.locator('img, iframe, link, meta[http-equiv=refresh], #planted').count()).to.equal(0);
      expect(await page.locator('script').count()).to.equal(2);
      await page.locator('#filter').fill('onerror=alert(1)');
      expect(await page.locator('#run-table tbody tr').innerText()).to.contain('<img src=x onerror=alert(1)>');
      expect(await page.locator('#run-table img').count()).to.equal(0);
      await page.locator('#filter').fill('');
    });

    it('shows runs of a text and of a verdict, sorted, and more of them when asked', async () => {
      const shown = page.locator('#shown');
      await page.locator('#filter').fill('f/89');
      expect(await shown.innerText()).to.equal('11 of 915 runs');
      await page.locator('#filter').fill('');
      await page.locator('#status').selectOption('failed');
      expect(await shown.innerText()).to.equal('15 of 915 runs');
      await page.locator('#status').selectOption('');
      await page.locator('[data-column="3"]').click();
      expect(await page.locator('#run-table tbody tr').first().innerText()).to.contain('f/899');
      await page.locator('#more').click();
      expect(await page.locator('#run-table tbody tr').count()).to.equal(915);
    });

    it('opens a failure by keys and by its link, with its time line and the links to its files', async () => {
      for (const key of ['j', 'j', 'k', 'o']) await page.keyboard.press(key);
      const open = page.locator('details.failure[open]');
      expect(await open.locator('svg.time-line').count()).to.equal(1);
      expect(await open.innerText()).to.contain('byte 3 differs');
      expect(await open.locator('a', { hasText: 'failure.md' }).getAttribute('href')).to.equal('./runs/f.a/failure.md');
      await page.locator('article.bucket a', { hasText: 'f/c' }).click();
      expect(await page.locator('details.failure[open]').count()).to.equal(2);
      await page.keyboard.press('a');
      expect(await page.locator('details.failure[open]').count()).to.equal(15);
      expect(opened.complaints).to.deep.equal([]);
    });
  });
});
