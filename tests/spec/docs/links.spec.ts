import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Of text and of pictures; those of other sites are left alone. */
const LINK = /\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)/g;

describe('the pages', () => {
  it('link to files that are there', () => {
    const pages = ['README.md', 'CHANGELOG.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
    const broken = pages
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) => {
        const links = [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)].map(([, link = '']) => link);
        return links.filter((link) => !existsSync(join(ROOT, dirname(page), link))).map((link) => `${page}: ${link}`);
      });
    expect(broken).to.deep.equal([]);
  });

  it('are all in the navigation of the site', () => {
    const navigation = readFileSync(join(ROOT, 'scripts/site/.vitepress/config.mjs'), 'utf8');
    const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const missing = names.filter((name) => !navigation.includes(`'${name.replace(/\.md$/, '')}'`));
    expect(missing).to.deep.equal([]);
  });
});
