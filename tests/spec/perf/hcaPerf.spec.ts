/** Measurements as perftest makes them: its flags, its figures and its tables, on runs that are judged. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { main as hcaPerf } from '../../../bin/hcaPerf.ts';
import { main as hcaTest } from '../../../bin/hcaTest.ts';
import { parsePerfCommand } from '../../../bin/perf/perfCommand.ts';
import { type BandwidthRow, type LatencyRow, perfRowOf } from '../../../bin/perf/perfRow.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { PERF_TESTS } from '../../../config/table/perfParameters.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RunRecord } from '../../../regress/runRecord.ts';
import { limitFinding } from '../../../sequences/perf/perfLimits.ts';
import { latencyFigures, Stream, streamFigures } from '../../../sequences/perf/perfSamples.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('hca_perf', function () {
  this.timeout(60_000);
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hca-perf-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function measured(test: string, ...more: string[]): Promise<{ code: number; record: RunRecord }> {
    const out = new CapturedOutput();
    const usual =
      '+RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0 +SEQ_COUNT=20 +PERF_BYTES=4096 +HOST_NUM=2 +PROC_NUM=1 --quiet';
    // The first value of a plusarg counts.
    const argv = ['+UVM_TESTNAME=test_perf', `+PERF=${test}`, ...more, ...usual.split(' '), '--out', folder];
    const code = await hcaTest(argv, { registry: await loadRegistry(), out, err: out, env: {} });
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('run.json'));
    return { code, record: readRunRecord(join(folder, file as string)) };
  }

  it('takes each flag where perftest has it, and refuses it elsewhere', () => {
    const refused = (line: string): boolean => parsePerfCommand(line.split(' ')).problems.length > 0;
    for (const line of [
      'send_bw -c UD -s 512 -n 50 -q 4 -m 1024 -t 64 -I 64 -b -r 128 --report_gbits',
      'send_lat -c UC -a -I 60 -r 8',
      'write_bw -c UC -a -b -q 16',
      'write_lat -s 8 -n 5 -I 32',
      'read_bw -a -q 2 -t 8 --report_gbits',
      'ib_read_lat -s 64',
      'atomic_bw -A CMP_AND_SWAP -q 2 -b',
      'atomic_lat -A fetch_and_add +DUT=hangu',
    ])
      expect(parsePerfCommand(line.split(' ')).problems, line).to.deep.equal([]);
    for (const line of [
      'send_lat -q 2',
      'send_lat -t 8',
      'write_lat --report_gbits',
      'read_lat -b',
      'write_bw -r 4',
      'write_bw -c UD',
      'read_bw -c UC',
      'read_bw -I 8',
      'atomic_bw -s 16',
      'atomic_lat -a',
      'read_bw -A CMP_AND_SWAP',
      'send_bw -c UD -s 2048',
      'send_bw -a -s 8',
      'send_bw -n 4',
      'send_bw -m 1000',
      'send_bandwidth',
      'send_bw write_bw',
    ])
      expect(refused(line), line).to.equal(true);
    expect(parsePerfCommand(['write_bw', '-a']).sizes).to.have.length(23);
    expect(parsePerfCommand(['send_bw', '-a', '-c', 'UD', '-m', '512']).sizes.at(-1)).to.equal(512);
  });

  it('measures all eight on a NIC, with figures that fit together', async () => {
    for (const test of PERF_TESTS) {
      const { code, record } = await measured(test);
      expect(code, `${test} ${record.signature?.message}`).to.equal(0);
      const row = perfRowOf(record);
      if (test.endsWith('_lat')) {
        const { min, max, typical, avg, p99, p999 } = row as LatencyRow;
        expect(min, test).to.be.greaterThan(0.5);
        for (const figure of [typical, avg, p99, p999]) expect(figure).to.be.within(min, max);
      } else {
        const { peakGb, averageGb, averageMB, rateMpps, bytes } = row as BandwidthRow;
        expect(averageGb, test).to.be.within(0.001, 100);
        expect(peakGb).to.be.at.least(averageGb * (1 - 1e-12));
        expect(averageMB * 2 ** 20 * 8).to.be.closeTo(averageGb * 1e9, 1);
        expect(rateMpps * bytes * 8e6).to.be.closeTo(averageGb * 1e9, 1);
      }
      rmSync(folder, { recursive: true });
    }
  });

  it('fails a run that misses the share of link and PCIe, or the latency, that it was asked for', async () => {
    const slow = await measured('write_bw', '+PERF_BYTES=64', '+PERF_LEAST_SHARE=0.9');
    expect(slow.code).to.equal(1);
    expect(slow.record.signature?.id).to.equal('PERF_LIMIT');
    rmSync(folder, { recursive: true });
    const late = await measured('read_lat', '+PERF_BYTES=8', '+PERF_MOST_TIMES=1.1');
    expect(late.record.signature?.id).to.equal('PERF_LIMIT');
  });

  it('refuses a measurement for which a NIC or its queue pairs have no operation', async () => {
    const refused = async (...argv: string[]): Promise<string> => {
      const out = new CapturedOutput();
      const options = { registry: await loadRegistry(), out, err: out, env: {} };
      expect(await hcaTest(['+UVM_TESTNAME=test_perf', ...argv], options)).to.equal(2);
      return out.text;
    };
    expect(await refused('+PERF=atomic_bw', '+DUT=blue')).to.include('needs what blue does not have: atomics');
    expect(await refused('+PERF=read_bw', '+UC_QP_NUM=1')).to.include('not on UC; give +UC_QP_NUM=0');
  });

  it('prints the table of perftest, and writes CSV, JSON and a chart', async () => {
    const out = new CapturedOutput();
    const files = ['csv', 'json', 'svg'].map((kind) => join(folder, `rows.${kind}`));
    const flags = files.flatMap((file) => [`--${file.split('.').at(-1)}`, file]);
    const argv = ['write_lat', '-n', '5', '-s', '64', '-j', '1', '--out', join(folder, 'runs'), ...flags];
    expect(await hcaPerf(argv, { out, err: out }), out.text).to.equal(0);
    expect(out.text).to.include('t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]');
    expect(out.text).to.match(/^ 64 +5 +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d/m);
    for (const file of files) expect(existsSync(file), file).to.equal(true);
    expect(readFileSync(files[0] as string, 'utf8')).to.match(/^kind,bytes,.*\nhangu,64,5,/);
  });
});

describe('figures of a measurement', () => {
  it('are a finding where they are better than the buses allow, or worse than was asked for', () => {
    const limits = { PERF_LEAST_SHARE: 0.5, PERF_MOST_TIMES: 3 };
    const idOf = (figures: Record<string, number>, tells = true): string | undefined =>
      limitFinding(figures, limits, tells)?.id;
    expect(idOf({ perf_share: 1.01 })).to.equal('PERF_IMPOSSIBLE');
    expect(idOf({ perf_share: 1.01 }, false), 'completions of UC').to.equal(undefined);
    expect(idOf({ perf_times: 0.9 })).to.equal('PERF_IMPOSSIBLE');
    expect(idOf({ perf_share: 0.4 })).to.equal('PERF_LIMIT');
    expect(idOf({ perf_times: 3.1 })).to.equal('PERF_LIMIT');
    expect([idOf({ perf_share: 0.9 }), idOf({ perf_times: 2 })]).to.deep.equal([undefined, undefined]);
  });

  it('have a peak that no average of messages in a row exceeds', () => {
    const streams = fc.array(fc.record({ post: fc.nat(1000), takes: fc.integer({ min: 1, max: 500 }) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(streams, (messages) => {
        const stream = new Stream();
        for (const { post, takes } of messages) {
          stream.posted.push(post);
          stream.completed.push(post + takes);
        }
        const { span, best } = streamFigures(stream);
        expect(best).to.be.at.most(span / messages.length);
        expect(best).to.be.greaterThan(0);
      }),
    );
  });

  it('are those of the times between starts, halved where a round trip has two messages', () => {
    const whole = latencyFigures([0, 10, 30, 60, 100], 1);
    expect(whole).to.deep.include({ min: 10, max: 40, typical: 25, avg: 25, p99: 40, p999: 40 });
    expect(whole.stdev).to.be.closeTo(Math.sqrt(125), 1e-9);
    expect(latencyFigures([0, 10, 30, 60, 100], 2)).to.deep.include({ min: 5, max: 20, typical: 12.5, avg: 12.5 });
  });
});
