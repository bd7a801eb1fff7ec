/** Ethernet ports. */
export const PORTS = 4;
/** Tables on the chip, in entries: keys, and pages of regions. */
export const ON_CHIP = { mpt: 2 ** 14, mtt: 2 ** 17 } as const;
/** Bytes of a burst of a bank at most: bursts start anew at multiples of it. */
export const BURST_BYTES = 512;
