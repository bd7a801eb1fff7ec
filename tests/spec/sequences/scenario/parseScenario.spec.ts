import { expect } from 'chai';
import { DirectSource } from '../../../../config/scenario/drawn/directSource.ts';
import { ScenarioTooLargeError, explicitForm, scenarioText } from '../../../../config/scenario/file/dumpScenario.ts';
import { ExplicitSource } from '../../../../config/scenario/file/explicitSource.ts';
import { ScenarioFileError, parseScenario } from '../../../../config/scenario/file/parseScenario.ts';
import { findCollisions } from '../../../../config/scenario/file/scenarioChecks.ts';
import { configOf } from '../testConfig.ts';

const LINE =
  '+RC_QP_NUM=2 +UD_QP_NUM=1 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +READ_WQE_NUM=1 +SG_NUM=2 +DATA_CNT=10 +MR_GRANULARITY=qp';

function sample(): string {
  return scenarioText(explicitForm(new DirectSource(configOf(LINE), 1)));
}

function problemsOf(text: string): string[] {
  try {
    parseScenario(text, 'case.json');
  } catch (error) {
    expect(error).to.be.instanceOf(ScenarioFileError);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('parseScenario', () => {
  it('accepts what the dump writes, one request a line', () => {
    expect(problemsOf(sample())).to.deep.equal([]);
    expect(sample()).to.contain(
      '{"opcode": "RDMA_WRITE", "sges": [{"region": 0, "at": 40, "length": 10}, {"region": 0, "at": 50, "length": 10}], "remote": {"region": 1, "at": 40}}',
    );
  });

  it('names line and column of every mistake at once', () => {
    const text = sample()
      .replace('"process": 1, "entries"', '"process": 9, "entries"')
      .replace('"opcode": "RDMA_READ"', '"opcode": "RDMA_REED"');
    const [first] = problemsOf(text);
    const line = text.split('\n').findIndex((l) => l.includes('RDMA_REED')) + 1;
    const column = (text.split('\n')[line - 1] as string).indexOf('"RDMA_REED"') + 1;
    expect(first).to.match(
      new RegExp(
        `^case.json:${line}:${column}: hosts\\[0\\]\\.qps\\[0\\]\\.doorbells\\[0\\]\\.sends\\[2\\]\\.opcode: `,
      ),
    );
    const other = problemsOf(sample().replace('"process": 1, "entries"', '"process": 9, "entries"'));
    expect(other[0]).to.match(/^case\.json:\d+:\d+: hosts\[0\]\.cqs\[0\]\.process: 9 is out of range; allowed 1\.\.2/);
  });

  it('names the place of a syntax error', () => {
    expect(problemsOf('{\n  "format": "x",,\n}')[0]).to.equal(
      'case.json:2:17: this is not JSON: a name in double quotes is expected, not ,',
    );
    const trailing = sample().replace('"processes": 2,', '"processes": 2,,');
    expect(problemsOf(trailing)[0]).to.match(/^case\.json:\d+:17: this is not JSON/);
  });

  it('refuses names that every object has, as it does other unknown ones', () => {
    const own = problemsOf(sample().replace(/"parameters": \{[^}]*\}/, '"parameters": { "__proto__": "1" }'));
    expect(own.join()).to.match(/^case\.json:\d+:\d+: unknown key "__proto__"; leave it out$/);
    for (const name of ['constructor', 'toString']) {
      const field = problemsOf(sample().replace('"processes": 2', `"processes": 2,\n "${name}": 1`));
      expect(field.join()).to.contain(`${name}: there is no such field; allowed: format,`);
      const parameter = problemsOf(sample().replace(/"parameters": \{[^}]*\}/, `"parameters": { "${name}": "1" }`));
      expect(parameter.join()).to.contain(`parameters.${name}: there is no such parameter`);
    }
  });

  it('refuses unknown fields', () => {
    expect(problemsOf(sample().replace('"processes": 2', '"processes": 2,\n "colour": 1')).join()).to.contain('colour');
  });

  it('refuses references to nothing', () => {
    expect(problemsOf(sample().replace('"remote": {"region": 1', '"remote": {"region": 7'))[0]).to.contain(
      'the peer has no region 7',
    );
    expect(problemsOf(sample().replace('"sges": [{"region": 0', '"sges": [{"region": 5'))[0]).to.contain(
      'has no region 5',
    );
    expect(problemsOf(sample().replace('"sendCq": 0', '"sendCq": 4')).join()).to.contain(
      'there is no completion queue 4; allowed 0..2',
    );
    expect(problemsOf(sample().replace('"host": 1', '"host": 5')).join()).to.contain(
      'there is no host 5; allowed 0..1',
    );
  });

  it('says for each value what belongs there, and the nearest name', () => {
    const first = (from: string | RegExp, to: string): string | undefined => problemsOf(sample().replace(from, to))[0];
    expect(first('"RDMA_READ"', '"RDMA_REED"')).to.match(
      /opcode: "RDMA_REED" does not belong here; expected is "SEND", .*"RDMA_READ".*; did you mean RDMA_READ\?$/,
    );
    expect(first(/"psn": \d+/, '"psn": 16777216')).to.match(/psn: 16777216 is out of range; allowed 0\.\.16777215$/);
    expect(first(/"psn": \d+/, '"psn": "5"')).to.match(
      /"5" does not belong here; expected is a whole number 0\.\.16777215$/,
    );
    expect(first(/"mtu": \d+/, '"mtu": 1000')).to.match(/expected is 256, 512, 1024, 2048 or 4096$/);
    expect(first(/"peer": \{[^}]*\}/, '"peer": 3')).to.match(/expected is an object with host, qp or null$/);
    expect(first(/"maxSge": \d+/, '"maxSGEs": 2')).to.match(
      /maxSge: the field is missing; it holds a whole number 1\.\.16$/,
    );
    expect(problemsOf(sample().replace(/"maxSge": \d+/, '"maxSGEs": 2'))[1]).to.match(
      /^case\.json:\d+:\d+: .*\.maxSGEs: there is no such field; did you mean maxSge\?$/,
    );
    expect(first(/"cqs": \[/, '"cqs": 3, "cq": [')).to.match(
      /cqs: 3 does not belong here; expected is a list of 0\.\.8192 entries$/,
    );
    expect(first(/^[\s\S]*$/, '[]')).to.match(
      /a scenario is an object with format, parameters, processes, doorbells, hosts$/,
    );
  });

  it('does not go on about a peer that does not exist', () => {
    expect(problemsOf(sample().replace('"qp": 1', '"qp": 9')).join('\n')).not.to.match(/without a peer|take 0/);
  });

  it('refuses peers that do not agree, and messages without a receive', () => {
    expect(problemsOf(sample().replace('"qp": 1', '"qp": 2')).join()).to.contain('RC cannot be joined with UD');
    const lines = sample().split('\n');
    const recv = lines.findIndex((l) => l.trim().startsWith('{"sges"'));
    lines.splice(recv, 1);
    expect(problemsOf(lines.join('\n')).join()).to.contain(
      "0 of them, but the peer's requests of this doorbell take 1",
    );
  });

  it('refuses what a service cannot do', () => {
    const text = sample().replace('"type": "RC"', '"type": "UC"');
    expect(problemsOf(text).join()).to.contain('UC has no RDMA_READ');
  });
});

describe('explicitForm', () => {
  it('refuses scenarios of millions of requests with what to do instead', () => {
    const source = new DirectSource(configOf('+RC_QP_NUM=8192 +DB_NUM=10 +SEND_WQE_NUM=30'), 1);
    expect(source.requestCount()).to.equal(2 * 8192 * 300);
    expect(() => explicitForm(source)).to.throw(ScenarioTooLargeError, 'keep the compact form');
  });
});

describe('findCollisions', () => {
  it('finds a destination that overlaps another buffer by one byte', () => {
    // The READ's destination in the receive area begins at 60; what the peer WRITEs there ends at 60.
    const text = sample().replace('"remote": {"region": 1, "at": 40}', '"remote": {"region": 1, "at": 41}');
    expect(findCollisions(new ExplicitSource(parseScenario(sample(), 'x')))).to.deep.equal([]);
    const [problem, ...more] = findCollisions(new ExplicitSource(parseScenario(text, 'x')));
    expect(problem).to.match(/^host 1 queue pair 1 doorbell 0: .*overlaps/);
    expect(more).to.deep.equal([]);
  });

  it('finds a buffer that leaves its area', () => {
    const text = sample().replace('"remote": {"region": 1, "at": 40}', '"remote": {"region": 1, "at": 4294967290}');
    expect(findCollisions(new ExplicitSource(parseScenario(text, 'x')))[0]).to.contain('leaves its area');
  });
});
