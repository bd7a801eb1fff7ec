import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { analyse } from '../../../../regress/coverage/analysis.ts';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { NO_EXCLUSIONS } from '../../../../regress/coverage/exclusions.ts';
import { gridsOf } from '../../../../regress/coverage/export/crossGrids.ts';
import { cheapestRuns } from '../../../../regress/coverage/attribution.ts';
import { coveragePage } from '../../../../regress/coverage/export/page.ts';
import { ucisXml } from '../../../../regress/coverage/export/ucis.ts';
import { hitting, runNamed, TRAFFIC } from './databases.ts';

const RUNS = [
  runNamed('dear', { events: 900, hits: hitting(TRAFFIC, { 1: 2, 4: 2, 8: 1 }) }),
  runNamed('cheap', { events: 100, passed: false, replay: './hca_test +A="<&>"', hits: hitting(TRAFFIC, { 1: 3 }) }),
];
const DATABASE = databaseOf([TRAFFIC], RUNS);
const WRITTEN = new Date('2026-11-24T12:00:00Z');

describe('UCIS XML', () => {
  const xml = ucisXml(DATABASE, { written: WRITTEN, version: '1.2.3', exclusions: NO_EXCLUSIONS });

  it('has a history node for each run, the cheapest first, with what a run is repeated by', () => {
    const nodes = [...xml.matchAll(/<historyNodes historyNodeId="(\d)".*logicalName="([^"]*)".*testStatus="(\w+)"/g)];
    expect(nodes.map(([, id, name, status]) => [id, name, status])).to.deep.equal([
      ['0', 'merged', 'true'],
      ['1', 'list/cheap', 'false'],
      ['2', 'list/dear', 'true'],
    ]);
    expect(xml).to.contain('cmd="./hca_test +A=&quot;&lt;&amp;&gt;&quot;"');
  });

  it('gives every bin a range or an index for each crossed item, its count and the runs that hit it', () => {
    expect(xml).to.contain(
      '<coverpointBin name="op[1]" key="1" type="bins">\n            <range from="1" to="1"><contents coverageCount="5"><historyNodeId>1</historyNodeId><historyNodeId>2</historyNodeId></contents></range>',
    );
    expect(xml).to.contain(
      '<crossBin name="&lt;op[0],large&gt;" key="1" type="bins"><index>0</index><index>1</index><contents coverageCount="1"><historyNodeId>2</historyNodeId></contents></crossBin>',
    );
    expect(xml).to.contain('type="default"');
  });

  it('is well-formed', function () {
    const checked = spawnSync('xmllint', ['--noout', '-'], { input: xml });
    if (checked.error !== undefined) {
      console.log('      xmllint is not installed (libxml2-utils): not checked');
      this.skip();
    }
    expect(checked.stderr.toString()).to.equal('');
  });

  it('is valid by the schema of its covergroups, in which an element out of place is not', function () {
    const schema = fileURLToPath(new URL('ucisCovergroups.xsd', import.meta.url));
    const validate = (input: string) => spawnSync('xmllint', ['--noout', '--schema', schema, '-'], { input });
    const checked = validate(xml);
    if (checked.error !== undefined) {
      console.log('      xmllint is not installed (libxml2-utils): not checked');
      this.skip();
    }
    expect(checked.stderr.toString()).to.equal('- validates\n');
    expect(checked.status).to.equal(0);
    expect(validate(xml.replace(/ +<options [^>]*>\n/, '')).status).not.to.equal(0);
  });

  it('puts the elements of an instance in the order that the schema wants', () => {
    const order = [...xml.matchAll(/<(sourceFiles|historyNodes|instanceCoverages|cgInstance|cgId|coverpoint|cross) /g)];
    const names = order.map(([, name]) => name as string).filter((name, i, all) => name !== all[i - 1]);
    expect(names).to.deep.equal([
      'sourceFiles',
      'historyNodes',
      'instanceCoverages',
      'cgInstance',
      'cgId',
      'coverpoint',
      'cross',
    ]);
  });
});

describe('The coverage page', () => {
  const analysis = analyse(DATABASE, NO_EXCLUSIONS, { holes: true, rank: 'events' });
  const page = coveragePage(analysis, { title: 'A <b> & c', written: WRITTEN, top: 100 });

  it('allows what it holds and nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    for (const [element, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ]) {
      const text = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page)?.[1] ?? '';
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).to.contain(`${directive} 'sha256-${hash}'`);
    }
    expect(policy).to.contain("default-src 'none'");
    expect(page).to.not.match(/\b(src|href)=|\bstyle="|\bon[a-z]+="/);
  });

  it('shows groups, crosses as grids, holes and ranking, and takes names as text', () => {
    expect(page).to.contain('<title>A &lt;b&gt; &amp; c</title>');
    for (const text of ['traffic_cg', 'op \\ size', 'Holes: ', 'Ranking: ', 'coverage: 3 of 14 bins'])
      expect(page).to.contain(text);
    expect(page).to.match(/<td class="n hit" title="traffic_cg.op_x_size.&lt;op\[0\],large&gt;">1<\/td>/);
  });

  it('leads from each hit to the cheapest run that has it, and nowhere else', () => {
    const runs = cheapestRuns(DATABASE);
    const linked = coveragePage(analysis, { title: 't', written: WRITTEN, top: 100, runs });
    const targets = [...linked.matchAll(/ href="([^"]*)"/g)].map(([, target]) => target as string);
    expect(targets.length).to.be.greaterThan(2);
    for (const target of targets) expect(linked).to.contain(`<tr id="${target.slice(1)}"><td>`);
    expect(targets.every((target) => /^#run\d+$/.test(target))).to.equal(true);
    expect(linked).to.contain('<code>./hca_test +A=&quot;&lt;&amp;&gt;&quot;</code>');
  });

  it('has rows and columns in the order of the bins that are crossed', () => {
    const bin = (name: string) => ({ path: name, name, kind: 'bins', hits: 0, covered: false }) as const;
    const items = [{ name: 'state', bins: ['reset', 'init', 'rtr'].map(bin) }];
    const cross = {
      of: ['state', 'state'],
      bins: ['<init,rtr>', '<init,reset>', '<rtr,init>', '<reset,init>'].map(bin),
    };
    const { grids } = gridsOf(cross as unknown as Parameters<typeof gridsOf>[0], items);
    expect(grids.map(({ rows, columns }) => [rows, columns])).to.deep.equal([
      [
        ['reset', 'init', 'rtr'],
        ['reset', 'init', 'rtr'],
      ],
    ]);
  });

  it('has a grid for each bin of the items before the last two of a cross', () => {
    const bin = (name: string) => ({ path: name, name, kind: 'bins', hits: 0, covered: false }) as const;
    const cross = { of: ['a', 'b', 'c'], bins: ['<x,1,u>', '<x,2,v>', '<y,1,u>', 'rest'].map(bin) };
    const { grids, others } = gridsOf(cross as unknown as Parameters<typeof gridsOf>[0]);
    expect(grids.map(({ title, rows, columns }) => [title, rows, columns])).to.deep.equal([
      ['x: b \\ c', ['1', '2'], ['u', 'v']],
      ['y: b \\ c', ['1'], ['u']],
    ]);
    expect(grids[0]?.cells[0]?.[1]).to.equal(undefined);
    expect(others.map(({ name }) => name)).to.deep.equal(['rest']);
  });
});
