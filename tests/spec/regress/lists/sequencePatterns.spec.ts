import { expect } from 'chai';
import { type ExpandedList, expandList } from '../../../../regress/lists/expandList.ts';

function expanded(steps: string, sequences: readonly string[]): ExpandedList {
  const text = `tests:\n  - name: all\n    reseed: 2\n    sweep:\n      UVM_TEST_SEQ: ${steps}\n`;
  return expandList('main.yaml', { baseSeed: 1, cwd: '/w', read: () => text, sequences });
}

function runsOf({ jobs }: ExpandedList): string[] {
  return jobs.map(({ argv }) => argv.join(' '));
}

describe('patterns of sequences in a list', () => {
  it('stand for all sequences that there are, but for those that are left out', () => {
    const { jobs, problems } = expanded("['*', '!far_*']", ['send_flags', 'far_peers', 'far_reads', 'ping_pong']);
    expect(problems).to.deep.equal([]);
    expect(jobs.map(({ title }) => title)).to.deep.equal(
      ['ping_pong', 'ping_pong', 'send_flags', 'send_flags'].map((name) => `UVM_TEST_SEQ=${name}`),
    );
  });

  it('give a new sequence runs without shifting those of the others', () => {
    const before = runsOf(expanded("['*']", ['aa', 'cc']));
    const after = runsOf(expanded("['*']", ['aa', 'bb', 'cc']));
    expect(after.filter((line) => !line.includes('bb'))).to.deep.equal(before);
    expect(after).to.have.length(6);
  });

  it('are a mistake with its place where nothing matches', () => {
    const { problems } = expanded("['aa', 'zz*']", ['aa']);
    expect(problems).to.deep.equal(['main.yaml:5:28: in all: zz* matches no sequence']);
  });
});
