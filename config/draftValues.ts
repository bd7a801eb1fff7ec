import type { ParameterName } from './table/parameterTable.ts';

/** Values of parameters while they are being settled, by name. */
export type DraftValues = Record<ParameterName, number | string | boolean>;
