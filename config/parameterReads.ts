/** Finds parameters that were typed and that nobody reads. */
import { PARAMETERS, type Parameter, type ParameterName, type ParameterValues } from './table/parameterTable.ts';
import { PERF_PARAMETERS } from './table/perfParameters.ts';
import type { RunConfig } from './runConfig.ts';

/** What only `test_perf` uses. */
export const OF_PERF: readonly ParameterName[] = PERF_PARAMETERS.map(({ name }) => name);

/** What only a user sequence uses. */
export const SEQUENCE_PARAMETERS: readonly ParameterName[] = [
  'UVM_TEST_SEQ',
  'CASE',
  'CASE_BUG',
  'SEQ_COUNT',
  'WAVE',
  'SRQ_NUM',
  'KEY_PCT',
  'AH_PCT',
  ...OF_PERF,
];

/** Of the parameters about work, this one also shapes the queue pairs of every test. */
const SHAPES_QUEUES: readonly string[] = ['SG_NUM'];
const ALSO_WORK: readonly string[] = ['ONE_SIDE_LAUNCH', 'MR_GRANULARITY'];

/** What says which requests a test makes, so that it means nothing in one that makes its own. */
export const TRAFFIC_PARAMETERS: readonly ParameterName[] = (PARAMETERS as readonly Parameter[])
  .filter(({ group, name }) => (group === 'work' && !SHAPES_QUEUES.includes(name)) || ALSO_WORK.includes(name))
  .map(({ name }) => name as ParameterName);

/** The values of a run for one reader, who is watched where it matters: whether it looks at what was typed. */
export class ParameterReads {
  readonly values: ParameterValues;
  readonly #unread: Set<ParameterName>;

  /** @param names parameters that the reader may well leave unread; of these, those that were typed are watched */
  constructor(config: RunConfig, names: readonly ParameterName[]) {
    this.#unread = new Set(names.filter((name) => config.origin[name] === 'given'));
    this.values = this.#unread.size === 0 ? config.values : this.#watched(config.values);
  }

  /** Those that were typed and have not been read so far. */
  unread(): ParameterName[] {
    return [...this.#unread];
  }

  #watched(plain: ParameterValues): ParameterValues {
    const values = { ...plain };
    for (const name of this.#unread) {
      const get = (): unknown => {
        this.#unread.delete(name);
        return plain[name];
      };
      Object.defineProperty(values, name, { get, enumerable: true });
    }
    return values;
  }
}
