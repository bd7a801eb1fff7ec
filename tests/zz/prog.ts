import { HanguNic } from '../../dut-model/hangu/hanguNic.ts';
import * as cfg from '../../dut-model/hangu/hanguConfig.ts';
import { runOne } from '../../bin/runOne.ts';
import { loadRegistry } from '../../bin/registry.ts';
const registry: any = await loadRegistry();
if (registry.nics.length === 0) registry.nics = [{ name: 'hangu', description: '', faults: [], builder: () => (c: any, k: any) => new HanguNic(c, (cfg as any).resolveHanguConfig(k)) }];
let last = Date.now(); const t0 = last;
const r = runOne({ testName: 'test_direct_param', seed: 1, plusargs: process.argv.slice(2) }, registry, { sink: (x) => console.log(x.slice(0, 300)), heartbeat: (p) => { if (Date.now() - last > 5000) { last = Date.now(); console.log((last - t0) / 1000, 's', p, (process.memoryUsage().rss / 1e6) | 0); } return last - t0 > 240000 ? 'limit' : undefined; } });
console.log(r.verdict, r.message.slice(0, 300), r.counts, Date.now() - t0);
