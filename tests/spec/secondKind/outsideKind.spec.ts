import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Registries } from '../../../bin/registries.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { expandList } from '../../../regress/lists/expandList.ts';
import type { CompiledFolder } from '../../../regress/pool/player.ts';

interface TestFolders {
  compileTestFolder(place: Record<string, unknown>): Promise<CompiledFolder>;
}

// Plain JavaScript without declarations, like all of the build.
const { compileTestFolder } = (await import(
  new URL('../../../scripts/build/testFolder.mjs', import.meta.url).href
)) as TestFolders;
/** All of the list nightly, a fourth of it otherwise. */
const PLAYS_ALL = process.env['SPECS_NIGHTLY'] === '1';
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** HanGu behind a port that leaves a gap between frames: a kind as a folder, in a place of its own. */
const PACED: Readonly<Record<string, string>> = {
  'layout/gap.ts': `
/** Between the end of a frame and the next one at least, ps. */
export const LEAST_GAP = 20_000;
`,
  'model/pacedNic.ts': `
import { type Frame, hangu, type LinkUpstream, type NicContext, type PcieUpstream } from 'rnic-verify/dut';
import { LEAST_GAP } from '../layout/gap.ts';

/** A port in front of the link. */
export class PacedPort implements LinkUpstream {
  protected readonly link: LinkUpstream;

  constructor(link: LinkUpstream) {
    this.link = link;
  }

  get freeAt(): number {
    return this.link.freeAt;
  }

  acquire(): Frame {
    return this.link.acquire();
  }

  send(frame: Frame): void {
    frame.readyAt = Math.max(frame.readyAt, this.link.freeAt + this.gap());
    this.link.send(frame);
  }

  protected gap(): number {
    return LEAST_GAP;
  }
}

export class PacedNic extends hangu.HanguNic {
  readonly #port: typeof PacedPort;

  constructor(context: NicContext, config: hangu.HanguConfig, port = PacedPort) {
    super(context, config);
    this.#port = port;
  }

  override connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    super.connect(
      host,
      links.map((link) => new this.#port(link)),
    );
  }
}
`,
  'driver/pacedProvider.ts': `
import { type DeviceAttributes, hangu, HostApiError, type Proc, type ProviderHost } from 'rnic-verify/dut';

/** Looks whether the NIC says that it is up before it is used. */
export class PacedProvider extends hangu.HanguProvider {
  readonly #host: ProviderHost;

  constructor(host: ProviderHost) {
    super(host);
    this.#host = host;
  }

  override *open(): Proc<DeviceAttributes> {
    const device = yield* super.open();
    const isUp = yield* this.#host.bus.barRead32(hangu.BAR.registers, hangu.REG.initDone);
    if (isUp !== 1) throw new HostApiError('STATE', \`host \${this.#host.host}\`, 'the NIC is not up', 'reset it');
    return device;
  }
}
`,
  'judge/gapRule.ts': `
import { aFrame, aMoment, Component, Findings, type FrameItem, type ObservedEnv } from 'rnic-verify/dut';
import { LEAST_GAP } from '../layout/gap.ts';

/** PACED_GAP: a frame follows another one of its NIC after the gap. */
export class GapRule extends Component {
  readonly #findings = new Findings<'PACED_GAP'>(this);
  readonly #ends: number[] = [];

  constructor(env: ObservedEnv) {
    super('paced', env);
    env.link.frames.connect({ write: (frame) => this.#left(frame) });
  }

  #left({ host, time, end }: FrameItem): void {
    const last = this.#ends[host];
    if (last !== undefined && time - last < LEAST_GAP)
      this.#findings.error(
        'PACED_GAP',
        () => \`host \${host}: a frame follows the last one after \${time - last} ps\`,
        [aFrame(host, time), aMoment(last)],
      );
    this.#ends[host] = end;
  }
}
`,
  'bugs/gapBugs.ts': `
import type { FaultEntry } from 'rnic-verify/dut';
import { PacedPort } from '../model/pacedNic.ts';

/** Leaves the gap out in front of every fifth frame. */
export class HastyPort extends PacedPort {
  #turn = 0;

  protected override gap(): number {
    return ++this.#turn % 5 === 0 ? 0 : super.gap();
  }
}

export const GAP_BUGS: readonly FaultEntry[] = [
  { name: 'hasty', description: 'no gap in front of every fifth frame', caughtBy: ['PACED_GAP'] },
];
`,
  'entry.ts': `
import { hangu, type NicEntry } from 'rnic-verify/dut';
import { GAP_BUGS, HastyPort } from './bugs/gapBugs.ts';
import { PacedProvider } from './driver/pacedProvider.ts';
import { GapRule } from './judge/gapRule.ts';
import { PacedNic } from './model/pacedNic.ts';

export const ENTRY: NicEntry = {
  ...hangu.HANGU_KIND,
  name: 'paced',
  base: 'hangu',
  description: 'HanGu behind a port that leaves a gap between frames',
  faults: GAP_BUGS,
  knobs: hangu.HANGU_KNOBS,
  checks: (env) => new GapRule(env),
  nic: (fault) => (context, knobs) =>
    new PacedNic(context, hangu.resolveHanguConfig(knobs), fault === 'hasty' ? HastyPort : undefined),
  provider: () => (host) => new PacedProvider(host),
};
`,
};

describe('a kind of NIC in a folder of its own', function () {
  this.timeout(120_000);
  let folder = '';
  let registry: Registry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'outside-kind-'));
    for (const [file, text] of Object.entries(PACED)) {
      mkdirSync(dirname(join(folder, 'paced', file)), { recursive: true });
      writeFileSync(join(folder, 'paced', file), text);
    }
    const say = (): void => {};
    const place = { root: ROOT, folder: join(folder, 'paced'), fromSource: true, cache: join(folder, 'cache'), say };
    const compiled = { [join(folder, 'paced')]: await compileTestFolder(place) };
    const opened = await new Registries(await loadRegistry(), say, compiled).open('paced', folder);
    expect(opened.problems).to.deep.equal([]);
    ({ registry } = opened);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What comes of a command line of a list, with more words. */
  function played(argv: readonly string[], ...more: string[]) {
    const seed = argv.indexOf('--seed');
    const plusargs = [...argv.slice(0, seed), ...argv.slice(seed + 2), '+DUT=paced', ...more];
    const testName = /=(.*)/.exec(argv.find((word) => word.startsWith('+UVM_TESTNAME=')) ?? '')?.[1] ?? '';
    return runOne({ testName, seed: Number(argv[seed + 1]), plusargs }, registry, { sink: () => {} });
  }

  it('builds on one that ships and passes the smoke list, with nothing edited in the tree', () => {
    const { jobs } = expandList(join(ROOT, 'lists/smoke.yaml'), { baseSeed: 1, cwd: ROOT, sequences: [] });
    expect(jobs.length).to.be.above(40);
    const failed = jobs
      .filter((_, i) => PLAYS_ALL || i % 4 === 0)
      .map(({ id, argv }) => ({ id, result: played(argv) }))
      .filter(({ result }) => result.verdict !== 'passed')
      .map(({ id, result }) => `${id}: ${result.message}`);
    expect(failed).to.deep.equal([]);
  });

  it('has its planted bug found by its own rule', () => {
    const smoke = ['+UVM_TESTNAME=test_smoke', '--seed', '1'];
    const { verdict, signature } = played(smoke, '+DUT_FAULT=hasty');
    expect([verdict, signature?.id]).to.deep.equal(['failed', 'PACED_GAP']);
  });
});
