import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BugHunt, type HuntOptions, type Sighting } from '../../../../bin/bugs/bugHunt.ts';
import { detectionPage, mistakesOf } from '../../../../bin/bugs/detectionTable.ts';
import { NIC_CATALOG } from '../../../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../../../env/nicKind.ts';
import { loadRegistry, type Registry } from '../../../../bin/registry.ts';

const HANGU = NIC_CATALOG[0] as NicEntry;
const PAGE = new URL('../../../../docs/detection.md', import.meta.url);

describe('BugHunt', () => {
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  function bug(name: string): FaultEntry {
    return HANGU.faults.find((fault) => fault.name === name) as FaultEntry;
  }

  function hunt(options: Partial<HuntOptions> = {}): BugHunt {
    return new BugHunt(HANGU, { registry, ...options });
  }

  it('says which check finds a bug and when, and finds nothing without the bug', () => {
    const { first, named, time, failure } = hunt().play(bug('cqe_byte_count'));
    expect([first, named, failure]).to.deep.equal(['SCB_BYTE_LEN', 'SCB_BYTE_LEN', '']);
    expect(time).to.be.above(0);
    expect(hunt().playClean(bug('cqe_byte_count'))).to.include({ first: '', named: '', time: 0, failure: '' });
  });

  it('stops at the first finding, or goes on to the first that the entry names', () => {
    expect(hunt().play(bug('mtu_doubled'))).to.include({ first: 'HCA_QUERY_QP', named: '' });
    const further = hunt({ until: 'named' }).play(bug('mtu_doubled'));
    expect(further).to.include({ first: 'HCA_QUERY_QP', named: 'WIRE_MTU' });
  });

  it('plays other stimulus, in which a bug may not show, and names what keeps a run from being judged', () => {
    const reads = ['+UVM_TESTNAME=test_direct_param', '+RC_QP_NUM=1', '+READ_WQE_NUM=1'];
    expect(hunt().play(bug('cqe_immediate_zero'), reads)).to.include({ first: '', failure: '' });
    const short = [...reads, '+SIM_TIMEOUT=1us'];
    expect(hunt().play(bug('cqe_immediate_zero'), short)).to.include({ first: '', failure: 'PH_TIMEOUT' });
    expect(() => hunt().play(bug('cqe_immediate_zero'), ['--no-such-flag'])).to.throw(
      /cqe_immediate_zero: .*no-such-flag/,
    );
  });

  it('finds the same where a fault rule is there that no packet matches', () => {
    const lenient = hunt({ more: ['+NET_FAULT=drop service=rc qpn=16777215 optional'] });
    const byteCount = bug('cqe_byte_count');
    const [strict, told] = [hunt().play(byteCount), lenient.play(byteCount)];
    expect(told).to.include({ first: strict.first, time: strict.time });
    expect(lenient.playClean(byteCount)).to.include({ first: '', failure: '' });
  });
});

describe('the page of detection', () => {
  const bug = { name: 'a_bug', description: 'it errs', caughtBy: ['SCB_DATA'] };
  const seen = { ids: ['SCB_DATA'], counts: {}, transcript: '' };
  const found: Sighting = { bug, first: 'SCB_DATA', named: 'SCB_DATA', time: 1, failure: '', ...seen };
  const row = { findings: [['SCB_DATA']], needs: ['data'], original: true };
  const lost: Sighting = { ...found, first: 'DEADLOCK', named: '' };
  const missed: Sighting = { ...lost, first: '', time: 0 };

  it('shows findings, what came before them, and misses, and counts them', () => {
    const rows = [
      { clean: { ...found, first: 'SCB_ORDER' }, permitted: lost, row },
      { clean: found, permitted: missed, row },
      { clean: found, permitted: { ...missed, failure: 'PH_TIMEOUT' }, row },
    ];
    const page = detectionPage(rows, 20);
    expect(page).to.contain('| `a_bug` | `SCB_DATA` (`SCB_ORDER`) | **lost**: `DEADLOCK` | 1 | data | found |');
    expect(page).to.contain('| `a_bug` | `SCB_DATA` | **missed** | 1 | data | found |');
    expect(page).to.contain('| `a_bug` | `SCB_DATA` | **not judged**: `PH_TIMEOUT` | 1 | data | found |');
    expect(page).to.contain('| clean link | 3 | 3 | 0 | 0 | 0 |');
    expect(page).to.contain('| faults permitted, none fires | 3 | 0 | 1 | 1 | 1 |');
    expect(mistakesOf(rows)).to.deep.equal([]);
    expect(mistakesOf([{ clean: missed, permitted: found, row }])).to.deep.equal(['a_bug: **missed**']);
  });

  it('that is shipped has all planted bugs, found on a clean link but for those that no check sees yet', () => {
    const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` \| (.*) \| .* \|$/gm)];
    const all = NIC_CATALOG.flatMap(({ faults }) => faults);
    expect(rows.map(([, name]) => name)).to.deep.equal(all.map(({ name }) => name));
    for (const [i, [, name, clean]] of rows.entries())
      expect(clean, name).to.match(all[i]?.caughtBy?.length === 0 ? /^\*\*missed\*\*/ : /^`[A-Z_0-9]+`/);
  });
});
