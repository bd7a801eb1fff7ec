import { expect } from 'chai';

interface PlainFields {
  plainFields(text: string, unit?: string): string;
}

// Plain JavaScript without declarations, like all of the build.
const path = '../../../scripts/optimise/plainFields.mjs';
const { plainFields } = (await import(path)) as PlainFields;

describe('the private members of compiled classes', () => {
  it('become plain ones, under names of their class', () => {
    expect(plainFields('class A { #a = 1; get() { return this.#a; } }')).to.equal(
      'class A { $$1$a = 1; get() { return this.$$1$a; } }',
    );
    expect(plainFields('class A { #a = 1; }', 'm_js')).to.equal('class A { $m_js$1$a = 1; }');
  });

  it('keep apart what several classes call by one name', () => {
    const text =
      'class A { #a = 1; }\nclass B extends A { #a = 2; sum(c) { return class { #b = 3; is = c.#a + this.#b; }; } }';
    expect(plainFields(text)).to.equal(
      'class A { $$1$a = 1; }\n' +
        'class B extends A { $$2$a = 2; sum(c) { return class { $$3$b = 3; is = c.$$2$a + this.$$3$b; }; } }',
    );
  });

  it('are not declared where the constructor assigns them, and lines keep their numbers', () => {
    const text =
      'class A {\n  #a;\n  b;\n  c;\n  constructor(d) {\n    this.#a = d;\n    this.b = d;\n    if (d) this.c = d;\n  }\n}';
    expect(plainFields(text)).to.equal(
      'class A {\n  \n  \n  c;\n  constructor(d) {\n    this.$$1$a = d;\n    this.b = d;\n    if (d) this.c = d;\n  }\n}',
    );
  });

  it('can be asked for as before', () => {
    expect(plainFields('class A { #a = 1; static is(o) { return #a in o && o?.#a > 0; } }')).to.equal(
      "class A { $$1$a = 1; static is(o) { return '$$1$a' in o && o?.$$1$a > 0; } }",
    );
  });

  it('are renamed with the methods and accessors, of which the compiled class can do the same', () => {
    const text =
      'class A { #n = 0; #m() { return 1; } *#g() { yield this.#m(); } async #s() {} get #v() { return this.#n; } ' +
      'set #v(v) { this.#n = v; } sum() { this.#v += 2; return [...this.#g(), this.#v, #m in this]; } }';
    expect(plainFields(text)).to.equal(
      'class A { $$1$n = 0; $$1$m() { return 1; } *$$1$g() { yield this.$$1$m(); } async $$1$s() {} ' +
        'get $$1$v() { return this.$$1$n; } set $$1$v(v) { this.$$1$n = v; } ' +
        "sum() { this.$$1$v += 2; return [...this.$$1$g(), this.$$1$v, '$$1$m' in this]; } }",
    );
  });

  it('leave a method of a derived class beside that of its base, though both are called alike', () => {
    const text =
      'class A { #m() { return 1; } a() { return this.#m(); } } class B extends A { #m() { return 2; } b() { return this.#m(); } }';
    const made = new Function(`${plainFields(text)} return new B();`)() as { a(): number; b(): number };
    expect([made.a(), made.b()]).to.deep.equal([1, 2]);
  });

  it('of the class itself and all other text stay as they are', () => {
    const text = "class A { static #a = 1; static #m() { return A.#a; } get() { return A.#m() + '#a'; } } // #a";
    expect(plainFields(text)).to.equal(text);
  });

  it('stay as they are the second time', () => {
    const once = plainFields('class A { #a; constructor() { this.#a = 1; } }');
    expect(plainFields(once)).to.equal(once);
  });
});
