import type { ParameterName } from '../config/table/parameterTable.ts';
import { PerfSequence } from '../sequences/perf/perfSequence.ts';
import type { UserSequence } from '../sequences/user/userSequence.ts';
import { TestSequence } from './testSequence.ts';

/** Measures bandwidth or latency as perftest does; `hca_perf` makes tables of its records. */
export class TestPerf extends TestSequence {
  static override readonly typeName: string = 'test_perf';
  static override readonly description: string = 'measures +PERF=send_bw and the like, in simulated time; see hca_perf';

  #perf: PerfSequence | undefined;

  override runCounts(): Readonly<Record<string, number>> {
    return { ...super.runCounts(), ...this.#perf?.figures };
  }

  protected override makeSequence(): UserSequence {
    this.#perf = new PerfSequence('perf');
    return this.#perf;
  }

  protected override get ofOtherTests(): readonly ParameterName[] {
    return ['UVM_TEST_SEQ', 'CASE', 'CASE_BUG'];
  }

  protected override get sequenceName(): string {
    return `measurement ${this.settings.values.PERF}`;
  }
}
