/** The calls of the host API that are about keys which requests change: what holds for every NIC, and whom to tell. */
import { MKEY, type MkeyInfo } from '../../../agents/verbs/mkeyItems.ts';
import type { SendWr } from '../../../agents/verbs/verbsItems.ts';
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import { sendsNothing, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { MkeyDriver } from '../../providers/mkeyDriver.ts';
import type { CapabilityChecks } from '../capabilities.ts';
import { HostApiError, type MisuseKind } from '../hostErrors.ts';
import type { HostObjects } from '../hostObjects.ts';
import { describe } from '../qpTransitions.ts';
import { FastMr, type Mw, type MwType, type Pd, type Qp } from '../verbsObjects.ts';

export interface MkeysParts {
  readonly host: number;
  /** Of a provider with such a capability. */
  readonly driver: MkeyDriver | undefined;
  readonly objects: HostObjects;
  readonly monitor: VerbsMonitor;
  readonly allows: CapabilityChecks;
}

export class Mkeys {
  readonly #parts: MkeysParts;
  /** Bits of the tags of keys; 0 while there are none. */
  #tagBits = 0;

  constructor(parts: MkeysParts) {
    this.#parts = parts;
  }

  /** The device is opened with such keys. @throws HostApiError of kind ATTRIBUTE or UNSUPPORTED */
  opens(tagBits: number): void {
    if (!(Number.isInteger(tagBits) && tagBits >= 0 && tagBits <= MOST_TAG_BITS))
      throw this.#misuse('ATTRIBUTE', `tags of ${tagBits} bits`, `use 0 .. ${MOST_TAG_BITS}`, tagBits);
    if (tagBits > 0) this.#parts.allows.taggedKeys();
    this.#tagBits = tagBits;
  }

  *allocMw(pd: Pd, type: MwType): Proc<Mw> {
    const { objects, allows, monitor } = this.#parts;
    objects.checkPd(pd);
    allows.memoryWindow();
    this.#checkTags('a memory window');
    if (![1, 2].includes(type)) throw this.#misuse('ATTRIBUTE', `a window of type ${type}`, 'use 1 or 2', type);
    const mw = yield* this.#driver.allocMw(pd, type);
    pd.users++;
    objects.mws.add(mw);
    monitor.tell('mkeyMade', mkeyInfoOf(mw));
    return mw;
  }

  *deallocMw(mw: Mw): Proc<void> {
    const { objects } = this.#parts;
    objects.checkMw(mw);
    objects.mws.delete(mw);
    yield* this.#gone(mw, this.#driver.deallocMw(mw));
  }

  *allocMr(pd: Pd, maxPages: number): Proc<FastMr> {
    const { objects, allows, monitor } = this.#parts;
    objects.checkPd(pd);
    allows.fastRegistration();
    this.#checkTags('a region that requests register');
    if (!(Number.isInteger(maxPages) && maxPages >= 1))
      throw this.#misuse('LIMIT', `a region of ${maxPages} pages`, 'use 1 or more', maxPages);
    const mr = yield* this.#driver.allocMr(pd, maxPages);
    pd.users++;
    objects.fastMrs.add(mr);
    monitor.tell('mkeyMade', mkeyInfoOf(mr));
    return mr;
  }

  *deallocMr(mr: FastMr): Proc<void> {
    const { objects } = this.#parts;
    objects.checkFastMr(mr);
    objects.fastMrs.delete(mr);
    yield* this.#gone(mr, this.#driver.deallocMr(mr));
  }

  /** Everything that is left, windows first. */
  *takeDown(): Proc<void> {
    const { mws, fastMrs } = this.#parts.objects;
    for (const mw of mws) yield* this.deallocMw(mw);
    for (const mr of fastMrs) yield* this.deallocMr(mr);
  }

  /**
   * What of a list is wrong, whatever the NIC: a change of a key that is not described.
   * @returns requests of which nothing is sent
   * @throws HostApiError of kind ATTRIBUTE or UNSUPPORTED
   */
  checkPosting(qp: Qp, wrs: readonly SendWr[], count: number): number {
    let silent = 0;
    for (let i = 0; i < count; i++) {
      const { opcode, change } = wrs[i] as SendWr;
      if (opcode < WR_OPCODE.localInv) continue;
      if (this.#tagBits === 0) throw this.#noTags(`request ${i}`, describe(qp)).at(i);
      const isChange = opcode === WR_OPCODE.bindMw || opcode === WR_OPCODE.regMr;
      if (sendsNothing(opcode)) silent++;
      if (!isChange || change !== null) continue;
      throw new HostApiError(
        'ATTRIBUTE',
        describe(qp),
        `request ${i} does not say what its key is to open`,
        'set change',
      ).at(i);
    }
    return silent;
  }

  *#gone(object: Mw | FastMr, freed: Proc<void>): Proc<void> {
    const { monitor } = this.#parts;
    object.alive = false;
    monitor.tell('mkeyGoing', object.host, object.key);
    yield* freed;
    object.pd.users--;
    monitor.tell('mkeyGone', object.host, object.key);
  }

  #checkTags(what: string): void {
    if (this.#tagBits === 0) throw this.#noTags(what, `host ${this.#parts.host}`);
  }

  #noTags(what: string, where: string): HostApiError {
    return new HostApiError('UNSUPPORTED', where, `${what} needs keys with tags`, 'open the device with keyTags');
  }

  /** Whoever has the capability has one. */
  get #driver(): MkeyDriver {
    return this.#parts.driver as MkeyDriver;
  }

  #misuse(kind: MisuseKind, what: string, hint: string, value: unknown): HostApiError {
    return new HostApiError(kind, `host ${this.#parts.host}`, what, hint, value);
  }
}

const MOST_TAG_BITS = 8;

/** What is told of a window, or of a region that requests register. */
function mkeyInfoOf(object: Mw | FastMr): MkeyInfo {
  const { host, pd, key } = object;
  const owner = { host, process: pd.process, pd: pd.pdn, key };
  if (object instanceof FastMr) return { ...owner, kind: MKEY.region, maxPages: object.maxPages };
  return { ...owner, kind: object.type === 1 ? MKEY.window1 : MKEY.window2, maxPages: 0 };
}
