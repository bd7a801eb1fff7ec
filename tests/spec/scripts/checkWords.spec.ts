import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const CHECK = fileURLToPath(new URL('../../../scripts/checks/check-words.mjs', import.meta.url));
/** In words of the list, put together here so that no reader of this file takes them for text. */
const [BROKEN_OFF, DEAD] = ['broken off', 'dead'];

describe('the check of words', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'words-'));
    write('README.md', 'One run.\n');
    write('docs/notes.md', `A run is ${BROKEN_OFF}.\n`);
    mkdirSync(join(root, 'scripts/checks'), { recursive: true });
    check('--lower');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }

  function check(...flags: string[]): { status: number | null; text: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK, '--root', root, ...flags], {
      encoding: 'utf8',
    });
    return { status, text: `${stderr}${stdout}` };
  }

  it('lets what the baseline has stand, also in a file that was moved', () => {
    expect(check()).to.deep.equal({ status: 0, text: 'words: 1 of the baseline left, 0 problems\n' });
    mkdirSync(join(root, 'docs/room'));
    renameSync(join(root, 'docs/notes.md'), join(root, 'docs/room/notes.md'));
    expect(check().status).to.equal(0);
  });

  it('finds one word more in a page and in a message, with file, line and what to write', () => {
    write('README.md', `One run.\nIt is broken\noff, \`${DEAD}\`.\n`);
    write(
      'env/a.ts',
      `import '${DEAD}';\nexport const text = (n: number) => \`queue pair \${n} is ${DEAD}\`; // ${DEAD}\n`,
    );
    const { status, text } = check();
    expect(status).to.equal(1);
    expect(text).to.match(/^README\.md:2: "broken off": write "abort" \(1 in this file, 0 allowed\)$/m);
    expect(text).to.match(/^env\/a\.ts:2: "dead": write /m);
    expect(text).to.match(/2 problems\n$/);
  });

  it('asks for a lower baseline where words were removed, and never raises the baseline', () => {
    write('docs/notes.md', 'A run is aborted.\n');
    expect(check().text).to.match(/^words: lower the baseline: .* \(1 to 0\)$/m);
    expect(check('--lower').status).to.equal(0);
    write('docs/notes.md', `A run is ${BROKEN_OFF}.\n`);
    expect(check().status).to.equal(1);
    expect(check('--lower')).to.deep.include({ status: 1 });
  });
});
