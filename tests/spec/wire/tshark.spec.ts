/** What the NICs send is what the rest of the world calls RoCEv2: tshark dissects every frame of a mixed run. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const MIXED =
  '+UVM_TESTNAME=test_direct_param +RC_QP_NUM=2 +UC_QP_NUM=2 +UD_QP_NUM=2 +DB_NUM=1 +SEND_WQE_NUM=4 +RECV_WQE_NUM=4 ' +
  '+WRITE_WQE_NUM=4 +READ_WQE_NUM=4 +SG_NUM=3 +DATA_CNT=1501 +DATA_UNIT=B +IMM=50 +MTU=1024 --pcap --quiet';
/** A heuristic of tshark takes short SEND payloads for RPC-over-RDMA. */
const READ = ['-n', '--disable-protocol', 'rpcordma'];

describe('tshark', () => {
  let folder = '';

  before(function () {
    if (spawnSync('tshark', ['--version']).status !== 0) {
      console.log('      skipped: tshark is not installed');
      this.skip();
    }
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tshark-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Plays the run and gives the rows that tshark prints for its capture. */
  async function capture(extra: string, ...options: string[]): Promise<string[]> {
    const out = new CapturedOutput();
    // The first value of a plusarg counts.
    const argv = [...extra.split(' ').filter((a) => a !== ''), ...MIXED.split(' '), '--out', folder];
    expect(await main(argv, { registry: await loadRegistry(), out, err: out, env: {} }), out.text).to.equal(0);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => /\.pcap/.test(name)) as string;
    const { stdout } = spawnSync('tshark', ['-r', join(folder, file), ...READ, ...options], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line !== '');
  }

  const COLUMNS = ['-T', 'fields', '-e', '_ws.col.Protocol', '-e', '_ws.col.Info', '-e', 'infiniband.bth.opcode'];

  it('dissects every frame as RoCEv2 with a known opcode, on all services', async () => {
    const rows = await capture('', ...COLUMNS);
    expect(rows.length).to.be.greaterThan(100);
    for (const row of rows)
      expect(row)
        .to.match(/^RRoCE\t(RC|UC|UD) .*\t\d+$/)
        .and.not.match(/[Uu]nknown/);
    for (const service of ['RC', 'UC', 'UD']) expect(rows.some((row) => row.includes(`\t${service} `))).to.equal(true);
  });

  it('finds nothing malformed and no error, over IPv4', async () => {
    expect(await capture('', '-Y', '_ws.malformed || _ws.expert.severity >= 0x600000')).to.deep.equal([]);
  });

  it('dissects atomics and their answers with all their fields, and finds nothing malformed in them', async () => {
    const atomics = '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=atomic_counters +SEQ_COUNT=1 +UC_QP_NUM=0 +UD_QP_NUM=0';
    const text = (await capture(atomics, '-V')).join('\n');
    for (const field of ['AtomicETH', 'Original Remote Data']) expect(text).to.include(field);
    expect(await capture(atomics, '-Y', '_ws.malformed || _ws.expert.severity >= 0x600000')).to.deep.equal([]);
  });

  it('dissects SENDs with invalidate, of one packet and of several, with their keys, and finds nothing malformed', async () => {
    const keys =
      '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=key_invalidations +RC_QP_NUM=5 +UC_QP_NUM=0 +UD_QP_NUM=0 +ACK_TIMEOUT=5';
    const filter = 'infiniband.ieth || _ws.malformed || _ws.expert.severity >= 0x600000';
    const rows = await capture(keys, '-Y', filter, ...COLUMNS, '-e', 'infiniband.ieth');
    const found = rows.map((row) =>
      /(Send (?:Last|Only) Invalidate) .*\t(22|23)\t[0-9a-f]{8}/.exec(row)?.slice(1).join(' '),
    );
    expect([...new Set(found)].sort()).to.deep.equal(['Send Last Invalidate 22', 'Send Only Invalidate 23']);
  });

  it('finds nothing malformed over IPv6, and no error but the UDP checksum 0 that RoCEv2 asks for', async () => {
    const filter = '_ws.malformed || (_ws.expert.severity >= 0x800000 && !udp.checksum.zero)';
    expect(await capture('+IPV6=1', '-Y', filter)).to.deep.equal([]);
    expect(await capture('+IPV6=1', '-Y', 'ipv6 && infiniband')).to.have.length.greaterThan(100);
  });
});
