/** Folders of tests that a command line names. */

const TEST_PATH = '+TEST_PATH=';

/** Values of `+TEST_PATH=` among words, in their order. */
export function testFoldersIn(words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith(TEST_PATH)).map((word) => word.slice(TEST_PATH.length));
}
