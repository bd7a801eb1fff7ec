/**
 * Makes what `npm pack` packs besides the build: declarations, the commit, and the bill of materials.
 *
 * Called by npm before it packs (`prepack`). Equal sources give equal files, so that two packings are equal byte by byte.
 */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureReady } from '../build/bootstrap.mjs';
import { writeBillOfMaterials } from './billOfMaterials.mjs';
import { writeCommit } from './commit.mjs';
import { writeDeclarations } from './declarations.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
ensureReady({ root });
writeDeclarations(root);
writeCommit(root);
writeBillOfMaterials(root);
