import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** A file of settings at the root of the project. */
function settings(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));
}

describe('names that nothing uses', () => {
  it('keep no build from running, since a line is commented out soon while somebody looks for a mistake', () => {
    expect(settings('tsconfig.build.json')).to.have.nested.property('compilerOptions.noUnusedLocals', false);
  });

  it('are mistakes for the type check and for lint', () => {
    expect(settings('tsconfig.json')).to.have.nested.property('compilerOptions.noUnusedLocals', true);
    for (const rule of ['noUnusedVariables', 'noUnusedFunctionParameters', 'noUnusedImports'])
      expect(settings('biome.json')).to.have.nested.property(`linter.rules.correctness.${rule}`, 'error');
  });
});
