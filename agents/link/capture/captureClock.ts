/** Times of a capture, which count units of an interface since 1970, as picoseconds since its first frame. */

const PS_PER_SECOND = 10n ** 12n;
const SIGN_BIT = 0x80;

export class CaptureClock {
  #first: bigint | undefined;

  /** @param units since 1970, `perSecond` each second @param offset seconds that are to be added */
  since(units: bigint, perSecond: bigint, offset: bigint): number {
    const ps = (units * PS_PER_SECOND) / perSecond + offset * PS_PER_SECOND;
    this.#first ??= ps;
    return Number(ps - this.#first);
  }
}

/** Units per second of the option if_tsresol: a power of ten, or of two where its highest bit is set. */
export function unitsPerSecond(resolution: number): bigint {
  const exponent = BigInt(resolution & ~SIGN_BIT);
  return (resolution & SIGN_BIT) === 0 ? 10n ** exponent : 2n ** exponent;
}
