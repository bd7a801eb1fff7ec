import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { indexPage } from '../../../bin/explain/indexPage.ts';

const PAGE = new URL('../../../docs/find.md', import.meta.url);

describe('docs/find.md', () => {
  it('has every report id, plusarg and flag; UPDATE_DOCS=1 writes it again', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, indexPage());
    expect(readFileSync(PAGE, 'utf8')).to.equal(indexPage());
    expect(indexPage())
      .to.match(/`SCB_DATA`/)
      .and.to.match(/`\+PMTU`/)
      .and.to.match(/`--shrink <run\.json>`/);
  });
});
