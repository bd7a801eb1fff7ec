import type { ParameterName } from '../config/table/parameterTable.ts';
import { OF_PERF } from '../config/parameterReads.ts';
import { CaseBench } from '../sequences/conformance/caseBench.ts';
import { caseNamed } from '../sequences/conformance/cases.ts';
import type { UserSequence } from '../sequences/user/userSequence.ts';
import { TestSequence } from './testSequence.ts';

/** Plays one case of the conformance list (conformance/*.yaml). */
export class TestConformance extends TestSequence {
  static override readonly typeName: string = 'test_conformance';
  static override readonly description: string =
    'runs the case of a behaviour by its id, +CASE=G263; docs/conformance.md';

  #bench: CaseBench | undefined;

  /** Also those of the case. */
  override get checks(): number {
    return super.checks + (this.#bench?.expectations ?? 0);
  }

  protected override makeSequence(): UserSequence {
    const { CASE: id, CASE_BUG: bug } = this.settings.values;
    const found = caseNamed(id);
    if (found === undefined) this.fatal('NO_CASE', `+CASE=${id}: there is no such case; see docs/conformance.md`);
    this.#bench = new CaseBench(found as NonNullable<typeof found>, bug);
    return this.#bench;
  }

  protected override get ofOtherTests(): readonly ParameterName[] {
    return ['UVM_TEST_SEQ', ...OF_PERF];
  }

  protected override get sequenceName(): string {
    return `case ${this.settings.values.CASE}`;
  }
}
