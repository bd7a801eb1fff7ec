/**
 * RoCE over memory on the card: HanGu's transport, queues and commands, whose payload may lie in DDR banks behind the NIC
 * besides host memory. Tables of translation are on the chip. Doorbells are in BAR 4.
 */
import {
  type CardMemoryPort,
  CPL_STATUS,
  type Frame,
  type LinkUpstream,
  type NicContext,
  type PcieUpstream,
  type Tlp,
} from '../../nic.ts';
import { BAR } from '../../hangu/layout/index.ts';
import { type BarHandler, type HanguBlocks, type HanguConfig, HanguNic, type QpSlot } from '../../hangu/model/index.ts';
import { CARD_BAR } from '../layout/addressMap.ts';
import { type CardConfig, layoutOf } from '../layout/knobs.ts';
import type { CardLayout } from '../layout/geometry.ts';
import { ON_CHIP } from '../layout/limits.ts';
import { Aperture, BehindAperture, ReadsBehindAperture } from './aperture.ts';
import { BankMap } from './bankMap.ts';
import { CardCompletions } from './cardCompletions.ts';
import { CardFunction } from './cardFunction.ts';
import { CardRegisters } from './cardRegisters.ts';
import { CardTranslation } from './cardTranslation.ts';
import { DdrBank } from './ddrBank.ts';
import { DdrFabric } from './ddrFabric.ts';
import { PortSelector } from './portSelector.ts';

const NS = 1000;

/** Parts of the card that a faulty one has others of. */
export interface CardParts {
  readonly fabric: typeof DdrFabric;
  readonly bankMap: typeof BankMap;
  readonly bank: typeof DdrBank;
  readonly ports: typeof PortSelector;
  readonly aperture: typeof Aperture;
  readonly registers: typeof CardRegisters;
  readonly pci: typeof CardFunction;
  readonly doorbellOrder: typeof BehindAperture;
}

export const CARD_PARTS: CardParts = {
  fabric: DdrFabric,
  bankMap: BankMap,
  bank: DdrBank,
  ports: PortSelector,
  aperture: Aperture,
  registers: CardRegisters,
  pci: CardFunction,
  doorbellOrder: BehindAperture,
};

export class CardNic extends HanguNic {
  protected readonly fabric: DdrFabric;
  protected readonly aperture: Aperture;
  protected readonly cardRegisters: CardRegisters;
  protected readonly layout: CardLayout;
  protected readonly pci: CardFunction;
  readonly #ports: typeof PortSelector;
  /** Set by `connect`. */
  #upstream!: PcieUpstream;

  /** @param blocks of HanGu in place of those of the card */
  constructor(
    context: NicContext,
    config: HanguConfig,
    card: CardConfig,
    blocks: Partial<HanguBlocks> = {},
    parts: Partial<CardParts> = {},
  ) {
    const made = { ...CARD_PARTS, ...parts };
    const layout = layoutOf(card);
    const fabric = new made.fabric(context, card, layout, made.bankMap, made.bank);
    super(context, config, {
      translation: CardTranslation,
      completions: CardCompletions,
      memories: () => [fabric],
      onChip: ON_CHIP,
      ...blocks,
    });
    this.fabric = fabric;
    this.#ports = made.ports;
    this.layout = layout;
    this.pci = new made.pci(layout, () => this.reset());
    this.cardRegisters = new made.registers(this.core, layout, this.registers, card.calibrationNs * NS);
    fabric.calibration = this.cardRegisters;
    fabric.counters = this.cardRegisters.banks;
    this.aperture = new made.aperture(this.core, fabric, layout, this.cardRegisters);
    this.bars[CARD_BAR.registers] = new ReadsBehindAperture(this.aperture, this.cardRegisters);
    const doorbells = this.bars[BAR.doorbell] as BarHandler;
    this.bars[CARD_BAR.doorbell] = new made.doorbellOrder(this.core, this.aperture, doorbells);
    this.bars[CARD_BAR.aperture] = this.aperture;
  }

  configRead(register: number): number {
    return this.pci.read(register);
  }

  configWrite(register: number, value: number): void {
    this.pci.write(register, value);
  }

  /** What no BAR takes is dropped. */
  override barWrite(tlp: Tlp): void {
    if (tlp.bar >= 0 || this.pci.decode(tlp)) super.barWrite(tlp);
  }

  override barRead(tlp: Tlp): void {
    if (tlp.bar >= 0 || this.pci.decode(tlp)) super.barRead(tlp);
    else this.#upstream.complete(tlp, CPL_STATUS.unsupportedRequest);
  }

  override dropWork(slot: QpSlot): void {
    super.dropWork(slot);
    // After a reset of the NIC there is nobody to tell.
    if (this.core.running && this.completions instanceof CardCompletions) this.completions.forgetQueuePair(slot.qpn);
  }

  override reset(): void {
    this.softReset();
    this.pci.reset();
  }

  /** Asked for by a register: the configuration space stays. */
  override softReset(): void {
    super.reset();
    this.aperture.reset();
    this.cardRegisters.reset();
  }

  override receive(frame: Frame, port = 1): void {
    const counter = this.cardRegisters.ports[port - 1];
    if (counter !== undefined) counter.read += frame.length;
    super.receive(frame);
  }

  override connect(host: PcieUpstream, links: readonly LinkUpstream[], memory?: CardMemoryPort): void {
    this.#upstream = host;
    super.connect(host, [new this.#ports(this.core.context, links, this.cardRegisters.ports)]);
    if (memory === undefined) throw new Error(`${this.core.name}: a card without memory`);
    this.fabric.connect(memory);
  }
}
