/**
 * The configuration space of a NIC, as a function of PCI Express has it (type 0 header): identity, command register, base address
 * registers, and the capabilities MSI-X and PCI Express with function-level reset. It says which BAR a bus address hits.
 */
import type { Tlp } from '../nic.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

/** A base address register. */
export interface BarRow {
  /** 0 to 5; one of 64 bits takes the next one too. */
  readonly bar: number;
  /** A power of two, from 16 on. */
  readonly bytes: number;
  readonly is64: boolean;
  readonly prefetchable: boolean;
}

/** What a kind of NIC is to PCI: data. */
export interface FunctionTable {
  readonly vendor: number;
  readonly device: number;
  /** Class, subclass, interface: 24 bits. */
  readonly classCode: number;
  readonly bars: readonly BarRow[];
  /** Messages of MSI-X, and where their table is: BAR and offset. */
  readonly msix: { readonly vectors: number; readonly bar: number; readonly offset: number };
}

/** Offsets in the configuration space (PCI Express Base Specification, 7.5). */
const CONFIG = { identity: 0, command: 4, classCode: 8, header: 0x0c, bars: 0x10, capabilities: 0x34 } as const;
/** Bits of the command register. */
const COMMAND = { memory: 2, busMaster: 4 } as const;
/** Low bits of a BAR. */
const BAR_TYPE = { is64: 4, prefetchable: 8, mask: 0xf } as const;
const MSIX_AT = 0x40;
const EXPRESS_AT = 0x60;
const CAPABILITY = { msix: 0x11, express: 0x10 } as const;
const HAS_CAPABILITIES = 0x10_0000;
const FLR_CAPABLE = 0x1000_0000;
const INITIATE_FLR = 0x8000;
const MOST_BARS = 6;

export class PciFunction {
  protected readonly table: FunctionTable;
  /** What software has written to the BARs, by number, without the bits that are fixed. */
  protected readonly bases = new Uint32Array(MOST_BARS);
  readonly #functionReset: () => void;
  #command = 0;

  /** @param functionReset software has asked for a function-level reset, after which the space is as after power-up */
  constructor(table: FunctionTable, functionReset: () => void) {
    this.table = table;
    this.#functionReset = functionReset;
  }

  /** @param register offset of a dword, 0 to 252 */
  read(register: number): number {
    const { vendor, device, classCode, msix } = this.table;
    if (register === CONFIG.identity) return vendor | (device << 16);
    if (register === CONFIG.command) return this.#command | HAS_CAPABILITIES;
    if (register === CONFIG.classCode) return classCode << 8;
    if (register === CONFIG.capabilities) return MSIX_AT;
    if (register === MSIX_AT) return CAPABILITY.msix | (EXPRESS_AT << 8) | ((msix.vectors - 1) << 16);
    if (register === MSIX_AT + 4) return msix.offset | msix.bar;
    if (register === EXPRESS_AT) return CAPABILITY.express | (2 << 16);
    if (register === EXPRESS_AT + 4) return FLR_CAPABLE;
    return this.#readBar((register - CONFIG.bars) / 4);
  }

  write(register: number, value: number): void {
    if (register === CONFIG.command) this.#command = value & (COMMAND.memory | COMMAND.busMaster);
    else if (register === EXPRESS_AT + 8 && (value & INITIATE_FLR) !== 0) this.#functionReset();
    else if (register >= CONFIG.bars && register < CONFIG.bars + 4 * MOST_BARS)
      this.bases[(register - CONFIG.bars) / 4] = value >>> 0;
  }

  /** The space is as after power-up. Overridable for planting. */
  reset(): void {
    this.bases.fill(0);
    this.#command = 0;
  }

  /**
   * Finds the BAR that a bus address hits, and puts its number and the offset in it in place of the address.
   * @returns false for an address that none has, or while memory accesses are off: an unsupported request
   */
  decode(tlp: Tlp): boolean {
    if ((this.#command & COMMAND.memory) === 0) return false;
    const bus = (tlp.hi >>> 0) * TWO_32 + (tlp.lo >>> 0);
    for (const row of this.table.bars) {
      const offset = bus - this.baseOf(row);
      if (offset < 0 || offset >= row.bytes) continue;
      tlp.bar = row.bar;
      tlp.hi = Math.floor(offset / TWO_32);
      tlp.lo = offset | 0;
      return true;
    }
    return false;
  }

  /** Bus address at which a BAR begins; overridable for planting. */
  protected baseOf(row: BarRow): number {
    const low = this.#maskOf(row, false) & (this.bases[row.bar] as number);
    const high = row.is64 ? this.#maskOf(row, true) & (this.bases[row.bar + 1] as number) : 0;
    return (high >>> 0) * TWO_32 + (low >>> 0);
  }

  /** Bits of a BAR that can be written: those of its size read as 0. Overridable for planting. */
  protected sizeOf(row: BarRow): number {
    return row.bytes;
  }

  #maskOf(row: BarRow, upper: boolean): number {
    const bytes = this.sizeOf(row);
    if (upper) return bytes > TWO_32 ? -(bytes / TWO_32) | 0 : -1;
    return bytes >= TWO_32 ? 0 : -bytes | 0;
  }

  #readBar(bar: number): number {
    const row = this.table.bars.find((one) => one.bar === bar || (one.is64 && one.bar + 1 === bar));
    if (row === undefined) return 0;
    const written = this.bases[bar] as number;
    if (row.bar !== bar) return written & this.#maskOf(row, true);
    const type = (row.is64 ? BAR_TYPE.is64 : 0) | (row.prefetchable ? BAR_TYPE.prefetchable : 0);
    return (written & this.#maskOf(row, false) & ~BAR_TYPE.mask) | type;
  }
}
