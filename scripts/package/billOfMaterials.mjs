/** Writes the bill of materials (SBOM) of what runs: the packages that are installed with this one, in CycloneDX. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BootstrapError } from '../build/bootstrapError.mjs';

const FILE = 'dist/sbom.cdx.json';

/**
 * By npm, from package-lock.json. Time and serial number are left out: both are optional, and differ each time.
 * @param {string} root project folder @throws BootstrapError when npm fails
 */
export function writeBillOfMaterials(root) {
  const { serialNumber, metadata, ...rest } = materialsOf(root);
  const { timestamp, tools, ...lasting } = metadata;
  writeFileSync(join(root, FILE), `${JSON.stringify({ ...rest, metadata: lasting }, undefined, 2)}\n`);
}

/**
 * From a lock file without what development needs: npm would leave out all that development needs as well. In a folder with
 * the name of the package, after which npm names it.
 * @param {string} root
 */
function materialsOf(root) {
  const scratch = mkdtempSync(join(tmpdir(), 'materials-'));
  try {
    const manifest = readJson(join(root, 'package.json'));
    const { devDependencies, scripts, ...needed } = manifest;
    const folder = join(scratch, manifest.name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(needed));
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify(runTimeLock(readJson(join(root, 'package-lock.json')))),
    );
    const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new BootstrapError(`no bill of materials: npm ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param {{ packages: Record<string, { dev?: boolean, devDependencies?: object }> }} lock */
function runTimeLock(lock) {
  const kept = Object.entries(lock.packages).filter(([, entry]) => entry.dev !== true);
  const { devDependencies, ...top } = lock.packages[''] ?? {};
  return { ...lock, packages: { ...Object.fromEntries(kept), '': top } };
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
