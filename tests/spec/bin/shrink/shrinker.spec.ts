import { expect } from 'chai';
import fc from 'fast-check';
import { type CandidateTrials, Shrinker } from '../../../../bin/shrink/shrinker.ts';
import { SPANS } from '../../../../bin/shrink/spans.ts';
import type { TrialOutcome } from '../../../../bin/shrink/trial.ts';
import {
  CALL_FORMAT,
  type CallScenario,
  type CallStep,
  isWait,
} from '../../../../config/scenario/calls/callScenario.ts';
import { pruned, stepsOf, withoutSteps } from '../../../../config/scenario/calls/callEdits.ts';

const BUDGET = { runs: 5000, seconds: 60 };

/** Two hosts with a queue pair each, and sends of some lengths between them. */
function scenarioOf(lengths: readonly number[]): CallScenario {
  const bringUp = (host: string): CallStep[] => [
    { call: 'openDevice', on: host },
    { call: 'allocPd', on: host, as: `${host}.pd0`, args: { process: 1 } },
    { call: 'createCq', on: host, as: `${host}.cq0`, args: { process: 1, entries: 16 } },
    {
      call: 'createQp',
      on: `${host}.pd0`,
      as: `${host}.qp0`,
      args: { type: 'RC', sendCq: `${host}.cq0`, recvCq: `${host}.cq0`, maxSendWr: 8, maxRecvWr: 8, maxSge: 2 },
    },
    {
      call: 'regMr',
      on: `${host}.pd0`,
      args: { regions: [{ mr: `${host}.mr0`, area: `${host}.qp0.source`, at: 0, length: 9000, access: [] }] },
    },
  ];
  const sends = lengths.map((length, id): CallStep => {
    const sges = [
      { mr: 'host0.mr0', at: 0, length },
      { mr: 'host0.mr0', at: 5000, length: 3 },
    ];
    return { call: 'postSend', on: 'host0.qp0', args: { requests: [{ id, opcode: 'SEND', sges }] } };
  });
  const steps = [...bringUp('host0'), ...bringUp('host1'), ...sends.flatMap((step) => [step, { wait: '1us' }])];
  return {
    format: CALL_FORMAT,
    test: 'test_smoke',
    seed: 1,
    parameters: { PCIE_MPS: '256' },
    faults: ['drop host=0 nth=1'],
    hosts: 2,
    processes: 1,
    receivesMayRemain: true,
    laziness: {},
    stages: [{ threads: [{ name: 't', steps }] }],
  };
}

function lengthsOf(scenario: CallScenario): number[] {
  return stepsOf(scenario).flatMap((step) =>
    !isWait(step) && step.call === 'postSend'
      ? (step.args?.requests ?? []).flatMap(({ sges }) => sges.map(({ length }) => length))
      : [],
  );
}

/** Plays nothing: it "fails" as a rule says, and has begun everything. */
function playerOf(signatureFor: (scenario: CallScenario) => string) {
  return (scenario: CallScenario): TrialOutcome => ({
    result: {} as TrialOutcome['result'],
    signature: signatureFor(scenario),
    begun: new Map(stepsOf(scenario).map((step, i) => [step, i])),
    leftOut: new Set(),
    subjects: new Set(),
    longestIdle: 0,
  });
}

describe('shrinking a scenario', () => {
  it('leaves what fails in the same way and nothing that can be taken out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 8000 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 8000 }),
        async (lengths, least) => {
          fc.pre(lengths.some((length) => length >= least));
          const fails = (scenario: CallScenario): string =>
            lengthsOf(scenario).some((length) => length >= least) ? 'A' : '';
          const options = { play: playerOf(fails), signature: 'A', budget: BUDGET };
          const { scenario, ended } = await new Shrinker(scenarioOf(lengths), options).shrink();
          expect(ended).to.equal('');
          expect(fails(scenario)).to.equal('A');
          for (const kind of SPANS)
            for (const part of kind.parts(scenario))
              expect(fails(kind.without(scenario, new Set([part]))), kind.name).to.equal('');
          expect(lengthsOf(scenario)).to.have.length(1);
          expect(scenario.parameters).to.deep.equal({});
          expect(scenario.faults).to.deep.equal([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('does not slip to another failure, and names it', async () => {
    const signatureFor = (scenario: CallScenario): string => {
      const lengths = lengthsOf(scenario);
      if (lengths.includes(4000) && lengths.includes(100)) return 'A';
      return lengths.includes(100) ? 'B' : '';
    };
    const options = { play: playerOf(signatureFor), signature: 'A', budget: BUDGET };
    const { scenario, others } = await new Shrinker(scenarioOf([7, 4000, 9, 100]), options).shrink();
    expect(lengthsOf(scenario)).to.have.members([4000, 100]);
    expect([...others.keys()]).to.deep.equal(['B']);
  });

  it('finds the same in as many runs when others play candidates, several at once and in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 8000 }), { minLength: 2, maxLength: 10 }),
        fc.integer({ min: 1, max: 8000 }),
        fc.integer({ min: 2, max: 6 }),
        fc.option(fc.integer({ min: 1, max: 30 }), { nil: BUDGET.runs }),
        async (lengths, least, width, runs) => {
          fc.pre(lengths.some((length) => length >= least));
          const signatureFor = (scenario: CallScenario): string =>
            lengthsOf(scenario).some((length) => length >= least) ? 'A' : lengthsOf(scenario).length > 3 ? 'B' : '';
          const play = playerOf(signatureFor);
          // One with few steps is no case for the other NIC.
          const isLegal = (scenario: CallScenario): boolean => stepsOf(scenario).length !== 9;
          let asked = 0;
          const elsewhere: CandidateTrials = {
            width,
            judge: async (scenario) => {
              for (let turns = ++asked % 4; turns > 0; turns--) await Promise.resolve();
              return { outcome: play(scenario), isLegal: isLegal(scenario) };
            },
          };
          const common = { play, isLegal, signature: 'A', budget: { runs, seconds: 60 } };
          const serial = await new Shrinker(scenarioOf(lengths), common).shrink();
          const parallel = await new Shrinker(scenarioOf(lengths), { ...common, elsewhere }).shrink();
          expect({ ...parallel, seconds: 0 }).to.deep.equal({ ...serial, seconds: 0 });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('keeps the best when its runs are used up, and when somebody interrupts it', async () => {
    const fails = (scenario: CallScenario): string => (lengthsOf(scenario).includes(4000) ? 'A' : '');
    const scenario = scenarioOf([1, 2, 4000, 3, 4, 5]);
    const few = await new Shrinker(scenario, {
      play: playerOf(fails),
      signature: 'A',
      budget: { runs: 5, seconds: 60 },
    }).shrink();
    expect(few.ended).to.equal('after 5 runs');
    expect(fails(few.scenario)).to.equal('A');
    const stop = () => Promise.resolve('interrupted');
    const none = await new Shrinker(scenario, { play: playerOf(fails), signature: 'A', budget: BUDGET, stop }).shrink();
    expect(none.ended).to.equal('interrupted');
    expect(fails(none.scenario)).to.equal('A');
  });

  it('takes out with an object all that needs it', () => {
    const scenario = scenarioOf([1, 2]);
    const opened = stepsOf(scenario).filter(
      (step) => !isWait(step) && step.call === 'openDevice' && step.on === 'host0',
    );
    const left = stepsOf(withoutSteps(scenario, new Set(opened)));
    expect(left.filter((step) => !isWait(step) && step.on.startsWith('host0'))).to.deep.equal([]);
    expect(pruned(scenario)).to.deep.equal(scenario);
  });
});
