/** A wrong argument or setting given to the PCIe agent by the code that uses it: what, where, which value, what to do. */
export class PcieUsageError extends Error {
  readonly field: string;
  readonly value: unknown;

  /**
   * @param where setting or call that was wrong, for example `maxPayload` or `barWrite`
   * @param value the offending value
   * @param remedy the legal values, or what to do instead
   */
  constructor(where: string, value: unknown, remedy: string) {
    super(`${where}: ${String(value)} is not possible; ${remedy}`);
    this.name = 'PcieUsageError';
    this.field = where;
    this.value = value;
  }
}
