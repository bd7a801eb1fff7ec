import { expect } from 'chai';
import { AnalysisPort } from '../../../../uvm/tlm/analysisPort.ts';

describe('AnalysisPort (1800.2 12.2.8)', () => {
  it('writes to objects, functions and ports in the order of connection', () => {
    const seen: string[] = [];
    const port = new AnalysisPort<number>('a');
    const upper = new AnalysisPort<number>('b');
    upper.connect((n) => seen.push(`upper ${n}`));
    port.connect({ write: (n) => void seen.push(`object ${n}`) });
    port.connect((n) => seen.push(`function ${n}`));
    port.connect(upper);
    port.write(7);
    expect(seen).to.deep.equal(['object 7', 'function 7', 'upper 7']);
    expect(port.size).to.equal(3);
  });

  it('may be written without a connection', () => {
    expect(() => new AnalysisPort<number>().write(1)).to.not.throw();
  });

  it('hands over the object itself', () => {
    const item = { n: 1 };
    const port = new AnalysisPort<{ n: number }>();
    let got: unknown;
    port.connect((x) => {
      got = x;
    });
    port.write(item);
    expect(got).to.equal(item);
  });
});
