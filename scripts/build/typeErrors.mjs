/** Says what the compiler has found in sources, shortly: where, what, and how much more there is. */

/** Mistakes that are shown; the rest is counted. */
const SHOWN = 10;
/** Lines of explanation below a mistake. */
const DEEPEST = 3;
const HEAD = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/;

/**
 * @param {string} output of the compiler, without `--pretty`
 * @param {(file: string) => string} [nameOf] how a file is called that the compiler names; default: as it does
 * @returns {string} a line that counts, and one or more for each mistake; the whole output where it names no mistake
 */
export function typeErrorReport(output, nameOf = (file) => file) {
  const mistakes = mistakesIn(output, nameOf);
  if (mistakes.length === 0) return output.trim();
  const files = new Set(mistakes.map(({ file }) => file)).size;
  const more = mistakes.length - SHOWN;
  return [
    `${counted(mistakes.length, 'type error')} in ${counted(files, 'file')}:`,
    ...mistakes.slice(0, SHOWN).flatMap(({ lines }) => lines.map((line) => `  ${line}`)),
    ...(more > 0 ? [`  ... and ${more} more`] : []),
  ].join('\n');
}

/** @param {string} output @param {(file: string) => string} nameOf */
function mistakesIn(output, nameOf) {
  /** @type {{ file: string, lines: string[] }[]} */
  const mistakes = [];
  for (const line of output.split(/\r?\n/)) {
    const [head, file, row, column, code, text] = HEAD.exec(line) ?? [];
    const last = mistakes.at(-1);
    if (head !== undefined) {
      const where = file === undefined ? '' : `${nameOf(file)}:${row}:${column}: `;
      mistakes.push({ file: file ?? '', lines: [`${where}${text} (${code})`] });
    } else if (/^\s+\S/.test(line) && last !== undefined && last.lines.length <= DEEPEST) last.lines.push(line);
  }
  return mistakes;
}

/** @param {number} count @param {string} name */
function counted(count, name) {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
