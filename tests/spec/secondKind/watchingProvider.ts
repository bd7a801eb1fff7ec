import { HanguProvider } from '../../../dut-model/hangu/driver/hanguProvider.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { DeviceAttributes } from '../../../env/verbs/hostApi.ts';
import { BAR, REG } from '../../../dut-model/hangu/layout/addressMap.ts';
import { delay, type Proc, type Process } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';

/** What the providers of a run share. */
export interface Watch {
  /** By host: how often it has looked at its NIC. */
  readonly looks: number[];
  readonly fault: string;
}

/** Longest delay of a look, ps. */
const JITTER = 4_000_000;
/** How long the software goes on by itself, with the fault `late_watch`. */
const LATE = MS;

/** HanGu's software with a process that reads a register now and then, as long as the device is open. */
export class WatchingProvider extends HanguProvider {
  readonly #host: ProviderHost;
  readonly #watch: Watch;
  readonly #period: number;
  #process: Process | undefined;
  #begun = 0;

  /** @param period ps */
  constructor(host: ProviderHost, watch: Watch, period: number) {
    super(host);
    this.#host = host;
    this.#watch = watch;
    this.#period = period;
  }

  /** Things that it will go on with. */
  get inFlight(): number {
    return this.#begun;
  }

  override *open(): Proc<DeviceAttributes> {
    const device = yield* super.open();
    this.#process = this.#host.spawn('watch', this.#look());
    if (this.#watch.fault === 'late_watch') {
      this.#begun++;
      // Calls fire(0) of this object.
      this.#host.scheduler.schedule(LATE, this, 0);
    }
    return device;
  }

  override *close(): Proc<void> {
    if (this.#watch.fault !== 'endless_watch') this.#process?.kill();
    yield* super.close();
  }

  fire(_argument: number): void {
    this.#begun--;
  }

  *#look(): Proc {
    const { host, bus } = this.#host;
    const random = this.#host.random('watch');
    for (;;) {
      yield* delay(this.#period + random.range(0, JITTER));
      yield* bus.barRead32(BAR.registers, REG.initDone);
      this.#watch.looks[host] = (this.#watch.looks[host] ?? 0) + 1;
    }
  }
}
