/** A bug that can be planted in the HanGu model: who wants to trust a checker lets it catch one. */
import type { NicContext } from '../../nic.ts';
import type { HanguConfig } from '../model/hanguConfig.ts';
import type { HanguBlocks } from '../model/hanguBlocks.ts';
import { HanguNic } from '../model/hanguNic.ts';

/** What is known of a bug without its code: what it is, what it needs, and which checks must see it. Rows are data, in `rows/`. */
export interface FaultRow {
  /** Value of `+DUT_FAULT=`. */
  readonly name: string;
  /** Block of the NIC that it sits in. */
  readonly block: string;
  readonly description: string;
  /** Report ids of which at least one must be seen. Empty: no check sees it yet. */
  readonly caughtBy: readonly string[];
  /** Words of the event that decides the finding, in which `#` stands for any number: a line of `failure.md` must have them. */
  readonly decides?: string;
  /** Plusargs that the stimulus needs for the bug to show, beyond those of a mixed run. */
  readonly needs?: readonly string[];
}

/** One bug: its row, and a NIC that has it. */
export interface Fault extends FaultRow {
  readonly create: (context: NicContext, config: HanguConfig) => HanguNic;
}

/** Rows with the code of each, in the order of the rows. A row without code does not compile, nor code without a row. */
export function faultsOf<const Row extends FaultRow>(
  rows: readonly Row[],
  code: Readonly<Record<Row['name'], Fault['create']>>,
): readonly Fault[] {
  return rows.map((row) => ({ ...row, create: code[row.name as Row['name']] }));
}

/** A NIC with other blocks in place of its own. */
export function planted(blocks: Partial<HanguBlocks>): Fault['create'] {
  return (context, config) => new HanguNic(context, config, blocks);
}

/** True on every n-th call. */
export class Every {
  #count = 0;
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
  }

  hit(): boolean {
    this.#count++;
    if (this.#count < this.#n) return false;
    this.#count = 0;
    return true;
  }
}

/** Stimulus with every kind of wrong key, once for each kind of request. */
export const WRONG_KEYS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=wrong_keys',
  '+RC_QP_NUM=29',
];

/** Stimulus with errors while both sides of a connection send. */
export const CROSSING_ERRORS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=crossing_errors',
  '+RC_QP_NUM=8',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

/** Stimulus with send queues that stop for an error and go on. */
export const SEND_ERRORS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=send_errors',
  '+UC_QP_NUM=1',
  '+UD_QP_NUM=1',
];

/** Stimulus with messages that are longer than their receives; the services come with the bug. */
export const LONG_MESSAGES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=long_messages',
  '+RC_QP_NUM=0',
];

/** Every request is sent again, and its first copy succeeds. */
export const SLOW_LINK: readonly string[] = ['+ACK_TIMEOUT=2', '+LINK_LATENCY_NS=30000'];

/** READs whose answers take longer than the time-out. */
export const SLOW_READS: readonly string[] = [
  ...['+ACK_TIMEOUT=2', '+LINK_GBPS=1', '+MTU=4096', '+DATA_CNT=15000', '+DATA_UNIT=B'],
  ...['+RC_QP_NUM=2', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
  ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=1'],
];
