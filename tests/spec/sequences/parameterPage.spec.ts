import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { resolveParameters } from '../../../config/parameters.ts';
import { parameterPage } from '../../../config/parameterPage.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';

const PAGE = new URL('../../../docs/parameters.md', import.meta.url);

describe('docs/parameters.md', () => {
  it('is what the table says; UPDATE_DOCS=1 writes it again', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, parameterPage());
    expect(readFileSync(PAGE, 'utf8')).to.equal(parameterPage());
  });

  it('says how much data a run may have in all, as the check of the parameters does', () => {
    const line = '+RC_QP_NUM=6 +WRITE_WQE_NUM=1 +DATA_CNT=896 +DATA_UNIT=MB';
    const { problems } = resolveParameters(new Plusargs(line.split(' ')), 'test_direct_param', 1);
    const most = Number(/memory holds 0\.\.(\d+)/.exec(problems.join())?.[1]);
    const page = parameterPage();
    expect(page).to.match(/\+DATA_CNT.*received data of all queue pairs of all hosts in a run: 3\.5 GiB/);
    expect(page).to.contain('| received data of all queue pairs of all hosts are at most 3.5 GiB |');
    expect(most).to.equal(3.5 * 2 ** 30);
  });
});
