/**
 * Unwinds the code that reported a fatal error, since it cannot go on. The run has already been told to end and the
 * report printed: whoever catches this prints nothing more.
 * @public
 */
export class FatalStop extends Error {
  override readonly name = 'FatalStop';
  /** Report id of the fatal message. */
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}
