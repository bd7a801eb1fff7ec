/**
 * What a run gives a knob of its NICs, for who has to know that besides the NIC itself.
 * @param knobs as users type them: names are compared without case and underscores @param name of the knob
 * @param otherwise its default
 */
export function knobValue(knobs: Readonly<Record<string, number>>, name: string, otherwise: number): number {
  const given = Object.entries(knobs).find(([typed]) => plain(typed) === plain(name));
  return given === undefined ? otherwise : given[1];
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
