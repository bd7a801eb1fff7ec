/** The card and its parts, for kinds that build on it. */
export { BankMap } from './bankMap.ts';
export { CardCompletions } from './cardCompletions.ts';
export { CARD_PARTS, CardNic, type CardParts } from './cardNic.ts';
export { CardTranslation, TARGET } from './cardTranslation.ts';
export { type BankTiming, type Burst, DdrBank, MASTER, type Master } from './ddrBank.ts';
export { PortSelector } from './portSelector.ts';
export { DdrFabric } from './ddrFabric.ts';
