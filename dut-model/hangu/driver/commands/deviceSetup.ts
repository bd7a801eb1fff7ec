/**
 * Bringing the NIC up and taking it down: limits, adapter, INIT_HCA, MSI-X table, event queues.
 */

import { aCommand } from '../../../../rdma/subjectParts.ts';
import { BAR, INBOX_LO, MSIX_AREA_LO, MSIX_ENTRY, REG } from '../../layout/addressMap.ts';
import { BOARD_ID_HI, BOARD_ID_LO, ICM_ENTRY_BYTES, PAGE_BYTES } from '../../layout/commands.ts';
import { ADAPTER_FIELD, DEV_LIM_FIELD, INIT_EXT, MEMORY_EXT, MPT_PERMISSION } from '../../layout/contexts.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { PAGE_LIST } from '../../layout/queues.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { hexAddress } from '../../../../uvm/report/hexTexts.ts';
import type { DeviceAttributes } from '../../../../env/verbs/hostApi.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { HanguCommands } from './commands.ts';
import { ASYNC_MASK, EQ_COUNT, EQ_LOG_ENTRIES, EQ_WINDOW, EQN, SHARED_MASK } from '../rings/eqRing.ts';
import type { EqRings } from '../rings/eqRing.ts';
import type { IcmPages } from '../tables/icmPages.ts';
import { getField } from './image.ts';
import { type MrTable, Range } from '../tables/mrTable.ts';

/** Protection domain of the event queues. */
const KERNEL_PD = 0;

/** What the NIC says of keys that requests change. */
function memoryLimits(
  bits: number,
  logWindows: number,
): Pick<DeviceAttributes, 'windowTypes' | 'maxMws' | 'maxFastPages'> {
  const types = [
    [MEMORY_EXT.windows1, '1'],
    [MEMORY_EXT.windows2a, '2A'],
    [MEMORY_EXT.windows2b, '2B'],
  ] as const;
  return {
    windowTypes: types.filter(([bit]) => (bits & bit) !== 0).map(([, type]) => type),
    maxMws: 2 ** logWindows,
    maxFastPages: (bits & MEMORY_EXT.fastRegistration) === 0 ? 0 : PAGE_LIST.mostPages,
  };
}

export class DeviceSetup {
  readonly #host: ProviderHost;
  readonly #commands: HanguCommands;
  readonly #icm: IcmPages;
  readonly #mrs: MrTable;
  readonly #eqs: EqRings;
  readonly #eqKeys: number[] = [];

  constructor(host: ProviderHost, commands: HanguCommands, icm: IcmPages, mrs: MrTable, eqs: EqRings) {
    this.#host = host;
    this.#commands = commands;
    this.#icm = icm;
    this.#mrs = mrs;
    this.#eqs = eqs;
  }

  /** @param events also set up event queues and interrupts. @param logSrqs log2 of the shared receive queues that are wanted, 0 = none. @param tagged keys have tags */
  *open(events: boolean, logSrqs: number, tagged: boolean): Proc<DeviceAttributes> {
    this.#host.area('inbox', 0, INBOX_LO, PAGE_BYTES, true);
    yield* this.#commands.queryDevLim(logSrqs > 0 || tagged);
    const attributes = this.#readLimits(this.#commands.outbox, logSrqs, tagged);
    this.#checkEntrySizes(this.#commands.outbox);
    yield* this.#commands.queryAdapter();
    this.#checkAdapter();
    const extensions = (this.#host.cqIndices.parts > 0 ? INIT_EXT.cqIndices : 0) | (tagged ? INIT_EXT.taggedKeys : 0);
    const flags = extensions | (logSrqs << INIT_EXT.logSrqsShift);
    yield* this.#commands.initHca(this.#host.addresses.of(this.#host.host).ipv6, flags);
    if (events) yield* this.#openEvents(logSrqs > 0);
    return attributes;
  }

  *close(): Proc<void> {
    for (let eqn = this.#eqKeys.length - 1; eqn >= 0; eqn--) {
      yield* this.#commands.hw2swEq(eqn);
      yield* this.#mrs.deregister([this.#eqKeys[eqn] as number]);
      this.#host.area('eq', 0, this.#eqs.address(eqn), EQ_WINDOW, false);
    }
    this.#closeMessages();
    yield* this.#icm.unmapAll();
    yield* this.#commands.closeHca();
    this.#host.area('inbox', 0, INBOX_LO, PAGE_BYTES, false);
  }

  /** Whether a key is that of an event queue. */
  isOfEvents(key: number): boolean {
    return this.#eqKeys.includes(key);
  }

  /** The NIC was reset, and has nothing of it any more: takes the areas back that it could write and read. */
  forget(): void {
    for (let eqn = this.#eqKeys.length - 1; eqn >= 0; eqn--)
      this.#host.area('eq', 0, this.#eqs.address(eqn), EQ_WINDOW, false);
    this.#closeMessages();
    this.#host.area('inbox', 0, INBOX_LO, PAGE_BYTES, false);
  }

  #closeMessages(): void {
    if (this.#eqKeys.length > 0) this.#host.area('msix', 0, MSIX_AREA_LO, EQ_COUNT * MSIX_ENTRY.bytes, false);
    this.#eqKeys.length = 0;
  }

  *#openEvents(shared: boolean): Proc<void> {
    this.#host.area('msix', 0, MSIX_AREA_LO, EQ_COUNT * MSIX_ENTRY.bytes, true);
    for (let eqn = 0; eqn < EQ_COUNT; eqn++) {
      const at = REG.msix + eqn * MSIX_ENTRY.bytes;
      this.#host.bus.barWrite(BAR.registers, at, [MSIX_AREA_LO + eqn * MSIX_ENTRY.bytes, 0, eqn, 0]);
      yield* this.#openEq(eqn);
    }
    yield* this.#commands.mapEq(EQN.async, 0, shared ? ASYNC_MASK | SHARED_MASK : ASYNC_MASK);
    for (let eqn = 0; eqn < EQ_COUNT; eqn++) this.#eqs.arm(eqn);
  }

  *#openEq(eqn: number): Proc<void> {
    const lo = this.#eqs.address(eqn);
    this.#eqs.initialise(eqn);
    const range = new Range(0, 0, lo, EQ_WINDOW, KERNEL_PD, MPT_PERMISSION.localWrite, true);
    const lkey = yield* this.#mrs.register(range);
    this.#eqKeys.push(lkey);
    this.#host.ringPiece('eq', 0, lo, EQ_WINDOW, true, { id: eqn, bytes: EQ_WINDOW }, 0);
    yield* this.#icm.ensure('eqc', eqn, 1);
    const start = { startHi: 0, startLo: lo, logSize: EQ_LOG_ENTRIES };
    yield* this.#commands.sw2hwEq(eqn, { ...start, msixVector: eqn, pd: KERNEL_PD, lkey });
  }

  /** Fields that are logarithms in QUERY_DEV_LIM (hangu-interface.md 4.8); limits of the model where it has none. */
  #readLimits(outbox: number, logSrqs: number, tagged: boolean): DeviceAttributes {
    const limit = (name: keyof typeof DEV_LIM_FIELD): number => getField(this.#host.bytes, outbox, DEV_LIM_FIELD[name]);
    return {
      name: 'hangu',
      maxQps: Math.min(HANGU_LIMITS.maxQps, 2 ** limit('logMaxQps')),
      maxCqs: 2 ** limit('logMaxCqs'),
      // Key 0 is none.
      maxMrs: 2 ** limit('logMaxMpts') - 1,
      maxSge: limit('maxSge'),
      maxQpWr: 2 ** limit('logMaxQueueDepth'),
      maxCqEntries: 2 ** limit('logMaxCqEntries'),
      maxMtu: limit('mtuPortWidth') >>> 4,
      maxRdAtomic: HANGU_LIMITS.maxRdAtomic,
      maxDestRdAtomic: HANGU_LIMITS.maxRdAtomic,
      maxSrqs: logSrqs === 0 ? 0 : 2 ** Math.min(logSrqs, limit('extLogMaxSrqs')),
      maxSrqWr: logSrqs === 0 ? 0 : 2 ** limit('extLogMaxSrqDepth') - 1,
      maxSrqSge: logSrqs === 0 ? 0 : limit('maxSgeRecv'),
      ...(tagged ? memoryLimits(limit('extMemory'), limit('extLogMaxWindows')) : {}),
    };
  }

  /** ICM is mapped by entry size, so the NIC must mean the same sizes. */
  #checkEntrySizes(outbox: number): void {
    const sizes = [
      ['qpc', DEV_LIM_FIELD.qpcBytes],
      ['cqc', DEV_LIM_FIELD.cqcBytes],
      ['eqc', DEV_LIM_FIELD.eqcBytes],
      ['mpt', DEV_LIM_FIELD.mptBytes],
    ] as const;
    for (const [table, field] of sizes) {
      const bytes = getField(this.#host.bytes, outbox, field);
      if (bytes === ICM_ENTRY_BYTES[table]) continue;
      const text = `${table} entries of ${bytes} bytes, ${ICM_ENTRY_BYTES[table]} are expected`;
      this.#host.error('HCA_DEV_LIM', text, aCommand(this.#host.host, 'QUERY_DEV_LIM'));
    }
  }

  #checkAdapter(): void {
    const { bytes } = this.#host;
    const outbox = this.#commands.outbox;
    const hi = getField(bytes, outbox, ADAPTER_FIELD.boardIdHigh);
    const lo = getField(bytes, outbox, ADAPTER_FIELD.boardIdLow);
    if (hi === BOARD_ID_HI >>> 0 && lo === BOARD_ID_LO >>> 0) return;
    const right = hexAddress(BOARD_ID_HI, BOARD_ID_LO);
    const found = hexAddress(hi, lo);
    const { host } = this.#host;
    const text = `host ${host}: board id ${found} was returned; ${right} is expected`;
    this.#host.error('HCA_ADAPTER', text, aCommand(host, 'QUERY_ADAPTER'));
  }
}
