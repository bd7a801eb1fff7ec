/** Windows and regions that requests change, of the HanGu provider; and the page lists of registrations. */
import type { MkeyDriver } from '../../../env/providers/mkeyDriver.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import { aCommand } from '../../../rdma/subjectParts.ts';
import type { DeviceAttributes } from '../../../env/verbs/hostApi.ts';
import { HostApiError, WindowLimitError } from '../../../env/verbs/hostErrors.ts';
import type { DeviceRequest } from '../../../env/verbs/srq/srqRequests.ts';
import { FastMr, Mw, type MwType, type Pd } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { MPT_FLAGS_FAST, MPT_FLAGS_WINDOW, MPT_KIND } from '../layout/contexts.ts';
import { PAGE_LIST } from '../layout/queues.ts';
import type { MrTable } from './tables/mrTable.ts';

export class HanguKeys implements MkeyDriver {
  readonly #host: ProviderHost;
  readonly #mrs: MrTable;

  /** Windows that there are, and that there may be by what the device has said. */
  #windows = 0;
  #mostWindows = 0;

  constructor(host: ProviderHost, mrs: MrTable) {
    this.#host = host;
    this.#mrs = mrs;
  }

  /** The device is opened. @returns whether the NIC is asked for keys with tags */
  opens({ keyTags = 0, keysSoon = false }: DeviceRequest): boolean {
    this.#mrs.opens({ bits: keyTags, soon: keysSoon });
    this.#windows = 0;
    return keyTags > 0;
  }

  /** The device has said what it can hold. */
  opened({ maxMws = 0 }: DeviceAttributes): void {
    this.#mostWindows = maxMws;
  }

  /** @throws HostApiError of kind LIMIT where the NIC has no room for one more */
  *allocMw(pd: Pd, type: MwType): Proc<Mw> {
    const flags = MPT_FLAGS_WINDOW | (type === 2 ? MPT_KIND.type2 : 0);
    this.#windows++;
    try {
      return new Mw(pd, type, yield* this.#mrs.registerChanged(flags, pd.pdn, 0));
    } catch (error) {
      this.#windows--;
      throw error instanceof WindowLimitError ? this.#noRoom(error) : error;
    }
  }

  *deallocMw({ key }: Mw): Proc<void> {
    yield* this.#mrs.deregister([key]);
    this.#windows--;
  }

  /** The NIC refuses a window: it must have as many as it has said by then. */
  #noRoom({ message, command }: WindowLimitError): HostApiError {
    const { host } = this.#host;
    const [there, most] = [this.#windows, this.#mostWindows];
    if (there < most) {
      const text = `${message}, with ${there} windows; the device says that it holds ${most}`;
      this.#host.error('HCA_CMD_STATUS', () => text, aCommand(host, command));
    }
    return new HostApiError('LIMIT', `host ${host}`, `the NIC holds ${there} windows`, 'free some first', there);
  }

  *allocMr(pd: Pd, maxPages: number): Proc<FastMr> {
    const { mostPages } = PAGE_LIST;
    if (maxPages > mostPages) {
      const what = `a region of ${maxPages} pages`;
      throw new HostApiError('LIMIT', `host ${this.#host.host}`, what, `use ${mostPages} at most`, maxPages);
    }
    return new FastMr(pd, yield* this.#mrs.registerChanged(MPT_FLAGS_FAST, pd.pdn, maxPages), maxPages);
  }

  deallocMr({ key }: FastMr): Proc<void> {
    return this.#mrs.deregister([key]);
  }
}
