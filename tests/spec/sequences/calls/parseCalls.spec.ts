import { expect } from 'chai';
import { parseCalls } from '../../../../config/scenario/calls/parseCalls.ts';

const HEAD = `format: rnic-verify scenario 2
test: test_smoke
seed: 1
hosts: 2
processes: 1
receivesMayRemain: true
parameters: {}
faults: []
laziness: {}
`;

function stepsText(...steps: string[]): string {
  return `${HEAD}stages:\n- threads:\n  - name: t\n    steps:\n${steps.map((step) => `    - ${step}\n`).join('')}`;
}

describe('the text of a scenario of calls', () => {
  it('is read from YAML', () => {
    const { stages } = parseCalls(stepsText('{ call: openDevice, "on": host0 }'), 'f.yaml');
    expect(stages[0]?.threads[0]?.steps).to.deep.equal([{ call: 'openDevice', on: 'host0' }]);
  });

  it('is read from JSON', () => {
    const scenario = parseCalls(stepsText('{ wait: 5us }'), 'f.yaml');
    expect(parseCalls(JSON.stringify(scenario), 'f.json')).to.deep.equal(scenario);
  });

  for (const [what, step, column, message] of [
    ['a call that nobody knows', '{ call: openDevise, "on": host0 }', 15, /no call "openDevise".*openDevice/],
    ['a field that nobody knows', '{ call: openDevice, "on": host0, at: 3 }', 0, /no such field/],
    ['a wait that is none', '{ wait: compleetions, "on": host0 }', 15, /no wait.*completions/],
    ['a time that is none', '{ wait: until, time: 3 parsecs }', 0, /not a time/],
    ['a time without its wait', '{ wait: quiet, time: 3us }', 0, /goes with "wait: until"/],
    ['a name that nothing makes', '{ call: queryQp, "on": host0.qp1 }', 0, /nothing makes host0.qp1/],
    [
      'a rule of PCIe that is none',
      '{ call: addFault, "on": pcie, as: pcie.fault0, args: { rule: ur aera=data } }',
      0,
      /area/,
    ],
    [
      'a fault rule for a host',
      '{ call: addFault, "on": host0, as: link.fault0, args: { rule: drop nth=1 } }',
      0,
      /takes no fault rules.*link, pcie/,
    ],
    ['a fault rule that is none', '{ call: addFault, "on": link, as: link.fault0, args: { rule: dorp } }', 0, /dorp/],
    [
      'a number out of range',
      '{ call: createCq, "on": host0, as: host0.cq0, args: { process: 1, entries: 0 } }',
      0,
      /0 is out of range/,
    ],
  ] as const) {
    it(`is refused with its place for ${what}`, () => {
      const found = /^f\.yaml:(\d+):(\d+): /.exec(mistake(stepsText(step)));
      expect(found?.[1]).to.equal('14');
      if (column > 0) expect(Number(found?.[2])).to.equal(column);
      expect(mistake(stepsText(step))).to.match(message);
    });
  }

  it('is refused with its place when it is no YAML', () => {
    expect(mistake(`${HEAD}stages: [`)).to.match(/^f\.yaml:\d+:\d+: not YAML: /);
  });
});

function mistake(text: string): string {
  try {
    parseCalls(text, 'f.yaml');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
