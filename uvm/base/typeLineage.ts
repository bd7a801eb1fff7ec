/**
 * Type names of a class and of the classes that it extends, nearest first; classes without a static `typeName` of
 * their own are left out.
 */
export function typeLineage(type: object): string[] {
  const names: string[] = [];
  for (let at: object | null = type; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (!Object.hasOwn(at, 'typeName')) continue;
    names.push(String((at as { readonly typeName: unknown }).typeName));
  }
  return names;
}
