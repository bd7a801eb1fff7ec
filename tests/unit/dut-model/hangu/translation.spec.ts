import { expect } from 'chai';
import type { DmaEngine } from '../../../../dut-model/hangu/dmaEngine.ts';
import { IcmCache } from '../../../../dut-model/hangu/icmCache.ts';
import { IcmMap } from '../../../../dut-model/hangu/icmMap.ts';
import { MPT_DW, mptMarker, Translation, XLATE } from '../../../../dut-model/hangu/translation.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { FakeDma } from '../../../support/fakeDma.ts';

const bytes = ByteStore.create();
const PD = 5;
/** Keys whose MPT entries share a line of a direct-mapped cache of sixteen. */
const KEY = 3;
const RIVAL = 3 + 16;
const nobody = { resume: (): void => {} };

function make(): { xlate: Translation; mpt: IcmCache; mptDma: FakeDma; mttDma: FakeDma } {
  const icm = new IcmMap();
  icm.mpt.entries = 64;
  icm.mtt.entries = 64;
  icm.mpt.map(0, 0, 0);
  icm.mtt.map(0, 0, 0);
  const mptDma = new FakeDma(bytes, icm.mpt.entryBytes);
  const mttDma = new FakeDma(bytes, icm.mtt.entryBytes);
  const mpt = new IcmCache(icm.mpt, mptDma as unknown as DmaEngine, bytes, 16, 1);
  const mtt = new IcmCache(icm.mtt, mttDma as unknown as DmaEngine, bytes, 16, 1, 4);
  return { xlate: new Translation(bytes, icm, mpt, mtt), mpt, mptDma, mttDma };
}

/** Brings the entry of `key` into the cache: a region of one page at address 0. */
function fill(mpt: IcmCache, dma: FakeDma, key: number): void {
  mpt.lookup(key, nobody);
  dma.answer();
  const e = mpt.lookup(key, nobody) >> 2;
  bytes.i32.fill(0, e, e + MPT_DW.marker);
  bytes.i32[e + MPT_DW.key] = key;
  bytes.i32[e + MPT_DW.pd] = PD;
  bytes.i32[e + MPT_DW.lengthLo] = 4096;
  bytes.i32[e + MPT_DW.mttSeg] = key;
  bytes.i32[e + MPT_DW.marker] = mptMarker(key);
}

function ask(xlate: Translation, asker = nobody): number {
  return xlate.translate(KEY, PD, 0, 0x123, 8, 0, false, asker);
}

describe('Translation', () => {
  it('goes on from the page when that has come, even if the region has left the cache meanwhile', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    fill(mpt, mptDma, RIVAL);
    expect(mpt.holds(KEY)).to.equal(false);
    mttDma.answer();
    const reads = mptDma.reads;
    expect(ask(xlate)).to.equal(XLATE.ok);
    expect(mptDma.reads).to.equal(reads);
    expect(xlate.available).to.equal(4096 - 0x123);
  });

  it('checks the region of an access that waited when regions have changed meanwhile', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    bytes.i32[(mpt.lookup(KEY, nobody) >> 2) + MPT_DW.marker] = 0;
    xlate.forget();
    mttDma.answer();
    expect(ask(xlate)).to.equal(XLATE.key);
  });

  it('carries what it was told for the one who asked, not for others', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    mttDma.answer();
    fill(mpt, mptDma, RIVAL);
    expect(ask(xlate, { resume: (): void => {} })).to.equal(XLATE.wait);
  });
});
