import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { junitXml, xmlText } from '../../../../regress/report/junit.ts';
import { aJob, aResult } from '../../support/jobs.ts';

const OPTIONS = { name: 'lists/x.yaml', started: '2026-01-02T03:04:05.678Z', hostname: 'h', folder: '/r' };

function wellFormed(xml: string): boolean | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'junit-'));
  writeFileSync(join(folder, 'x.xml'), xml);
  const { status, error } = spawnSync('xmllint', ['--noout', join(folder, 'x.xml')]);
  rmSync(folder, { recursive: true });
  return error === undefined ? status === 0 : undefined;
}

describe('junitXml', () => {
  const jobs = [
    aJob({ id: 'a/0-s1', family: 'a', title: 'N=1' }),
    aJob({ id: 'a/1-s7', family: 'a', title: 'N=2' }),
    aJob({ id: 'b-s1', family: 'b' }),
    aJob({ id: 'c-s1', family: 'c' }),
  ];
  const signature = { id: 'SCB_DATA', component: 'env.sb', message: 'a < b', time: 5 };
  const results = [
    aResult({ id: 'a/0-s1', family: 'a' }),
    aResult({
      id: 'a/1-s7',
      family: 'a',
      status: 'failed',
      seed: 7,
      signature,
      message: '[SCB_DATA] a < b \u001b[31m',
      folder: '/r/runs/x',
      log: '/r/runs/x/run.log',
      replay: './hca_test \'+A="1"\' --seed 7',
    }),
    aResult({ id: 'b-s1', family: 'b', status: 'timeout', message: 'no end' }),
  ];
  const xml = junitXml({ ...OPTIONS, jobs, results });

  it('puts seed and replay line where every CI system shows them', () => {
    const line = 'seed: 7\nreplay: ./hca_test &apos;+A=&quot;1&quot;&apos; --seed 7';
    expect(xml).to.contain(
      `<failure message="[SCB_DATA] a &lt; b \\x1b[31m" type="SCB_DATA">[SCB_DATA] a &lt; b \\x1b[31m\n${line}</failure>`,
    );
    expect(xml).to.contain(`<system-err>${line}</system-err>`);
    expect(xml).to.contain('<system-out>[[ATTACHMENT|runs/x/run.log]]</system-out>');
    expect(xml).to.contain('<property name="attachment" value="runs/x/run.log"/>');
    expect(xml).to.contain('<testcase classname="a" name="a/1-s7 N=2" time="0.013">');
  });

  it('tells failures, errors and runs that did not take place apart', () => {
    expect(xml).to.contain(
      '<testsuite name="a" tests="2" failures="1" errors="0" skipped="0" time="0.025" timestamp="2026-01-02T03:04:05Z"',
    );
    expect(xml).to.contain('<testsuite name="b" tests="1" failures="0" errors="1" skipped="0"');
    expect(xml).to.contain('<testsuite name="c" tests="1" failures="0" errors="0" skipped="1"');
    expect(xml).to.contain('<error message="no end" type="timeout">');
    expect(xml).not.to.match(/ (file|line)="/);
  });

  it('is well formed', function () {
    const good = wellFormed(xml);
    if (good === undefined) this.skip();
    expect(good).to.equal(true);
  });

  it('stays legal XML whatever a message contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        const escaped = xmlText(text);
        expect(escaped).not.to.match(/[<>"']/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
        expect(escaped).not.to.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      }),
    );
  });
});
