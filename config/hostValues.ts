/**
 * Values that may differ by host, as `+NIC_<NAME>` and `+DUT_FAULT` take them: `64` for all hosts, `8,host=1` for one, and several
 * behind each other: `64; 8,host=1`.
 */

/** A value, and the host that it is for; null = every host that has use for it. */
export interface HostValue {
  readonly value: string;
  readonly host: number | null;
}

const ITEM = /^\s*([^,;]*?)\s*(?:,\s*host=(\d{1,2}))?\s*$/;

/** Reads such a text. @returns undefined for a text that is none */
export function hostValues(text: string): readonly HostValue[] | undefined {
  const items = text.split(';').map((item) => ITEM.exec(item));
  if (items.includes(null)) return undefined;
  return items.map((item) => {
    const [, value = '', host] = item as RegExpExecArray;
    return { value, host: host === undefined ? null : Number(host) };
  });
}

/** As `hostValues` reads it. */
export function hostValuesText(values: readonly HostValue[]): string {
  return values.map(({ value, host }) => (host === null ? value : `${value},host=${host}`)).join(';');
}

/** The value of a host: one that is for it alone counts before one for all; undefined where there is neither. */
export function valueOfHost(values: readonly HostValue[], host: number): string | undefined {
  const own = values.find((each) => each.host === host) ?? values.find((each) => each.host === null);
  return own?.value;
}
