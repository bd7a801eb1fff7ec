/**
 * A shrunk scenario as a user sequence, to be pasted into a folder of tests: without creation of queues, bring-up and take-down,
 * which `test_sequence` does. Only what a sequence can say in a few lines is said: one connection, memory, receives and requests.
 */

import type {
  CallMemory,
  CallScenario,
  CallSend,
  CallSge,
  CallStep,
} from '../../config/scenario/calls/callScenario.ts';
import { isWait } from '../../config/scenario/calls/callScenario.ts';

type Side = 'left' | 'right';
type Call = Exclude<CallStep, { readonly wait: string }>;

/** Calls that `test_sequence` makes by itself. */
const BRING_UP: ReadonlySet<string> = new Set(['openDevice', 'allocPd', 'createCq', 'createQp', 'connectQp']);
/** Requests by the method of a side that posts them. */
const METHODS: Readonly<Record<string, 'send' | 'write' | 'read'>> = {
  SEND: 'send',
  SEND_WITH_IMM: 'send',
  RDMA_WRITE: 'write',
  RDMA_WRITE_WITH_IMM: 'write',
  RDMA_READ: 'read',
};
/** Flags that are options of a request; SIGNALED is what queue pairs do without being asked. */
const OPTIONS: Readonly<Record<string, string | undefined>> = {
  SOLICITED: 'solicited',
  FENCE: 'fence',
  INLINE: 'inline',
};

/** A sequence in source, and the arguments that play it. */
export interface SequenceSource {
  readonly text: string;
  readonly plusargs: readonly string[];
}

/** @param head lines of a comment @returns undefined where the scenario has more than such a sequence says */
export function sequenceSource(scenario: CallScenario, head: readonly string[]): SequenceSource | undefined {
  const steps = scenario.stages.flatMap(({ threads }) => receivesFirst(threads.flatMap((thread) => thread.steps)));
  const ends = endsOf(steps);
  if (ends === undefined) return undefined;
  const writer = new SequenceWriter(ends.sides, steps);
  const lines = steps.flatMap((step) => (!isWait(step) && BRING_UP.has(step.call) ? [] : [writer.lineOf(step)]));
  if (lines.includes(undefined) || lines.length === 0) return undefined;
  const body = lines.flatMap((line) => line ?? []).map((line) => `    ${line}`);
  const text = [
    ...head.map((line) => `// ${line.replaceAll('\n', ' ')}`),
    "import { QP_TYPE } from 'rnic-verify/rdma';",
    "import { type Connection, UserSequence } from 'rnic-verify/sequences';",
    "import type { Proc } from 'rnic-verify/uvm';",
    '',
    'export class Shrunk extends UserSequence {',
    "  static readonly typeName: string = 'shrunk';",
    "  static readonly description: string = 'what is left of a run that fails';",
    `  override readonly services = [QP_TYPE.${ends.type.toLowerCase()}];`,
    '',
    '  override *connection({ left, right }: Connection): Proc<void> {',
    ...body,
    '  }',
    '}',
    '',
  ];
  const parameters = Object.entries(scenario.parameters).map(([name, value]) => `+${name}=${value}`);
  const mtu = ends.mtu === undefined ? [] : [`+MTU=${ends.mtu}`];
  return {
    text: text.join('\n'),
    plusargs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=shrunk',
      `+${ends.type}_QP_NUM=1`,
      ...(ends.type === 'RC' ? [] : ['+RC_QP_NUM=0']),
      ...mtu,
      ...parameters,
      ...scenario.faults.map((rule) => `+NET_FAULT=${rule}`),
    ],
  };
}

/** Threads run side by side: receives are there before what they are for comes. */
function receivesFirst(steps: readonly CallStep[]): CallStep[] {
  const rank = (step: CallStep): number =>
    isWait(step) ? 2 : step.call === 'postSend' ? 2 : step.call === 'postRecv' ? 1 : 0;
  return steps.toSorted((a, b) => rank(a) - rank(b));
}

interface Ends {
  readonly sides: ReadonlyMap<string, Side>;
  readonly type: 'RC' | 'UC';
  readonly mtu: number | undefined;
}

/** The two queue pairs, where there are two that are connected with each other and no others. */
function endsOf(steps: readonly CallStep[]): Ends | undefined {
  const calls = steps.filter((step): step is Call => !isWait(step));
  const made = calls.flatMap((call) => (call.call === 'createQp' && call.as !== undefined ? [call] : []));
  const connects = calls.flatMap((call) => (call.call === 'connectQp' ? [call] : []));
  const [one, other] = made.toSorted((a, b) => (String(a.as) < String(b.as) ? -1 : 1));
  const type = one?.args?.type;
  if (made.length !== 2 || one?.as === undefined || other?.as === undefined || type === 'UD' || type === undefined)
    return undefined;
  if (made.some(({ args }) => args?.srq !== undefined || args?.signalAll === false)) return undefined;
  const names = new Set([one.as, other.as]);
  if (connects.length !== 2 || connects.some(({ on, args }) => !names.has(on) || !names.has(args?.peer ?? '')))
    return undefined;
  const mtu = connects[0]?.args?.['mtu'];
  const sides = new Map<string, Side>([
    [one.as, 'left'],
    [other.as, 'right'],
  ]);
  return { sides, type, mtu: typeof mtu === 'number' ? mtu : undefined };
}

/** Knows sides and regions. */
class SequenceWriter {
  readonly #sides: ReadonlyMap<string, Side>;
  /** Regions that data come into. */
  readonly #sinks = new Set<string>();
  readonly #lengths = new Map<string, number>();
  readonly #names = new Map<string, string>();
  /** Regions that requests and receives name. */
  readonly #used = new Set<string>();

  constructor(sides: ReadonlyMap<string, Side>, steps: readonly CallStep[]) {
    this.#sides = sides;
    for (const step of steps) {
      if (isWait(step)) continue;
      if (step.call === 'postRecv')
        for (const { sges } of step.args?.requests ?? []) {
          this.#areUsed(sges);
          this.#areSinks(sges);
        }
      if (step.call === 'postSend')
        for (const { opcode, sges, remote } of step.args?.requests ?? []) {
          this.#areUsed(remote === undefined ? sges : [...sges, remote]);
          this.#areSinks(opcode === 'RDMA_READ' ? sges : remote === undefined ? [] : [remote]);
        }
      if (step.call === 'regMr')
        for (const { mr, length } of step.args?.regions ?? []) {
          this.#lengths.set(mr, length);
          this.#names.set(mr, mr.replace(/^.*\./, ''));
        }
    }
  }

  /** Lines of a step; undefined where a sequence cannot say them. */
  lineOf(step: CallStep): string[] | undefined {
    if (isWait(step)) return this.#waitLines(step.wait, step.on, step.queue);
    if (step.call === 'regMr')
      return (step.args?.regions ?? []).flatMap(({ mr, length, area }) => {
        if (!this.#used.has(mr)) return [];
        const side = this.#sideOfRegion(mr, area);
        return `const ${this.#names.get(mr)} = yield* ${side}.${this.#sinks.has(mr) ? 'sink' : 'source'}(${length});`;
      });
    const side = this.#sides.get(step.on);
    if (side === undefined) return undefined;
    if (step.call === 'postRecv')
      return joined(
        (step.args?.requests ?? []).map(({ sges }) => {
          const data = this.#list(sges);
          return data === undefined ? undefined : `yield* ${side}.receive(${data});`;
        }),
      );
    if (step.call === 'postSend')
      return joined((step.args?.requests ?? []).map((request) => this.#send(side, request)));
    return undefined;
  }

  #send(side: Side, { opcode, sges, remote, flags = [], imm, add, swap }: CallSend): string | undefined {
    const method = METHODS[opcode];
    const data = this.#list(sges);
    if (method === undefined || data === undefined || add !== undefined || swap !== undefined) return undefined;
    const length = sges.reduce((sum, sge) => sum + sge.length, 0);
    const target = remote === undefined ? undefined : this.#part({ ...remote, length });
    if (method !== 'send' && target === undefined) return undefined;
    const options = [
      ...(imm === undefined ? [] : [`imm: ${imm}`]),
      ...flags.flatMap((flag) => (OPTIONS[flag] === undefined ? [] : [`${OPTIONS[flag]}: true`])),
    ];
    const args = [
      data,
      ...(target === undefined ? [] : [target]),
      ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`]),
    ];
    return `yield* ${side}.${method}(${args.join(', ')});`;
  }

  #list(sges: readonly CallSge[]): string | undefined {
    const parts = sges.map((sge) => this.#part(sge));
    if (parts.includes(undefined)) return undefined;
    return parts.length === 1 ? parts[0] : `[${parts.join(', ')}]`;
  }

  /** Only memory by the key of a region, as it is. */
  #part({ mr, at = 0, length, flip, key, area }: CallMemory & { readonly length: number }): string | undefined {
    const name = mr === undefined ? undefined : this.#names.get(mr);
    if (name === undefined || flip !== undefined || key !== undefined || area !== undefined) return undefined;
    return at === 0 && length === this.#lengths.get(mr as string) ? name : `${name}.part(${at}, ${length})`;
  }

  #waitLines(wait: string, on: string | undefined, queue: string | undefined): string[] | undefined {
    const side = on === undefined ? undefined : this.#sides.get(on);
    if (wait !== 'completion' || side === undefined) return undefined;
    return [`yield* ${side}.${queue === 'receive' ? 'received' : 'sent'}();`];
  }

  #sideOfRegion(mr: string, area: string | undefined): Side {
    const pair = [...this.#sides.keys()].find((name) => area?.startsWith(`${name}.`) === true);
    const host = mr.split('.')[0];
    const own = pair ?? [...this.#sides.keys()].find((name) => name.startsWith(`${host}.`));
    return this.#sides.get(own ?? '') ?? 'left';
  }

  #areUsed(parts: readonly CallMemory[]): void {
    for (const { mr } of parts) if (mr !== undefined) this.#used.add(mr);
  }

  #areSinks(parts: readonly CallMemory[]): void {
    for (const { mr } of parts) if (mr !== undefined) this.#sinks.add(mr);
  }
}

function joined(lines: readonly (string | undefined)[]): string[] | undefined {
  return lines.includes(undefined) ? undefined : lines.flatMap((line) => line ?? []);
}
