/** Values of which some could not be read: whatever asks for one of those has no result. */
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';

/** Thrown where a value is asked for that is not known. */
class UnknownValue extends Error {}

/** The same values, but for some that must not be used. */
export function withoutValues(values: ParameterValues, unknown: ReadonlySet<ParameterName>): ParameterValues {
  const rest = { ...values };
  for (const name of unknown) {
    const get = (): never => {
      throw new UnknownValue(name);
    };
    Object.defineProperty(rest, name, { get, enumerable: true });
  }
  return rest;
}

/** What a check finds; nothing if it asks for a value that is not known. */
export function whereKnown(check: () => string[]): string[] {
  try {
    return check();
  } catch (error) {
    if (error instanceof UnknownValue) return [];
    throw error;
  }
}
