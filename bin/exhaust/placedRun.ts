/** Plays a scenario with faults at given places, in this process. */

import type { FaultHit } from '../../agents/link/faults/faultInjector.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import type { Registry } from '../registry.ts';
import { type LoadedCommand, loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { runOne } from '../run/runOne.ts';
import type { RunResult } from '../run/runSpec.ts';
import { type Placement, ruleOf } from './placement.ts';

/** What a run found. Plain data. */
export interface PlacedRun {
  readonly placement: Placement;
  /** `empty`: a fault found nothing to act on in its frame. `unjudged`: something else than the NIC ended the run. */
  readonly outcome: 'passed' | 'failed' | 'unjudged' | 'empty';
  /** Of its transcript. */
  readonly hash: string;
  /** Id and text of the first finding; '' when there is none. */
  readonly id: string;
  readonly message: string;
}

/** A run with what was sent in it. */
export interface PlacedFrames extends PlacedRun {
  readonly frames: readonly FaultHit[];
}

/** Wall-clock time of one run (ms): a scenario is played in some milliseconds. */
const LIMIT_MS = 30_000;
const NO_END = `no end after ${LIMIT_MS / 1000} s of wall-clock time`;
/** Parameters that make a run write files. */
const LEFT_OUT: ReadonlySet<string> = new Set(['PCAP', 'DUMP_SCENARIO', 'TRACE']);

/** One scenario; its runs share a byte store. */
export class PlacedScenario {
  readonly command: LoadedCommand;
  readonly #registry: Registry;
  readonly #bytes: ByteStore;

  /** @param argv arguments of `hca_test` @param cwd folder for relative paths */
  constructor(argv: readonly string[], cwd: string, registry: Registry, bytes = ByteStore.create()) {
    this.command = loadCommand(parseTestCommand(argv, {}, cwd), cwd);
    this.#registry = registry;
    this.#bytes = bytes;
  }

  play(placement: Placement): PlacedFrames {
    const result = this.#run(placement);
    const { faults, transcript, signature, message } = result;
    const fired = faults?.rules.filter(({ source }) => source === 'placement').every((rule) => rule.fired > 0);
    return {
      placement,
      outcome: fired === false ? 'empty' : outcomeOf(result),
      hash: transcript.hash,
      id: signature?.id ?? '',
      message: signature?.message ?? message,
      frames: faults?.frames ?? [],
    };
  }

  #run(placement: Placement): RunResult {
    const spec = specOf(this.command, '');
    const plusargs = spec.plusargs.filter((arg) => !LEFT_OUT.has(arg.slice(1).split('=')[0] as string));
    const rules = [...(spec.faultFile?.rules ?? []), ...placement.map(ruleOf)];
    const { pcie = [], inject = [] } = spec.faultFile ?? {};
    const faultFile = { path: 'placement', sha256: '', problems: [], rules, pcie, inject };
    const end = performance.now() + LIMIT_MS;
    return runOne(
      { ...spec, plusargs: [...plusargs, '+UVM_MAX_QUIT_COUNT=1'], faultFile, listFrames: true },
      this.#registry,
      {
        sink: () => {},
        heartbeat: () => (performance.now() < end ? undefined : NO_END),
        breakOff: { afterMs: LIMIT_MS + 1000, reason: NO_END },
      },
      this.#bytes,
    );
  }
}

function outcomeOf({ verdict }: RunResult): PlacedRun['outcome'] {
  if (verdict === 'passed') return 'passed';
  return verdict === 'failed' ? 'failed' : 'unjudged';
}
