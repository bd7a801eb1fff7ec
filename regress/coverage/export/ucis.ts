/**
 * UCIS 1.0 interchange (Unified Coverage Interoperability Standard, chapter 9): one history node a run, and for every bin
 * its count with the runs that hit it. Elements are in the order that the schema wants. An export: our own store is the
 * database.
 */

import type { BinModel, GroupModel, ItemModel } from '../../../uvm/coverage/model.ts';
import { groupKey } from '../../../uvm/coverage/model.ts';
import { binsOfGroup, type ListedBin } from '../binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from '../database.ts';
import type { Exclusions } from '../exclusions.ts';
import { xmlText } from '../../report/junit.ts';

export interface UcisOptions {
  readonly written: Date;
  /** Of the harness. */
  readonly version: string;
  readonly exclusions: Exclusions;
}

/** Runs that are named with a bin: the cheapest ones. More of them make files that no viewer opens. */
const RUNS_OF_BIN = 20;
const VENDOR = 'rnic-verify';
/** Covergroups are not in files that a viewer could open: one stands for all. */
const PLACE = 'file="1" line="1" inlineCount="1"';

export function ucisXml(database: CoverageDatabase, options: UcisOptions): string {
  const time = options.written.toISOString();
  const writer = new UcisWriter(database, options, time);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<UCIS ucisVersion="1.0" writtenBy="${VENDOR}" writtenTime="${time}">`,
    '  <sourceFiles fileName="coverage" id="1"/>',
    ...writer.historyNodes(),
    '  <instanceCoverages name="coverage" key="0" instanceId="1" moduleName="coverage">',
    `    <id ${PLACE}/>`,
    '    <covergroupCoverage>',
    ...database.groups.flatMap((group, i) => writer.group(group, i)),
    '    </covergroupCoverage>',
    '  </instanceCoverages>',
    '</UCIS>',
    '',
  ].join('\n');
}

class UcisWriter {
  readonly #options: UcisOptions;
  readonly #time: string;
  /** The cheapest first; numbered from 1. */
  readonly #runs: readonly CoverageRun[];

  constructor({ runs }: CoverageDatabase, options: UcisOptions, time: string) {
    this.#options = options;
    this.#time = time;
    this.#runs = [...runs].sort((a, b) => a.events - b.events);
  }

  historyNodes(): readonly string[] {
    const merge = this.#node(0, 'merged', 'HISTORYNODE_MERGE', true, '');
    const tests = this.#runs.map((run, i) => {
      const { name, passed, seed, replay, cpuMs, events, plusargs } = run;
      const args = xmlText(plusargs.join(' '));
      const cost = `cpuTime="${cpuMs / 1000}" seed="${seed}" cmd="${xmlText(replay)}" args="${args}" cost="${events}"`;
      return this.#node(i + 1, name, 'HISTORYNODE_TEST', passed, ` parentId="0" ${cost}`);
    });
    return [merge, ...tests];
  }

  group(group: GroupModel, key: number): readonly string[] {
    const { weight, goal, comment, items } = group;
    const name = xmlText(groupKey(group));
    const counts = this.#countsOf(group);
    const points = items.filter(({ kind }) => kind === 'coverpoint');
    const crosses = items.filter(({ kind }) => kind === 'cross');
    const numbered = [...points, ...crosses].map((item, i) => ({ item, key: i }));
    const perInstance = group.instance !== undefined;
    return [
      `      <cgInstance name="${name}" key="${key}">`,
      `        <options weight="${Math.round(weight)}" goal="${Math.round(goal)}" comment="${xmlText(comment)}" per_instance="${perInstance}" merge_instances="true"/>`,
      `        <cgId cgName="${xmlText(group.name)}" moduleName="coverage">`,
      `          <cginstSourceId ${PLACE}/>`,
      `          <cgSourceId ${PLACE}/>`,
      '        </cgId>',
      ...numbered.flatMap(({ item, key: place }) => this.#item(item, place, counts, group)),
      '      </cgInstance>',
    ];
  }

  #item(item: ItemModel, key: number, counts: BinCounts, group: GroupModel): readonly string[] {
    const { name, kind, weight, goal, comment, atLeast, of = [] } = item;
    const listed = binsOfGroup(group).filter((bin) => bin.item === item);
    const options = `weight="${Math.round(weight)}" goal="${Math.round(goal)}" comment="${xmlText(comment)}" at_least="${atLeast}"`;
    const bins = listed.flatMap((bin, i) => (kind === 'cross' ? crossBin(bin, i, counts) : pointBin(bin, i, counts)));
    const element = kind === 'cross' ? 'cross' : 'coverpoint';
    return [
      `        <${element} name="${xmlText(name)}" key="${key}">`,
      `          <options ${options}/>`,
      ...of.map((crossed) => `          <crossExpr>${xmlText(crossed)}</crossExpr>`),
      ...bins,
      `        </${element}>`,
    ];
  }

  #countsOf(group: GroupModel): BinCounts {
    const ref = groupRef(group);
    const counts: BinCounts = new Map();
    for (const [i, { hits }] of this.#runs.entries()) {
      const list = hits[ref] ?? [];
      for (let at = 0; at < list.length; at += 2) {
        const bin = counts.get(list[at] as number) ?? { count: 0, runs: [] };
        bin.count += list[at + 1] as number;
        if (bin.runs.length < RUNS_OF_BIN) bin.runs.push(i + 1);
        counts.set(list[at] as number, bin);
      }
    }
    return counts;
  }

  #node(id: number, name: string, kind: string, status: boolean, rest: string): string {
    const { version } = this.#options;
    const tool = `toolCategory="UCIS:simulator" ucisVersion="1.0" vendorId="${VENDOR}" vendorTool="${VENDOR}" vendorToolVersion="${xmlText(version)}"`;
    return `  <historyNodes historyNodeId="${id}"${rest} logicalName="${xmlText(name)}" kind="${kind}" testStatus="${status}" date="${this.#time}" ${tool}/>`;
  }
}

type BinCounts = Map<number, { count: number; readonly runs: number[] }>;

function pointBin({ bin, number }: ListedBin, key: number, counts: BinCounts): readonly string[] {
  const contents = contentsOf(counts, number);
  const values =
    bin.sequences === undefined
      ? rangesOf(bin).map(
          ([from, to], i) => `            <range from="${from}" to="${to}">${i === 0 ? contents : NOTHING}</range>`,
        )
      : bin.sequences.map(
          (text, i) => `            <sequence>${i === 0 ? contents : NOTHING}${sequenceValues(text)}</sequence>`,
        );
  const head = `name="${xmlText(bin.name)}" key="${key}" type="${bin.kind}"`;
  return [`          <coverpointBin ${head}>`, ...values, '          </coverpointBin>'];
}

function crossBin({ bin, number }: ListedBin, key: number, counts: BinCounts): readonly string[] {
  const [at = []] = bin.at ?? [];
  // A bin whose combinations others have taken has none.
  const index = (at.length === 0 ? [-1] : at).map((n) => `<index>${n}</index>`).join('');
  const head = `name="${xmlText(bin.name)}" key="${key}" type="${bin.kind}"`;
  return [`          <crossBin ${head}>${index}${contentsOf(counts, number)}</crossBin>`];
}

const NOTHING = '<contents coverageCount="0"/>';

function contentsOf(counts: BinCounts, number: number): string {
  const found = counts.get(number);
  if (found === undefined) return NOTHING;
  const ids = found.runs.map((id) => `<historyNodeId>${id}</historyNodeId>`).join('');
  return `<contents coverageCount="${found.count}">${ids}</contents>`;
}

/** Viewers want a range for every bin; a default bin has none. */
function rangesOf({ values }: BinModel): readonly (readonly [number, number])[] {
  return values === undefined || values.length === 0 ? [[0, 0]] : values;
}

/** The first value of each step. */
function sequenceValues(text: string): string {
  const steps = text.split('=>').map((step) => /-?\d+/.exec(step)?.[0] ?? '0');
  return steps.map((value) => `<seqValue>${value}</seqValue>`).join('');
}
