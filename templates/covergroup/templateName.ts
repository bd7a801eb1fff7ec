import { QP_TYPE } from 'rnic-verify/rdma';
import { type Connection, UserSequence } from 'rnic-verify/sequences';
import { bins, covergroup, type Proc } from 'rnic-verify/uvm';

interface Burst {
  readonly count: number;
  readonly bytes: number;
}

/** Shown by --list-covergroups, measured with +COV or --cov. */
export const templateNameCg = covergroup<Burst>('template_name_cg', { comment: 'WRITEs in a row' }, (g) => {
  const count = g.coverpoint('count', (b) => b.count, [bins('one', 1), bins('few', [2, 7]), bins('many', [8, 30])]);
  const bytes = g.coverpoint('bytes', (b) => b.bytes, [bins('small', [1, 255]), bins('large', [256, 4096])]);
  g.cross('count_x_bytes', [count, bytes]);
});

/** Bursts of WRITEs of drawn number and size, which the covergroup counts. */
export class TemplateName extends UserSequence {
  static readonly typeName: string = 'template_name';
  static readonly description: string = 'bursts of WRITEs of drawn number and size';
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const coverage = this.run.coverage.create(templateNameCg);
    const [count, bytes] = [this.random.range(1, 30), this.random.range(1, 4096)];
    coverage.sample({ count, bytes });
    const source = yield* left.source(bytes);
    const sink = yield* right.sink(bytes * count);
    for (let i = 0; i < count; i++) yield* left.write(source, sink.part(i * bytes, bytes));
    for (let i = 0; i < count; i++) this.expectSuccess(yield* left.sent(), 'WRITE');
  }
}
