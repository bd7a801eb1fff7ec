/** Severity of a report (1800.2 F.2.2.1 `uvm_severity`); the numbers order them from harmless to fatal. @public */
export const SEVERITY = { info: 0, warning: 1, error: 2, fatal: 3 } as const;
/** @public */
export type Severity = (typeof SEVERITY)[keyof typeof SEVERITY];

/** All severities from harmless to fatal. */
export const SEVERITIES: readonly Severity[] = [0, 1, 2, 3];

const NAMES = ['UVM_INFO', 'UVM_WARNING', 'UVM_ERROR', 'UVM_FATAL'] as const;

/** `UVM_INFO`, `UVM_WARNING`, `UVM_ERROR` or `UVM_FATAL`. @public */
export function severityName(severity: Severity): string {
  return NAMES[severity];
}

/** Severity of an upper-case name as printed; undefined for any other text. */
export function parseSeverity(text: string): Severity | undefined {
  const at = (NAMES as readonly string[]).indexOf(text);
  return at < 0 ? undefined : (at as Severity);
}

/** The four names, for suggestions. */
export const SEVERITY_NAMES: readonly string[] = NAMES;
