import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import { CAUSE } from '../../../scoreboard/model/outcomes.ts';
import {
  WIDENING,
  WIDENING_NAMES,
  WideningHits,
  wideningRow,
  wideningText,
} from '../../../scoreboard/model/widenings.ts';
import { type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';

const RACES = new URL('./races/retransmissions.spec.ts', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
/** No region has this key. */
const UNKNOWN: readonly Entry[] = [[0x7777, 0, 60]];
const SOURCE: readonly Entry[] = [[SRC_HI, 0, 60]];

describe('widenings of the judge', () => {
  it('are counted by name where a verdict depends on them', () => {
    const hits = new WideningHits();
    hits.permits(WIDENING.lateAnswer);
    hits.permits(CAUSE.entryKey);
    hits.permits(CAUSE.entryKey);
    expect(['lateAnswer', 'entryKey', 'tooShort'].map((name) => hits.of(name))).to.deep.equal([1, 2, 0]);
  });

  it('are no part of a verdict that holds without them', () => {
    const w = new FakeWorld({ receivesMayRemain: true });
    w.sendDone(w.send(UNKNOWN), { status: WC_STATUS.locProtErr });
    w.sendDone(w.send(SOURCE), { status: WC_STATUS.wrFlushErr });
    expect(Object.values(w.oracle.widenings).filter((count) => count > 0)).to.deep.equal([]);
  });

  it('are counted in completions that only they permit', () => {
    const w = new FakeWorld({ receivesMayRemain: true });
    const sent = w.send(SOURCE);
    w.oracle.qpToErr(0, QPN[0]);
    w.sendDone(sent, { status: WC_STATUS.wrFlushErr });
    expect(w.oracle.widenings['mayBeFlushed']).to.equal(1);
  });

  it('name their check, the clause and the reason, each of them', () => {
    for (const name of WIDENING_NAMES)
      expect(wideningText(name), name).to.match(/^[A-Z_]+, roce-transport\.md \d+\.\d+: \w/);
  });

  it('name, each of them, what fails without it: a row of the race tables, a file of specs, or a run', () => {
    const races = readFileSync(RACES, 'utf8');
    for (const name of WIDENING_NAMES) {
      const { spec } = wideningRow(name);
      if (spec.startsWith('+')) expect(spec, name).to.match(/^\+UVM_TESTNAME=\w+( \+\w+=\w+| --seed \d+)*$/);
      else if (spec.endsWith('.ts')) expect(existsSync(new URL(spec, ROOT)), `${name}: ${spec}`).to.equal(true);
      else expect(spec !== '' && races.includes(`'${spec}'`), `${name}: ${spec}`).to.equal(true);
    }
  });
});
