/** Plays inputs in this process, one after another, each in a folder of its own; started and watched by `main.ts`. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import * as hcaTest from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { boundedPlay } from './boundedPlay.ts';
import type { HostileInput } from './hostileInputs.ts';
import type { Outcome } from './oracle.ts';

const registry = await loadRegistry();

process.on('message', (input: HostileInput) => void played(input).then((outcome) => process.send?.(outcome)));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function played({ program, argv, files }: HostileInput): Promise<Outcome> {
  const around = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const folder = join(around, 'here');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  process.chdir(folder);
  const out = new CapturedOutput();
  const start = process.cpuUsage();
  let code: number | undefined;
  try {
    const common = { registry, out, err: out };
    code =
      program === 'hca_test'
        ? await hcaTest.main(argv, { ...common, play: boundedPlay, env: {} })
        : await hcaRegress.main(argv, common);
  } catch (error) {
    out.line(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const { user, system } = process.cpuUsage(start);
  const made = madeIn(around, folder, files);
  process.chdir(tmpdir());
  rmSync(around, { recursive: true, force: true });
  return { code, text: out.text, ms: (user + system) / 1000, made };
}

function madeIn(around: string, folder: string, files: HostileInput['files']): string[] {
  const beside = readdirSync(around).filter((name) => name !== 'here');
  const given = new Set(Object.keys(files).map((name) => name.split('/')[0]));
  return [...beside.map((name) => `../${name}`), ...readdirSync(folder).filter((name) => !given.has(name))];
}
