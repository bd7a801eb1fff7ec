/** The benchmark's own processes: `main.js --child NAME JSON` runs one. Loaded only by the process that needs it. */

import { fileURLToPath } from 'node:url';

const CHILDREN = {
  steady: () => import('./steady/steadyChild.ts'),
  memory: () => import('./children/memoryChild.ts'),
  seeds: () => import('./children/seedsChild.ts'),
  loop: () => import('./children/loopChild.ts'),
} as const;

export type ChildName = keyof typeof CHILDREN;

/** Arguments of `node` that start a child. */
export function childArguments(name: ChildName, data: unknown): string[] {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const main = fileURLToPath(new URL(`./main${extension}`, import.meta.url));
  return [main, '--child', name, JSON.stringify(data)];
}

/** Runs a child in this process. */
export async function runChild(name: string, json: string): Promise<void> {
  const load = CHILDREN[name as ChildName];
  const { main } = await load();
  await main(json);
}
