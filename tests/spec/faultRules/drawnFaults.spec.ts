/** Faults that random tests draw, and scenarios that go on where a link has swallowed messages. */

import { expect } from 'chai';
import { parseRule, splitRules } from '../../../agents/link/faults/rule/parseRule.ts';
import { loadRegistry, type Registry, testLineage } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { hasDrawnFaults } from '../../../config/draws/drawFaults.ts';
import { resolveParameters } from '../../../config/parameters.ts';
import type { RunConfig } from '../../../config/runConfig.ts';
import { HANGU_DEVICE_LIMITS } from '../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';

const TESTS = ['test_random', 'test_random_verbs'] as const;
const SEEDS = Array.from({ length: 120 }, (_, i) => i + 1);

interface Played extends RunResult {
  readonly log: string;
}

describe('faults that random tests draw', () => {
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  function drawn(test: string, seed: number, ...plusargs: string[]): RunConfig {
    const known = { limitsOf: () => HANGU_DEVICE_LIMITS };
    return resolveParameters(new Plusargs(plusargs), testLineage(test, registry), seed, known).config;
  }

  function play(test: string, seed: number, ...plusargs: string[]): Played {
    const log: string[] = [];
    const spec = { testName: test, seed, plusargs: [`+UVM_TESTNAME=${test}`, ...plusargs] };
    const result = runOne(spec, registry, { sink: (text) => log.push(text) });
    return { ...result, log: log.join('\n') };
  }

  for (const test of TESTS) {
    it(`are there in the asked share of the runs of ${test}, in half of those with an end`, () => {
      const count = (share: string, seeds = SEEDS): RunConfig[] =>
        seeds.map((seed) => drawn(test, seed, `+DRAW_FAULTS=${share}`)).filter(hasDrawnFaults);
      expect(count('0', SEEDS.slice(0, 30))).to.have.length(0);
      expect(count('0.333').length).to.be.within(26, 60);
      const all = count('1');
      expect(all).to.have.length(SEEDS.length);
      expect(all.filter(({ faults }) => Number.isFinite(faults.until)).length).to.be.within(40, 80);
    });

    it(`move no other draw of ${test} but a time-out that is too long for them`, () => {
      for (const seed of SEEDS.slice(0, 30)) {
        const [without, withFaults] = [drawn(test, seed, '+DRAW_FAULTS=0'), drawn(test, seed, '+DRAW_FAULTS=1')];
        const moved = Object.keys(without.values).filter((name) => {
          const key = name as keyof typeof without.values;
          return without.values[key] !== withFaults.values[key];
        });
        expect(
          moved.filter(
            (name) => !/_PCT$|^(?:NET|PCIE)_FAULT$|^FAULT_UNTIL$|^LOSS_BURST$|^ACK_TIMEOUT$|^DRAW_FAULTS$/.test(name),
          ),
        ).to.deep.equal([]);
        expect(withFaults.values.ACK_TIMEOUT).to.be.within(1, 10);
      }
    });

    it(`are rules of ${test} that can be read and need not fire`, () => {
      for (const seed of SEEDS) {
        for (const text of splitRules(drawn(test, seed, '+DRAW_FAULTS=1').values.NET_FAULT)) {
          const { rule, mistakes } = parseRule(text);
          expect(
            mistakes.map(({ message }) => message),
            text,
          ).to.deep.equal([]);
          expect(rule?.optional, text).to.equal(true);
        }
      }
    });
  }

  it('leave alone a run that is given faults, unless more are asked for', () => {
    const [share, rule] = ['+LOSS_PCT=2', '+NET_FAULT=drop nth=3'];
    for (const given of [share, rule]) {
      expect(hasDrawnFaults(drawn('test_random', 5, given))).to.equal(false);
      const more = drawn('test_random', 5, given, '+DRAW_FAULTS=1');
      expect([
        hasDrawnFaults(more),
        more.values.LOSS_PCT === 2 || more.values.NET_FAULT === 'drop nth=3',
      ]).to.deep.equal([true, true]);
    }
  });

  it('and such as are given find no ACK timer that is off, unless that is given too', () => {
    const timers = (...plusargs: string[]): number[] =>
      SEEDS.slice(0, 60).map((seed) => drawn('test_random', seed, ...plusargs).values.ACK_TIMEOUT);
    expect(timers()).to.include(0);
    expect(timers('+LOSS_PCT=2')).to.not.include(0);
    expect(new Set(timers('+LOSS_PCT=2', '+ACK_TIMEOUT=0'))).to.deep.equal(new Set([0]));
  });

  it('are what they would be if they were typed', () => {
    for (const test of TESTS) {
      const seed = 6;
      const run = play(test, seed, '+DRAW_FAULTS=1', '+DRAW_KNOBS=0');
      const config = drawn(test, seed, '+DRAW_FAULTS=1');
      const names = (Object.keys(config.origin) as (keyof typeof config.origin)[]).filter(
        (name) => config.origin[name] === 'drawn' && /_PCT$|^(?:NET|PCIE)_FAULT$|^LOSS_BURST$|^ACK_TIMEOUT$/.test(name),
      );
      const typed = names.map((name) => `+${name}=${config.values[name]}`);
      expect(typed).not.to.deep.equal([]);
      const until = Number.isFinite(config.faults.until) ? [`+FAULT_UNTIL=${config.faults.until}ps`] : [];
      const again = play(test, seed, '+DRAW_FAULTS=0', '+DRAW_KNOBS=0', ...typed, ...until);
      expect(again.transcript.hash, run.log).to.equal(run.transcript.hash);
    }
  });

  it('let scenarios pass, whatever the link swallows', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const run = play('test_random', seed, '+DRAW_FAULTS=1');
      expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
    }
  });

  it('end the wait for messages of UC and UD that were lost, and the batches behind them are played', () => {
    const mixed = ['+RC_QP_NUM=2', '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+SEND_WQE_NUM=4', '+DB_NUM=4', '+DATA_CNT=100'];
    for (const events of ['+CQ_EVENT=0', '+CQ_EVENT=1']) {
      const run = play('test_direct_param', 1, ...mixed, events, '+ACK_TIMEOUT=4', '+LOSS_PCT=10');
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['faults']).to.be.above(5);
      const clean = play('test_direct_param', 1, ...mixed, events);
      // Nothing failed: connections that a batch has broken were made again before the next.
      expect(run.counts['requests_done']).to.equal(clean.counts['requests_done']);
      expect(run.log).not.to.contain('ERROR_COMPLETIONS');
    }
  });

  it('let requesters give up whose peer nobody reaches, and connect them again', () => {
    const line = [
      '+RC_QP_NUM=4',
      '+SEND_WQE_NUM=2',
      '+DB_NUM=3',
      '+ACK_TIMEOUT=3',
      '+RETRY_CNT=1',
      '+FAULT_UNTIL=400us',
    ];
    const run = play('test_direct_param', 1, ...line, '+NET_FAULT=drop host=1');
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.contain('RETRY_EXC_ERR');
  });
});
