/** Host software of the card, for kinds that build on it. */
export { CARD_LAYOUT, CardAddressMap } from './cardAddressMap.ts';
export { CARD_KIND } from './cardKind.ts';
export { CARD_CAPABILITIES, CardProvider } from './cardProvider.ts';
