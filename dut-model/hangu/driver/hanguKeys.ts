/** Windows and regions that requests change, of the HanGu provider; and the page lists of registrations. */
import type { MkeyDriver } from '../../../env/providers/mkeyDriver.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { DeviceRequest } from '../../../env/verbs/srq/srqRequests.ts';
import { FastMr, Mw, type MwType, type Pd } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { MPT_FLAGS_FAST, MPT_FLAGS_WINDOW, MPT_KIND } from '../layout/contexts.ts';
import { PAGE_LIST } from '../layout/queues.ts';
import type { MrTable } from './tables/mrTable.ts';

export class HanguKeys implements MkeyDriver {
  readonly #host: ProviderHost;
  readonly #mrs: MrTable;

  constructor(host: ProviderHost, mrs: MrTable) {
    this.#host = host;
    this.#mrs = mrs;
  }

  /** The device is opened. @returns whether the NIC is asked for keys with tags */
  opens({ keyTags = 0, keysSoon = false }: DeviceRequest): boolean {
    this.#mrs.opens({ bits: keyTags, soon: keysSoon });
    return keyTags > 0;
  }

  *allocMw(pd: Pd, type: MwType): Proc<Mw> {
    const flags = MPT_FLAGS_WINDOW | (type === 2 ? MPT_KIND.type2 : 0);
    return new Mw(pd, type, yield* this.#mrs.registerChanged(flags, pd.pdn, 0));
  }

  deallocMw({ key }: Mw): Proc<void> {
    return this.#mrs.deregister([key]);
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
