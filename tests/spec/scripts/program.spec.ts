import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const PROGRAM = fileURLToPath(new URL('../../../scripts/start/program.cjs', import.meta.url));
/** What `bundle.mjs` makes: a function around the modules. */
const TEXT = `(function (module, exports, require, __filename) {
  exports.main = (text) => { if (text === 'fail') throw new Error('why'); return text + ' ' + require('node:path').basename(__filename); };
})`;
/** Line 2 of the text comes from line 7 of a source. */
const MAP = { version: 3, sources: ['../a/source.ts'], names: [], mappings: ';AAMA' };

describe('a packed program', () => {
  let folder = '';
  let file = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'program-'));
    file = join(folder, 'x.bundle');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** In a process of its own: loading changes flags of the engine and how errors are printed. */
  function run(body: string): string {
    const names = `{ loadProgram, packProgram } = require(${JSON.stringify(PROGRAM)})`;
    const values = `const file = ${JSON.stringify(file)}, text = ${JSON.stringify(TEXT)};`;
    const script = `const ${names}, { writeFileSync } = require("node:fs"); ${values}\n${body}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    return `${stdout}${stderr}`.trim();
  }

  const PACK = `writeFileSync(file, packProgram(text, new Uint8Array(0)));`;
  const CACHE = `{ const { script, text } = loadProgram(file); writeFileSync(file, packProgram(text, script.createCachedData())); }`;

  it('is loaded without a code cache, and with its own', () => {
    expect(run(`${PACK} console.log(loadProgram(file).exports.main('hello'));`)).to.equal('hello x.bundle');
    run(CACHE);
    const again = `const p = loadProgram(file); console.log(p.exports.main('hello'), p.script.cachedDataRejected);`;
    expect(run(again)).to.equal('hello x.bundle false');
  });

  it('is loaded in spite of a code cache of another engine', () => {
    run(`${PACK} ${CACHE}`);
    const packed = readFileSync(file);
    packed.fill(0x55, packed.readUInt32LE(0) + 4, packed.readUInt32LE(0) + 24);
    writeFileSync(file, packed);
    const again = `const p = loadProgram(file); console.log(p.exports.main('hello'), p.script.cachedDataRejected);`;
    expect(run(again)).to.equal('hello x.bundle true');
  });

  it('names source files in stack traces', () => {
    writeFileSync(`${file}.map`, JSON.stringify(MAP));
    const text = run(
      `${PACK} try { loadProgram(file).exports.main('fail'); } catch (error) { console.log(error.stack); }`,
    );
    expect(text).to.match(/^Error: why\n {4}at .*source\.ts:7:1\)\n {4}at \[eval\]/);
  });

  it('is undefined when it was never built', () => {
    expect(run(`console.log(loadProgram(file));`)).to.equal('undefined');
  });
});
