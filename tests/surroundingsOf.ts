import { argumentText, type RunConfig, typedKnobs } from '../config/runConfig.ts';
import { PARAMETERS, type Parameter, type ParameterName } from '../config/table/parameterTable.ts';
import { isSurrounding } from '../config/scenario/file/surroundings.ts';

/** What a scenario that is written out brings along: parameters that shape the run and are not left at their defaults. */
export function surroundingsOf(config: RunConfig): Record<string, string> {
  const { values, origin } = config;
  const result: Record<string, string> = {};
  const rows: readonly Parameter[] = PARAMETERS;
  for (const row of rows.filter(isSurrounding)) {
    const { name } = row;
    if (origin[name as ParameterName] !== 'default') result[name] = argumentText(name, values[name as ParameterName]);
  }
  for (const [name, value] of Object.entries(typedKnobs(config))) result[name] = String(value);
  return result;
}
