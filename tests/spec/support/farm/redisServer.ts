/** A Redis on this machine for as long as a spec wants it, with a password, for this machine alone. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PASSWORD = 'of-the-spec';

/** Why there can be no Redis on this machine; undefined where there can. */
export function redisIsMissing(): string | undefined {
  return spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';
}

export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'redis-'));
  #child: ChildProcess | undefined;
  #port = 0;

  async start(): Promise<void> {
    this.#port = await freePort();
    const words = ['--port', String(this.#port), '--bind', '127.0.0.1', '--requirepass', PASSWORD];
    const kept = ['--dir', this.#folder, '--save', '', '--maxmemory-policy', 'noeviction'];
    this.#child = spawn('redis-server', [...words, ...kept], { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const text of this.#child.stdout as AsyncIterable<Buffer>)
      if (text.toString().includes('Ready to accept connections')) break;
  }

  get url(): string {
    return `redis://:${PASSWORD}@127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    if (this.#child !== undefined) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
