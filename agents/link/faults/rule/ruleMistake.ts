/** Something wrong with a rule. */
export interface RuleMistake {
  /** Name of the key that it is about; '' = the whole rule. */
  readonly key: string;
  readonly message: string;
}
