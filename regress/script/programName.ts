/** How the program that runs one test is recognised in a script. */

/** Name of the program, without folder. */
export const PROGRAM = 'hca_test';

const NAMED = /(^|[\s/"'=;(&|])hca_test($|[\s"';)&|])/;

/** Whether one of the words names the program, by itself or within. */
function namesProgram(words: readonly string[]): boolean {
  return words.some((word) => NAMED.test(word));
}

/** Whether a line of a text names the program outside comments. */
export function textNamesProgram(text: string): boolean {
  return text.split('\n').some((line) => !/^\s*(#|\/\/)/.test(line) && namesProgram([line]));
}
