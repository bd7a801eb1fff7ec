/** The root seed: one 32-bit number under all the names that simulators give it. */

import type { Token } from './token.ts';

/** Seed of a run for which none was asked; fixed, as simulators do, so that a bare command line repeats itself. */
export const DEFAULT_SEED = 1;
const MAX_SEED = 0xffff_ffff;

const ALLOWED = `allowed: 0 to ${MAX_SEED}, decimal or 0x hexadecimal, or "random"`;

/** One place where the user asked for a seed. */
export interface SeedRequest {
  /** As typed, for messages: `-sv_seed 7`. */
  readonly spelling: string;
  readonly where: string;
  readonly value: number | 'random';
}

/** Reads a seed's text; a string is the message for the user. */
export function parseSeed(text: string): number | 'random' | string {
  if (text === 'random') return 'random';
  if (!/^(\d+|0[xX][0-9a-fA-F]+)$/.test(text)) return `"${text}" is not a seed; ${ALLOWED}`;
  const value = BigInt(text);
  if (value > BigInt(MAX_SEED)) return `seed ${text} does not fit 32 bits and is not truncated; ${ALLOWED}`;
  return Number(value);
}

/** Reads the seed plusargs of simulators. Returns undefined when the word is not one of them. */
export function seedOfPlusarg(token: Token): SeedRequest | string | undefined {
  const text = token.text;
  if (text === '+ntb_random_seed_automatic') return { spelling: text, where: token.where, value: 'random' };
  if (/^\+(?:ntb_random_seed|(?:sv_?)?seed)$/i.test(text))
    return `${text} (${token.where}): needs a seed; write ${text}=<seed>`;
  if (text === '+verilator+seed') return `${text} (${token.where}): needs a seed; write ${text}+<seed>`;
  const match = /^\+(?:ntb_random_seed=|verilator\+seed\+|(?:sv_?)?seed=)(.*)$/i.exec(text);
  if (match === null) return undefined;
  const digits = match[1] as string;
  // Verilator: 0 means "pick one".
  const automatic = text.startsWith('+verilator') && digits === '0';
  return request(token, text, automatic ? 'random' : parseSeed(digits));
}

/** Reads the value of a seed flag, `--seed 7` or `-svseed random`. */
export function seedOfFlag(flag: string, value: Token): SeedRequest | string {
  return request(value, `${flag} ${value.text}`, parseSeed(value.text));
}

/** Reads `COCOTB_RANDOM_SEED`; it counts only when the command line names no seed. */
export function seedOfEnvironment(env: Readonly<Record<string, string | undefined>>): SeedRequest | string | undefined {
  const text = env['COCOTB_RANDOM_SEED'];
  if (text === undefined || text === '') return undefined;
  const token = { text, where: 'environment' };
  return request(token, `COCOTB_RANDOM_SEED=${text}`, parseSeed(text));
}

/** Different seeds under different names are a mistake, not a race for the last one. */
export function conflictOf(requests: readonly SeedRequest[]): string | undefined {
  const values = new Set(requests.map((r) => r.value));
  if (values.size < 2) return undefined;
  const list = requests.map((r) => `${r.spelling} (${r.where})`).join(', ');
  return `different seeds for one run: ${list}; keep one of them`;
}

/** Draws a root seed from the operating system. */
export function drawSeed(): number {
  // The global one is loaded when it is used, which is seldom; an import would cost every start 2 ms.
  return crypto.getRandomValues(new Uint32Array(1))[0] as number;
}

function request(token: Token, spelling: string, value: number | 'random' | string): SeedRequest | string {
  if (typeof value === 'number' || value === 'random') return { spelling, where: token.where, value };
  return `${spelling} (${token.where}): ${value}`;
}

/** Whether words of a command line may leave a seed to chance. */
export function leavesSeedToChance(argv: readonly string[]): boolean {
  return argv.some((word) => word === 'random' || word.endsWith('=random') || /seed_automatic$|seed\+0$/.test(word));
}

/** Words of a command line with the seed that was drawn in place of the wish for one, so that they ask for the same again. */
export function withSeed(argv: readonly string[], seed: number): string[] {
  return argv.map((word, i) => {
    if (word === 'random' && /seed$/.test(argv[i - 1] ?? '')) return String(seed);
    if (word === '+ntb_random_seed_automatic' || word === '+ntb_random_seed=random') return `+ntb_random_seed=${seed}`;
    if (word === '+verilator+seed+0' || word === '+verilator+seed+random') return `+ntb_random_seed=${seed}`;
    return /^(--seed|--fixed-seed|-sv_?seed|\+(sv_?)?seed)=random$/i.test(word)
      ? word.replace('random', String(seed))
      : word;
  });
}

/** Words of a command line without those that name a seed. */
export function withoutSeed(argv: readonly string[]): string[] {
  const isFlag = (word: string | undefined): boolean => /^(--seed|-sv_?seed)$/i.test(word ?? '');
  return argv.filter((word, i) => {
    if (isFlag(word) || isFlag(argv[i - 1])) return false;
    return !/^(--seed|-sv_?seed)=/i.test(word) && seedOfPlusarg({ text: word, where: '' }) === undefined;
  });
}
