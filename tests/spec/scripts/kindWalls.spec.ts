import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { nicCatalogText, writeNicCatalog } = (await import(
  new URL('../../../scripts/build/nicCatalog.mjs', import.meta.url).href
)) as { nicCatalogText: (root: string) => string; writeNicCatalog: (root: string) => void };

/** Kinds of one file a part: what each imports. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'rdma/verbs.ts': [],
  'env/nicKind.ts': [],
  'scoreboard/judge.ts': [],
  'dut-model/nic.ts': [],
  'dut-model/roce/psn.ts': [],
  'dut-model/old/layout/index.ts': ['rdma/verbs.ts'],
  'dut-model/old/model/index.ts': ['dut-model/nic.ts', 'dut-model/roce/psn.ts', 'dut-model/old/layout/index.ts'],
  'dut-model/old/model/core.ts': [],
  'dut-model/old/driver/index.ts': ['env/nicKind.ts', 'dut-model/old/layout/index.ts'],
  'dut-model/old/judge/rule.ts': ['scoreboard/judge.ts', 'dut-model/old/layout/index.ts'],
  'dut-model/young/model/nic.ts': ['dut-model/old/model/index.ts', 'dut-model/old/layout/index.ts'],
  'dut-model/young/driver/driver.ts': ['dut-model/old/driver/index.ts'],
  'dut-model/young/bugs/bug.ts': ['dut-model/young/model/nic.ts', 'dut-model/young/driver/driver.ts'],
  'dut-model/other/model/nic.ts': [],
};
const ENTRIES: Readonly<Record<string, string>> = {
  old: "name: 'old',",
  young: "name: 'young',\n  base: 'old',",
  other: "name: 'other',",
};

/** One wrong import each, and the wall that it breaks. */
const WRONG: readonly (readonly [from: string, to: string, wall: string])[] = [
  ['dut-model/old/layout/index.ts', 'dut-model/nic.ts', 'layout-of-old'],
  ['dut-model/old/model/core.ts', 'dut-model/old/driver/index.ts', 'model-of-old'],
  ['dut-model/old/model/core.ts', 'env/nicKind.ts', 'model-of-old'],
  ['dut-model/old/driver/index.ts', 'dut-model/old/model/core.ts', 'driver-of-old'],
  ['dut-model/old/judge/rule.ts', 'dut-model/old/model/core.ts', 'judge-of-old'],
  ['dut-model/old/judge/rule.ts', 'dut-model/roce/psn.ts', 'judge-of-old'],
  ['dut-model/young/model/nic.ts', 'dut-model/old/model/core.ts', 'model-of-young'],
  ['dut-model/young/driver/driver.ts', 'dut-model/old/model/index.ts', 'driver-of-young'],
  ['dut-model/young/bugs/bug.ts', 'dut-model/old/judge/rule.ts', 'bugs-of-young'],
  ['dut-model/other/model/nic.ts', 'dut-model/old/model/index.ts', 'model-of-other'],
  ['env/nicKind.ts', 'dut-model/old/driver/index.ts', 'no-arrow-up'],
  ['rdma/verbs.ts', 'dut-model/old/layout/index.ts', 'no-arrow-up'],
];

describe('the walls of a kind of NIC', function () {
  this.timeout(60_000);
  let root = '';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'walls-'));
    write('tsconfig.json', readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
    for (const [file, imports] of Object.entries(FILES)) write(file, importing(file, imports));
    for (const [folder, fields] of Object.entries(ENTRIES))
      write(`dut-model/${folder}/entry.ts`, `export const ENTRY = {\n  ${fields}\n};\n`);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }

  function importing(file: string, imports: readonly string[]): string {
    const up = '../'.repeat(file.split('/').length - 1);
    return [...imports.map((path) => `import '${up}${path}';`), 'export const value = 1;\n'].join('\n');
  }

  /** `wall: from -> to` of everything that is refused. @param more files than the usual ones */
  function refused(more = 0): string[] {
    const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const folders = ['rdma', 'env', 'scoreboard', 'dut-model'];
    const config = join(ROOT, '.dependency-cruiser.cjs');
    const args = [program, '--config', config, '--output-type', 'json', ...folders];
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const { summary } = JSON.parse(run.stdout) as { summary: Summary };
    expect(summary.totalCruised).to.equal(Object.keys(FILES).length + Object.keys(ENTRIES).length + more);
    return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  }

  it('let through what its parts may import, and of its base the indexes', () => {
    expect(refused()).to.deep.equal([]);
  });

  it('refuse every other import between rooms and kinds, and a room that no kind has', () => {
    const loose = 'dut-model/other/loose.ts';
    write(loose, importing(loose, ['rdma/verbs.ts']));
    for (const [from] of WRONG) {
      const wrong = WRONG.filter(([file]) => file === from).map(([, to]) => to);
      write(from, importing(from, [...(FILES[from] ?? []), ...wrong]));
    }
    const walls = WRONG.map(([from, to, wall]) => `${wall}: ${from} -> ${to}`);
    expect(refused(1)).to.include.members([...walls, `a-kind-has-five-rooms: ${loose} -> rdma/verbs.ts`]);
  });
});

interface Summary {
  readonly totalCruised: number;
  readonly violations: readonly {
    readonly rule: { readonly name: string };
    readonly from: string;
    readonly to: string;
  }[];
}

describe('the index of the kinds of NIC that ship', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kinds-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function entry(folder: string, fields: string): void {
    mkdirSync(join(root, 'dut-model', folder), { recursive: true });
    writeFileSync(join(root, 'dut-model', folder, 'entry.ts'), `export const ENTRY = {\n  ${fields}\n};\n`);
  }

  it('is what the build would write', () => {
    expect(readFileSync(join(ROOT, 'dut-model/nicCatalog.ts'), 'utf8')).to.equal(nicCatalogText(ROOT));
  });

  it('takes a new folder in, behind the kind of runs that name none', () => {
    entry('hangu', "name: 'hangu',");
    entry('a-card', "name: 'card',\n  base: 'hangu',");
    writeNicCatalog(root);
    const text = readFileSync(join(root, 'dut-model/nicCatalog.ts'), 'utf8');
    expect(text).to.contain("import { ENTRY as aCard } from './a-card/entry.ts';");
    expect(text).to.contain('= [hangu, aCard];');
  });

  it('refuses a base that is no kind, and says which there are', () => {
    entry('hangu', "name: 'hangu',");
    entry('mine', "name: 'mine',\n  base: 'hangy',");
    const message = "dut-model/mine/entry.ts: base 'hangy' is no kind of NIC; known: hangu, mine";
    expect(() => nicCatalogText(root)).to.throw(message);
  });
});
