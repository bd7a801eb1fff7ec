import { expect } from 'chai';
import { IcmPages } from '../../../../../dut-model/hangu/driver/tables/icmPages.ts';
import {
  ICM_ENTRY_BYTES,
  MAX_ICM_PAGES_PER_CHUNK,
  PAGE_BYTES,
} from '../../../../../dut-model/hangu/layout/commands.ts';
import { type Proc, ProcessManager, delay } from '../../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../../uvm/kernel/scheduler.ts';

const PER_PAGE = PAGE_BYTES / ICM_ENTRY_BYTES.mtt;
/** Entries that take three commands to map. */
const LARGE = PER_PAGE * (2 * MAX_ICM_PAGES_PER_CHUNK + 1);

describe('IcmPages', () => {
  it('lets nobody use a page of a mapping that takes several commands before the last of them is done', () => {
    const said = play(function* (pages, say): Proc<void> {
      yield* pages.ensure('mtt', LARGE - 1, 1);
      say('entry of the last page');
    });
    expect(said).to.deep.equal(['mapped', 'mapped', 'mapped', 'all entries', 'entry of the last page']);
  });

  it('makes nobody wait for pages of others', () => {
    const said = play(function* (pages, say): Proc<void> {
      yield* pages.ensure('mtt', LARGE + PER_PAGE, 1);
      say('entry behind them');
      yield* pages.ensure('mpt', 0, 1);
      say('entry of another table');
    });
    expect(said.indexOf('entry of another table')).to.be.lessThan(said.indexOf('all entries'));
  });
});

/** Maps many pages, each command taking 10 ns, with another process that starts 1 ns later. @returns what was said, in order */
function play(other: (pages: IcmPages, say: (what: string) => void) => Proc<void>): readonly string[] {
  const scheduler = new Scheduler();
  const processes = new ProcessManager(scheduler);
  const said: string[] = [];
  const say = (what: string): void => void said.push(what);
  const mapIcm = function* (): Proc<void> {
    yield* delay(10_000);
    say('mapped');
  };
  const pages = new IcmPages({ mapIcm, unmapIcm: mapIcm }, { area() {} });
  processes.spawn('all', allEntries(pages, say));
  processes.spawn('late', behind(other(pages, say)));
  scheduler.run();
  return said;
}

function* allEntries(pages: IcmPages, say: (what: string) => void): Proc<void> {
  yield* pages.ensure('mtt', 0, LARGE);
  say('all entries');
}

function* behind(body: Proc<void>): Proc<void> {
  yield* delay(1000);
  yield* body;
}
