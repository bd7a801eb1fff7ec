/** The name of something new in the three forms that its files need. */

export interface ItemName {
  /** As typed, as on a command line: `slot_ring`. */
  readonly plain: string;
  /** File and variable: `slotRing`. */
  readonly camel: string;
  /** Class: `SlotRing`. */
  readonly pascal: string;
}

/** Names that a template has in place of those of the new item, each of which is what it replaces. */
const IN_TEMPLATES: ItemName = { plain: 'template_name', camel: 'templateName', pascal: 'TemplateName' };
const PLAIN = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const LONGEST = 60;

/** @returns undefined for what is no name: small letters, digits, and `_` between words */
export function itemName(text: string): ItemName | undefined {
  if (!PLAIN.test(text) || text.length > LONGEST) return undefined;
  const camel = text.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return { plain: text, camel, pascal: camel.charAt(0).toUpperCase() + camel.slice(1) };
}

/** A text of a template with the names of the new item; report ids and constants are the name in capitals. */
export function named(template: string, { plain, camel, pascal }: ItemName): string {
  return template
    .replaceAll(IN_TEMPLATES.plain, plain)
    .replaceAll(IN_TEMPLATES.plain.toUpperCase(), plain.toUpperCase())
    .replaceAll(IN_TEMPLATES.camel, camel)
    .replaceAll(IN_TEMPLATES.pascal, pascal);
}
