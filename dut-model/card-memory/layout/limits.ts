/** Ethernet ports. */
export const PORTS = 4;
/** Tables on the chip, in entries: keys, and pages of regions. */
export const ON_CHIP = { mpt: 2 ** 14, mtt: 2 ** 17 } as const;
