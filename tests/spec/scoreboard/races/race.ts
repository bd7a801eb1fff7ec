/** A row of a race table, as a spec. */

import { expect } from 'chai';
import { RaceBench, type RaceOptions } from './raceBench.ts';

/** A row: with what it is played, by its title. */
const ROWS = new Map<string, { readonly options: RaceOptions; readonly script: string }>();

/** PSNs with which each row is played: somewhere, and just before they come round. */
const FIRST_PSNS = [0x100, 0xfffffe];

/**
 * What a connection goes through, and what the judge finds there (`raceScript.ts`).
 * @param options of both ends; default: time-out of code 3, 33 us, which may have expired 23 us after a packet was sent; 7 retries
 * @param clause of roce-transport.md
 */
export function race(title: string, clause: string, options: RaceOptions, script: string): void {
  ROWS.set(title, { options, script });
  it(`${title} (${clause})`, () => {
    for (const first of FIRST_PSNS) {
      const { written, went } = new RaceBench(first, options).play(script);
      expect(went, `from PSN ${first}`).to.equal(written);
    }
  });
}

/** Whether the row with a title goes otherwise when the judge does without a rule or a widening. */
export function goesOtherwiseWithout(name: string, title: string): boolean {
  const row = ROWS.get(title);
  if (row === undefined) throw new Error(`no row has the title '${title}'`);
  const bench = new RaceBench(FIRST_PSNS[0] as number, row.options);
  bench.switchOff([name]);
  const { written, went } = bench.play(row.script);
  return went !== written;
}
