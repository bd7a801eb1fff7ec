/** A thread of software that accesses the aperture without the rules of the driver: for tests. */
import type { ApertureThread, BankBytes } from '../../../env/providers/deviceMemoryDriver.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { CARD_BAR } from '../layout/addressMap.ts';
import { CM, CM_BASE } from '../layout/registers.ts';

/** Bytes of an access: a write-combining buffer. */
const LINE = 64;
const BANK_BITS = 0xf;

export class CardThread implements ApertureThread {
  readonly #host: ProviderHost;
  readonly #thread: ReturnType<ProviderHost['bus']['thread']>;
  readonly #line: number;

  constructor(host: ProviderHost) {
    this.#host = host;
    this.#thread = host.bus.thread();
    this.#line = host.bytes.alloc(LINE, LINE);
  }

  select(window: number, subWindow: number): void {
    this.#thread.registerWrite(CARD_BAR.registers, CM_BASE + CM.select + 4 * window, [subWindow]);
  }

  write(offset: number, data: Uint8Array): void {
    for (const [at, n] of lines(offset, data.length))
      this.#thread.write(CARD_BAR.aperture, offset + at, data.subarray(at, at + n));
  }

  *read(offset: number, length: number): Proc<Uint8Array> {
    const found = new Uint8Array(length);
    for (const [at, n] of lines(offset, length)) {
      yield* this.#thread.read(CARD_BAR.aperture, offset + at, this.#line, n);
      found.set(this.#host.bytes.u8.subarray(this.#line, this.#line + n), at);
    }
    return found;
  }

  selected(window: number): Proc<number> {
    return this.#register(CM.select + 4 * window);
  }

  *errors(): Proc<number> {
    const errors = yield* this.#register(CM.errors);
    this.#thread.registerWrite(CARD_BAR.registers, CM_BASE + CM.errors, [errors]);
    return errors;
  }

  calibrate(banks: number): void {
    this.#thread.registerWrite(CARD_BAR.registers, CM_BASE + CM.status, [banks]);
  }

  *calibrated(): Proc<number> {
    return (yield* this.#register(CM.status)) & BANK_BITS;
  }

  *counters(banks: number): Proc<readonly BankBytes[]> {
    const counted: BankBytes[] = [];
    for (let bank = 0; bank < banks; bank++) {
      const readBytes = (yield* this.#register(CM.banks + 8 * bank)) >>> 0;
      counted.push({ readBytes, writtenBytes: (yield* this.#register(CM.banks + 8 * bank + 4)) >>> 0 });
    }
    return counted;
  }

  *#register(at: number): Proc<number> {
    yield* this.#thread.drained();
    return yield* this.#host.bus.barRead32(CARD_BAR.registers, CM_BASE + at);
  }
}

/** Accesses that a range takes, none across a line: where each begins in the range, and its bytes. */
function* lines(offset: number, length: number): Generator<readonly [at: number, n: number]> {
  for (let at = 0; at < length; ) {
    const n = Math.min(length - at, LINE - ((offset + at) % LINE));
    yield [at, n];
    at += n;
  }
}
