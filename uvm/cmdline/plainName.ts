/** A name without what spellings of it differ in: case and underscores. */
export function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
