/** The `tsconfig.json` of a folder of tests: how an editor and `tsc` find the modules of the package. */

import { fileURLToPath } from 'node:url';
import { projectRoot } from '../versions.ts';

interface PackageNames {
  compilerPaths(root: string): Readonly<Record<string, readonly string[]>>;
}

/** As +TEST_PATH checks them; from an installed package `node_modules` says where its modules are. @param isInstalled the program runs from a package */
export async function compilerSettings(isInstalled: boolean): Promise<object> {
  const common = {
    target: 'ES2023',
    lib: ['ES2023'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  return { compilerOptions: isInstalled ? common : { ...common, ...(await checkoutSettings()) }, include: ['**/*.ts'] };
}

/** The sources of a checkout need the types of Node. */
async function checkoutSettings(): Promise<object> {
  const address = new URL('scripts/build/packageNames.mjs', projectRoot()).href;
  const { compilerPaths } = (await import(address)) as PackageNames;
  const root = fileURLToPath(projectRoot());
  return { paths: compilerPaths(root), types: ['node'], typeRoots: [`${root}node_modules/@types`] };
}
