import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { CompiledFolder } from '../../../regress/pool/player.ts';

interface TestFolders {
  compileTestFolder(place: Record<string, unknown>): Promise<CompiledFolder>;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/build/testFolder.mjs';
const { compileTestFolder } = (await import(path)) as TestFolders;
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('a folder of tests outside of the project', () => {
  let folder = '';
  let said: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }

  /** `own` of the folder, as if the program ran from its sources. */
  async function compile(own = 'own'): Promise<CompiledFolder> {
    said = [];
    const say = (line: string): void => void said.push(line);
    const cache = join(folder, 'cache');
    return await compileTestFolder({ root, folder: join(folder, own), fromSource: true, cache, say });
  }

  const problem = (own?: string): Promise<string> =>
    compile(own).then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('says which folder below it cannot be read', async function () {
    // Root reads everything.
    if (process.getuid?.() === 0) this.skip();
    mkdirSync(join(folder, 'sub'), { mode: 0 });
    const refused = await compileTestFolder({ root, folder, fromSource: true, say: () => {} }).catch(String);
    expect(refused).to.match(/\/sub cannot be read: .*; name the folder of the tests alone/);
  });

  it('is compiled to modules that share those of the project and each other, and import what lies beside it', async () => {
    write(
      'own/a.ts',
      `import { US } from 'rnic-verify/uvm';\nexport { count } from './in/b.ts';\nexport const time = US;`,
    );
    write('own/in/b.ts', `import { first } from '../../beside.ts';\nexport const count = { first };`);
    write('own/c.ts', `import { count } from './in/b.ts';\nexport const same = count;`);
    write('own/x.spec.ts', 'wrong');
    write('own/node_modules/p/q.ts', 'wrong');
    write('beside.ts', 'export const first: number = 1;');
    const { modules, output, sha256 } = await compile();
    expect(modules).to.deep.equal(['a', 'c', 'in/b']);
    const load = (name: string): Promise<Record<string, unknown>> =>
      import(pathToFileURL(join(output, `${name}.mjs`)).href);
    const [a, c] = [await load('a'), await load('c')];
    expect([a['time'], a['count']]).to.deep.equal([1_000_000, { first: 1 }]);
    expect(c['same'], 'one instance').to.equal(a['count']);
    expect(readFileSync(join(output, 'a.mjs'), 'utf8')).to.contain(`"${pathToFileURL(join(root, 'api/uvm.ts')).href}"`);

    expect(await compile(), 'nothing has changed').to.deep.include({ output, sha256 });
    expect(said).to.deep.equal([]);
    write('beside.ts', 'export const first: number = 2;');
    const changed = await compile();
    expect(said).to.have.length(1);
    expect([changed.sha256 === sha256, changed.output === output, existsSync(output)]).to.deep.equal([
      false,
      false,
      true,
    ]);
    write('beside.ts', 'export const first: number = 1;');
    expect((await compile()).sha256, 'by content').to.equal(sha256);
  });

  it('is refused with what the compiler has found, and again as long as nothing is mended', async () => {
    write('own/a.ts', 'export const wrong: number = "a";\n');
    for (let i = 0; i < 2; i++)
      expect(await problem()).to.match(
        /^1 type error in 1 file:\n {2}\S*own\/a\.ts:1:14: Type 'string' is not assignable/,
      );
    write('own/a.ts', `import { no } from 'rnic-verify/uvm/kernel/none.ts';\nexport const a = no;\n`);
    expect(await problem()).to.match(/a\.ts:1:20: Cannot find module 'rnic-verify\/uvm\/kernel\/none\.ts'/);
    write('own/a.ts', 'export const right: number = 1;\n');
    expect(await problem()).to.equal('none');
  });

  it('is not compiled where nothing can be kept', async () => {
    write('own/a.ts', 'export const right: number = 1;\n');
    write('cache', '');
    expect(await problem()).to.match(/^cannot be compiled: .*cache cannot be written; set XDG_CACHE_HOME/);
  });

  it('must be there, be a folder with sources, and not be one of the project', async () => {
    expect(await problem('none')).to.equal('there is no such folder');
    write('file', '');
    expect(await problem('file')).to.match(/^is no folder/);
    write('empty/notes.txt', '');
    expect(await problem('empty')).to.equal('has no .ts files');
    symlinkSync(join(root, 'sequences/library'), join(folder, 'library'));
    expect(await problem('library')).to.match(/^is a folder of the project itself/);
  });
});
