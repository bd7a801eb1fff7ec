import { FaultInjector } from '../../../../agents/link/faults/faultInjector.ts';
import { type FaultPlan, NO_FAULTS } from '../../../../agents/link/faults/faultPlan.ts';
import type { QpEntry } from '../../../../agents/link/faults/frame/qpDirectory.ts';
import type { FaultRule } from '../../../../agents/link/faults/rule/faultRule.ts';
import { ruleSource } from '../../../../agents/link/faults/rule/sourced.ts';
import { parseRule } from '../../../../agents/link/faults/rule/parseRule.ts';
import { LinkAgent } from '../../../../agents/link/linkAgent.ts';
import { BLOCK_BYTES } from '../../../../dut-model/nic.ts';
import { QP_TYPE } from '../../../../rdma/verbs.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { Run } from '../../../../uvm/run.ts';
import { FakeNic } from './fakeNic.ts';
import { type RoceFields, roceFrame } from './roceFrame.ts';

/** The rule of a text that has no mistake. */
function ruleOf(text: string): FaultRule {
  const { rule, mistakes } = parseRule(text);
  if (rule === undefined) throw new Error(mistakes.map(({ message }) => message).join('; '));
  return rule;
}

/** Host 0 QP 0x10 (the third that is made there) and host 1 QP 0x11 (the first) belong together; PSNs begin at 0x100 and 0x900. */
const ENDS: readonly (QpEntry & { readonly host: number })[] = [
  {
    host: 0,
    qpn: 0x10,
    ordinal: 2,
    type: QP_TYPE.rc,
    remoteHost: 1,
    destQpn: 0x11,
    sqPsn: 0x100,
    rqPsn: 0x900,
    pathMtu: 1,
  },
  {
    host: 1,
    qpn: 0x11,
    ordinal: 0,
    type: QP_TYPE.rc,
    remoteHost: 0,
    destQpn: 0x10,
    sqPsn: 0x900,
    rqPsn: 0x100,
    pathMtu: 1,
  },
];

/** Two hosts with fake NICs on a link on which fault rules act. */
export class FaultBench {
  readonly run: Run;
  readonly link: LinkAgent;
  readonly injector: FaultInjector;
  readonly nics: FakeNic[] = [];
  #sent = 0;

  constructor(rules: readonly string[], plan: Partial<FaultPlan> = {}, seed = 1) {
    this.run = new Run({ seed, testName: 'spec' });
    const { bytes, scheduler, random } = this.run;
    this.link = new LinkAgent('link', this.run, { hosts: 2, blocks: new BlockPool(bytes, BLOCK_BYTES) });
    for (let host = 0; host < 2; host++) {
      const nic = new FakeNic(scheduler, bytes);
      this.nics.push(nic);
      this.link.attach(host, nic, 0x0200, host);
    }
    const sourced = rules.map((text) => ({ rule: ruleOf(text), source: ruleSource('spec') }));
    this.injector = new FaultInjector({
      plan: { ...NO_FAULTS, rules: sourced, ...plan },
      bytes,
      directory: { find: (host, qpn) => ENDS.find((end) => end.host === host && end.qpn === qpn) },
      sentFrames: (host) => this.link.statistics[host]?.sentFrames ?? 0,
      random: (purpose, ordinal) => random.fast('link', purpose, ordinal),
    });
    this.link.faults = this.injector;
  }

  /** Sends a frame from host 0, or from `fields.from`, and lets time pass until nothing moves, unless `atOnce`. */
  send(fields: RoceFields, atOnce = false): void {
    const { from = 0 } = fields;
    const ends = { to: 1 - from, destQp: from === 0 ? 0x11 : 0x10 };
    // Each frame can be told from the others.
    const bytes = roceFrame({ ...ends, identification: this.#sent++, ...fields });
    const port = this.link.port(from);
    const frame = port.acquire();
    this.run.bytes.u8.set(bytes, frame.data);
    frame.length = bytes.length;
    port.send(frame);
    if (!atOnce) this.settle();
  }

  settle(): void {
    this.run.scheduler.run();
  }

  /** Which of the frames have come to a host, by the number of the `send` call, in the order in which they came. */
  arrived(host: number): number[] {
    return (this.nics[host] as FakeNic).frames.map(({ bytes }) => ((bytes[18] as number) << 8) | (bytes[19] as number));
  }

  /** Bytes of the nth frame that has come to host 1. */
  bytes(n: number): number[] {
    return (this.nics[1] as FakeNic).frames[n]?.bytes ?? [];
  }

  /** Times at which frames have come to host 1, ps. */
  times(): number[] {
    return (this.nics[1] as FakeNic).frames.map(({ time }) => time);
  }
}
