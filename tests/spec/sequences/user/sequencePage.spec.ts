import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadRegistry } from '../../../../bin/registry.ts';
import { QP_TYPE } from '../../../../rdma/verbs.ts';
import { type SequenceEntry, sequencePage } from '../../../../sequences/user/sequencePage.ts';
import { UserSequence } from '../../../../sequences/user/userSequence.ts';

const PAGE = new URL('../../../../docs/sequences.md', import.meta.url);

describe('docs/sequences.md', () => {
  let entries: SequenceEntry[] = [];

  before(async () => {
    const { sequences, factory } = await loadRegistry();
    entries = sequences.flatMap(({ name, description, file }) => {
      const sequence = factory.createObject(name, name);
      const isShipped = file.startsWith('sequences/library/') && sequence instanceof UserSequence;
      return isShipped ? [{ name, description, services: sequence.services }] : [];
    });
  });

  it('is what the classes say; UPDATE_DOCS=1 writes it again', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, sequencePage(entries));
    expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').to.equal(sequencePage(entries));
  });

  it('names every sequence of the library, and says something about each', () => {
    const page = sequencePage(entries);
    expect(entries).to.have.length.above(30);
    for (const { name, description } of entries) {
      expect(description, name).to.not.equal('');
      expect(page).to.contain(`\n| \`${name}\` | ${description.split(';')[0]} | `);
    }
  });

  it('takes the parameters for all cases out of the description', () => {
    const description = 'this | that; +RC_QP_NUM=4 +UC_QP_NUM=2 plays all cases';
    const services = [QP_TYPE.rc, QP_TYPE.uc];
    expect(
      sequencePage([{ name: 'one', description, services }])
        .split('\n')
        .at(-2),
    ).to.equal('| `one` | this \\| that | RC, UC | `+RC_QP_NUM=4 +UC_QP_NUM=2` |');
  });
});
