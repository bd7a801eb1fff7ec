/** Knobs of the driver, set by `+NIC_<NAME>=` as those of its NIC are. */
import type { NicKnobs } from '../../../nic.ts';
import { CHUNK_BYTES } from '../../layout/limits.ts';
import { NS } from '../../../../uvm/kernel/time.ts';
import type { BlueSettings } from '../blueSettings.ts';
import { RESEND_POLICY } from '../tracking/sendTracker.ts';

/** As a knob of a NIC model (dut-model/nicKnob.ts), which `env` does not import. */
export interface DriverKnob {
  readonly name: string;
  readonly description: string;
  readonly default: number;
  readonly lowest: number;
  readonly highest: number;
  readonly powersOfTwo: boolean;
  readonly corners: readonly number[];
}

const LONGEST = 1e6;

export const DRIVER_KNOBS: readonly DriverKnob[] = [
  knob('REACTION_NS', 3000, 0, LONGEST, 'reaction time of each worker of the driver, ns', [100, 10_000]),
  knob('JITTER_NS', 0, 0, LONGEST, 'as much more is drawn for each reaction, ns', [1000, 20_000]),
  knob(
    'RESEND',
    0,
    0,
    RESEND_POLICY.length - 1,
    'sent again after a loss: 0 what is missing, 1 its hull, 2 all from there',
  ),
  knob('DRIVER_FLOOR', 1, 0, 1, 'the driver has its NIC discard what was received before; the published one does not'),
  knob('PROBE', 1, 0, 1, 'every second time-out without progress sends the last packet only'),
  { ...knob('CHUNK_BYTES', CHUNK_BYTES, 256, CHUNK_BYTES, 'bytes of a chunk at most'), powersOfTwo: true },
];

/** Settings of the driver as the knobs say; names are compared without case and underscores. */
export function driverSettings(knobs: NicKnobs): Partial<BlueSettings> {
  const given = new Map(Object.entries(knobs).map(([name, value]) => [plain(name), value]));
  const value = (name: string): number =>
    given.get(plain(name)) ?? (DRIVER_KNOBS.find((one) => one.name === name) as DriverKnob).default;
  return {
    reaction: value('REACTION_NS') * NS,
    jitter: value('JITTER_NS') * NS,
    resend: RESEND_POLICY[value('RESEND')] ?? 'selective',
    floor: value('DRIVER_FLOOR') !== 0,
    probe: value('PROBE') !== 0,
    chunkBytes: value('CHUNK_BYTES'),
  };
}

/** Knobs without those of the driver: what the NIC is given. */
export function withoutDriverKnobs(knobs: NicKnobs): NicKnobs {
  const own = new Set(DRIVER_KNOBS.map(({ name }) => plain(name)));
  return Object.fromEntries(Object.entries(knobs).filter(([name]) => !own.has(plain(name))));
}

function knob(
  name: string,
  value: number,
  lowest: number,
  highest: number,
  description: string,
  corners: readonly number[] = [],
): DriverKnob {
  return { name, description, default: value, lowest, highest, powersOfTwo: false, corners };
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
