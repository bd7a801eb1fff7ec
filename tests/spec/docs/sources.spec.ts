import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = [
  'agents',
  'bench',
  'bin',
  'docs',
  'dut-model',
  'env',
  'rdma',
  'regress',
  'scoreboard',
  'sequences',
  'tests',
  'uvm',
];
/** Written by runs, not read. */
const WRITTEN = ['failure.md', 'open-bins.md', 'notes.md', 'dumped-notes.md'];
const CITED = /([a-z][\w-]*\.md)(?![\w/-])/g;

describe('docs/sources.md', () => {
  const page = readFileSync(join(ROOT, 'docs/sources.md'), 'utf8');
  const pages = ['', 'docs', 'docs/examples'].flatMap((folder) => readdirSync(join(ROOT, folder)));
  const here = new Set([...WRITTEN, ...pages]);

  it('explains every document that a source file cites and that is not in the tree', () => {
    const unknown = new Set<string>();
    for (const file of sourceFiles()) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      for (const [, name] of text.matchAll(CITED))
        if (name !== undefined && !here.has(name) && !page.includes(`## ${name}:`)) unknown.add(`${file}: ${name}`);
    }
    expect([...unknown]).to.deep.equal([]);
  });
});

function sourceFiles(): string[] {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return found.filter((name) => /\.(?:ts|md)$/.test(name));
}
