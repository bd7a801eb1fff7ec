import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { type Frame, hangu, type LinkUpstream, type NicContext, type NicEntry } from '../../../dut-model/index.ts';
import type { PcieUpstream } from '../../../dut-model/index.ts';
import { playOn } from '../tests/harness.ts';

/** Sends each frame by the port whose address it carries as that of its sender. */
class PortChooser implements LinkUpstream {
  readonly #links: readonly LinkUpstream[];
  readonly #context: NicContext;
  /** Each so manieth frame leaves by the other port; 0 = none does. */
  readonly #astray: number;
  #sent = 0;

  constructor(links: readonly LinkUpstream[], context: NicContext, astray: number) {
    this.#links = links;
    this.#context = context;
    this.#astray = astray;
  }

  get freeAt(): number {
    return Math.max(...this.#links.map(({ freeAt }) => freeAt));
  }

  acquire(): Frame {
    return (this.#links[0] as LinkUpstream).acquire();
  }

  send(frame: Frame): void {
    const { u8 } = this.#context.bytes;
    const low = new DataView(u8.buffer, u8.byteOffset).getUint32(frame.data + 8);
    const found = this.#context.ports.findIndex(({ macLow }) => macLow >>> 0 === low);
    const isAstray = this.#astray > 0 && ++this.#sent % this.#astray === 0;
    const port = isAstray ? this.#links.length - 1 - found : found;
    (this.#links[port] as LinkUpstream).send(frame);
  }
}

class TwoPortNic extends hangu.HanguNic {
  readonly #astray: number;

  constructor(context: NicContext, config: hangu.HanguConfig, astray: number) {
    super(context, config);
    this.#astray = astray;
  }

  override connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    super.connect(host, [new PortChooser(links, this.core.context, this.#astray)]);
  }
}

const HANGU = NIC_CATALOG[0] as NicEntry;
const TWO_PORTS: NicEntry = {
  ...HANGU,
  name: 'two_ports',
  base: 'hangu',
  limits: { ...HANGU.limits, ports: 2 },
  faults: [{ name: 'astray', description: 'every seventh frame leaves by the other port', caughtBy: ['WIRE_PORT'] }],
  nic: (fault) => (context, knobs) =>
    new TwoPortNic(context, hangu.resolveHanguConfig(knobs), fault === 'astray' ? 7 : 0),
};

describe('a NIC of two ports', () => {
  let registry: Registry;
  before(async () => {
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, TWO_PORTS] };
  });

  const WORK = '+DUT=two_ports +RC_QP_NUM=4 +UC_QP_NUM=2 +UD_QP_NUM=1 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3';

  /** How many frames of each interface are in a capture of a run. */
  function captured(line: string): Readonly<Record<string, number>> {
    const folder = mkdtempSync(join(tmpdir(), 'ports-'));
    const path = join(folder, 'run.pcapng');
    const plusargs = ['+UVM_TESTNAME=test_direct_param', ...line.split(' '), `+PCAP=${path}`];
    const run = runOne({ testName: 'test_direct_param', seed: 1, plusargs }, registry, { sink: () => {} });
    const bytes = readFileSync(path);
    rmSync(folder, { recursive: true });
    expect(run.verdict, run.message).to.equal('passed');
    return framesByInterface(bytes);
  }

  for (const hosts of [2, 3])
    it(`has traffic on both, each connection on one of them, with ${hosts} hosts`, () => {
      const frames = captured(`${WORK} +HOST_NUM=${hosts}`);
      const names = ['', ' port 2'].flatMap((port) => Array.from({ length: hosts }, (_, host) => `host${host}${port}`));
      expect(Object.keys(frames).sort()).to.deep.equal(names.sort());
    });

  it('loses frames on the port that a fault rule names, and on no other', () => {
    const run = playOn(registry, 'test_direct_param', [
      ...WORK.split(' '),
      '+NET_FAULT=drop host=0 port=2 frame=1..100000 probability=20%',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ]);
    expect(run.verdict, run.log).to.equal('passed');
    const none = playOn(registry, 'test_direct_param', [...WORK.split(' '), '+NET_FAULT=drop host=0 port=3']);
    expect(none.log).to.contain('FAULT_NOT_FIRED');
  });

  it('sends datagrams by the port of their queue pair', () => {
    const line = '+DUT=two_ports +RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=3 +SEND_WQE_NUM=4 +RECV_WQE_NUM=4';
    const frames = captured(line);
    expect(Object.keys(frames).sort()).to.deep.equal(['host0 port 2', 'host1 port 2']);
    const run = playOn(registry, 'test_direct_param', `${line} +DUT_FAULT=astray`);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'WIRE_PORT']);
  });

  it('is given packets that no NIC has sent at the port that is named', () => {
    const inject = 'inject at=200us from=0 to=1 qpn=9999 opcode=send_only psn=3';
    for (const port of ['', ' port=2', ' port=1']) {
      const run = playOn(registry, 'test_direct_param', [...WORK.split(' '), `+INJECT=${inject}${port}`]);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.injections?.[0]?.sent).to.equal(1);
    }
    const beyond = playOn(registry, 'test_direct_param', [...WORK.split(' '), `+INJECT=${inject} port=3`]);
    expect(beyond.log).to.contain('port 3').and.contain('name one of 1 to 2');
  });

  it('is covered by its ports', () => {
    const { coverage = [] } = playOn(registry, 'test_direct_param', `${WORK} +COV`);
    const names = coverage.map(({ group }) => group.name);
    expect(names).to.contain('nic_port_cg').and.not.contain('nic_pair_cg');
  });

  it('is found to answer on the wrong port', () => {
    const run = playOn(registry, 'test_direct_param', `${WORK} +DUT_FAULT=astray`);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'WIRE_PORT']);
  });

  it('plays random runs', () => {
    for (const [test, seed] of [
      ['test_random', 2],
      ['test_random_verbs', 3],
    ] as const) {
      const run = playOn(registry, test, '+DUT=two_ports', seed);
      expect(run.verdict, run.message).to.equal('passed');
    }
  });
});

/** Names of the interfaces that frames of a capture in this machine's byte order are from, with their numbers of frames. */
function framesByInterface(bytes: Buffer): Record<string, number> {
  const names: string[] = [];
  const frames: Record<string, number> = {};
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4)) {
    const type = bytes.readUInt32LE(at);
    if (type === 1) names.push(bytes.toString('utf8', at + 20, at + 20 + bytes.readUInt16LE(at + 18)));
    if (type !== 6) continue;
    const name = names[bytes.readUInt32LE(at + 8)] as string;
    frames[name] = (frames[name] ?? 0) + 1;
  }
  return frames;
}
