/** The calls of a run: recorded where somebody wants them, or played from a scenario that has them. */

import { aHost, HARNESS } from '../rdma/subjectParts.ts';
import { writeFileSync } from 'node:fs';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import { pcieRuleText } from '../agents/pcie/faults/rule/pcieLanguage.ts';
import { PsnCounter } from '../env/trace/psnCounter.ts';
import { writtenRules } from '../config/faultPlan.ts';
import { writtenInjections } from '../config/injections.ts';
import { writtenPcieRules } from '../config/pcieFaultPlan.ts';
import type { RunConfig } from '../config/runConfig.ts';
import type { HcaEnv } from '../env/hcaEnv.ts';
import type { CallObserver } from '../sequences/calls/callObserver.ts';
import { CallPlayer } from '../sequences/calls/callPlayer.ts';
import { CallRecorder } from '../sequences/calls/callRecorder.ts';
import { recordedApi } from '../sequences/calls/recordedApi.ts';
import { awaitWork } from '../sequences/host/awaitWork.ts';
import type { PlayEnv } from '../sequences/host/playEnv.ts';
import type { RunProgress } from '../sequences/host/runProgress.ts';
import { lookTime, settle } from '../sequences/host/settle.ts';
import { CALL_FORMAT, type CallScenario } from '../config/scenario/calls/callScenario.ts';
import { callText } from '../config/scenario/calls/callText.ts';
import type { Component } from '../uvm/base/component.ts';
import { withNamedFile } from '../uvm/base/namedFile.ts';
import { joinAll, type Proc } from '../uvm/kernel/process.ts';
import { counted } from '../uvm/report/counted.ts';
import { surroundingsOf } from './surroundingsOf.ts';

/** What a test hands over. */
export interface RunCallsParts {
  readonly env: HcaEnv;
  readonly playEnv: PlayEnv;
  readonly settings: RunConfig;
  readonly progress: RunProgress;
  /** File for the calls of the run; '' = none. */
  readonly dump: string;
  readonly observer: CallObserver | undefined;
}

export class RunCalls {
  /** The environment with everything recorded that is asked of its hosts; undefined where nobody wants that. */
  readonly recorded: PlayEnv | undefined;
  readonly #test: Component;
  readonly #parts: RunCallsParts;
  readonly #recorder: CallRecorder | undefined;
  readonly #psns = new PsnCounter();
  #finished = false;

  constructor(test: Component, parts: RunCallsParts) {
    this.#test = test;
    this.#parts = parts;
    const isRecorded = parts.dump !== '' || parts.observer?.recorded !== undefined;
    if (isRecorded || parts.settings.calls !== null)
      for (const { monitor } of parts.env.hostEnvs) monitor.observe(this.#psns);
    if (!isRecorded) return;
    const recorder = new CallRecorder(test.run.processes);
    for (const { monitor } of parts.env.hostEnvs) monitor.observe({ completion: (item) => recorder.visible(item) });
    this.#recorder = recorder;
    this.recorded = recordedEnv(parts.playEnv, recorder, this.#psns);
  }

  /** Plays the calls of the scenario, and what every run does at its end. */
  *play(): Proc<void> {
    const { settings, progress, observer } = this.#parts;
    const env = this.recorded ?? this.#parts.playEnv;
    const { values, calls } = settings;
    const { processes, scheduler, deadlock } = this.#test.run;
    deadlock.findCause = () => {
      if (env.owesCompletion()) return undefined;
      const text = 'no request is outstanding; the scenario waits for what nobody can send';
      return { id: 'SEQ_DEADLOCK', text, about: [HARNESS] };
    };
    const scenario = calls as CallScenario;
    const player = new CallPlayer({
      scenario,
      env,
      processes,
      progress,
      psns: this.#psns,
      settle: values.SETTLE,
      watch: observer?.watch,
    });
    const began = scheduler.now;
    if (!(yield* player.run()))
      this.#test.error('SEQ_NOT_QUIET', 'the NICs do not come to rest; look for endless retransmission', [
        ...env.hosts.map(({ host }) => aHost(host)),
      ]);
    env.recording?.stop();
    progress.busyTime = scheduler.now - began;
    player.stopDaemons();
    progress.stage = 'tear-down';
    yield* settle(env, values.SETTLE);
    yield* awaitWork(env, lookTime(values.SETTLE), scheduler);
    if (values.TEARDOWN)
      yield* joinAll(env.hosts.map((api) => processes.spawn(`host${api.host}`, player.closeDevice(api))));
    if (player.leftOut === 0) return;
    const which = `${counted(player.leftOut, 'step')} of the scenario could not be made and ${player.leftOut === 1 ? 'was' : 'were'} left out`;
    this.#test.warning('SCENARIO_SKIPPED', `${which}; the first: ${player.firstLeftOut}`);
  }

  /** Hands out what was recorded; to be called when the run ends, however it ends. */
  finish(): void {
    const recorder = this.#recorder;
    if (recorder === undefined || this.#finished) return;
    this.#finished = true;
    const { dump, observer } = this.#parts;
    const scenario = this.#scenario(recorder);
    observer?.recorded?.(scenario);
    if (dump === '') return;
    withNamedFile(`scenario ${dump}`, () => writeFileSync(dump, callText(scenario)));
    this.#test.info('SCENARIO_DUMP', `the calls of the run are in ${dump}; +SCENARIO=${dump} plays them`);
  }

  #scenario(recorder: CallRecorder): CallScenario {
    const { settings, env } = this.#parts;
    const { testName, seed, values, faults } = settings;
    const rules = writtenRules(faults);
    const { NET_FAULT: _, MEM_DOMAIN: _domain, ...surroundings } = surroundingsOf(settings);
    const pcie = writtenPcieRules(settings.pcieFaults);
    const packets = writtenInjections(settings.injections);
    const parameters = {
      ...surroundings,
      ...(pcie === '' ? {} : { PCIE_FAULT: pcie }),
      ...(packets === '' ? {} : { INJECT: packets }),
    };
    return {
      format: CALL_FORMAT,
      test: testName,
      seed,
      hosts: values.HOST_NUM,
      processes: env.settings.processes,
      receivesMayRemain: env.settings.receivesMayRemain,
      parameters,
      faults: rules === '' ? [] : rules.split('; '),
      laziness: recorder.laziness(),
      stages: recorder.stages(),
    };
  }
}

function recordedEnv(env: PlayEnv, recorder: CallRecorder, psns: PsnCounter): PlayEnv {
  return {
    hosts: env.hosts.map((api) => recordedApi(api, recorder)),
    stallTime: env.stallTime,
    ...(env.ends === undefined ? {} : { ends: env.ends }),
    get lossAllowed() {
      return env.lossAllowed;
    },
    link: {
      longestDelay: env.link.longestDelay,
      addFault: (rule) => recorder.fault('link', ruleText(rule.rule), env.link.addFault(rule)),
      inject: (packet) => {
        recorder.injected(packet, psns);
        env.link.inject(packet);
      },
    },
    pcie: { addFault: (rule) => recorder.fault('pcie', pcieRuleText(rule.rule), env.pcie.addFault(rule)) },
    watch: (watcher) => env.watch?.(watcher),
    activity: () => env.activity(),
    inFlight: () => env.inFlight(),
    owesCompletion: () => env.owesCompletion(),
    quiet: () => {
      recorder.quiet();
      env.quiet();
    },
    recording: recorder,
  };
}
