/** Figures as people read them: three digits and a unit. */

const PREFIXES = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Three significant digits: 0.0531, 1.20, 35.1, 120. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : Number(value.toPrecision(3)).toString();
}

/** With a decimal prefix: `1.20 G` + unit. */
export function metric(value: number, unit: string): string {
  const [factor, prefix] = PREFIXES.find(([f]) => value >= f) ?? [1, ''];
  return `${digits(value / factor)} ${prefix}${unit}`;
}

/** A time given in ns: ns, us, ms or s. */
export function time(ns: number): string {
  if (ns < 1e3) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} us`;
  return ns < 1e9 ? `${digits(ns / 1e6)} ms` : `${digits(ns / 1e9)} s`;
}
