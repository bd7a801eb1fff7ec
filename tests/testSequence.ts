import type { QueuePairSubject } from '../rdma/subject.ts';
import { aQueuePair, HARNESS } from '../rdma/subjectParts.ts';
import { mayHitUnreliable } from '../agents/link/faults/faultPlan.ts';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import type { EnvOptions } from '../env/envSettings.ts';
import { DirectSource } from '../config/scenario/drawn/directSource.ts';
import { awaitWork } from '../sequences/host/awaitWork.ts';
import { lookTime, settle } from '../sequences/host/settle.ts';
import type { Connection } from '../sequences/user/connection.ts';
import { ConnectionSetup } from '../sequences/user/connectionSetup.ts';
import { untilFatal, untilMisled } from '../sequences/host/faults/untilFatal.ts';
import { UserSequence } from '../sequences/user/userSequence.ts';
import { QP_TYPE, QP_TYPE_NAME } from '../rdma/verbs.ts';
import { didYouMean } from '../uvm/cmdline/nearest.ts';
import type { DeadlockCause } from '../uvm/kernel/deadlock.ts';
import type { Proc } from '../uvm/kernel/process.ts';
import { OF_PERF, ParameterReads, TRAFFIC_PARAMETERS } from '../config/parameterReads.ts';
import type { ParameterName } from '../config/table/parameterTable.ts';
import { hasDrawnFaults } from '../config/draws/drawFaults.ts';
import { BaseTest } from './baseTest.ts';

/** Queue pairs that the report of a deadlock accuses at most. */
const MOST_PAIRS = 8;

/** Runs the user sequence that `+UVM_TEST_SEQ` names, on the topology that the other parameters make. @public */
export class TestSequence extends BaseTest {
  static readonly typeName: string = 'test_sequence';
  static readonly description: string = 'runs +UVM_TEST_SEQ=<sequence> of sequences/library';

  #setup: ConnectionSetup | undefined;
  /** Calls without `yield*` were reported. */
  #said = false;
  #reads: ParameterReads | undefined;

  /** Not the test but the sequence is to read what it uses. */
  protected override get maybeUnread(): readonly ParameterName[] {
    return [];
  }

  protected override get runs(): string {
    return `the ${this.sequenceName}`;
  }

  /** Parameters that say what tests of this sort play, and not this one. */
  protected get ofOtherTests(): readonly ParameterName[] {
    return ['CASE', 'CASE_BUG', ...OF_PERF];
  }

  /** For messages: what is played. */
  protected get sequenceName(): string {
    return `sequence ${this.settings.values.UVM_TEST_SEQ}`;
  }

  /** How many receives a sequence posts is its own affair: what comes to nothing on UC, for example, leaves some. */
  protected override envOptions(): EnvOptions {
    return { ...super.envOptions(), receivesMayRemain: true };
  }

  protected override *main(): Proc {
    const { values } = this.settings;
    const sequence = this.makeSequence();
    const plan = new DirectSource(this.settings, this.run.random.key(this.fullName, 'topology'));
    const { processes, scheduler } = this.run;
    const setup = new ConnectionSetup(this.playEnv, plan, processes, this.progress, scheduler);
    this.#setup = setup;
    this.run.deadlock.findCause = () => this.#deadlockCause();
    this.run.deadlock.rank = (process) => setup.rank(process);
    this.progress.stage = 'bring-up';
    const fatal = yield* untilMisled(this.#play(setup, sequence), this.env.hosts);
    if (fatal !== undefined) this.info('SEQ_DEVICE_FATAL', `${this.runs} ends: ${fatal.message}`);
    this.playEnv.recording?.stop();
    yield* settle(this.playEnv, values.SETTLE);
    // What a sequence posts is judged, also when it does not wait for that: the scoreboard says what gets stuck.
    yield* awaitWork(this.playEnv, lookTime(values.SETTLE), this.run.scheduler);
    if (values.TEARDOWN) yield* untilFatal(setup.tearDown());
  }

  /** Brings the hosts up, and runs the sequence on their connections. */
  *#play(setup: ConnectionSetup, sequence: UserSequence): Proc {
    const reads = new ParameterReads(this.settings, [
      ...this.ofOtherTests,
      'SEQ_COUNT',
      'WAVE',
      'SRQ_NUM',
      'KEY_PCT',
      'AH_PCT',
      'RESTARTS',
      ...TRAFFIC_PARAMETERS,
    ]);
    this.#reads = reads;
    setup.sharing = sequence.sharing(reads.values);
    setup.needsTags = sequence.needsTags(reads.values);
    const connections = yield* setup.bringUp(this.connectAttributes, () => sequence.pollDelay());
    this.#warnOfLoss(connections);
    const began = this.run.scheduler.now;
    this.progress.stage = sequence.name;
    this.info('SEQ_PLAYED', `plays ${this.runs}`);
    const reopen = (host: number): Proc<void> => setup.reopen(host);
    const giveCompletions = setup.giveCompletions.bind(setup);
    sequence.context = { env: this.playEnv, connections, reopen, giveCompletions, values: reads.values };
    yield* sequence.start(this.env);
    this.progress.busyTime = this.run.scheduler.now - began;
  }

  /** Nobody sends a datagram again, nor a message of UC. */
  #warnOfLoss(connections: readonly Connection[]): void {
    const { rules, explain } = this.settings.faults;
    const cause = explain ? undefined : rules.find(({ rule }) => mayHitUnreliable(rule));
    const hit = connections.find(({ type }) => type !== QP_TYPE.rc);
    // What draws its calls as well waits for no message.
    if (cause === undefined || hit === undefined || hasDrawnFaults(this.settings)) return;
    const what = `'${ruleText(cause.rule)}' (${cause.source}) may hit messages of ${QP_TYPE_NAME[hit.type]}`;
    const why = 'nobody sends those again: a sequence that waits for one that is lost waits for ever';
    this.warning('FAULT_UNRELIABLE', `${what}, and ${why}; let the rule say service=rc, or play RC alone`);
  }

  override reportPhase(): void {
    for (const name of this.#reads?.unread() ?? []) this.run.plusargs.disclaim(name, noReader(this.sequenceName, name));
    super.reportPhase();
    const calls = this.#callsNeverBegun();
    if (calls !== '') this.fatal('SEQ_NOT_BEGUN', `${calls}; the NIC is not judged`, [HARNESS]);
  }

  override preAbort(): void {
    super.preAbort();
    const calls = this.#callsNeverBegun();
    if (calls !== '') this.warning('SEQ_NOT_BEGUN', calls);
  }

  /** Calls of the sequence without `yield*`; '' when there is none, or they have been reported. */
  #callsNeverBegun(): string {
    const calls = this.#said ? '' : (this.#setup?.callsNeverBegun() ?? '');
    this.#said = true;
    return calls;
  }

  /** Queue pairs of which somebody waits for a completion. */
  #waitingPairs(): QueuePairSubject[] {
    const sides = this.#setup?.waitingSides() ?? [];
    return sides.slice(0, MOST_PAIRS).map(({ host, qp }) => aQueuePair(host, qp.qpn));
  }

  /** A sequence that waits for what nobody can send says nothing about the NIC. */
  #deadlockCause(): DeadlockCause | undefined {
    // After a failed request a queue pair owes what it flushes.
    if (this.env.owesCompletion || this.progress.failed > 0) return undefined;
    const waits = this.#setup?.idleWaits();
    if (waits === undefined) return undefined;
    const calls = this.#callsNeverBegun();
    const text = `no request is outstanding; ${waits}${calls === '' ? '' : `; ${calls}`}`;
    return { id: 'SEQ_DEADLOCK', text, about: [HARNESS, ...this.#waitingPairs()] };
  }

  /** What is played. @throws by a fatal message where there is none */
  protected makeSequence(): UserSequence {
    const name = this.settings.values.UVM_TEST_SEQ;
    const { factory } = this.run;
    if (!factory.has(name)) {
      const hint = didYouMean(name, factory.typeNames()) || '; see sequences/library';
      this.fatal('NO_SEQUENCE', `+UVM_TEST_SEQ=${name}: there is no such sequence${hint}`);
    }
    const made = this.createObject<object>(name, name);
    if (!(made instanceof UserSequence)) this.fatal('NO_SEQUENCE', `+UVM_TEST_SEQ=${name} is no user sequence`);
    return made as UserSequence;
  }
}

function noReader(sequence: string, name: string): string {
  const repeats = name === 'SEQ_COUNT' ? 'repeats nothing by it' : 'makes its own requests and does not read it';
  const other =
    name === 'SEQ_COUNT'
      ? ''
      : `, or give +UVM_TESTNAME=${name.startsWith('CASE') ? 'test_conformance' : name.startsWith('PERF') ? 'test_perf' : name === 'UVM_TEST_SEQ' ? 'test_sequence' : 'test_direct_param'}`;
  return `the ${sequence} ${repeats}; leave it out${other}`;
}
