/** A class that reads plusargs of its own declares them: `static readonly plusargs = { BURST: 'requests of a burst' }`. */

/** What a class declares: names without `+`, each with a text for people. @public */
export type PlusargTexts = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z_]\w*$/;

/** Plusargs that a class and the classes that it extends declare; the nearest text of a name counts. */
export function declaredPlusargs(type: object): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at: object | null = type; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    for (const [name, text] of entriesOf(ownDeclaration(at))) if (!found.has(name)) found.set(name, String(text));
  }
  return found;
}

/** What is wrong with the declaration of a class; '' for nothing. */
export function declarationMistake(type: object): string {
  const declared = ownDeclaration(type);
  if (declared === undefined) return '';
  const shape = "write static readonly plusargs = { BURST: 'what it is for' }";
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared))
    return `its plusargs are no table of names and texts; ${shape}`;
  const wrong = entriesOf(declared).find(([name, text]) => !NAME.test(name) || typeof text !== 'string');
  if (wrong === undefined) return '';
  const [name, text] = wrong;
  if (typeof text !== 'string') return `its plusarg ${name} has no text; ${shape}`;
  return `'${name}' is no name of a plusarg: letters, digits and _, without the +; ${shape}`;
}

function ownDeclaration(type: object): unknown {
  return Object.hasOwn(type, 'plusargs') ? (type as { readonly plusargs: unknown }).plusargs : undefined;
}

function entriesOf(declared: unknown): [string, unknown][] {
  return typeof declared === 'object' && declared !== null ? Object.entries(declared) : [];
}
