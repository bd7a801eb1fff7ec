import { nearest } from '../cmdline/nearest.ts';

/**
 * Verbosity levels (1800.2 F.2.2.3 `uvm_verbosity`). A message is shown when its level is not above the level set
 * for its component and id. Any integer in between may be used.
 * @public
 */
export const UVM_NONE = 0;
/** @public */
export const UVM_LOW = 100;
/** @public */
export const UVM_MEDIUM = 200;
/** @public */
export const UVM_HIGH = 300;
/** @public */
export const UVM_FULL = 400;
/** @public */
export const UVM_DEBUG = 500;

const NAMES: Readonly<Record<string, number>> = {
  UVM_NONE,
  UVM_LOW,
  UVM_MEDIUM,
  UVM_HIGH,
  UVM_FULL,
  UVM_DEBUG,
};

/** Level of `UVM_LOW`, `LOW`, `low` or an integer in decimal; undefined when it is none of these. */
export function parseVerbosity(text: string): number | undefined {
  const upper = text.toUpperCase();
  const named = NAMES[upper] ?? NAMES[`UVM_${upper}`];
  if (named !== undefined) return named;
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** Whether the text is one of the six standard names. */
export function isStandardVerbosity(text: string): boolean {
  const upper = text.toUpperCase();
  return upper in NAMES || `UVM_${upper}` in NAMES;
}

/** `UVM_LOW` for 100, the number itself for levels without a name. */
export function verbosityName(level: number): string {
  return Object.keys(NAMES).find((name) => NAMES[name] === level) ?? String(level);
}

/** Names close to a misspelt level. */
export function nearestVerbosity(text: string): string[] {
  const prefixed = /^uvm_/i.test(text) ? text : `UVM_${text}`;
  return nearest(prefixed, Object.keys(NAMES));
}
