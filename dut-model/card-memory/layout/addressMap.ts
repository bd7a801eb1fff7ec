/**
 * BARs of the card, and where memory on the card lies among the addresses of a process. Data only.
 */

/** BAR 0: registers of HanGu, with those of the card behind them; BAR 2 and 3: the aperture; BAR 4 and 5: doorbells. */
export const CARD_BAR = { registers: 0, aperture: 2, doorbell: 4 } as const;

/**
 * Virtual addresses of memory on the card: [47:44] = 7. Below [43] = 1 lie the areas of queue pairs, 8 GiB of addresses
 * each, of which the first bytes are on the card; with it set, the pages that software takes by handle.
 */
export const CARD_AREA = { hi: 0x7000, mask: 0xf000, handles: 0x0800, areas: 0x0400, indexMask: 0x07ff } as const;

/** Set in the upper half of a translation entry whose page lies on the card: the rest is a card address. */
export const DOMAIN_BIT_HI = 0x4000_0000;
/** Upper half of a card address. */
export const CARD_HI_MASK = 3;
export const PAGE_SHIFT = 12;
