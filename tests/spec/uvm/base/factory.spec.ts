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

  it('overrides classes that nobody registered, by class and by name', () => {
    const f = new Factory();
    f.register('named_c', C);
    f.setTypeOverride(A, B);
    expect(f.create(A, 'x', parent)).to.be.instanceOf(B);
    expect(f.clone().create(A, 'x', parent)).to.be.instanceOf(B);
    f.setInstOverride('B', 'named_c', '*.y');
    expect(f.create(A, 'y', parent)).to.be.instanceOf(C);
    expect(f.create(B, 'x', parent)).not.to.be.instanceOf(C);
    expect(f.overrides().map((o) => [o.requested, o.substitute, o.uses])).to.deep.equal([
      ['B', 'named_c', 1],
      ['A', 'B', 2],
    ]);
  });

  it('keeps an override of a class apart from another class of the same name', () => {
    const other = { A: class {} }.A;
    const f = factory();
    f.setTypeOverride(A, B);
    expect(f.create(other as unknown as typeof A, 'x', parent)).to.be.instanceOf(other);
  });

  it('obeys an override that was set before its type was registered', () => {
    const f = new Factory();
    f.register('B', B);
    f.setTypeOverride('A', 'B');
    f.register('A', A);
    expect(f.create('A', 'x', parent)).to.be.instanceOf(B);
    expect(f.create(A, 'x', parent)).to.be.instanceOf(B);
  });

  it('gives an override what the constructor takes besides name and parent', () => {
    class Sized {
      readonly size: number;
      constructor(_name: string, _parent: object, size: number) {
        this.size = size;
      }
    }
    class Doubled extends Sized {
      constructor(name: string, above: object, size: number) {
        super(name, above, 2 * size);
      }
    }
    const f = new Factory();
    expect(f.create(Sized, 's', parent, 4).size).to.equal(4);
    f.setTypeOverride(Sized, Doubled);
    expect(f.create(Sized, 's', parent, 4).size).to.equal(8);
  });

  it('refuses an override by a class that cannot take the place, and says which override it is', () => {
    const f = factory();
    f.setTypeOverride(B, C);
    expect(() => f.create(B, 'x', parent)).to.throw(
      UvmError,
      "'B' at 'top.env.x' is overridden by 'C', which does not extend",
    );
    class Part extends A {
      buildPhase(): void {}
    }
    f.register('part', Part);
    f.setTypeOverride('A', 'part');
    expect(() => f.createObject('A', 'x')).to.throw(UvmError, "overridden by 'part', which is a component");
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
