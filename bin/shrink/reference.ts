/**
 * What says that a smaller case is legal: one that fails on a NIC with which nothing is wrong, too, proves nothing. The reference
 * is the run without the planted bug, or the kind that the NIC is based on. Where there is neither, or the reference fails as
 * well (a false alarm of the judge, a mistake of the model), the scenario must be legal by itself.
 */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { nicsNamed } from '../nicEntry.ts';
import type { Registry } from '../registry.ts';
import type { RunResult } from '../run/runSpec.ts';
import { idleRulesOf, missingReceivesOf } from './legality.ts';
import { type TrialOptions, type TrialOutcome, Trials } from './trial.ts';

/** Decides about cases that fail as they should. */
export interface Reference {
  /** What is asked, for the result: `the run without +DUT_FAULT=x passes`. */
  readonly text: string;
  /** For other processes. */
  readonly rule: ReferenceRule;
  /** @param outcome on the NIC that fails */
  permits(candidate: CallScenario, outcome: TrialOutcome): boolean;
}

/** What is asked, as data: a run with other arguments must pass, or the scenario must be legal by itself. */
export type ReferenceRule =
  | {
      readonly ask: 'healthy';
      readonly plusargs: readonly string[];
      readonly parameters: Readonly<Record<string, string>>;
    }
  /** Messages without a receive, and fault rules that act nowhere, that there may be. */
  | { readonly ask: 'scenario'; readonly missingReceives: number; readonly idleRules: readonly string[] };

/** Where the shrinking begins: what is to be shrunk, and what came of it. */
export interface Start {
  readonly scenario: CallScenario;
  readonly outcome: TrialOutcome;
}

/** @param options of the NIC that fails */
export function referenceFor(start: Start, options: TrialOptions): Reference {
  const healthy = healthyOf(start.scenario, options);
  if (healthy === undefined) return ownLegality(start, 'the NIC is its own reference', options);
  const { name, plusargs, parameters } = healthy;
  const rule: ReferenceRule = { ask: 'healthy', plusargs, parameters };
  const permits = permitting(rule, options);
  if (permits(start.scenario, start.outcome)) return { text: `${name} passes`, rule, permits };
  return ownLegality(start, `${name} fails as well: a false alarm, or a bug of the model`, options);
}

/** Asks what a rule says. @param options of the NIC that fails */
export function permitting(rule: ReferenceRule, options: TrialOptions): Reference['permits'] {
  if (rule.ask === 'healthy') {
    const { plusargs, parameters } = rule;
    const trials = new Trials({ ...options, plusargs });
    return (candidate) =>
      isPass(trials.play({ ...candidate, parameters: { ...candidate.parameters, ...parameters } }).result);
  }
  const { missingReceives } = rule;
  const idle = new Set(rule.idleRules);
  return (candidate, { result }) =>
    missingReceivesOf(candidate) <= missingReceives && idleRulesOf(result).every((text) => idle.has(text));
}

/** A run that ends without an error: one that has nothing left to check has none. */
function isPass({ verdict }: RunResult): boolean {
  return verdict === 'passed' || verdict === 'vacuous';
}

/** How the run is played without what is wrong with its NIC; undefined where nobody knows. */
function healthyOf(
  { parameters }: CallScenario,
  { plusargs, registry }: TrialOptions,
): { name: string; plusargs: readonly string[]; parameters: Readonly<Record<string, string>> } | undefined {
  const planted = plusargs.find((arg) => /^\+DUT_FAULT=./i.test(arg));
  if (planted !== undefined)
    return {
      name: `the run without ${planted}`,
      plusargs: plusargs.filter((arg) => !/^\+DUT_FAULT(=|$)/i.test(arg)),
      parameters: {},
    };
  const given = plusargs.find((arg) => /^\+DUT=/i.test(arg))?.slice('+DUT='.length) ?? parameters['DUT'];
  const base = given === undefined ? undefined : baseOf(given, registry);
  if (base === undefined) return undefined;
  const others = plusargs.filter((arg) => !/^\+DUT=/i.test(arg));
  const isTyped = others.length < plusargs.length;
  return {
    name: `the run with +DUT=${base}`,
    plusargs: isTyped ? [...others, `+DUT=${base}`] : others,
    parameters: isTyped ? {} : { DUT: base },
  };
}

/** The same kinds with their bases in their places; undefined where none has one. */
function baseOf(dut: string, { nics }: Registry): string | undefined {
  const based = nicsNamed(nics, dut).filter(({ base }) => base !== undefined);
  if (based.length === 0) return undefined;
  const bases = new Map(based.map(({ name, base }) => [name, base as string]));
  return dut.replaceAll(/[^,:]+/g, (word) => bases.get(word) ?? word);
}

/** Nothing of what is asked for may be missing that was there at first: receives, and what fault rules select. */
function ownLegality({ scenario, outcome }: Start, why: string, options: TrialOptions): Reference {
  const missingReceives = missingReceivesOf(scenario);
  const rule: ReferenceRule = { ask: 'scenario', missingReceives, idleRules: idleRulesOf(outcome.result) };
  const text = `the scenario by itself, in which each message has a receive and each fault rule acts: ${why}`;
  return { text, rule, permits: permitting(rule, options) };
}
