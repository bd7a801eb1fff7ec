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
import type { HcrCommand, HcrTiming } from './hcr.ts';
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
  *queryDevLim(): Proc<void> {
    yield* this.#query({ opcode: CMD.queryDevLim }, OUTBOX_BYTES.devLim);
  }

  /** Leaves 32 bytes in `outbox`. */
  *queryAdapter(): Proc<void> {
    yield* this.#query({ opcode: CMD.queryAdapter }, OUTBOX_BYTES.adapter);
  }

  *initHca(gid: readonly [number, number, number, number]): Proc<void> {
    yield* this.#withInbox({ opcode: CMD.initHca }, () => putInitHca(this.#bytes, this.inbox, gid));
  }

  *closeHca(): Proc<void> {
    yield* this.#plain({ opcode: CMD.closeHca });
  }

  *mapIcm(chunk: IcmChunk): Proc<void> {
    const { table, first, pages } = chunk;
    const command = { opcode: CMD.mapIcm, modifier: 1, opModifier: moduleOf(table) };
    yield* this.#withInbox(command, () => putMapIcm(this.#bytes, this.inbox, table, first, pages));
  }

  *unmapIcm(chunk: IcmChunk): Proc<void> {
    yield* this.#plain({
      opcode: CMD.unmapIcm,
      inHi: ICM_BASE_HI[chunk.table],
      inLo: chunk.first * PAGE_BYTES,
      modifier: chunk.pages,
      opModifier: moduleOf(chunk.table),
    });
  }

  /** Writes `count` (at most 255) translation entries from `firstIndex` on, for pages `fromPage` .. of `source`. */
  *writeMtt(firstIndex: number, count: number, source: PageSource, fromPage: number): Proc<void> {
    yield* this.#withInbox({ opcode: CMD.writeMtt, modifier: count }, () => {
      const size = putMttHeader(this.#bytes, this.inbox, firstIndex, count);
      for (let i = 0; i < count; i++) {
        source.page(fromPage + i);
        putMttEntry(this.#bytes, this.inbox, i, source.physHi, source.physLo);
      }
      return size;
    });
  }

  *sw2hwMpt(mpt: MptFields): Proc<void> {
    const command = { opcode: CMD.sw2hwMpt, modifier: mpt.key };
    yield* this.#withInbox(command, () => putMpt(this.#bytes, this.inbox, mpt));
  }

  *hw2swMpt(key: number): Proc<void> {
    yield* this.#plain({ opcode: CMD.hw2swMpt, modifier: key });
  }

  *sw2hwCq(cqc: CqcFields): Proc<void> {
    const command = { opcode: CMD.sw2hwCq, modifier: cqc.cqn };
    yield* this.#withInbox(command, () => putCqc(this.#bytes, this.inbox, cqc));
  }

  *hw2swCq(cqn: number): Proc<void> {
    yield* this.#plain({ opcode: CMD.hw2swCq, modifier: cqn });
  }

  *sw2hwEq(eqn: number, eqc: EqcFields): Proc<void> {
    const command = { opcode: CMD.sw2hwEq, modifier: eqn };
    yield* this.#withInbox(command, () => putEqc(this.#bytes, this.inbox, eqc));
  }

  *hw2swEq(eqn: number): Proc<void> {
    yield* this.#plain({ opcode: CMD.hw2swEq, modifier: eqn });
  }

  /** Routes the events in a 64-bit mask, given as halves, to an event queue. */
  *mapEq(eqn: number, maskHi: number, maskLo: number): Proc<void> {
    yield* this.#plain({ opcode: CMD.mapEq, inHi: maskHi, inLo: maskLo, modifier: eqn });
  }

  /** One of the MODIFY_QP commands, with the queue pair's attributes as image and `mask` as option mask. */
  *modifyQp(opcode: number, qp: HanguQp, state: QpState, mask: number, eventRequest: boolean): Proc<void> {
    const command = { opcode, modifier: eventRequest ? (qp.qpn | EVENT_REQUEST) >>> 0 : qp.qpn };
    yield* this.#withInbox(command, () => putQpContext(this.#bytes, this.inbox, qp, state, mask));
  }

  /** To ERR or RESET, which needs no context. */
  *modifyQpBare(opcode: number, qpn: number): Proc<void> {
    yield* this.#plain({ opcode, modifier: qpn, opModifier: MODIFY_NO_INBOX });
  }

  /** Leaves the 192-byte context image in `outbox`; `use` reads it before another command can run. */
  *queryQp<T>(qpn: number, use: (outbox: number) => T): Proc<T> {
    return yield* this.#query({ opcode: CMD.queryQp, modifier: qpn }, OUTBOX_BYTES.qp, use);
  }

  *#withInbox(command: HcrCommand, fill: () => number): Proc<void> {
    yield* this.#turn.get();
    try {
      const size = fill();
      this.#host.memory.write(0, INBOX_LO, size, this.inbox);
      yield* this.#run({ ...command, inLo: INBOX_LO });
    } finally {
      this.#turn.put();
    }
  }

  *#plain(command: HcrCommand): Proc<void> {
    yield* this.#turn.get();
    try {
      yield* this.#run(command);
    } finally {
      this.#turn.put();
    }
  }

  *#query<T>(command: HcrCommand, size: number, use?: (outbox: number) => T): Proc<T> {
    yield* this.#turn.get();
    this.#host.area('outbox', 0, OUTBOX_LO, size, true);
    try {
      yield* this.#run({ ...command, outLo: OUTBOX_LO });
      this.#host.memory.read(0, OUTBOX_LO, size, this.outbox);
      return use?.(this.outbox) as T;
    } finally {
      this.#host.area('outbox', 0, OUTBOX_LO, size, false);
      this.#turn.put();
    }
  }

  /** @throws CommandError after reporting, unless the command succeeded. */
  *#run(command: HcrCommand): Proc<void> {
    const status = yield* this.hcr.run(command);
    const name = CMD_NAME[command.opcode] ?? `0x${command.opcode.toString(16)}`;
    if (this.hcr.earlyStatus) {
      this.#host.error('HCA_CMD_EARLY_STATUS', () => `${name}: a status was set before the go bit was cleared`);
    }
    if (status === 0) return;
    const where = `host ${this.#host.host}`;
    const statusName = status === HCR_NO_ANSWER ? 'no answer' : (CMD_STATUS_NAME[status] ?? `status ${status}`);
    const id = status === HCR_NO_ANSWER ? 'HCA_CMD_TIMEOUT' : 'HCA_CMD_STATUS';
    this.#host.error(id, () => `${name} (modifier ${command.modifier ?? 0}) ended with ${statusName}`);
    throw new CommandError(where, name, status, statusName);
  }
}

/** Bit of in_modifier of RTS2SQD that asks for the SQ_DRAINED event. */
const EVENT_REQUEST = 0x8000_0000;

function moduleOf(table: IcmTable): number {
  return table === 'mtt' || table === 'mpt' ? MAP_MODULE.translation : MAP_MODULE.context;
}
