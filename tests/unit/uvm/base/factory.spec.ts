import { expect } from 'chai';
import { Factory } from '../../../../uvm/base/factory.ts';
import { UvmError } from '../../../../uvm/base/uvmError.ts';

class A {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
class B extends A {}
class C extends A {}

function factory(): Factory {
  const f = new Factory();
  f.register('A', A);
  f.register('B', B);
  f.register('C', C);
  return f;
}

const parent = { fullName: 'top.env' };

describe('Factory (1800.2 clause 8)', () => {
  it('makes what is registered under a name or as a class', () => {
    expect(factory().create('A', 'x', parent)).to.be.instanceOf(A);
    expect(factory().create<A>(A, 'x', parent).name).to.equal('x');
    expect(factory().createObject('B', 'y')).to.be.instanceOf(B);
  });

  it('names the nearest types when a type is not registered', () => {
    const f = new Factory();
    f.register('write_test', A);
    expect(() => f.create('wirte_test', 'x', parent)).to.throw(UvmError, 'did you mean write_test?');
  });

  it('makes the override of a type everywhere', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    expect(f.create('A', 'x', parent)).to.be.instanceOf(B);
    expect(f.create(A, 'x', parent)).to.be.instanceOf(B);
  });

  it('replaces a type override unless told to keep the earlier one', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    expect(f.setTypeOverride('A', 'C', false)).to.equal(false);
    expect(f.create('A', 'x', parent)).to.be.instanceOf(B);
    f.setTypeOverride('A', 'C');
    expect(f.create('A', 'x', parent)).to.be.instanceOf(C);
  });

  it('prefers an instance override, and of several the first that matches (8.3.1.4)', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    f.setInstOverride('A', 'C', '*.env.x*');
    f.setInstOverride('A', 'B', '*.x1');
    expect(f.create('A', 'x1', parent)).to.be.instanceOf(C);
    expect(f.create('A', 'y', parent)).to.be.instanceOf(B);
  });

  it('follows a chain of overrides', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    f.setInstOverride('B', 'C', 'top.env.x');
    expect(f.create('A', 'x', parent)).to.be.instanceOf(C);
  });

  it('reports a loop of overrides with its members', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    f.setTypeOverride('B', 'C');
    f.setTypeOverride('C', 'A');
    expect(() => f.create('A', 'x', parent)).to.throw(UvmError, 'A -> B -> C -> A');
  });

  it('rejects an override of a type by itself and by an unknown type', () => {
    expect(() => factory().setTypeOverride('A', 'A')).to.throw(UvmError, 'identical');
    expect(() => factory().setTypeOverride('A', 'D')).to.throw(UvmError, "'D' is not registered");
  });

  it('makes nothing of a name that two classes have, says which, and disturbs nobody else', () => {
    const shared = factory();
    shared.register('A', B, 'other.ts');
    expect(() => shared.create('A', 'a', {})).to.throw(UvmError, "'A' is shared by the classes A and B of other.ts");
    expect(shared.clone().conflict('A')).to.equal(shared.conflict('A'));
    expect(shared.create('C', 'c', {})).to.be.instanceOf(C);
    expect(shared.create(A, 'a', {})).to.be.instanceOf(A);
    expect(factory().conflict('A')).to.equal('');
  });

  it('keeps overrides of a copy away from the original', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    const copy = f.clone();
    copy.setTypeOverride('A', 'C');
    expect(f.create('A', 'x', parent)).to.be.instanceOf(B);
    expect(copy.create('A', 'x', parent)).to.be.instanceOf(C);
  });

  it('counts how often an override was used', () => {
    const f = factory();
    f.setTypeOverride('A', 'B');
    f.resolveName('A');
    expect(f.overrides()[0]?.uses).to.equal(0);
    f.create('A', 'x', parent);
    expect(f.overrides()[0]?.uses).to.equal(1);
  });
});
