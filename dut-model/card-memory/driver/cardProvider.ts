/** Host software of the card: that of HanGu, with doorbells in another BAR and data that may lie on the card. */
import type { NicKnobs } from '../../nic.ts';
import { BAR } from '../../hangu/layout/index.ts';
import { HANGU_CAPABILITIES, HanguProvider } from '../../hangu/driver/index.ts';
import type { MemoryDomain } from '../../../env/memory/memoryDomain.ts';
import type { HarmlessAccess } from '../../../env/providers/harmlessAccess.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import type { DeviceAttributes, MrRequest, VirtualAddress } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Qp } from '../../../env/verbs/verbsObjects.ts';
import type { DeviceRequest } from '../../../env/verbs/srq/srqRequests.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { CARD_BAR, PAGE_SHIFT } from '../layout/addressMap.ts';
import { LARGE_PAGE_LOG } from '../layout/geometry.ts';
import { ON_CHIP, PORTS } from '../layout/limits.ts';
import { CM, CM_BASE } from '../layout/registers.ts';
import { cardLayoutOf, inboundHiOf } from '../layout/knobs.ts';
import { CardMemory } from './cardMemory.ts';
import type { WindowManager } from './windowManager.ts';
import type { CardAddressMap } from './cardAddressMap.ts';

export const CARD_CAPABILITIES: ProviderCapabilities = { ...HANGU_CAPABILITIES, cardMemory: true };

const GID_BYTES = 16;

/** Parts of the software in place of the usual ones. */
export interface CardSoftware {
  readonly windows?: typeof WindowManager;
  /** Gives the NIC addresses of host memory as the processor has them. Default false. */
  readonly ignoresInbound?: boolean;
}

/** The map is told how the card is built before software is. */
function configured(host: ProviderHost, knobs: NicKnobs, { ignoresInbound = false }: CardSoftware): ProviderHost {
  (host.map as CardAddressMap).configure(cardLayoutOf(knobs), ignoresInbound ? 0 : inboundHiOf(knobs));
  return host;
}

export class CardProvider extends HanguProvider {
  override readonly name: string = 'card';
  override readonly capabilities: ProviderCapabilities;
  readonly deviceMemory: CardMemory;
  readonly #host: ProviderHost;
  readonly #map: CardAddressMap;

  /** @param parts of the software that a faulty one has others of */
  constructor(host: ProviderHost, knobs: NicKnobs, parts: CardSoftware = {}) {
    super(configured(host, knobs, parts), { doorbellBar: CARD_BAR.doorbell, mpts: ON_CHIP.mpt, mtts: ON_CHIP.mtt });
    this.#host = host;
    this.capabilities = CARD_CAPABILITIES;
    this.#map = host.map as CardAddressMap;
    const layout = cardLayoutOf(knobs);
    this.deviceMemory = new CardMemory(host, this.#map, layout, parts.windows);
  }

  override *open(request: DeviceRequest = {}): Proc<DeviceAttributes> {
    const { bus, addresses, host } = this.#host;
    yield* bus.enumerate();
    for (let port = 1; port <= PORTS; port++) {
      const at = CM_BASE + CM.gids + GID_BYTES * (port - 1);
      bus.barWrite(CARD_BAR.registers, at, addresses.of(host, port).ipv6);
    }
    const device = yield* super.open(request);
    return { ...device, maxMrs: Math.min(device.maxMrs, ON_CHIP.mpt - 1) };
  }

  protected override pageLogOf({ hi, lo, pageLog }: MrRequest): number {
    const largest = this.#map.isLarge(hi, lo) ? LARGE_PAGE_LOG : PAGE_SHIFT;
    if (pageLog === undefined || pageLog === largest || pageLog === PAGE_SHIFT) return pageLog ?? largest;
    const what = `a region in pages of 2^${pageLog} bytes`;
    const advice = largest === PAGE_SHIFT ? `use ${PAGE_SHIFT} here` : `use ${PAGE_SHIFT} or ${largest}`;
    throw new HostApiError('ATTRIBUTE', `host ${this.#host.host}`, what, advice, pageLog);
  }

  override forget(): void {
    super.forget();
    this.deviceMemory.clear();
  }

  override leaks(): readonly string[] {
    const { inUse } = this.deviceMemory;
    return [...super.leaks(), ...(inUse === 0 ? [] : [`${inUse} pieces of device memory`])];
  }

  override dataAddress(qp: Qp, receive: boolean, domain: MemoryDomain = 'host'): VirtualAddress {
    const hi = domain === 'card' ? this.#map.areaFor(qp.process, qp.qpn, receive) : undefined;
    return hi === undefined ? super.dataAddress(qp, receive) : { hi, lo: 0 };
  }

  override harmlessAccesses(qp: Qp): readonly HarmlessAccess[] {
    return super
      .harmlessAccesses(qp)
      .map((access) => (access.bar === BAR.doorbell ? { ...access, bar: CARD_BAR.doorbell } : access));
  }
}
