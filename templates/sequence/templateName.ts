import { QP_TYPE } from 'rnic-verify/rdma';
import { type Connection, UserSequence } from 'rnic-verify/sequences';
import type { Proc } from 'rnic-verify/uvm';

const RECORDS = 4;
const BYTES = 700;

/** Records that the left side WRITEs to the right one, each announced by immediate data. */
export class TemplateName extends UserSequence {
  static readonly typeName: string = 'template_name';
  static readonly description: string = 'RDMA WRITEs with immediate data';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection({ left: producer, right: consumer }: Connection): Proc<void> {
    const source = yield* producer.source(RECORDS * BYTES);
    const sink = yield* consumer.sink(RECORDS * BYTES);
    for (let i = 0; i < RECORDS; i++) yield* consumer.receive([]);
    for (let i = 0; i < RECORDS; i++) {
      yield* producer.write(source.part(i * BYTES, BYTES), sink.part(i * BYTES, BYTES), { imm: i });
    }
    for (let i = 0; i < RECORDS; i++) {
      const arrived = yield* consumer.received();
      this.expectSuccess(arrived, 'immediate data');
      if (arrived.imm !== i) this.error('TEMPLATE_NAME', `record ${i} was expected, ${arrived.imm} was announced`);
      this.expectSuccess(yield* producer.sent(), 'WRITE');
    }
  }
}
