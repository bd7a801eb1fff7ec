import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { expect } from 'chai';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');

interface Example {
  readonly title: string;
  readonly code: string;
  /** Lines that must be printed in this order, others may come between. */
  readonly prints: readonly string[];
}

function examples(): Example[] {
  const text = readFileSync(join(ROOT, 'docs/uvm.md'), 'utf8');
  return [...text.matchAll(/```ts\n(.*?)```/gs)].map((match) => {
    const code = match[1] ?? '';
    const heading = text.slice(0, match.index).lastIndexOf('\n## ');
    const title = text.slice(heading + 4, text.indexOf('\n', heading + 4));
    return { title, code, prints: [...code.matchAll(/^\/\/ prints (.*)$/gm)].map((m) => m[1] ?? '') };
  });
}

async function printed(code: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'uvm-doc-'));
  const file = join(folder, 'example.mts');
  writeFileSync(file, code.replaceAll("'../uvm/", `'${pathToFileURL(join(ROOT, 'uvm')).href}/`));
  const lines: string[] = [];
  const log = console.log;
  console.log = (...args: unknown[]) => void lines.push(...format(...args).split('\n'));
  try {
    await import(pathToFileURL(file).href);
  } finally {
    console.log = log;
    rmSync(folder, { recursive: true });
  }
  return lines;
}

describe('docs/uvm.md', () => {
  for (const { title, code, prints } of examples()) {
    it(`has an example in "${title}" that prints what it says`, async () => {
      const lines = await printed(code);
      expect(prints).to.not.be.empty;
      let from = 0;
      for (const line of prints) {
        const at = lines.indexOf(line, from);
        expect(at, `"${line}" in:\n${lines.join('\n')}`).to.be.at.least(0);
        from = at + 1;
      }
    });
  }

  it('names every plusarg that the library reads', () => {
    const text = readFileSync(join(ROOT, 'docs/uvm.md'), 'utf8');
    const source = readFileSync(join(ROOT, 'uvm/cmdline/uvmArguments.ts'), 'utf8');
    const names = [...source.matchAll(/'((?:UVM|uvm_set)_\w+)'/g)].map((m) => m[1] as string);
    const families = names.filter((n) => !n.startsWith('uvm_set_config_') && !/^UVM_(NONE|MEDIUM)$/.test(n));
    for (const name of families) expect(text, name).to.contain(`+${name}`);
  });
});
