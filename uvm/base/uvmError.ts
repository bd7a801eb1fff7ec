/** A mistake of the user of the library: carries the stable report id under which a run reports it as fatal. @public */
export class UvmError extends Error {
  override readonly name: string = 'UvmError';
  /** Stable report id, e.g. `INVTST`. */
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}
