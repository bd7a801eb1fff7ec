/** Texts of others, shown on a terminal or in a log: what would do something there, or hide something, is written out. */

/**
 * Control characters but tab and new line: they move the cursor, change colours or titles, or end a line early. With them
 * what turns the direction of writing, so that a text reads otherwise than it is, and separators of lines.
 */
const HIDDEN = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029\ufeff]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** The text with `\x1b` or `\u202e` in place of such characters. */
export function visibleText(text: string): string {
  return HIDDEN.test(text) ? text.replace(ALL_HIDDEN, written) : text;
}

function written(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}
