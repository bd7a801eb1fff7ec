/** What the card is to PCI. */
import { type FunctionTable, PciFunction } from '../../roce/pciFunction.ts';
import { CARD_BAR } from '../layout/addressMap.ts';
import type { CardLayout } from '../layout/geometry.ts';

/** Of no vendor: numbers of the model. */
const IDENTITY = { vendor: 0x1af4, device: 0x434d } as const;
/** An Ethernet controller. */
const CLASS_CODE = 0x02_0000;
const REGISTER_BYTES = 2 ** 20;
/** A page of doorbells for each process, and room behind them. */
const DOORBELL_BYTES = 2 ** 24;
const MSIX = { vectors: 64, bar: CARD_BAR.registers, offset: 0x4000 } as const;

export class CardFunction extends PciFunction {
  constructor(layout: CardLayout, functionReset: () => void) {
    super(tableOf(layout), functionReset);
  }
}

function tableOf({ apertureBytes }: CardLayout): FunctionTable {
  return {
    ...IDENTITY,
    classCode: CLASS_CODE,
    bars: [
      { bar: CARD_BAR.registers, bytes: REGISTER_BYTES, is64: true, prefetchable: false },
      { bar: CARD_BAR.aperture, bytes: apertureBytes, is64: true, prefetchable: true },
      { bar: CARD_BAR.doorbell, bytes: DOORBELL_BYTES, is64: true, prefetchable: false },
    ],
    msix: MSIX,
  };
}
