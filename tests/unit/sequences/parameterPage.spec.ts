import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { parameterPage } from '../../../sequences/parameters/parameterPage.ts';

const PAGE = new URL('../../../docs/parameters.md', import.meta.url);

describe('docs/parameters.md', () => {
  it('is what the table says; UPDATE_DOCS=1 writes it again', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, parameterPage());
    expect(readFileSync(PAGE, 'utf8')).to.equal(parameterPage());
  });
});
