/** Bugs that can be planted in how the driver handles frames of software. */
import { RAW_SLOT_BYTES } from '../../layout/descriptors.ts';
import { RawFrames } from '../../driver/workers/rawFrames.ts';
import { driverFaultsOf } from './driverFault.ts';
import { RAW_DRIVER_ROWS } from './rows/rawRows.ts';

type Scatter = Parameters<RawFrames['scatter']>;

/** Takes a frame out of the slot behind its own. */
class SlotBehind extends RawFrames {
  override scatter(...[qp, pieces, slotLo, length]: Scatter): void {
    super.scatter(qp, pieces, slotLo + RAW_SLOT_BYTES, length);
  }
}

export const RAW_DRIVER_FAULTS = driverFaultsOf(RAW_DRIVER_ROWS, {
  raw_slot_behind: { rawFrames: SlotBehind },
});
