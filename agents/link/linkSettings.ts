/** Speed and delay of the cables and of the switch. Times in ps. */
export interface LinkSettings {
  /** Rate of every port, Gb/s. Default 100. */
  readonly rate: number;
  /** Preamble, frame check sequence and gap, bytes added to every frame. Default 24. */
  readonly overheadBytes: number;
  /** Shortest frame without frame check sequence; shorter ones take as much time. Default 60. */
  readonly minFrame: number;
  /** Propagation of one cable. Default 500 ns. */
  readonly latency: number;
  /** From the last bit of a frame in the switch to its first bit out. Default 300 ns. */
  readonly switchLatency: number;
}

/** Settings of a link agent that is told nothing. */
export const DEFAULT_LINK_SETTINGS: LinkSettings = {
  rate: 100,
  overheadBytes: 24,
  minFrame: 60,
  latency: 500_000,
  switchLatency: 300_000,
};

/** A wrong setting or argument of the link agent. */
export class LinkUsageError extends Error {
  readonly field: string;
  readonly value: unknown;

  /** @param remedy the legal values, or what to do instead */
  constructor(where: string, value: unknown, remedy: string) {
    super(`${where}: ${String(value)} is not possible; ${remedy}`);
    this.name = 'LinkUsageError';
    this.field = where;
    this.value = value;
  }
}

/**
 * Fills in defaults and checks every field.
 * @throws LinkUsageError naming the field, its value and the legal values.
 */
export function resolveLinkSettings(given: Partial<LinkSettings> = {}): LinkSettings {
  const s = { ...DEFAULT_LINK_SETTINGS, ...given };
  if (!(s.rate > 0)) throw new LinkUsageError('rate', s.rate, 'use a positive number of Gb/s');
  for (const name of ['overheadBytes', 'minFrame', 'latency', 'switchLatency'] as const) {
    if (!Number.isSafeInteger(s[name]) || s[name] < 0) {
      throw new LinkUsageError(name, s[name], 'use a whole number that is not negative');
    }
  }
  return s;
}
