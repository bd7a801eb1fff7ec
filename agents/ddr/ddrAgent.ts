/**
 * The room of memory on the card: an agent is the chips behind the controllers of one NIC. It keeps their bytes, in the
 * memory of its host at card addresses (`CARD_SPACE_HI`), checks what the controllers do, and publishes each write as the
 * agent of PCIe publishes those to host memory. Which byte of which bank an address is says the geometry, not the NIC: a
 * controller that spreads addresses otherwise writes where nobody may.
 */

import type { Subject } from '../../rdma/subject.ts';
import { bytesOfBank } from '../../rdma/subjectParts.ts';
import type { CardMemoryPort } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { Run } from '../../uvm/run.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { Findings } from '../../uvm/report/findings.ts';
import { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import { IdleTime } from '../idleTime.ts';
import type { HostMemoryPort } from '../pcie/hostMemoryPort.ts';
import { CARD_SPACE_HI, type CardGeometry, cardAddressOf, cardBytes } from './cardGeometry.ts';

/** Report ids of the DDR agent with their meaning. */
export const DDR_REPORT_IDS = {
  DDR_RANGE: 'access of a controller beyond the end of its bank, or to a bank that does not exist',
  DDR_LENGTH: 'burst of 0 bytes, or of more than 4096',
  DDR_STATS: 'bytes requested from each bank (information)',
} as const satisfies Readonly<Record<string, string>>;

export type DdrReportId = keyof typeof DDR_REPORT_IDS;

/** Bytes of a burst at most. */
const LONGEST_BURST = 4096;
const PAGE_BYTES = 4096;

/** A write that has just reached the chips. One object, overwritten by the next write. */
export class DdrWrite {
  /** Card address, with `CARD_SPACE_HI` in its upper half. */
  hi = 0;
  lo = 0;
  length = 0;
  /** Byte-store offset of what was written. */
  data = 0;
  readonly interrupt = false;
  /** Where in the store the bytes lie now. */
  place = -1;
}

export interface DdrAgentOptions {
  readonly host: number;
  readonly memory: HostMemoryPort;
  readonly geometry: CardGeometry;
}

/** Bytes that a bank was asked for. */
export interface BankTraffic {
  readBytes: number;
  writtenBytes: number;
}

/** Kinds under which accesses of chips are folded into the run's transcript. */
const TRANSCRIPT = { read: 14, write: 15 } as const;

export class DdrAgent extends Component implements CardMemoryPort {
  readonly banks: number;
  readonly bankBytes: number;
  /** Writes whose bytes have just reached the chips. */
  readonly writes = new AnalysisPort<DdrWrite>('writes');
  readonly traffic: readonly BankTraffic[];
  readonly geometry: CardGeometry;
  /** Of all banks: a stretch in which no burst was done. */
  readonly idle = new IdleTime();
  /** When the latest burst was done, ps. */
  movedAt = 0;
  readonly #host: number;
  readonly #memory: HostMemoryPort;
  readonly #findings = new Findings<DdrReportId>(this);
  readonly #write = new DdrWrite();

  constructor(name: string, parent: Component | Run, { host, memory, geometry }: DdrAgentOptions) {
    super(name, parent);
    this.#host = host;
    this.#memory = memory;
    this.geometry = geometry;
    this.banks = geometry.banks;
    this.bankBytes = geometry.bankBytes;
    this.traffic = Array.from({ length: geometry.banks }, () => ({ readBytes: 0, writtenBytes: 0 }));
  }

  read(bank: number, offset: number, length: number, dst: number): void {
    const traffic = this.#checked('read', bank, offset, length);
    if (traffic === undefined) return;
    traffic.readBytes += length;
    this.run.transcript.record(TRANSCRIPT.read, this.#host, this.run.scheduler.now, bank, offset | 0, length);
    this.#forEachPiece(bank, offset, length, (hi, lo, n, at) => this.#memory.read(hi, lo, n, dst + at));
  }

  write(bank: number, offset: number, length: number, src: number): void {
    const traffic = this.#checked('write', bank, offset, length);
    if (traffic === undefined) return;
    traffic.writtenBytes += length;
    this.run.transcript.message(TRANSCRIPT.write, this.#host, this.run.scheduler.now, bank, offset | 0, length, src);
    this.#forEachPiece(bank, offset, length, (hi, lo, n, at) => this.#store(hi, lo, n, src + at));
  }

  override checkPhase(): void {
    this.#findings.summarise();
    const used = this.traffic.map(
      ({ readBytes, writtenBytes }, bank) => `bank ${bank}: ${readBytes} B read, ${writtenBytes} B written`,
    );
    this.info('DDR_STATS' satisfies DdrReportId, () => used.join('; '));
  }

  override preAbort(): void {
    this.#findings.summarise();
  }

  #store(hi: number, lo: number, n: number, src: number): void {
    const { bytes } = this.run;
    const write = this.#write;
    const place = this.#memory.writeTo(hi, lo, n);
    if (place >= 0) bytes.copy(place, src, n);
    else this.#memory.write(hi, lo, n, src);
    Object.assign(write, { hi, lo, length: n, data: src, place: place | 0 });
    this.writes.write(write);
  }

  /** Pieces of a burst that lie together as card addresses: of one page, and of one unit of the banks. */
  #forEachPiece(
    bank: number,
    offset: number,
    length: number,
    visit: (hi: number, lo: number, n: number, at: number) => void,
  ): void {
    const { interleave } = this.geometry;
    const together = interleave === 0 ? PAGE_BYTES : Math.min(PAGE_BYTES, interleave);
    for (let at = 0; at < length; ) {
      const from = offset + at;
      const n = Math.min(length - at, together - (from % together));
      const card = cardAddressOf(this.geometry, bank, from);
      visit(CARD_SPACE_HI | Math.floor(card / TWO_32), card | 0, n, at);
      at += n;
    }
  }

  #subject(bank: number, offset: number, length: number): Subject {
    return [bytesOfBank(this.#host, bank, offset, length)];
  }

  /** @returns the counters of the bank; undefined for an access that cannot be */
  #checked(what: string, bank: number, offset: number, length: number): BankTraffic | undefined {
    const { now } = this.run.scheduler;
    this.idle.ends(this.movedAt, now);
    this.movedAt = now;
    const traffic = this.traffic[bank];
    const where = (): string => `host ${this.#host}: ${what} of ${length} bytes at byte ${offset} of bank ${bank}`;
    if (!(length >= 1 && length <= LONGEST_BURST)) {
      this.#findings.error(
        'DDR_LENGTH',
        () => `${where()}: a burst has 1 to ${LONGEST_BURST} bytes`,
        this.#subject(bank, offset, length),
      );
      return undefined;
    }
    if (traffic !== undefined && offset >= 0 && offset + length <= this.bankBytes) return traffic;
    const there = `there are ${this.banks} banks of ${this.bankBytes} bytes, ${cardBytes(this.geometry)} in all`;
    this.#findings.error('DDR_RANGE', () => `${where()}: ${there}`, this.#subject(bank, offset, length));
    return undefined;
  }
}
