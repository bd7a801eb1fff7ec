import { expect } from 'chai';
import { type ChangedSources, compareReplay } from '../../../bin/run/replay/compareReplay.ts';
import { limitText } from '../../../bin/run/limits/wallClockLimit.ts';
import type { RunRecord, Versions } from '../../../regress/runRecord.ts';

const VERSIONS: Versions = { harness: '1', commit: 'c1', node: '20', generator: '1', sources: 'aa' };

describe('the comparison of a replay with its record', () => {
  const record = (hash: string, versions: Partial<Versions>): RunRecord =>
    ({
      plusargs: [],
      signature: null,
      endedBy: null,
      transcript: { hash, events: 1, checkpoints: [] },
      versions: { ...VERSIONS, ...versions },
      testPath: { path: '', sha256: '' },
    }) as unknown as RunRecord;

  function reason(
    before: Partial<Versions>,
    after: Partial<Versions>,
    changed: ChangedSources = () => undefined,
  ): string {
    const { equal, lines } = compareReplay(record('x', before), record('y', after), changed);
    expect(equal).to.equal(false);
    return lines.at(-1) as string;
  }

  it('blames the harness only when nothing has changed', () => {
    expect(reason({}, {})).to.match(/all versions are equal.*a defect of the harness or of a test/);
    expect(reason({ sources: '' }, { sources: '' })).to.match(/all versions are equal/);
  });

  it('names the sources that have changed, and counts what would be too many', () => {
    const changed: ChangedSources = (before, after) => [`${before}.ts`, `${after}.ts`];
    expect(reason({}, { sources: 'bb' }, changed)).to.equal('the sources have changed since (aa.ts, bb.ts)');
    expect(reason({}, { sources: 'bb' })).to.equal('the sources have changed since');
    const many = Array.from({ length: 7 }, (_, i) => `f${i}.ts`);
    expect(reason({}, { sources: 'bb' }, () => many)).to.match(
      /\(f0\.ts, f1\.ts, f2\.ts, f3\.ts, f4\.ts and 2 more\)$/,
    );
  });

  it('does not give another commit of the same sources as the reason', () => {
    expect(reason({}, { commit: 'c2' })).to.match(/all versions are equal/);
    expect(reason({}, { commit: 'c2', node: '22' })).to.equal('versions differ: node 20 then, 22 now');
  });

  it('leaves the question open for a record that does not name its sources', () => {
    expect(reason({ sources: '' }, {})).to.match(/does not say of which sources/);
    expect(reason({ sources: '' }, { commit: 'c2' })).to.match(/versions differ: commit c1 then, c2 now; the record/);
  });

  it('says up to where both are equal, and before which point they part', () => {
    const at = (...points: [events: number, hash: string][]): string[] =>
      points.map(([events, hash]) => `${events} ${events * 1000} ${hash.repeat(32)}`);
    const lines = (recorded: readonly string[], now: readonly string[]): readonly string[] => {
      const [before, after] = [recorded, now].map((checkpoints, i) => ({
        ...record(`h${i}`, {}),
        simulatedTimePs: 900_000 + i,
        transcript: { hash: `h${i}`, events: 1, checkpoints: [...checkpoints] },
      }));
      return compareReplay(before as RunRecord, after as RunRecord, () => undefined).lines.slice(1, -1);
    };
    expect(lines(at([64, 'a'], [128, 'b'], [192, 'c']), at([64, 'a'], [128, 'b'], [192, 'd']))).to.deep.equal([
      'both are equal up to event 128 (128ns), and part before event 192 (192ns)',
    ]);
    expect(lines(at([64, 'a'], [128, 'b']), at([128, 'b'], [256, 'c']))).to.deep.equal([
      'both are equal up to event 128 (128ns), and part behind that, the shorter one ends at 900ns',
    ]);
    expect(lines(at([64, 'a'], [128, 'b']), at([64, 'c'], [128, 'd']))).to.deep.equal([
      'they part before event 64 (64ns)',
    ]);
    expect(lines([], at([64, 'c']))).to.deep.equal([]);
  });

  it('says nothing of sources when the transcripts are equal', () => {
    const { equal, lines } = compareReplay(record('x', {}), record('x', { sources: 'bb' }), () => ['a.ts']);
    expect([equal, lines]).to.deep.equal([true, ['REPLAY EQUAL: transcript x']]);
  });

  it('says that tests outside of the project have changed, also when the transcripts are equal', () => {
    const own = (hash: string, path: string, sha256: string): RunRecord => ({
      ...record(hash, {}),
      testPath: { path, sha256 },
    });
    const lines = (before: RunRecord, after: RunRecord) => compareReplay(before, after, () => undefined).lines.slice(1);
    const now = own('x', 'team', 'b');
    expect(lines(own('x', 'team', 'a'), now)).to.deep.equal(['the tests of team have changed since']);
    expect(lines(own('y', 'team', 'a'), now)).to.deep.equal(['the tests of team have changed since']);
    expect(lines(own('x', 'team', 'b'), now)).to.deep.equal([]);
    expect(lines(own('x', 'team', ''), now)[0]).to.match(/does not say of which sources of team/);
    expect(lines(own('x', '', ''), now)).to.deep.equal(['the recorded run had no tests of team']);
  });

  it('calls a run of changed tests that goes otherwise changed, not a defect', () => {
    const own = (hash: string, sha256: string): RunRecord => ({
      ...record(hash, {}),
      testPath: { path: 'team', sha256 },
    });
    const { equal, lines } = compareReplay(own('y', 'a'), own('x', 'b'), () => undefined);
    expect([equal, lines[0]?.split(':')[0]]).to.deep.equal([true, 'REPLAY CHANGED']);
    expect(compareReplay(own('y', 'a'), own('x', 'a'), () => undefined).equal).to.equal(false);
  });

  it('compares nothing when the wall clock ended either run, whatever errors had been counted before', () => {
    const limit = { id: 'RUN_LIMIT', component: 'reporter', message: limitText(0.5), time: 5 };
    const error = { ...limit, id: 'SCB_DATA', message: 'byte 3 differs' };
    const ended = { ...record('x', {}), signature: limit, endedBy: null };
    const failed = { ...record('x', {}), signature: error, endedBy: limit };
    for (const broken of [ended, failed]) {
      const then = compareReplay(broken, record('y', {}), () => undefined);
      expect([then.equal, then.lines.length]).to.deep.equal([true, 1]);
      expect(then.lines[0]).to.match(/^REPLAY OF A RUN THAT DID NOT END: .*the recorded run was ended/);
      const now = compareReplay(record('y', {}), broken, () => undefined);
      expect([now.equal, now.lines[0]]).to.satisfy(([e, l]: [boolean, string]) => e && /this run was ended/.test(l));
      expect(compareReplay(broken, record('x', {}), () => undefined).lines[0]).to.match(/^REPLAY EQUAL/);
    }
  });

  it('compares nothing when somebody interrupted either run', () => {
    const stop = { id: 'INTERRUPTED', component: 'reporter', message: 'SIGINT (Ctrl-C) at 5ns', time: 5 };
    const broken = { ...record('x', {}), signature: stop, endedBy: null };
    const { equal, lines } = compareReplay(broken, record('y', {}), () => undefined);
    expect([equal, lines.length]).to.deep.equal([true, 1]);
    expect(lines[0]).to.match(/DID NOT END: .*the recorded run was interrupted/);
    const now = compareReplay(record('y', {}), broken, () => undefined);
    expect(now.lines[0]).to.match(/this run was interrupted/);
  });

  it('blames a run that was given up for its simulated time and differs, because that point is no chance', () => {
    const message = 'nothing has been completed or checked since 5us, after 1 error: the run is given up';
    const givenUp = { id: 'RUN_LIMIT', component: 'reporter', message, time: 5 };
    const before = { ...record('x', {}), signature: givenUp };
    expect(compareReplay(before, record('y', {}), () => undefined).equal).to.equal(false);
  });

  it('compares nothing with a run that has no transcript', () => {
    expect(compareReplay(record('x', {}), record('', {}), () => undefined).equal).to.equal(true);
  });
});
