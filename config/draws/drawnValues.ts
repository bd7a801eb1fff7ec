/** Values that are drawn into a draft, but for those that are given. */
import type { DraftValues } from '../draftValues.ts';
import type { ParameterName } from '../table/parameterTable.ts';

export class DrawnValues {
  /** What was drawn, in order. */
  readonly names: ParameterName[] = [];
  readonly #draft: DraftValues;
  readonly #isGiven: (name: ParameterName) => boolean;

  constructor(draft: DraftValues, isGiven: (name: ParameterName) => boolean) {
    this.#draft = draft;
    this.#isGiven = isGiven;
  }

  set(name: ParameterName, value: DraftValues[ParameterName]): void {
    if (this.#isGiven(name)) return;
    this.#draft[name] = value;
    this.names.push(name);
  }
}
