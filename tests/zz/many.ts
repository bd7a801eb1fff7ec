import { HanguNic } from '../../dut-model/hangu/hanguNic.ts';
import * as cfg from '../../dut-model/hangu/hanguConfig.ts';
import { runOne } from '../../bin/runOne.ts';
import { loadRegistry } from '../../bin/registry.ts';
const registry: any = await loadRegistry();
if (registry.nics.length === 0) registry.nics = [{ name: 'hangu', description: '', faults: [], builder: () => (c: any, k: any) => new HanguNic(c, (cfg as any).resolveHanguConfig(k)) }];
const [from, to] = process.argv.slice(2, 4).map(Number) as [number, number];
const extra = process.argv.slice(4);
const times: number[] = []; const kinds = new Map<string, number[]>();
for (let seed = from; seed < to; seed++) {
  const t = process.hrtime.bigint();
  let r: any; try { r = runOne({ testName: 'test_random', seed, plusargs: extra }, registry, { sink: () => {} }); } catch (e: any) { r = { verdict: 'threw', message: e.message, counts: {} }; }
  times.push(Number(process.hrtime.bigint() - t) / 1e6);
  if (r.verdict !== 'passed') { const k = r.verdict + ' ' + r.message.slice(0, 140).replace(/\d+/g, '#'); kinds.set(k, [...(kinds.get(k) ?? []), seed]); }
}
times.sort((a, b) => a - b);
console.log('runs', times.length, 'median ms', times[times.length >> 1], 'p90', times[Math.floor(times.length * 0.9)], 'max', times[times.length - 1]);
for (const [k, s] of [...kinds].sort((a, b) => b[1].length - a[1].length)) console.log(s.length, k, s.slice(0, 6).join(','));
