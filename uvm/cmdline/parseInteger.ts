const BASES: readonly (readonly [prefix: RegExp, base: string])[] = [
  [/^(?:'[hx]|0x)/i, '0x'],
  [/^(?:'b|0b)/i, '0b'],
  [/^'o/i, '0o'],
  [/^'d/i, ''],
];

/**
 * Integer in any base of the standard's config plusargs: `'b 0b 'o 'd 'h 'x 0x` or plain decimal, with an optional
 * sign in front and `_` between digits. Undefined when it is none.
 */
export function parseInteger(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  let digits = text.replace(/^[+-]/, '').replace(/(?<=[\da-f])_(?=[\da-f])/gi, '');
  let base = '';
  for (const [prefix, jsPrefix] of BASES) {
    if (!prefix.test(digits)) continue;
    digits = digits.replace(prefix, '');
    base = jsPrefix;
    break;
  }
  if (!/^[\da-f]+$/i.test(digits) || (base === '' && !/^\d+$/.test(digits))) return undefined;
  try {
    const value = BigInt(base + digits);
    return negative ? -value : value;
  } catch {
    return undefined;
  }
}
