import { aBarAccess } from '../../rdma/subjectParts.ts';
import { PcieBarItem } from '../../agents/pcie/pcieBarItem.ts';
import type { HarmlessAccess } from '../../env/providers/harmlessAccess.ts';
import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { ReportSubject } from '../../uvm/report/reportMessage.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { Sequence } from '../../uvm/seq/sequence.ts';

/** What registers of a NIC answered first, by BAR and offset. @public */
export type FirstAnswers = Map<string, number>;

/**
 * Accesses that must do nothing, one after the other, for the PCIe sequencer of a host. Reports `SEQ_REGISTER` when bits
 * of a register that never change have changed, or are not what they must be.
 * @public
 */
export class AccessSequence extends Sequence<PcieBarItem> {
  readonly #accesses: readonly HarmlessAccess[];
  readonly #first: FirstAnswers;
  readonly #pause: () => SimTime;
  readonly #isOver: () => boolean;
  readonly #host: number | undefined;

  /**
   * @param first answers of the same NIC so far; added to
   * @param pause time before each access, ps
   * @param isOver the NIC has been reset, and nothing is as it was; default: it never is
   * @param host whose NIC it is, for what errors accuse; default: they do not say
   */
  constructor(
    accesses: readonly HarmlessAccess[],
    first: FirstAnswers,
    pause: () => SimTime,
    isOver: () => boolean = () => false,
    host?: number,
  ) {
    super();
    this.#accesses = accesses;
    this.#first = first;
    this.#pause = pause;
    this.#isOver = isOver;
    this.#host = host;
  }

  override *body(): Proc {
    for (const access of this.#accesses) {
      yield* delay(this.#pause());
      const { bar, offset, words } = access;
      const item = words === undefined ? PcieBarItem.read(bar, offset) : PcieBarItem.write(bar, offset, words);
      yield* this.send(item);
      if (this.#isOver()) return;
      if (words === undefined) this.#compare(access, item.value);
    }
  }

  #compare({ what, bar, offset, constant = 0, value }: HarmlessAccess, answer: number): void {
    const place = `${bar} ${offset}`;
    const first = value ?? this.#first.get(place) ?? answer;
    this.#first.set(place, first);
    if (((answer ^ first) & constant) === 0) return;
    const right = value === undefined ? `the first answer was ${hex(first)}` : `${hex(value)} is right`;
    const bits = constant === 0xffff_ffff ? '' : ` of the bits ${hex(constant)}`;
    this.error(
      'SEQ_REGISTER',
      `${what}: BAR ${bar} offset ${hex(offset)} reads ${hex(answer)}; ${right}${bits}`,
      this.#about(bar, offset),
    );
  }

  #about(bar: number, offset: number): ReportSubject {
    return this.#host === undefined ? [] : [aBarAccess(this.#host, bar, offset, this.run.scheduler.now)];
  }
}
