/**
 * What is done with a report (1800.2 F.2.2.2 `uvm_action`): a set of bits.
 *
 * `stop` interrupts a simulator for its user; there is no prompt here, so it ends the run as `exit` does.
 * `record` hands the message to the recorders of the report server.
 * @public
 */
export const ACTION = {
  none: 0,
  display: 1,
  log: 2,
  count: 4,
  exit: 8,
  callHook: 16,
  stop: 32,
  record: 64,
} as const;
/** Any combination of the bits of `ACTION`. @public */
export type Action = number;

const NAMES: ReadonlyMap<string, Action> = new Map([
  ['UVM_NO_ACTION', ACTION.none],
  ['UVM_DISPLAY', ACTION.display],
  ['UVM_LOG', ACTION.log],
  ['UVM_COUNT', ACTION.count],
  ['UVM_EXIT', ACTION.exit],
  ['UVM_CALL_HOOK', ACTION.callHook],
  ['UVM_STOP', ACTION.stop],
  ['UVM_RM_RECORD', ACTION.record],
]);

/** The upper-case names, for suggestions. */
export const ACTION_NAMES: readonly string[] = [...NAMES.keys()];

/** Bits of `UVM_DISPLAY|UVM_COUNT`; undefined when a part is not an action name. */
export function parseActions(text: string): Action | undefined {
  let bits = 0;
  for (const part of text.split('|')) {
    const bit = NAMES.get(part.trim());
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  return bits;
}

/** `UVM_DISPLAY|UVM_COUNT` or `UVM_NO_ACTION`. */
export function actionNames(bits: Action): string {
  const names = ACTION_NAMES.filter((name) => ((NAMES.get(name) ?? 0) & bits) !== 0);
  return names.length === 0 ? 'UVM_NO_ACTION' : names.join('|');
}
