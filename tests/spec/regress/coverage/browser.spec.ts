/** The page of coverage in a browser. Needs Chromium, `apt-get install chromium`; skipped where there is none. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type OpenPage, PageOpener } from '../../support/chromium.ts';
import { analyse } from '../../../../regress/coverage/analysis.ts';
import { NO_EXCLUSIONS } from '../../../../regress/coverage/exclusions.ts';
import { coveragePage } from '../../../../regress/coverage/export/page.ts';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { FAULTS, hitting, runNamed, TRAFFIC } from './databases.ts';

/** Faults are covered, of traffic one operation, one size, and the two together. */
const DATABASE = databaseOf(
  [TRAFFIC, FAULTS],
  [runNamed('a', { hits: { ...hitting(TRAFFIC, { 0: 1, 4: 1, 7: 1 }), ...hitting(FAULTS, { 0: 2, 1: 2 }) } })],
);

describe('The page of coverage in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  let opener: PageOpener | undefined;
  let opened: OpenPage;
  let page: Page;

  before(async function () {
    opener = await PageOpener.start(this);
    const file = join(folder, 'coverage.html');
    const asked = { holes: true, rank: 'events', only: undefined } as const;
    const options = { title: 'Coverage of nightly', written: new Date('2026-01-02T03:04:05Z'), top: 100 };
    writeFileSync(file, coveragePage(analyse(DATABASE, NO_EXCLUSIONS, asked), options));
    opened = await opener.open(file);
    page = opened.page;
  });

  after(async () => {
    await opener?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows total, groups, holes and ranking, loads nothing, and breaks no rule of its content policy', async () => {
    expect(await page.title()).to.equal('Coverage of nightly');
    expect(await page.locator('header p').innerText()).to.match(/^coverage: 5 of 16 bins, 31\.25 %/);
    expect(await page.locator('details.group').count()).to.equal(2);
    expect(await page.locator('h2').allInnerTexts()).to.satisfy((heads: string[]) =>
      ['Groups', 'Holes: 11'].every((head) => heads.includes(head)),
    );
    expect(opened.requests).to.have.length(1);
    expect(opened.complaints).to.deep.equal([]);
  });

  it('opens a group down to its bins, and shows a cross as a grid of hits and holes', async () => {
    await page.locator('details.group[data-name="traffic_cg"] > summary').click();
    const cross = page.locator('details.item', { hasText: 'op_x_size' });
    await cross.locator('summary').click();
    expect(await cross.locator('table.grid').isVisible()).to.equal(true);
    expect(await cross.locator('td.hit').count()).to.equal(1);
    expect(await cross.locator('td.hole').count()).to.be.above(0);
  });

  it('shows only groups of a name, and only what is not covered', async () => {
    await page.locator('#filter').fill('faults_cg');
    expect(await shown(page)).to.deep.equal(['faults_cg']);
    await page.locator('#filter').fill('');
    await page.locator('#open').check();
    expect(await shown(page)).to.deep.equal(['traffic_cg']);
  });
});

async function shown(page: Page): Promise<readonly (string | null)[]> {
  const groups = await page.locator('details.group').all();
  const visible = await Promise.all(groups.map(async (group) => ((await group.isVisible()) ? group : undefined)));
  return Promise.all(visible.filter((group) => group !== undefined).map((group) => group.getAttribute('data-name')));
}
