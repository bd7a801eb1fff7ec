/**
 * The command set: fills the inbox, runs the command, judges its status, reads the outbox. One command per host at a
 * time; others wait their turn.
 */

import { ICM_BASE_HI, INBOX_LO, OUTBOX_LO } from '../../../rdma/hangu/addressMap.ts';
import type { IcmTable } from '../../../rdma/hangu/addressMap.ts';
import {
  CMD,
  CMD_NAME,
  CMD_STATUS_NAME,
  MAP_MODULE,
  MODIFY_NO_INBOX,
  OUTBOX_BYTES,
  PAGE_BYTES,
} from '../../../rdma/hangu/commands.ts';
import type { QpState } from '../../../rdma/verbs.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { Semaphore } from '../../../uvm/kernel/semaphore.ts';
import { CommandError } from '../../hostErrors.ts';
import type { ProviderHost } from '../provider.ts';
import { putCqc, putEqc, putInitHca, putMapIcm, putMpt, putMttEntry, putMttHeader } from './contextImages.ts';
import type { CqcFields, EqcFields, MptFields } from './contextImages.ts';
import type { HanguQp } from './hanguObjects.ts';
import { Hcr, HCR_NO_ANSWER } from './hcr.ts';
import type { HcrTiming } from './hcr.ts';
import type { IcmChunk } from './icmAllocator.ts';
import { putQpContext } from './qpContext.ts';

/** Where the physical page of MTT entry number `i` of a WRITE_MTT is; leaves it in two fields. */
export interface PageSource {
  readonly physHi: number;
  readonly physLo: number;
  /** Moves to page `i`, counted from the start of the range being registered. */
  page(i: number): void;
}

export class HanguCommands {
  readonly hcr: Hcr;
  /** Byte-store offsets of the outbox copy that queries leave, and of the image that the last command was given. */
  readonly outbox: number;
  readonly inbox: number;

  readonly #host: ProviderHost;
  readonly #bytes: ByteStore;
  readonly #turn: Semaphore;

  constructor(host: ProviderHost, timing: HcrTiming) {
    this.#host = host;
    this.#bytes = host.bytes;
    this.inbox = host.bytes.alloc(PAGE_BYTES, 16);
    this.outbox = host.bytes.alloc(PAGE_BYTES, 16);
    this.hcr = new Hcr(host.bus, timing);
    this.#turn = new Semaphore(1, `command register of host ${host.host}`);
  }

  /** Leaves 64 bytes in `outbox`. */
  queryDevLim(): Proc<void> {
    return this.#query(CMD.queryDevLim, 0, OUTBOX_BYTES.devLim, nothing);
  }

  /** Leaves 32 bytes in `outbox`. */
  queryAdapter(): Proc<void> {
    return this.#query(CMD.queryAdapter, 0, OUTBOX_BYTES.adapter, nothing);
  }

  initHca(gid: readonly [number, number, number, number]): Proc<void> {
    return this.#run(CMD.initHca, 0, 0, () => putInitHca(this.#bytes, this.inbox, gid));
  }

  closeHca(): Proc<void> {
    return this.#run(CMD.closeHca, 0, 0, null);
  }

  mapIcm(chunk: IcmChunk): Proc<void> {
    const { table, first, pages } = chunk;
    const fill = (): number => putMapIcm(this.#bytes, this.inbox, table, first, pages);
    return this.#run(CMD.mapIcm, moduleOf(table), 1, fill);
  }

  unmapIcm(chunk: IcmChunk): Proc<void> {
    const { table, first, pages } = chunk;
    return this.#run(CMD.unmapIcm, moduleOf(table), pages, null, ICM_BASE_HI[table], first * PAGE_BYTES);
  }

  /** Writes `count` (at most 255) translation entries from `firstIndex` on, for pages `fromPage` .. of `source`. */
  writeMtt(firstIndex: number, count: number, source: PageSource, fromPage: number): Proc<void> {
    return this.#run(CMD.writeMtt, 0, count, () => {
      const size = putMttHeader(this.#bytes, this.inbox, firstIndex, count);
      for (let i = 0; i < count; i++) {
        source.page(fromPage + i);
        putMttEntry(this.#bytes, this.inbox, i, source.physHi, source.physLo);
      }
      return size;
    });
  }

  sw2hwMpt(mpt: MptFields): Proc<void> {
    return this.#run(CMD.sw2hwMpt, 0, mpt.key, () => putMpt(this.#bytes, this.inbox, mpt));
  }

  hw2swMpt(key: number): Proc<void> {
    return this.#run(CMD.hw2swMpt, 0, key, null);
  }

  sw2hwCq(cqc: CqcFields): Proc<void> {
    return this.#run(CMD.sw2hwCq, 0, cqc.cqn, () => putCqc(this.#bytes, this.inbox, cqc));
  }

  hw2swCq(cqn: number): Proc<void> {
    return this.#run(CMD.hw2swCq, 0, cqn, null);
  }

  sw2hwEq(eqn: number, eqc: EqcFields): Proc<void> {
    return this.#run(CMD.sw2hwEq, 0, eqn, () => putEqc(this.#bytes, this.inbox, eqc));
  }

  hw2swEq(eqn: number): Proc<void> {
    return this.#run(CMD.hw2swEq, 0, eqn, null);
  }

  /** Routes the events in a 64-bit mask, given as halves, to an event queue. */
  mapEq(eqn: number, maskHi: number, maskLo: number): Proc<void> {
    return this.#run(CMD.mapEq, 0, eqn, null, maskHi, maskLo);
  }

  /** One of the MODIFY_QP commands, with the queue pair's attributes as image and `mask` as option mask. */
  modifyQp(opcode: number, qp: HanguQp, state: QpState, mask: number, eventRequest: boolean): Proc<void> {
    const modifier = eventRequest ? (qp.qpn | EVENT_REQUEST) >>> 0 : qp.qpn;
    return this.#run(opcode, 0, modifier, () => putQpContext(this.#bytes, this.inbox, qp, state, mask));
  }

  /** To ERR or RESET, which needs no context. */
  modifyQpBare(opcode: number, qpn: number): Proc<void> {
    return this.#run(opcode, MODIFY_NO_INBOX, qpn, null);
  }

  /** Leaves the 192-byte context image in `outbox`; `use` reads it before another command can run. */
  queryQp<T>(qpn: number, use: (outbox: number) => T): Proc<T> {
    return this.#query(CMD.queryQp, qpn, OUTBOX_BYTES.qp, use);
  }

  /**
   * One command from its turn to its status, in a single generator: bring-up is made of little else.
   * @param fill writes the image and returns its size; null for a command without an inbox, which then has
   *   (inHi, inLo) as its input
   * @throws CommandError after reporting, unless the command succeeded
   */
  *#run(
    opcode: number,
    opModifier: number,
    modifier: number,
    fill: (() => number) | null,
    inHi = 0,
    inLo = 0,
  ): Proc<void> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    try {
      if (fill !== null) this.#host.memory.write(0, INBOX_LO, fill(), this.inbox);
      hcr.start(opcode, opModifier, modifier, inHi, fill === null ? inLo : INBOX_LO, 0);
      yield hcr.wait;
      while (!hcr.ended(yield* hcr.poll())) yield hcr.wait;
      if (hcr.status !== 0 || hcr.earlyStatus) this.#judge(opcode, modifier);
    } finally {
      this.#turn.put();
    }
  }

  *#query<T>(opcode: number, modifier: number, size: number, use: (outbox: number) => T): Proc<T> {
    const { hcr } = this;
    if (!this.#turn.tryGet()) yield* this.#turn.get();
    this.#host.area('outbox', 0, OUTBOX_LO, size, true);
    try {
      hcr.start(opcode, 0, modifier, 0, 0, OUTBOX_LO);
      yield hcr.wait;
      while (!hcr.ended(yield* hcr.poll())) yield hcr.wait;
      if (hcr.status !== 0 || hcr.earlyStatus) this.#judge(opcode, modifier);
      this.#host.memory.read(0, OUTBOX_LO, size, this.outbox);
      return use(this.outbox);
    } finally {
      this.#host.area('outbox', 0, OUTBOX_LO, size, false);
      this.#turn.put();
    }
  }

  /** Reports what was wrong with the end of a command. @throws CommandError unless the command succeeded. */
  #judge(opcode: number, modifier: number): void {
    const { status, earlyStatus } = this.hcr;
    const name = CMD_NAME[opcode] ?? `0x${opcode.toString(16)}`;
    if (earlyStatus) {
      this.#host.error('HCA_CMD_EARLY_STATUS', () => `${name}: a status was set before the go bit was cleared`);
    }
    if (status === 0) return;
    const where = `host ${this.#host.host}`;
    const statusName = status === HCR_NO_ANSWER ? 'no answer' : (CMD_STATUS_NAME[status] ?? `status ${status}`);
    const id = status === HCR_NO_ANSWER ? 'HCA_CMD_TIMEOUT' : 'HCA_CMD_STATUS';
    this.#host.error(id, () => `${name} (modifier ${modifier}) ended with ${statusName}`);
    throw new CommandError(where, name, status, statusName);
  }
}

/** For commands whose outbox is read from `outbox` afterwards. */
function nothing(): void {}

/** Bit of in_modifier of RTS2SQD that asks for the SQ_DRAINED event. */
const EVENT_REQUEST = 0x8000_0000;

function moduleOf(table: IcmTable): number {
  return table === 'mtt' || table === 'mpt' ? MAP_MODULE.translation : MAP_MODULE.context;
}
